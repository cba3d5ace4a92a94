#include <limits>

#include "reference/bayes/tally.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "tests/matrices.hpp"
#include "wordodds/bayes/tally.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Value>
std::vector<double> tally(const OwnedCsr<Value>& matrix, const std::vector<int32_t>& labels,
                          int64_t n_classes, const Execution& execution,
                          const std::vector<double>& row_weights = {}) {
    // NaN shows whatever is not overwritten.
    std::vector<double> out(static_cast<size_t>(n_classes * matrix.n_cols), nan);
    csr_tally_classes(matrix.view(), std::span<const int32_t>(labels), n_classes, row_weights,
                      execution, std::span<double>(out));
    return out;
}

TEST("tally written out by hand") {
    // Repeated and unsorted entries add up; a class without rows has zeros.
    const OwnedCsr<double> matrix{3, 3, {0, 3, 4, 5}, {2, 0, 2, 1, 0}, {1, 2, 4, 8, 16}};
    CHECK_SAME(tally(matrix, {2, 0, 2}, 3, Run()),
               (std::vector<double>{0, 8, 0, 0, 0, 0, 18, 0, 5}));
}

TEST("tally: the bits of a plain loop in row order, for any number of jobs") {
    for_each_number([]<class Value>() {
        Random random(40);
        for (const int64_t n_classes : {1, 2, 3, 20}) {
            const auto matrix = random_csr<Value>(random, 5000, 60, 12);
            const std::vector<int32_t> labels = random_labels(random, matrix.n_rows, n_classes);
            const auto expected =
                reference::csr_tally_classes<double>(matrix.view(), labels, n_classes);
            const auto exact =
                reference::csr_tally_classes<long double>(matrix.view(), labels, n_classes);
            for (const int32_t n_jobs : {1, 2, 5, 16}) {
                const auto actual = tally(matrix, labels, n_classes, Run(n_jobs));
                CHECK_SAME(actual, expected, n_jobs, n_classes);
                for (size_t i = 0; i < actual.size(); ++i) {
                    CHECK_CLOSE(actual[i], static_cast<double>(exact[i]), 1e-13, n_jobs);
                }
            }
        }
    });
}

TEST("a weighted tally: the bits of a plain loop in row order, for any number of jobs") {
    for_each_number([]<class Value>() {
        Random random(45);
        for (const int64_t n_classes : {1, 3, 20}) {
            const auto matrix = random_csr<Value>(random, 5000, 60, 12);
            const std::vector<int32_t> labels = random_labels(random, matrix.n_rows, n_classes);
            const std::vector<double> weights = random_row_weights(random, matrix.n_rows);
            const auto expected =
                reference::csr_tally_classes<double>(matrix.view(), labels, n_classes, weights);
            for (const int32_t n_jobs : {1, 2, 5, 16}) {
                CHECK_SAME(tally(matrix, labels, n_classes, Run(n_jobs), weights), expected, n_jobs,
                           n_classes);
            }
        }
    });
}

TEST("a row of weight zero is absent, whatever it holds; weights of one change nothing") {
    const OwnedCsr<double> matrix{3, 2, {0, 2, 3, 5}, {0, 1, 0, 1, 0}, {1, 2, infinity, 4, nan}};
    CHECK_SAME(tally(matrix, {0, 0, 1}, 2, Run(), {3, 0, 0}), (std::vector<double>{3, 6, 0, 0}));
    Random random(46);
    const auto counts = random_csr<float>(random, 300, 20, 9);
    const std::vector<int32_t> labels = random_labels(random, 300, 4);
    CHECK_SAME(tally(counts, labels, 4, Run(), std::vector<double>(300, 1.0)),
               tally(counts, labels, 4, Run()));
}

TEST("tally of float values is summed in double") {
    OwnedCsr<float> matrix{1, 1, {0, 0}, {}, {}};
    for (int i = 0; i < 1000; ++i) {
        matrix.indices.push_back(0);
        matrix.data.push_back(i == 0 ? 16777216.0f : 1.0f);  // 2^24: the next float is two away
    }
    matrix.indptr[1] = 1000;
    CHECK_EQ(tally(matrix, {0}, 1, Run())[0], 16777216.0 + 999.0);
}

TEST("tally of nothing") {
    const OwnedCsr<double> no_rows{0, 3, {0}, {}, {}};
    CHECK_SAME(tally(no_rows, {}, 2, Run(2)), std::vector<double>(6, 0.0));
    const OwnedCsr<double> no_columns{2, 0, {0, 0, 0}, {}, {}};
    CHECK(tally(no_columns, {1, 0}, 2, Run(2)).empty());
}

TEST("tally stops when asked") {
    Random random(41);
    const auto matrix = random_csr<double>(random, 100, 10, 3);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, tally(matrix, random_labels(random, 100, 4), 4, run));
    }
}

}  // namespace
}  // namespace wordodds
