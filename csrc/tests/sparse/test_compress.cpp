#include <limits>

#include "reference/sparse/compress.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/sparse/compress.hpp"

namespace wordodds {
namespace {

template <class Value>
struct Dense {
    int64_t n_rows;
    int64_t n_cols;
    std::vector<Value> data;
    Layout layout = Layout::rows;

    DenseView<Value> view() const { return {n_rows, n_cols, data, layout}; }
};

template <class Value>
Dense<Value> random_dense(Random& random, int64_t n_rows, int64_t n_cols, double density,
                          Layout layout) {
    Dense<Value> matrix{n_rows, n_cols, std::vector<Value>(static_cast<size_t>(n_rows * n_cols)),
                        layout};
    for (Value& value : matrix.data) {
        if (uniform(random) < density) value = static_cast<Value>(1 + below(random, 9));
    }
    return matrix;
}

template <class Value>
struct Compressed {
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;
    std::vector<Value> data;
};

template <class Value>
Compressed<Value> compress(const Dense<Value>& matrix, const Execution& execution) {
    Compressed<Value> out;
    out.indptr.assign(static_cast<size_t>(matrix.n_rows) + 1, -7);
    dense_count_entries(matrix.view(), execution, std::span<int64_t>(out.indptr));
    // Exact sizes, for AddressSanitizer, and a value that shows what is not overwritten.
    out.indices.assign(static_cast<size_t>(out.indptr.back()), -7);
    out.data.assign(out.indices.size(), Value{0});
    dense_compress_rows(matrix.view(), std::span<const int64_t>(out.indptr), execution,
                        std::span<int32_t>(out.indices), std::span<Value>(out.data));
    return out;
}

template <class Value>
void check_compressed(const Dense<Value>& matrix) {
    const auto expected = reference::dense_compress_rows(matrix.view());
    for (const int32_t n_jobs : {1, 2, 5, 16}) {
        const auto actual = compress(matrix, Run(n_jobs));
        CHECK_SAME(actual.indptr, expected.indptr, n_jobs, matrix.layout);
        CHECK_SAME(actual.indices, expected.indices, n_jobs, matrix.layout);
        CHECK_SAME(actual.data, expected.data, n_jobs, matrix.layout);
    }
}

TEST("rows written out by hand, in both layouts") {
    for (const Layout layout : {Layout::rows, Layout::columns}) {
        Dense<double> matrix{2, 3, {1, 0, 2, 0, 0, 3}, layout};
        if (layout == Layout::columns) matrix.data = {1, 0, 0, 0, 2, 3};
        const auto rows = compress(matrix, Run());
        CHECK_SAME(rows.indptr, (std::vector<int64_t>{0, 2, 3}));
        CHECK_SAME(rows.indices, (std::vector<int32_t>{0, 2, 2}));
        CHECK_SAME(rows.data, (std::vector<double>{1, 2, 3}));
    }
}

TEST("each type, layout and density agrees with the twin, for any number of jobs") {
    for_each_number([]<class Value>() {
        Random random(90);
        for (const Layout layout : {Layout::rows, Layout::columns}) {
            for (const double density : {0.0, 0.01, 0.3, 0.9, 1.0}) {
                for (const int64_t n_cols : {0, 1, 15, 16, 17, 33, 100}) {
                    for (const int64_t n_rows : {0, 1, 7, 300}) {
                        check_compressed(
                            random_dense<Value>(random, n_rows, n_cols, density, layout));
                    }
                }
            }
        }
    });
}

TEST("matrices of many chunks, tall and wide") {
    Random random(91);
    for (const Layout layout : {Layout::rows, Layout::columns}) {
        check_compressed(random_dense<float>(random, 90'000, 7, 0.3, layout));
        check_compressed(random_dense<double>(random, 600, 1500, 0.1, layout));
        check_compressed(random_dense<int64_t>(random, 3, 300'000, 0.5, layout));
    }
}

TEST("zeros of either sign are dropped; NaN, infinities and the smallest numbers are entries") {
    using Limits = std::numeric_limits<double>;
    for (const Layout layout : {Layout::rows, Layout::columns}) {
        const Dense<double> matrix{
            6,
            1,
            {-0.0, Limits::quiet_NaN(), 0.0, -Limits::infinity(), Limits::denorm_min(), -0.0},
            layout};
        const auto rows = compress(matrix, Run());
        CHECK_SAME(rows.indptr, (std::vector<int64_t>{0, 0, 1, 1, 2, 3, 3}));
        CHECK(std::isnan(rows.data[0]));
        CHECK_EQ(rows.data[1], -Limits::infinity());
        CHECK_EQ(rows.data[2], Limits::denorm_min());
    }
}

TEST("compression stops when asked, in both passes") {
    Random random(92);
    for (const Layout layout : {Layout::rows, Layout::columns}) {
        const auto matrix = random_dense<double>(random, 100, 10, 0.5, layout);
        const auto rows = compress(matrix, Run());
        for (const int32_t n_jobs : job_counts) {
            Run run(n_jobs);
            run.stop().request();
            CHECK_THROWS(Stopped, compress(matrix, run));
            std::vector<int32_t> indices(rows.indices.size());
            std::vector<double> data(rows.data.size());
            CHECK_THROWS(Stopped, dense_compress_rows(
                                      matrix.view(), std::span<const int64_t>(rows.indptr), run,
                                      std::span<int32_t>(indices), std::span<double>(data)));
        }
    }
}

TEST("long rows look at the token, in both passes and layouts") {
    Random random(93);
    for (const Layout layout : {Layout::rows, Layout::columns}) {
        const auto matrix = random_dense<float>(random, 2, 1'200'000, 1.0, layout);
        const int64_t n_looks =
            count_looks([&](const Execution& execution) { compress(matrix, execution); });
        CHECK(n_looks >= 2 * 9, n_looks);
    }
}

}  // namespace
}  // namespace wordodds
