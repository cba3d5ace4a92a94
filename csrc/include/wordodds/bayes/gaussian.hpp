// Gaussian naive Bayes: from means and variances to the scores of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"
#include "wordodds/score/linear.hpp"

namespace wordodds {

// What is known of a class besides its Gaussians; the rows of `summary` below.
enum class ClassSummary : int32_t {
    bias,             // log p(c) - sum_j log(2 pi variance[c][j]) / 2
    squares,          // S = sum_j (mean[c][j] * scale[c][j])^2, what a row of zeros is away from c
    squares_error,    // the part of S below the last bit of `squares`
    points,           // point masses
    points_off_zero,  // point masses whose mean is not 0
};
inline constexpr int64_t n_class_summaries = 5;

// The Gaussians, feature-major, with scale = 1 / sqrt(variance):
//
//     table[(2 j) * stride + c] = mean[c][j],   table[(2 j + 1) * stride + c] = scale[c][j];
//
// a variance of 0, or of less than 1e-290 mean^2, is a point mass at the mean, its scale is plus
// infinity: the class takes a row that has this very value in the column, as if the column were not
// there, and no other.
//
// Lengths: table 2 * n_cols * stride, stride = class_stride(n_classes), the padding finite;
// summary n_class_summaries * n_classes.
struct GaussianTable {
    std::span<const double> table;
    std::span<const double> summary;
    int64_t n_cols;
    int64_t n_classes;
    int64_t stride;

    // One value for each class.
    const double* of(ClassSummary what) const {
        return summary.data() + static_cast<int64_t>(what) * n_classes;
    }
    bool has_points() const {
        const double* const points = of(ClassSummary::points);
        return std::any_of(points, points + n_classes, [](double n) { return n > 0.0; });
    }
};

// (value - mean) * scale. What has no point masses is spared the question whether this is one.
template <bool has_points>
[[gnu::always_inline]] inline double deviation(double value, double mean, double scale) {
    const double difference = value - mean;
    if constexpr (has_points) {
        if (difference == 0.0) return 0.0;  // 0 * infinity would be NaN
    }
    return difference * scale;
}

// Fills both parts of a GaussianTable; point masses are not in `bias` and `squares`.
//
// Lengths: mean and variance n_classes * n_cols, class by class, finite, variances >= 0; log_prior
// n_classes, minus infinity allowed. The padding is set to 0. One thread takes a class, then a
// stretch of columns: the bits do not depend on n_jobs. O(n_classes * n_cols).
void moments_fill_gaussians(std::span<const double> mean, std::span<const double> variance,
                            std::span<const double> log_prior, int64_t n_cols,
                            const Execution& execution, std::span<double> table_out,
                            std::span<double> summary_out);

// score[i][c] = bias[c] - sum_j ((x[i][j] - mean[c][j]) * scale[c][j])^2 / 2,
// the logarithm of p(row i, class c); minus infinity where a point mass is missed, never NaN.
//
// Length: scores_out n_rows * n_classes. Values finite. In double, in a fixed order and without
// fused operations: the same bits for any n_jobs and any instruction set. Parallel over rows.
// Precondition: no row names a column twice; the order of the entries is free. O(nnz * stride).
//
// The sum over the columns that a row does not store is S minus their share of the stored ones.
// Where a column is nearly constant and far from zero, S is by many orders larger than the
// difference: so both are summed with their rounding errors (TwoSum), and the difference keeps its
// digits.
template <class Value>
void csr_score_gaussians(const CsrView<Value>& matrix, const GaussianTable& gaussians,
                         const Execution& execution, std::span<double> scores_out);

}  // namespace wordodds
