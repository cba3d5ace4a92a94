// How tests run a kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr const char* default_job_counts =
    "1,3";  // memory is what is watched, and takes its time
#else
inline constexpr const char* default_job_counts = "1,2,5";
#endif

// Numbers of threads to test with; WORDODDS_TEST_THREADS="2,5,16" takes their place.
inline const std::vector<int32_t> job_counts = [] {
    const char* const given = std::getenv("WORDODDS_TEST_THREADS");
    std::istringstream list(given != nullptr ? given : default_job_counts);
    std::vector<int32_t> counts;
    for (std::string number; std::getline(list, number, ',');) counts.push_back(std::stoi(number));
    return counts;
}();

// An Execution with a token of its own, which never stops by itself.
class Run {
   public:
    explicit Run(int32_t n_jobs = 1, InstructionSet set = InstructionSet::baseline)
        : execution_{n_jobs, set, &stop_} {}
    Run(const Run&) = delete;

    operator const Execution&() const { return execution_; }
    StopToken& stop() { return stop_; }

   private:
    StopToken stop_;
    Execution execution_;
};

// How often body(execution) looks at the token, on one thread. Each look outlasts the interval
// between polls, so that the next one polls too.
template <class Body>
int64_t count_looks(Body body) {
    static constexpr auto outlast = [] {
        std::this_thread::sleep_for(StopToken::poll_interval * 1.1);
    };
    int64_t n_looks = 0;
    StopToken stop(
        [](void* n) {
            ++*static_cast<int64_t*>(n);
            outlast();
            return false;
        },
        &n_looks);
    outlast();
    body(Execution{1, InstructionSet::baseline, &stop});
    return n_looks;
}

// body(execution) for every number of jobs with every instruction set of this machine.
template <class Body>
void for_each_execution(Body body) {
    for (const InstructionSet set : available_instruction_sets()) {
        for (const int32_t n_jobs : job_counts) {
            const Run run(n_jobs, set);
            body(static_cast<const Execution&>(run));
        }
    }
}

}  // namespace wordodds
