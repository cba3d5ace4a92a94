// Means and squared deviations of each column within each class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// A dense matrix, row by row: data[i * n_cols + j]. Length: n_rows * n_cols.
template <class Value>
struct DenseRows {
    int64_t n_rows;
    int64_t n_cols;
    std::span<const Value> data;
};

// Lengths: weight n_classes; mean and m2 n_classes * n_cols, class by class.
struct ClassMoments {
    std::span<double> weight;
    std::span<double> mean;
    std::span<double> m2;
};

// m2 is no less than this where the values of a column differ: a deviation too small to be squared
// must not pass for none.
inline double least_spread(double weight) {
    using limits = std::numeric_limits<double>;
    return std::max(limits::denorm_min(), limits::min() * weight);
}

// With v[i] = row_weights[i], or 1 if there are none, and sums over the rows i with labels[i] = c:
//
//     weight[c] = sum v[i],   mean[c][j] = sum v[i] x[i][j] / weight[c],
//     m2[c][j] = sum v[i] (x[i][j] - mean[c][j])^2;
//
// all 0 for a class without weight.
//
// Lengths: labels n_rows, each in [0, n_classes); row_weights n_rows or 0, finite and >= 0;
// moments_out is overwritten. A row of weight 0 is not looked at: the bits are those without it.
// A column that is the same in all rows of a class has this value for its mean and 0 for m2, to the
// bit. In double; values beyond 1e150 may give infinity or NaN, which the caller has to look for.
// The bits do not depend on n_jobs.

// Precondition: no row names a column twice; the order of the entries is free. The stored entries
// are met one by one (Welford), the zeros that are not stored join as one batch (Chan). One thread
// takes a class. O(n_rows + nnz + n_classes * n_cols).
template <class Value>
void csr_class_moments(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                       std::span<const double> row_weights, int64_t n_classes,
                       const Execution& execution, const ClassMoments& moments_out);

// Batches of 16 rows, mean first and squares second while they are in the cache, joined in row
// order (Chan). One thread takes a stretch of columns of a class. O(n_rows * n_cols).
template <class Value>
void dense_class_moments(const DenseRows<Value>& matrix, std::span<const int32_t> labels,
                         std::span<const double> row_weights, int64_t n_classes,
                         const Execution& execution, const ClassMoments& moments_out);

}  // namespace wordodds
