#include <limits>
#include <set>

#include "reference/bayes/gaussian.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/bayes/gaussian.hpp"
#include "wordodds/bayes/gaussian_dense.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Value>
struct OwnedDense {
    int64_t n_rows;
    int64_t n_cols;
    std::vector<Value> data;

    DenseRows<Value> view() const { return {n_rows, n_cols, data}; }
};

template <class Value>
OwnedDense<Value> random_dense(Random& random, int64_t n_rows, int64_t n_cols) {
    OwnedDense<Value> matrix{n_rows, n_cols, {}};
    for (int64_t i = 0; i < n_rows * n_cols; ++i) {
        matrix.data.push_back(static_cast<Value>(9.0 * uniform(random) - 3.0));
    }
    return matrix;
}

// Unsorted, but no column twice in a row.
template <class Value>
OwnedCsr<Value> random_distinct(Random& random, int64_t n_rows, int64_t n_cols, int64_t row_max) {
    const auto repeated = random_csr<Value>(random, n_rows, n_cols, row_max);
    OwnedCsr<Value> matrix;
    matrix.n_rows = n_rows;
    matrix.n_cols = n_cols;
    for (size_t row = 0; row < static_cast<size_t>(n_rows); ++row) {
        std::set<int32_t> seen;
        for (auto i = static_cast<size_t>(repeated.indptr[row]);
             i < static_cast<size_t>(repeated.indptr[row + 1]); ++i) {
            if (!seen.insert(repeated.indices[i]).second) continue;
            matrix.indices.push_back(repeated.indices[i]);
            matrix.data.push_back(static_cast<Value>(repeated.data[i] - Value{1}));
        }
        matrix.indptr.push_back(static_cast<int64_t>(matrix.indices.size()));
    }
    return matrix;
}

std::vector<int32_t> random_labels(Random& random, int64_t n_rows, int64_t n_classes) {
    std::vector<int32_t> labels(static_cast<size_t>(n_rows));
    for (int32_t& label : labels) label = static_cast<int32_t>(below(random, n_classes));
    return labels;
}

struct Found {
    std::vector<double> weight, mean, m2;

    // NaN shows whatever is not overwritten.
    Found(int64_t n_classes, int64_t n_cols)
        : weight(static_cast<size_t>(n_classes), nan),
          mean(static_cast<size_t>(n_classes * n_cols), nan),
          m2(static_cast<size_t>(n_classes * n_cols), nan) {}
    ClassMoments out() { return {weight, mean, m2}; }
};

template <class Value>
Found moments(const OwnedCsr<Value>& matrix, const std::vector<int32_t>& labels,
              const std::vector<double>& weights, int64_t n_classes, const Execution& execution) {
    Found found(n_classes, matrix.n_cols);
    csr_class_moments(matrix.view(), labels, weights, n_classes, execution, found.out());
    return found;
}

template <class Value>
Found moments(const OwnedDense<Value>& matrix, const std::vector<int32_t>& labels,
              const std::vector<double>& weights, int64_t n_classes, const Execution& execution) {
    Found found(n_classes, matrix.n_cols);
    dense_class_moments(matrix.view(), labels, weights, n_classes, execution, found.out());
    return found;
}

template <class Matrix>
void check_moments(Random& random, const Matrix& matrix, int64_t n_classes, bool weighted) {
    const auto labels = random_labels(random, matrix.n_rows, n_classes);
    std::vector<double> weights;
    for (int64_t row = 0; weighted && row < matrix.n_rows; ++row) {
        weights.push_back(random() % 4 == 0 ? 0.0 : 3.0 * uniform(random));
    }
    const auto expected = reference::class_moments(reference::rows_of(matrix.view()), labels,
                                                   weights, static_cast<size_t>(n_classes),
                                                   static_cast<size_t>(matrix.n_cols));
    const Found first = moments(matrix, labels, weights, n_classes, Run());
    const auto close = [&](const std::vector<double>& actual,
                           const std::vector<long double>& exact) {
        for (size_t i = 0; i < actual.size(); ++i) {
            CHECK_CLOSE(actual[i], static_cast<double>(exact[i]), 1e-12, i, n_classes, weighted);
        }
    };
    close(first.weight, expected.weight);
    close(first.mean, expected.mean);
    close(first.m2, expected.m2);
    for_each_execution([&](const Execution& execution) {
        const Found found = moments(matrix, labels, weights, n_classes, execution);
        CHECK_SAME(found.weight, first.weight, execution.n_jobs);
        CHECK_SAME(found.mean, first.mean, execution.n_jobs);
        CHECK_SAME(found.m2, first.m2, execution.n_jobs);
    });
}

TEST("moments of sparse rows agree with the twin; the same bits for any number of jobs") {
    for_each_number([]<class Value>() {
        Random random(70);
        for (const int64_t n_classes : {1, 2, 9}) {
            for (const bool weighted : {false, true}) {
                check_moments(random, random_distinct<Value>(random, 400, 40, 20), n_classes,
                              weighted);
            }
        }
    });
}

TEST("moments of dense rows agree with the twin; the same bits for any number of jobs") {
    const auto check = []<class Value>(Value) {
        Random random(71);
        for (const int64_t n_cols : {1, 5, 128, 300}) {
            for (const int64_t n_classes : {1, 2, 9}) {
                for (const bool weighted : {false, true}) {
                    check_moments(random, random_dense<Value>(random, 200, n_cols), n_classes,
                                  weighted);
                }
            }
        }
    };
    check(float{});
    check(double{});
}

TEST("moments written out by hand") {
    // Class 0: 1, 3 and a zero that is not stored; class 1 has no rows; class 2 weighs 2 + 6.
    const OwnedCsr<int64_t> sparse{5, 1, {0, 1, 2, 2, 3, 4}, {0, 0, 0, 0}, {1, 5, 1, 5}};
    const OwnedDense<float> dense{5, 1, {1, 5, 0, 1, 5}};
    const std::vector<double> weights{1, 1, 1, 2, 6};
    for (const Found& found : {moments(sparse, {0, 0, 0, 2, 2}, weights, 3, Run()),
                               moments(dense, {0, 0, 0, 2, 2}, weights, 3, Run())}) {
        CHECK_SAME(found.weight, (std::vector<double>{3, 0, 8}));
        CHECK_SAME(found.mean, (std::vector<double>{2, 0, 4}));
        CHECK_CLOSE(found.m2[0], 14.0, 1e-15);
        CHECK_EQ(found.m2[1], 0.0);
        CHECK_CLOSE(found.m2[2], 24.0, 1e-15);
    }
}

TEST("a row of weight zero leaves no trace, whatever it holds") {
    const OwnedDense<double> dense{3, 2, {1, 2, nan, infinity, 3, 5}};
    const OwnedDense<double> without{2, 2, {1, 2, 3, 5}};
    const Found a = moments(dense, {0, 0, 0}, {0.3, 0.0, 0.4}, 1, Run());
    const Found b = moments(without, {0, 0}, {0.3, 0.4}, 1, Run());
    CHECK_SAME(a.mean, b.mean);
    CHECK_SAME(a.m2, b.m2);
}

TEST("equal values: the mean is the value, the squares are zero, to the bit") {
    Random random(72);
    OwnedDense<double> dense{1000, 3, {}};
    OwnedCsr<double> sparse{1000, 3, {0}, {}, {}};
    std::vector<double> weights;
    for (int32_t row = 0; row < 1000; ++row) {
        dense.data.insert(dense.data.end(), {0.1, 1e308, -3e-320});
        sparse.indices.insert(sparse.indices.end(), {2, 0, 1});
        sparse.data.insert(sparse.data.end(), {-3e-320, 0.1, 1e308});
        sparse.indptr.push_back(3 * (row + 1));
        weights.push_back(uniform(random));
    }
    const std::vector<int32_t> labels(1000, 0);
    for (const Found& found :
         {moments(dense, labels, weights, 1, Run()), moments(sparse, labels, weights, 1, Run())}) {
        CHECK_SAME(found.mean, (std::vector<double>{0.1, 1e308, -3e-320}));
        CHECK_SAME(found.m2, (std::vector<double>{0, 0, 0}));
    }
}

TEST("a spread too small to be squared is not taken for none") {
    // A value and a zero; always the same; two values.
    const OwnedDense<double> dense{
        3, 3, {1e-200, 2e-200, 1e-200, 0.0, 2e-200, 3e-200, 1e-200, 2e-200, 1e-200}};
    const OwnedCsr<double> sparse{3,
                                  3,
                                  {0, 3, 5, 8},
                                  {0, 1, 2, 1, 2, 2, 1, 0},
                                  {1e-200, 2e-200, 1e-200, 2e-200, 3e-200, 1e-200, 2e-200, 1e-200}};
    const double least = least_spread(3.0);
    for (const Found& found :
         {moments(dense, {0, 0, 0}, {}, 1, Run()), moments(sparse, {0, 0, 0}, {}, 1, Run())}) {
        CHECK_SAME(found.m2, (std::vector<double>{least, 0.0, least}));
    }
}

TEST("values far from zero keep the digits of their spread") {
    Random random(73);
    OwnedDense<double> dense{500, 1, {}};
    OwnedCsr<double> sparse{500, 1, {0}, {}, {}};
    for (int32_t row = 0; row < 500; ++row) {
        dense.data.push_back(1e9 + uniform(random));
        sparse.indices.push_back(0);
        sparse.data.push_back(dense.data.back());
        sparse.indptr.push_back(row + 1);
    }
    const std::vector<int32_t> labels(500, 0);
    const auto exact = reference::class_moments(reference::rows_of(dense.view()), labels, {}, 1, 1);
    for (const Found& found :
         {moments(dense, labels, {}, 1, Run()), moments(sparse, labels, {}, 1, Run())}) {
        CHECK_CLOSE(found.m2[0] / static_cast<double>(exact.m2[0]), 1.0, 1e-6);
    }
}

TEST("moments of nothing, and stopping") {
    const OwnedCsr<double> no_rows{0, 2, {0}, {}, {}};
    CHECK_SAME(moments(no_rows, {}, {}, 2, Run(2)).m2, std::vector<double>(4, 0.0));
    const OwnedDense<double> no_dense_rows{0, 2, {}};
    CHECK_SAME(moments(no_dense_rows, {}, {}, 2, Run(2)).mean, std::vector<double>(4, 0.0));
    const OwnedDense<double> no_columns{2, 0, {}};
    CHECK_SAME(moments(no_columns, {0, 0}, {}, 1, Run(2)).weight, std::vector<double>{2});
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, moments(no_rows, {}, {}, 2, run));
        CHECK_THROWS(Stopped, moments(no_dense_rows, {}, {}, 2, run));
    }
}

struct Gaussians {
    int64_t n_cols;
    std::vector<double> mean, variance, log_prior;

    auto n_classes() const { return static_cast<int64_t>(log_prior.size()); }
};

Gaussians random_gaussians(Random& random, int64_t n_classes, int64_t n_cols) {
    Gaussians g{n_cols, {}, {}, {}};
    for (int64_t i = 0; i < n_classes * n_cols; ++i) {
        g.mean.push_back(6.0 * uniform(random) - 3.0);
        g.variance.push_back(std::exp(4.0 * uniform(random) - 3.0));
    }
    for (int64_t c = 0; c < n_classes; ++c) {
        g.log_prior.push_back(c == 3 ? -infinity : -uniform(random));
    }
    return g;
}

template <class Matrix>
std::vector<double> scores(const Matrix& matrix, const Gaussians& g, const Execution& execution) {
    const int64_t stride = class_stride(g.n_classes());
    std::vector<double> table(static_cast<size_t>(2 * g.n_cols * stride), nan);
    std::vector<double> summary(static_cast<size_t>(n_class_summaries * g.n_classes()), nan);
    moments_fill_gaussians(g.mean, g.variance, g.log_prior, g.n_cols, execution, table, summary);
    const GaussianTable gaussians{table, summary, g.n_cols, g.n_classes(), stride};
    std::vector<double> out(static_cast<size_t>(matrix.n_rows * g.n_classes()), nan);
    if constexpr (requires { matrix.indptr; }) {
        csr_score_gaussians(matrix.view(), gaussians, execution, out);
    } else {
        dense_score_gaussians(matrix.view(), gaussians, execution, out);
    }
    return out;
}

template <class Matrix>
void check_scores(const Matrix& matrix, const Gaussians& g, double tolerance = 1e-12) {
    const auto exact =
        reference::score_gaussians(reference::rows_of(matrix.view()), g.mean, g.variance,
                                   g.log_prior, static_cast<size_t>(g.n_cols));
    const auto first = scores(matrix, g, Run());
    for (size_t i = 0; i < first.size(); ++i) {
        CHECK_CLOSE(first[i], static_cast<double>(exact[i]), tolerance, i, g.n_classes());
    }
    for_each_execution([&](const Execution& execution) {
        CHECK_SAME(scores(matrix, g, execution), first, execution.n_jobs,
                   instruction_set_name(execution.instruction_set));
    });
}

TEST("scores of sparse rows agree with the twin; the same bits for any execution") {
    for_each_number([]<class Value>() {
        Random random(74);
        for (const int64_t n_classes : {1, 2, 8, 9, 40}) {
            check_scores(random_distinct<Value>(random, 300, 25, 15),
                         random_gaussians(random, n_classes, 25));
        }
    });
}

TEST("scores of dense rows agree with the twin; the same bits for any execution") {
    const auto check = []<class Value>(Value) {
        Random random(75);
        for (const int64_t n_classes : {1, 3, 31, 32, 33, 70}) {
            for (const int64_t n_rows : {0, 1, 17, 256, 300}) {
                const int64_t n_cols = 1 + below(random, 300);
                check_scores(random_dense<Value>(random, n_rows, n_cols),
                             random_gaussians(random, n_classes, n_cols));
            }
        }
    };
    check(float{});
    check(double{});
}

TEST("point masses: their value or minus infinity, stored or not, never NaN") {
    // Class 0: points at 5 and at 0; class 1: one point at 0; class 2: none.
    const Gaussians g{3, {5, 0, 1, 0, 2, 1, 1, 1, 1}, {0, 0, 1, 0, 1, 1, 1, 1, 1}, {-1, -1, -1}};
    const OwnedCsr<double> sparse{6,
                                  3,
                                  {0, 1, 2, 4, 6, 6, 9},
                                  {0, 2, 0, 1, 1, 2, 0, 1, 2},
                                  {5, 1, 5, 1e-300, 0.0, 2, 0.0, 0.0, 0.0}};
    OwnedDense<double> dense{6, 3, {}};
    for (const auto& row : reference::rows_of(sparse.view())) {
        for (const long double value : row) dense.data.push_back(static_cast<double>(value));
    }
    check_scores(sparse, g);
    check_scores(dense, g);
    const auto found = scores(sparse, g, Run());
    CHECK(std::isfinite(found[0]));  // (5, 0, 0)
    CHECK_EQ(found[1], -infinity);   // 5 is not 0
    CHECK_EQ(found[3], -infinity);   // the 5 is not stored
    CHECK(std::isfinite(found[4]));
    CHECK_EQ(found[6], -infinity);  // 1e-300 is not 0
}

TEST("nearly constant columns far from zero: sparse scores keep their digits") {
    // S is 1e14 times what the rows are away: without TwoSum no digit of the score is right.
    Random random(76);
    Gaussians g{6, {}, {}, {-1, -1}};
    for (int64_t i = 0; i < 12; ++i) {
        g.mean.push_back(1000.0 * (1.0 + uniform(random)));
        g.variance.push_back(1e-8);
    }
    OwnedCsr<double> sparse{2, 6, {0, 6, 12}, {}, {}};
    for (size_t c = 0; c < 2; ++c) {
        for (size_t j = 0; j < 6; ++j) {
            sparse.indices.push_back(static_cast<int32_t>(5 - j));
            sparse.data.push_back(g.mean[6 * c + 5 - j] + 1e-4 * uniform(random));
        }
    }
    check_scores(sparse, g, 1e-9);
}

TEST("scores at the ends of the number range") {
    const Gaussians g{
        2, {1e150, 0, 1e-150, 0, 5, 5}, {1e300, 1, 1e-300, 1e-309, 5e-324, 1}, {0, 0, 0}};
    const OwnedCsr<double> sparse{
        4, 2, {0, 2, 2, 3, 4}, {0, 1, 0, 1}, {1e-150, 0.0, 1.7e308, -1.7e308}};
    const auto found = scores(sparse, g, Run());
    for (const double score : found) CHECK(score < infinity, score);
    CHECK_EQ(found[3 + 2], -infinity);  // nothing stored, but 5 expected
    const OwnedDense<double> dense{3, 2, {1e-150, 0, 1e150, 1, 1.7e308, -1.7e308}};
    for (const double score : scores(dense, g, Run())) CHECK(score < infinity, score);
    check_scores(OwnedDense<double>{2, 2, {1e-150, 0, 1e150, 1e-160}},
                 Gaussians{2, {1e150, 0, 1e-150, 0}, {1e300, 1, 1e-300, 1e-309}, {0, 0}});
}

TEST("scoring stops when asked") {
    Random random(77);
    const auto sparse = random_distinct<double>(random, 1000, 10, 3);
    const auto dense = random_dense<double>(random, 1000, 10);
    const Gaussians g = random_gaussians(random, 4, 10);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, scores(sparse, g, run));
        CHECK_THROWS(Stopped, scores(dense, g, run));
    }
}

}  // namespace
}  // namespace wordodds
