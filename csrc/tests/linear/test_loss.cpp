#include <limits>

#include "reference/linear/loss.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "wordodds/linear/products.hpp"

namespace wordodds {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr size_t n_guard = 64;
constexpr double guard = 123.25;

// A loss whose value and derivatives tell y and the score apart. It writes the gradient first, and
// then still reads the scores.
void test_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
               double* hessian) {
    for (int64_t i = 0; i < n; ++i) {
        gradient[i] = 2.0 * (raw[i] - 2.0 * y[i]);
        hessian[i] = 2.0 + y[i];
    }
    for (int64_t i = 0; i < n; ++i) {
        const double difference = raw[i] - 2.0 * y[i];
        loss[i] = difference * difference;
    }
}

struct Rows {
    int64_t n_columns;
    int64_t stride;
    std::vector<int32_t> codes;
    std::vector<double> row_weights, scores;

    ScoredRows view() const {
        return {static_cast<int64_t>(codes.size()), n_columns, stride, codes, row_weights, scores};
    }
};

// The padding of the scores holds large numbers, which must not show anywhere.
Rows random_rows(Random& random, int64_t n_rows, int64_t n_columns, double size) {
    Rows rows{n_columns, lane_stride(n_columns), {}, {}, {}};
    rows.codes = random_labels(random, n_rows, n_columns == 1 ? 2 : n_columns);
    for (int64_t row = 0; row < n_rows; ++row) {
        rows.row_weights.push_back(0.1 + uniform(random));
        for (int64_t k = 0; k < rows.stride; ++k) {
            rows.scores.push_back(k < n_columns ? size * (uniform(random) - 0.5) : 1e300);
        }
    }
    return rows;
}

struct Found {
    double value;
    std::vector<double> first, second;
};

// kernel(first, second) -> value; NaN shows whatever is not overwritten.
template <class Kernel>
Found found(const Rows& rows, Kernel kernel) {
    const size_t n = rows.scores.size();
    Found result{0.0, std::vector<double>(n, nan), std::vector<double>(n, nan)};
    result.first.resize(n + n_guard, guard);
    result.second.resize(n + n_guard, guard);
    result.value = kernel(std::span(result.first).first(n), std::span(result.second).first(n));
    for (size_t i = n; i < n + n_guard; ++i) {
        CHECK_EQ(result.first[i], guard, i);
        CHECK_EQ(result.second[i], guard, i);
    }
    result.first.resize(n);
    result.second.resize(n);
    return result;
}

Found scalar(const Rows& rows, const Execution& execution) {
    return found(rows, [&](std::span<double> gradient, std::span<double> hessian) {
        return rows_scalar_loss(rows.view(), test_loss, execution, gradient, hessian);
    });
}

Found softmax(const Rows& rows, const Execution& execution) {
    return found(rows, [&](std::span<double> gradient, std::span<double> probabilities) {
        return rows_softmax_loss(rows.view(), execution, gradient, probabilities);
    });
}

template <class Loss>
void check_same_bits(const Rows& rows, Loss loss, const Found& expected) {
    for_each_execution([&](const Execution& execution) {
        const Found actual = loss(rows, execution);
        CHECK_SAME((std::vector{actual.value}), (std::vector{expected.value}), execution.n_jobs);
        CHECK_SAME(actual.first, expected.first, execution.n_jobs);
        CHECK_SAME(actual.second, expected.second, execution.n_jobs);
    });
}

TEST("losses of one score: those of the twin, one column or one-vs-rest, for any execution") {
    Random random(96);
    for (const int64_t n_columns : {1, 2, 3, 8, 20, 21}) {
        for (const int64_t n_rows : {0, 1, 1000}) {
            const Rows rows = random_rows(random, n_rows, n_columns, 30.0);
            const auto expected = reference::rows_scalar_loss(rows.view(), test_loss);
            const Found first = scalar(rows, Run());
            CHECK_CLOSE(first.value, static_cast<double>(expected.value), 1e-12, n_columns);
            CHECK_SAME(first.first, expected.first, n_columns, n_rows);
            CHECK_SAME(first.second, expected.second, n_columns, n_rows);
            check_same_bits(rows, scalar, first);
        }
    }
}

TEST("the gradient of losses of one score may be written over the scores") {
    Random random(97);
    Rows rows = random_rows(random, 50, 5, 3.0);
    const Found expected = scalar(rows, Run());
    std::vector<double> hessian(rows.scores.size());
    const double value = rows_scalar_loss(rows.view(), test_loss, Run(), rows.scores, hessian);
    CHECK_EQ(value, expected.value);
    CHECK_SAME(rows.scores, expected.first);
}

TEST("softmax: loss, gradient and probabilities of the twin, for any execution") {
    Random random(98);
    for (const int64_t n_columns : {2, 3, 4, 8, 20, 21}) {
        for (const int64_t n_rows : {0, 1, 1000}) {
            const Rows rows = random_rows(random, n_rows, n_columns, 30.0);
            const auto expected = reference::rows_softmax_loss(rows.view());
            const Found first = softmax(rows, Run());
            CHECK_CLOSE(first.value, static_cast<double>(expected.value), 1e-12, n_columns);
            for (size_t i = 0; i < rows.scores.size(); ++i) {
                CHECK_CLOSE(first.first[i], expected.first[i], 1e-14, i, n_columns);
                CHECK_CLOSE(first.second[i], expected.second[i], 1e-14, i, n_columns);
            }
            check_same_bits(rows, softmax, first);
        }
    }
}

TEST("softmax of scores far apart: finite, and small gradients keep their digits") {
    for (const double size : {50.0, 1e6, 1e300}) {
        Rows rows{3, 4, {0, 1}, {2.0, 0.5}, {size, 0, -size, 0, size, 0, -size, 0}};
        const auto expected = reference::rows_softmax_loss(rows.view());
        const Found actual = softmax(rows, Run());
        CHECK_CLOSE(actual.value, static_cast<double>(expected.value), 1e-15, size);
        for (size_t i = 0; i < rows.scores.size(); ++i) {
            // Nobody can tell 3e-308 from 0.
            const double scale = std::max(std::abs(expected.first[i]), 1e-290);
            CHECK(std::abs(actual.first[i] - expected.first[i]) <= 1e-13 * scale, i, size);
        }
    }
}

TEST("the softmax's second derivative times a vector: that of the twin, for any execution") {
    Random random(99);
    for (const int64_t n_columns : {2, 3, 8, 20, 21}) {
        const Rows rows = random_rows(random, 700, n_columns, 8.0);
        const auto p = softmax(rows, Run()).second;
        const Rows vectors = random_rows(random, 700, n_columns, 4.0);
        const auto times = [&](const Execution& execution) {
            auto v = vectors.scores;
            rows_softmax_curve(700, rows.stride, rows.row_weights, p, execution, v);
            return v;
        };
        const auto expected =
            reference::rows_softmax_curve(700, rows.stride, rows.row_weights, p, vectors.scores);
        const auto first = times(Run());
        for (size_t i = 0; i < first.size(); ++i) {
            CHECK_CLOSE(first[i], expected[i], 1e-13, i, n_columns);
        }
        for_each_execution(
            [&](const Execution& execution) { CHECK_SAME(times(execution), first); });
    }
}

TEST("losses stop when asked, and look at the token often") {
    Random random(100);
    const Rows rows = random_rows(random, 5000, 8, 8.0);  // five chunks
    const auto p = softmax(rows, Run()).second;
    auto v = rows.scores;
    const auto each = [&](auto use) {
        use([&](const Execution& execution) { scalar(rows, execution); });
        use([&](const Execution& execution) { softmax(rows, execution); });
        use([&](const Execution& execution) {
            rows_softmax_curve(5000, 8, rows.row_weights, p, execution, v);
        });
    };
    each([](auto run) {
        for (const int32_t n_jobs : job_counts) {
            Run stopped(n_jobs);
            stopped.stop().request();
            CHECK_THROWS(Stopped, run(stopped));
        }
        CHECK_EQ(count_looks(run), 5);
    });
}

}  // namespace
}  // namespace wordodds
