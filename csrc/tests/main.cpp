// usage: wordodds_tests [PREFIX]    runs the tests whose name starts with PREFIX, e.g.
// "text/tokenize/"
#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>

#include "tests/check.hpp"
#include "tests/execution.hpp"

namespace {

// What for_each_execution runs: logs must show which instruction sets were really tested.
void print_executions() {
    const char* separator = "instruction sets: ";
    for (const wordodds::InstructionSet set : wordodds::available_instruction_sets()) {
        const std::string_view name = wordodds::instruction_set_name(set);
        std::printf("%s%.*s", separator, static_cast<int>(name.size()), name.data());
        separator = ", ";
    }
    separator = "; threads: ";
    for (const int32_t n_jobs : wordodds::job_counts) {
        std::printf("%s%d", separator, n_jobs);
        separator = ", ";
    }
    std::printf("\n");
}

// Empty if the test passed.
std::string failure_of(const wordodds::check::Test& test) {
    try {
        test.run();
        return {};
    } catch (const wordodds::check::Failure& failure) {
        return failure.message;
    } catch (const std::exception& error) {
        return std::string("unexpected exception: ") + error.what();
    } catch (...) {
        return "unexpected exception of a type that is no std::exception";
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view prefix = argc > 1 ? argv[1] : "";
    int n_run = 0;
    int n_failed = 0;
    print_executions();
    for (const wordodds::check::Test& test : wordodds::check::tests()) {
        if (!test.name.starts_with(prefix)) continue;
        // Printed before it runs: after a crash the last line names the culprit.
        std::printf("%s ... ", test.name.c_str());
        std::fflush(stdout);
        const auto start = std::chrono::steady_clock::now();
        const std::string failure = failure_of(test);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        ++n_run;
        n_failed += !failure.empty();
        std::printf("%s (%.2f s)\n", failure.empty() ? "ok" : "FAILED", elapsed.count());
        if (!failure.empty()) std::printf("  %s\n", failure.c_str());
    }
    std::printf("%d tests, %d failed\n", n_run, n_failed);
    // A name that matches nothing must not pass for success.
    return n_run > 0 && n_failed == 0 ? 0 : 1;
}
