#include <limits>

#include "check.hpp"
#include "execution.hpp"
#include "matrices.hpp"
#include "reference/bayes.hpp"
#include "wordodds/bayes/multinomial.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<int32_t> random_labels(Random& random, int64_t n_rows, int64_t n_classes) {
    std::vector<int32_t> labels(static_cast<size_t>(n_rows));
    for (int32_t& label : labels) label = static_cast<int32_t>(below(random, n_classes));
    return labels;
}

template <class Index, class Value>
std::vector<double> tally(const OwnedCsr<Index, Value>& matrix, const std::vector<int32_t>& labels,
                          int64_t n_classes, const Execution& execution) {
    // NaN shows whatever is not overwritten.
    std::vector<double> out(static_cast<size_t>(n_classes * matrix.n_cols), nan);
    csr_tally_classes(matrix.view(), std::span<const int32_t>(labels), n_classes, execution,
                      std::span<double>(out));
    return out;
}

std::vector<double> log_weights(const std::vector<double>& tally, int64_t n_classes, int64_t n_cols,
                                double alpha, int64_t stride, const Execution& execution) {
    std::vector<double> out(static_cast<size_t>(n_cols * stride), nan);
    tally_log_weights(tally, n_classes, n_cols, alpha, stride, execution, out);
    return out;
}

TEST("tally written out by hand") {
    // Repeated and unsorted entries add up; a class without rows has zeros.
    const OwnedCsr<int32_t, double> matrix{3, 3, {0, 3, 4, 5}, {2, 0, 2, 1, 0}, {1, 2, 4, 8, 16}};
    CHECK_SAME(tally(matrix, {2, 0, 2}, 3, Run()),
               (std::vector<double>{0, 8, 0, 0, 0, 0, 18, 0, 5}));
}

TEST("tally: the bits of a plain loop in row order, for any number of jobs") {
    for_each_index_number([]<class Index, class Value>() {
        Random random(40);
        for (const int64_t n_classes : {1, 2, 3, 20}) {
            const auto matrix = random_csr<Index, Value>(random, 5000, 60, 12);
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

TEST("tally of float values is summed in double") {
    OwnedCsr<int32_t, float> matrix{1, 1, {0, 0}, {}, {}};
    for (int i = 0; i < 1000; ++i) {
        matrix.indices.push_back(0);
        matrix.data.push_back(i == 0 ? 16777216.0f : 1.0f);  // 2^24: the next float is two away
    }
    matrix.indptr[1] = 1000;
    CHECK_EQ(tally(matrix, {0}, 1, Run())[0], 16777216.0 + 999.0);
}

TEST("tally of nothing") {
    const OwnedCsr<int64_t, double> no_rows{0, 3, {0}, {}, {}};
    CHECK_SAME(tally(no_rows, {}, 2, Run(2)), std::vector<double>(6, 0.0));
    const OwnedCsr<int64_t, double> no_columns{2, 0, {0, 0, 0}, {}, {}};
    CHECK(tally(no_columns, {1, 0}, 2, Run(2)).empty());
}

TEST("tally stops when asked") {
    Random random(41);
    const auto matrix = random_csr<int32_t, double>(random, 100, 10, 3);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, tally(matrix, random_labels(random, 100, 4), 4, run));
    }
}

TEST("log weights written out by hand") {
    // Class 0: (1 + 1) / 5 and (2 + 1) / 5; class 1: 1 / 2 and 1 / 2.
    const auto weights = log_weights({1, 2, 0, 0}, 2, 2, 1.0, 3, Run());
    const std::vector<double> expected{std::log(0.4), std::log(0.5), 0.0,
                                       std::log(0.6), std::log(0.5), 0.0};
    for (size_t i = 0; i < expected.size(); ++i) CHECK_CLOSE(weights[i], expected[i], 1e-15, i);
}

TEST("log weights agree with the twin; the same bits for any number of jobs") {
    Random random(42);
    for (const int64_t n_classes : {1, 2, 7, 8, 9, 20}) {
        for (const int64_t n_cols : {1, 5, 1024, 5000}) {
            for (const double alpha : {0.0, 1e-10, 0.5, 1.0, 1e6}) {
                const int64_t stride = n_classes + below(random, 9);
                std::vector<double> tally(static_cast<size_t>(n_classes * n_cols));
                for (double& count : tally) {
                    count = random() % 2 ? 0.0 : std::exp(12.0 * uniform(random) - 2.0);
                }
                const auto expected =
                    reference::tally_log_weights(tally, n_classes, n_cols, alpha, stride);
                const auto first = log_weights(tally, n_classes, n_cols, alpha, stride, Run());
                for (size_t i = 0; i < expected.size(); ++i) {
                    CHECK_CLOSE(first[i], expected[i], 1e-13, i, n_classes, n_cols, alpha);
                }
                for (const int32_t n_jobs : {2, 5}) {
                    CHECK_SAME(log_weights(tally, n_classes, n_cols, alpha, stride, Run(n_jobs)),
                               first, n_jobs);
                }
            }
        }
    }
}

TEST("log weights of many classes and columns: several chunks, the same bits") {
    Random random(44);
    constexpr int64_t n_classes = 100, n_cols = 6000, stride = 104;
    std::vector<double> tally(static_cast<size_t>(n_classes * n_cols));
    for (double& count : tally) count = static_cast<double>(below(random, 4));
    const auto expected = reference::tally_log_weights(tally, n_classes, n_cols, 0.1, stride);
    for (const int32_t n_jobs : job_counts) {
        const auto actual = log_weights(tally, n_classes, n_cols, 0.1, stride, Run(n_jobs));
        CHECK_SAME(actual, log_weights(tally, n_classes, n_cols, 0.1, stride, Run()), n_jobs);
        for (size_t i = 0; i < expected.size(); ++i) {
            CHECK_CLOSE(actual[i], expected[i], 1e-13, i, n_jobs);
        }
    }
}

TEST("weights of a class are the logarithms of probabilities") {
    Random random(43);
    std::vector<double> tally(3 * 4000);
    for (double& count : tally) count = static_cast<double>(below(random, 5));
    const auto weights = log_weights(tally, 3, 4000, 0.01, 8, Run(2));
    for (size_t c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (size_t j = 0; j < 4000; ++j) sum += std::exp(weights[8 * j + c]);
        CHECK_CLOSE(sum, 1.0, 1e-12, c);
    }
}

TEST("alpha = 0: minus infinity for what was never seen, never NaN") {
    // Class 0 saw word 1 only; class 1 saw nothing.
    const auto weights = log_weights({0, 3, 0, 0, 0, 0}, 2, 3, 0.0, 2, Run());
    CHECK_SAME(weights,
               (std::vector<double>{-infinity, -infinity, 0.0, -infinity, -infinity, -infinity}));
}

TEST("counts of 1e300 give finite weights") {
    const auto weights = log_weights({1e300, 1.0, 2e300, 0.0}, 2, 2, 1.0, 2, Run());
    for (const double weight : weights) CHECK(std::isfinite(weight), weight);
    CHECK_CLOSE(weights[0], 0.0, 1e-13);
    CHECK_CLOSE(weights[3], -std::log(2e300), 1e-13);
}

TEST("no columns, no weights") { CHECK(log_weights({}, 3, 0, 1.0, 8, Run(2)).empty()); }

}  // namespace
}  // namespace wordodds
