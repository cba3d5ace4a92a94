// The two products that every fit is made of: scores = X W, and gradient = X^T residuals.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/stride.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// Which function of an entry a product takes.
enum class Entries : int32_t {
    values,   // x
    squares,  // x^2: for diagonals of X^T R X
};

// What a product is added to; each may be empty for zeros.
struct ProductStart {
    std::span<const double> bias;    // stride: the same for every row
    std::span<const double> addend;  // n_rows * stride
    double addend_factor;
};

// product[i][k] = bias[k] + factor addend[i][k] + sum_j e(x[i][j]) * right[j][k], e the identity or
// the square. Returns the inner product of addend and product, 0 without an addend: for v^T H v.
//
// The product with X^T is the same kernel on the rows of X^T, which are the columns of X.
// Lengths: right n_cols * stride; product_out n_rows * stride, where stride =
// lane_stride(n_columns). Columns need not be sorted; repeated ones add up (their squares do not
// square the sum). Sums in double, in the order of the entries, without fused operations: the same
// bits for any n_jobs and any instruction set. O(nnz * stride), parallel over rows.
template <class Value>
double csr_multiply(const CsrView<Value>& matrix, std::span<const double> right, int64_t stride,
                    const ProductStart& start, Entries entries, const Execution& execution,
                    std::span<double> product_out);

}  // namespace wordodds
