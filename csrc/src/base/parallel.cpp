#include "wordodds/base/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace wordodds {
namespace {

// What the threads of one parallel_for share.
class Crew {
   public:
    Crew(const Execution& execution, int64_t n_chunks, int64_t n_workers,
         const std::function<void(int64_t, int32_t)>& body)
        : execution_(execution), n_chunks_(n_chunks), body_(body) {
        // Now, so that no later growth can fail while threads run.
        threads_.reserve(static_cast<size_t>(n_workers));
    }

    // Takes chunks until none is left, one throws or the token stops. Never throws.
    void work(int32_t worker) noexcept {
        try {
            while (!failed_.load(std::memory_order_relaxed)) {
                const int64_t chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed);
                if (chunk >= n_chunks_) break;
                execution_.stop->check();
                body_(chunk, worker);
            }
        } catch (...) {
            keep_first(std::current_exception());
        }
    }

    void hire(int32_t worker) {
        {
            const std::lock_guard lock(mutex_);
            ++running_;
        }
        try {
            threads_.emplace_back([this, worker] {
                work(worker);
                const std::lock_guard lock(mutex_);
                --running_;
                idle_.notify_one();
            });
        } catch (...) {
            const std::lock_guard lock(mutex_);
            --running_;
            throw;
        }
    }

    // The calling thread goes on polling while the others finish.
    void wait() {
        std::unique_lock lock(mutex_);
        while (!idle_.wait_for(lock, StopToken::poll_interval, [this] { return running_ == 0; })) {
            lock.unlock();
            try {
                execution_.stop->check();
            } catch (...) {
                keep_first(std::current_exception());
            }
            lock.lock();
        }
        lock.unlock();
        for (std::thread& thread : threads_) thread.join();
        if (first_) std::rethrow_exception(first_);
    }

   private:
    void keep_first(std::exception_ptr error) noexcept {
        {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::move(error);
        }
        failed_.store(true, std::memory_order_relaxed);
        // Running bodies that poll the token end early too. Only now, so that their Stopped can
        // never pass for the first exception.
        execution_.stop->request();
    }

    const Execution& execution_;
    const int64_t n_chunks_;
    const std::function<void(int64_t, int32_t)>& body_;
    std::atomic<int64_t> next_chunk_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::condition_variable idle_;
    int32_t running_ = 0;
    std::exception_ptr first_;
    std::vector<std::thread> threads_;
};

}  // namespace

void parallel_for(const Execution& execution, int64_t n_chunks,
                  const std::function<void(int64_t, int32_t)>& body) {
    const int64_t n_workers = std::min<int64_t>(execution.n_jobs, n_chunks);
    if (n_workers <= 1) {
        for (int64_t chunk = 0; chunk < n_chunks; ++chunk) {
            execution.stop->check();
            body(chunk, 0);
        }
        return;
    }
    Crew crew(execution, n_chunks, n_workers, body);
    try {
        for (int32_t worker = 1; worker < n_workers; ++worker) crew.hire(worker);
    } catch (const std::exception&) {
        // The system grants no more threads, or no memory for one: those that run do the work, with
        // the same result.
    }
    crew.work(0);
    crew.wait();
}

}  // namespace wordodds
