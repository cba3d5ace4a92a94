// usage: wordodds_tests [PREFIX]    runs the tests whose name starts with PREFIX, e.g. "tokenize/"
#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>

#include "check.hpp"

namespace {

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
