#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"

namespace wordodds {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int32_t many_job_counts[] = {1, 2, 5, 16};

// Threads of this process, or 0 where the system does not tell.
int64_t n_threads() {
    std::error_code error;
    const std::filesystem::directory_iterator tasks("/proc/self/task", error);
    return error ? 0 : std::distance(begin(tasks), end(tasks));
}

// A joined thread may stay listed for a moment.
bool threads_return_to(int64_t expected) {
    for (int tries = 0; tries < 1000 && n_threads() > expected; ++tries) {
        std::this_thread::sleep_for(1ms);
    }
    return n_threads() <= expected;
}

// Until the condition holds; gives up after ten seconds, so that a bug fails and does not hang.
template <class Condition>
bool wait_until(Condition condition) {
    const auto deadline = Clock::now() + 10s;
    while (!condition() && Clock::now() < deadline) std::this_thread::sleep_for(100us);
    return condition();
}

TEST("each chunk runs exactly once") {
    for (const int32_t n_jobs : many_job_counts) {
        for (const int64_t n_chunks : {0, 1, 2, 3, 15, 16, 17, 1000}) {
            std::vector<std::atomic<int>> calls(static_cast<size_t>(n_chunks));
            parallel_for(Run(n_jobs), n_chunks,
                         [&](int64_t chunk, int32_t) { ++calls[static_cast<size_t>(chunk)]; });
            for (const auto& n : calls) CHECK_EQ(n.load(), 1, n_jobs, n_chunks);
        }
    }
}

TEST("worker ids are exclusive and below min(n_jobs, n_chunks)") {
    for (const int32_t n_jobs : many_job_counts) {
        for (const int64_t n_chunks : {1, 3, 200}) {
            std::array<std::atomic<bool>, 16> busy{};
            parallel_for(Run(n_jobs), n_chunks, [&](int64_t, int32_t worker) {
                CHECK(worker >= 0 && worker < std::min<int64_t>(n_jobs, n_chunks), worker, n_jobs);
                CHECK(!busy[static_cast<size_t>(worker)].exchange(true), worker, n_jobs);
                std::this_thread::sleep_for(20us);
                busy[static_cast<size_t>(worker)] = false;
            });
        }
    }
}

TEST("at most n_jobs threads, the calling one alone for one job or one chunk") {
    for (const int32_t n_jobs : many_job_counts) {
        for (const int64_t n_chunks : {1, 300}) {
            std::mutex mutex;
            std::set<std::thread::id> ids;
            parallel_for(Run(n_jobs), n_chunks, [&](int64_t, int32_t) {
                std::this_thread::sleep_for(10us);
                const std::lock_guard lock(mutex);
                ids.insert(std::this_thread::get_id());
            });
            CHECK(static_cast<int32_t>(ids.size()) <= n_jobs, ids.size(), n_jobs);
            if (n_jobs == 1 || n_chunks == 1) {
                CHECK(ids == std::set{std::this_thread::get_id()}, n_jobs, n_chunks);
            }
        }
    }
}

TEST("all n_jobs threads run at once") {
    for (const int32_t n_jobs : {2, 5}) {
        std::atomic<int32_t> started{0};
        parallel_for(Run(n_jobs), n_jobs, [&](int64_t, int32_t) {
            ++started;
            CHECK(wait_until([&] { return started == n_jobs; }), n_jobs);
        });
    }
}

TEST("far more jobs than chunks cost nothing") {
    std::atomic<int> n_run{0};
    // Room for as many threads as jobs would be 16 GiB.
    parallel_for(Run(std::numeric_limits<int32_t>::max()), 3, [&](int64_t, int32_t) { ++n_run; });
    CHECK_EQ(n_run.load(), 3);
}

TEST("ordered reduction gives the same bits for any number of jobs") {
    Random random(1);
    std::vector<double> numbers(100'003);
    for (double& number : numbers) number = std::exp(60.0 * uniform(random) - 30.0);
    const FixedChunks chunks{static_cast<int64_t>(numbers.size()), 257};
    const auto sum = [&](int32_t n_jobs) {
        return parallel_reduce(
            Run(n_jobs), chunks.count(), 0.0,
            [&](int64_t chunk) {
                return std::accumulate(numbers.begin() + chunks.begin(chunk),
                                       numbers.begin() + chunks.end(chunk), 0.0);
            },
            [](double x, double y) { return x + y; });
    };
    double expected = 0.0;
    for (int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
        double part = 0.0;
        for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
            part += numbers[static_cast<size_t>(i)];
        }
        expected += part;
    }
    for (const int32_t n_jobs : many_job_counts) {
        for (int repeat = 0; repeat < 5; ++repeat) {
            CHECK(check::same(sum(n_jobs), expected), sum(n_jobs), expected, n_jobs);
        }
    }
}

TEST("reduction combines in chunk order, the initial value first") {
    for (const int32_t n_jobs : many_job_counts) {
        const std::string joined = parallel_reduce(
            Run(n_jobs), 6, std::string("<"),
            [](int64_t chunk) {
                std::this_thread::sleep_for(std::chrono::microseconds(100 * (6 - chunk)));
                return std::to_string(chunk);
            },
            [](std::string x, std::string y) { return x + y; });
        CHECK_EQ(joined, "<012345", n_jobs);
        CHECK_EQ(parallel_reduce(Run(n_jobs), 0, 7, [](int64_t) { return 1; }, std::plus<>()), 7);
    }
}

TEST("the first exception is rethrown and the others stop early") {
    constexpr int64_t n_chunks = 20'000;
    for (const int32_t n_jobs : many_job_counts) {
        const int64_t threads_before = n_threads();
        std::atomic<int64_t> n_run{0};
        std::string message;
        Run run(n_jobs);
        try {
            parallel_for(run, n_chunks, [&](int64_t chunk, int32_t) {
                ++n_run;
                if (chunk == 0) throw std::runtime_error("first");
                std::this_thread::sleep_for(100us);
            });
        } catch (const std::runtime_error& error) {
            message = error.what();
        }
        CHECK_EQ(message, "first", n_jobs);
        CHECK(n_run < n_chunks, n_run.load(), n_jobs);
        CHECK(threads_return_to(threads_before), n_threads(), threads_before, n_jobs);
    }
}

TEST("a later exception never replaces the first") {
    for (const int32_t n_jobs : {2, 5, 16}) {
        Run run(n_jobs);
        try {
            parallel_for(run, n_jobs, [&](int64_t chunk, int32_t) {
                if (chunk == 0) {
                    std::this_thread::sleep_for(2ms);  // so that the others are under way
                    throw std::runtime_error("first");
                }
                // The token of the call tells running bodies that another one failed.
                CHECK(wait_until([&] { return run.stop().requested(); }), n_jobs);
                throw std::runtime_error("later");
            });
            CHECK(false, n_jobs);
        } catch (const std::runtime_error& error) {
            CHECK_EQ(std::string(error.what()), "first", n_jobs);
        }
    }
}

TEST("an exception that is no std::exception passes through") {
    for (const int32_t n_jobs : many_job_counts) {
        CHECK_THROWS(int, parallel_for(Run(n_jobs), 40, [](int64_t chunk, int32_t) {
                         if (chunk == 20) throw 17;
                     }));
    }
}

TEST("no thread is left after an ordinary call") {
    const int64_t before = n_threads();
    parallel_for(Run(16), 64, [](int64_t, int32_t) {});
    CHECK(threads_return_to(before), n_threads(), before);
}

TEST("a request from another thread stops the call") {
    for (const int32_t n_jobs : many_job_counts) {
        Run run(n_jobs);
        std::atomic<bool> started{false};
        std::thread other([&] {
            wait_until([&] { return started.load(); });
            run.stop().request();
        });
        bool stopped = false;
        try {
            parallel_for(run, int64_t{1} << 40, [&](int64_t, int32_t) { started = true; });
        } catch (const Stopped&) {
            stopped = true;
        }
        other.join();
        CHECK(stopped, n_jobs);
    }
}

TEST("a token that was stopped before lets no chunk run") {
    for (const int32_t n_jobs : many_job_counts) {
        Run run(n_jobs);
        run.stop().request();
        std::atomic<int> n_run{0};
        CHECK_THROWS(Stopped, parallel_for(run, 100, [&](int64_t, int32_t) { ++n_run; }));
        CHECK_EQ(n_run.load(), 0, n_jobs);
    }
}

// Notes who polls and how often; says stop from call `stop_at` on.
struct PollLog {
    std::atomic<int> calls{0};
    std::atomic<int> calls_elsewhere{0};
    int stop_at = 1 << 30;
    std::thread::id owner = std::this_thread::get_id();

    static bool poll(void* context) {
        auto& log = *static_cast<PollLog*>(context);
        log.calls_elsewhere += std::this_thread::get_id() != log.owner;
        return ++log.calls >= log.stop_at;
    }
};

TEST("polls on the owning thread only, at most once per interval") {
    for (const int32_t n_jobs : {1, 5}) {
        PollLog log;
        const auto start = Clock::now();
        StopToken stop(PollLog::poll, &log);
        const Execution execution{n_jobs, InstructionSet::baseline, &stop};
        // Chunks on all threads, for a good three intervals of the owner's time.
        parallel_for(execution, 700 * n_jobs,
                     [](int64_t, int32_t) { std::this_thread::sleep_for(100us); });
        const auto intervals = (Clock::now() - start) / StopToken::poll_interval;
        CHECK_EQ(log.calls_elsewhere.load(), 0, n_jobs);
        CHECK(log.calls >= 1, n_jobs, intervals);
        CHECK(log.calls <= intervals, log.calls.load(), intervals, n_jobs);
    }
}

TEST("polls while the calling thread waits for the others") {
    PollLog log;
    StopToken stop(PollLog::poll, &log);
    const Execution execution{2, InstructionSet::baseline, &stop};
    std::atomic<bool> other_started{false};
    parallel_for(execution, 2, [&](int64_t, int32_t) {
        if (std::this_thread::get_id() == log.owner) {
            // So that the other thread takes the second chunk.
            CHECK(wait_until([&] { return other_started.load(); }));
            return;
        }
        other_started = true;
        CHECK(wait_until([&] { return log.calls >= 2; }), log.calls.load());
    });
    CHECK_EQ(log.calls_elsewhere.load(), 0);
}

TEST("a poll that says stop ends the call on every thread") {
    for (const int32_t n_jobs : many_job_counts) {
        PollLog log;
        log.stop_at = 2;
        StopToken stop(PollLog::poll, &log);
        const Execution execution{n_jobs, InstructionSet::baseline, &stop};
        CHECK_THROWS(Stopped, parallel_for(execution, int64_t{1} << 40, [](int64_t, int32_t) {
                         std::this_thread::sleep_for(50us);
                     }));
        CHECK(stop.requested(), n_jobs);
        CHECK_EQ(log.calls.load(), 2, n_jobs);
    }
}

TEST("a poll that says stop while the caller waits ends the call") {
    PollLog log;
    log.stop_at = 1;
    StopToken stop(PollLog::poll, &log);
    const Execution execution{2, InstructionSet::baseline, &stop};
    std::atomic<bool> other_started{false};
    CHECK_THROWS(Stopped, parallel_for(execution, 2, [&](int64_t, int32_t) {
                     if (std::this_thread::get_id() == log.owner) {
                         CHECK(wait_until([&] { return other_started.load(); }));
                         return;
                     }
                     other_started = true;
                     CHECK(wait_until([&] { return stop.requested(); }));
                 }));
}

TEST("fixed chunks cover each item once, in order") {
    for (const int64_t chunk_size : {1, 2, 7, 64}) {
        for (int64_t n_items = 0; n_items <= 200; ++n_items) {
            const FixedChunks chunks{n_items, chunk_size};
            int64_t next = 0;
            for (int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
                CHECK_EQ(chunks.begin(chunk), next, n_items, chunk_size);
                const int64_t size = chunks.end(chunk) - next;
                const bool last = chunk + 1 == chunks.count();
                CHECK(last ? size >= 1 && size <= chunk_size : size == chunk_size, size, chunk);
                next += size;
            }
            CHECK_EQ(next, n_items, chunk_size);
        }
    }
}

}  // namespace
}  // namespace wordodds
