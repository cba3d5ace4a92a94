#include <cmath>
#include <limits>

#include "reference/linear/products.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"

namespace wordodds {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t strides[] = {1, 4, 8, 12, 16, 20, 24, 40};

std::vector<double> random_doubles(Random& random, int64_t n) {
    std::vector<double> numbers(static_cast<size_t>(n));
    for (double& number : numbers) number = 20.0 * uniform(random) - 9.0;
    return numbers;
}

template <class Value>
std::vector<double> multiply(const OwnedCsr<Value>& matrix, std::span<const double> right,
                             int64_t stride, const ProductStart& start, Entries entries,
                             const Execution& execution, double* inner_out = nullptr) {
    constexpr size_t n_guard = 64;  // a kernel that writes too far would spoil these
    constexpr double guard = 123.25;
    const auto n = static_cast<size_t>(matrix.n_rows * stride);
    std::vector<double> out(n, nan);
    out.resize(n + n_guard, guard);
    const double inner = csr_multiply(matrix.view(), right, stride, start, entries, execution,
                                      std::span(out).first(n));
    if (inner_out != nullptr) *inner_out = inner;
    for (size_t i = n; i < out.size(); ++i) CHECK_EQ(out[i], guard, stride);
    out.resize(n);
    return out;
}

template <class Value>
void check_product(Random& random, const OwnedCsr<Value>& matrix, int64_t stride) {
    const auto right = random_doubles(random, matrix.n_cols * stride);
    for (const auto& bias : {std::vector<double>(), random_doubles(random, stride)}) {
        for (const Entries entries : {Entries::values, Entries::squares}) {
            const auto expected =
                reference::csr_multiply<double>(matrix.view(), right, stride, bias, entries);
            const auto exact =
                reference::csr_multiply<long double>(matrix.view(), right, stride, bias, entries);
            for (size_t i = 0; i < expected.size(); ++i) {
                CHECK_CLOSE(expected[i], static_cast<double>(exact[i]), 1e-12, i, stride);
            }
            for_each_execution([&](const Execution& execution) {
                const ProductStart start{bias, {}, 0.0};
                CHECK_SAME(multiply(matrix, right, stride, start, entries, execution), expected,
                           instruction_set_name(execution.instruction_set), execution.n_jobs,
                           stride, entries, bias.size());
            });
        }
    }
}

TEST("an addend, and the product's inner product with it") {
    Random random(93);
    for (const int64_t stride : strides) {
        const auto matrix = random_csr<float>(random, 1500, 15, 9);
        const auto right = random_doubles(random, matrix.n_cols * stride);
        const auto bias = random_doubles(random, stride);
        const auto addend = random_doubles(random, matrix.n_rows * stride);
        const auto plain = reference::csr_multiply<long double>(matrix.view(), right, stride, bias,
                                                                Entries::values);
        double first_inner = nan;
        for_each_execution([&](const Execution& execution) {
            double inner = nan;
            const auto product = multiply(matrix, right, stride, {bias, addend, 0.5},
                                          Entries::values, execution, &inner);
            long double exact = 0.0;
            for (size_t i = 0; i < product.size(); ++i) {
                CHECK_CLOSE(product[i], static_cast<double>(plain[i] + 0.5L * addend[i]), 1e-12, i);
                exact += static_cast<long double>(addend[i]) * product[i];
            }
            CHECK_CLOSE(inner, static_cast<double>(exact),
                        1e-12 * static_cast<double>(product.size()));
            if (std::isnan(first_inner)) first_inner = inner;
            CHECK_EQ(inner, first_inner, stride, execution.n_jobs);  // the same bits
        });
    }
}

TEST("products written out by hand") {
    const OwnedCsr<float> matrix{2, 2, {0, 2, 2}, {1, 0}, {3.0f, 0.5f}};
    const std::vector<double> right{2, 4, 6, 8, 10, 20, 30, 40}, bias{1, 2, 3, 4};
    CHECK_SAME(multiply(matrix, right, 4, {bias, {}, 0.0}, Entries::values, Run()),
               (std::vector<double>{32, 64, 96, 128, 1, 2, 3, 4}));
    CHECK_SAME(multiply(matrix, right, 4, {}, Entries::squares, Run()),
               (std::vector<double>{90.5, 181, 271.5, 362, 0, 0, 0, 0}));
}

TEST("lane_stride: one, or the next multiple of four") {
    CHECK_EQ(lane_stride(1), 1);
    CHECK_EQ(lane_stride(2), 4);
    CHECK_EQ(lane_stride(4), 4);
    CHECK_EQ(lane_stride(5), 8);
}

TEST("any stride: the bits of a plain loop, on every instruction set, for any n_jobs") {
    Random random(90);
    for (const int64_t stride : strides) {
        check_product(random, random_csr<double>(random, 30, 15, 9), stride);
    }
}

TEST("rows of many chunks, each index and value type; no rows, no columns, no entries") {
    for_each_value([]<class Value>() {
        Random random(91);
        for (const int64_t n_rows : {0, 1, 1024, 2500}) {
            check_product(random, random_csr<Value>(random, n_rows, 40, 6), 4);
        }
        check_product(random, random_csr<Value>(random, 5, 0, 3), 8);
        check_product(random, random_csr<Value>(random, 5, 3, 0), 1);
    });
}

TEST("a product stops when asked") {
    Random random(92);
    const auto matrix = random_csr<double>(random, 100, 10, 3);
    const auto right = random_doubles(random, 40);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, multiply(matrix, right, 4, {}, Entries::values, run));
    }
}

TEST("a few long rows among many short ones look at the token") {
    constexpr int32_t n_long = 6, n_entries = 300'000, n_rows = 3000;
    OwnedCsr<float> matrix{n_rows, 1, {0}, {}, {}};
    for (int32_t row = 0; row < n_rows; ++row) {
        matrix.indptr.push_back(matrix.indptr.back() + (row < n_long ? n_entries : 0));
    }
    matrix.indices.assign(n_long * n_entries, 0);
    matrix.data.assign(n_long * n_entries, 1.0f);
    const int64_t n_looks = count_looks([&](const Execution& execution) {
        multiply(matrix, std::vector<double>(4, 1.0), 4, {}, Entries::values, execution);
    });
    // One for each chunk of a million products, and one behind each long row.
    CHECK(n_looks >= n_long * n_entries * 4 / (1 << 20) + n_long - 1, n_looks);
}

}  // namespace
}  // namespace wordodds
