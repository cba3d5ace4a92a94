// Linear scores: the log-odds that every classifier here comes down to.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/stride.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// A feature-major matrix of weights: weights[j * stride + c].
struct ClassWeights {
    std::span<const double> weights;  // n_features * stride; padding holds any finite number
    std::span<const double> bias;     // n_classes
    int64_t stride;                   // >= n_classes
};

// score[i][c] = bias[c] + sum_j x[i][j] * weights[j][c].
//
// Lengths: bias n_classes; scores_out n_rows * n_classes. Precondition: stride is
// class_stride(n_classes). An entry of zero adds nothing, also where
// its weight is infinite. Sums in double and in the order of the entries, without fused operations:
// the same bits for any n_jobs and any instruction set. O(nnz * stride), parallel over rows.
template <class Value>
void csr_score_classes(const CsrView<Value>& matrix, const ClassWeights& weights,
                       const Execution& execution, std::span<double> scores_out);

// scores[i][c] -= log sum_k exp(scores[i][k]): log-odds into log-probabilities, in place.
// A row of minus infinities becomes a row of -log n_classes. Precondition: no score is NaN or plus
// infinity. O(n_rows * n_classes).
void rows_log_softmax(int64_t n_rows, int64_t n_classes, const Execution& execution,
                      std::span<double> scores_in_out);

}  // namespace wordodds
