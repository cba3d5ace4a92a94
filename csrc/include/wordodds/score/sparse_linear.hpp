// Linear scores from weights that differ from a common pattern in few places.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// weights[j][c] = class_scale[c] * feature_base[j] + class_base[c] + excess[j][c], where the excess
// is sparse and feature-major: feature j has excess[indptr[j] .. indptr[j + 1]) in the classes of
// the same positions, ascending and each once.
struct SparseClassWeights {
    std::span<const double> bias;          // n_classes
    std::span<const double> class_scale;   // n_classes, finite
    std::span<const double> class_base;    // n_classes, may be minus infinity
    std::span<const double> feature_base;  // n_cols, finite
    std::span<const int64_t> indptr;       // n_cols + 1, from 0
    std::span<const int32_t> classes;      // indptr[n_cols], each in [0, n_classes)
    std::span<const double> excess;        // as classes; may be minus infinity
};

// score[i][c] = bias[c] + class_scale[c] * sum_j x[i][j] * feature_base[j]
//             + class_base[c] * sum_j x[i][j] + sum_j x[i][j] * excess[j][c].
//
// Lengths: scores_out n_rows * n_classes. An entry of zero adds nothing, also where its weight is
// infinite, and neither does a sum of zero: a row without entries scores the bias. Precondition:
// the values are >= 0 where a weight is infinite (else infinities of both signs may meet).
//
// The terms are added in the order of the formula and, within it, of the entries, in double: the
// same bits for any n_jobs and any instruction set. A row takes O(n_classes + its entries + the
// excess of its features); its scores are the accumulator. Parallel over rows.
template <class Value>
void csr_score_sparse_classes(const CsrView<Value>& matrix, const SparseClassWeights& weights,
                              const Execution& execution, std::span<double> scores_out);

}  // namespace wordodds
