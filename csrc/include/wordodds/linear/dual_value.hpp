// What a state of dual ascent is worth: the value and gradient of the primal problem, and the dual
// value.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/linear/dual.hpp"

namespace wordodds {

struct DualValue {
    double loss = 0.0;          // sum_i c_i loss(y_i, x_i W + b)
    double entropy = 0.0;       // - sum_i c_i sum_k p_ik log p_ik of the dual variables
    double squares = 0.0;       // |W|^2, columns of single rows included
    double gradient_max = 0.0;  // max |dP / dW|, the same
};

// Scores every row with the state's weights and compares with its dual variables.
//
// single_max: n_rows, as csr_take_shared_columns gives it. intercept_gradient_out: stride,
// dP / db. residuals_out: n_rows * stride, c_i (onehot(y_i) - p(scores)); gradient_out:
// n_shared * stride, overwritten with residuals summed over rows (scratch for the caller).
// O(nnz * stride), parallel over rows and then over halves of the columns; the same bits for any
// n_jobs and any instruction set.
template <class Weight>
DualValue dual_measure(const DualRows& rows, const DualProblem& problem,
                       std::span<const double> single_max, const DualState<Weight>& state,
                       const Execution& execution, std::span<double> intercept_gradient_out,
                       std::span<double> residuals_out, std::span<double> gradient_out);

// duals_out[i][k] = c_i (onehot(y_i) - p_i) of the log odds; lengths n_rows * stride.
void dual_variables(const DualProblem& problem, std::span<const double> log_odds,
                    const Execution& execution, std::span<double> duals_out);

// weights_out[j][k] = sum_i x_ij values[i][k]: overwritten, n_shared * stride. O(nnz * stride),
// parallel over halves of the columns, sums in the order of the rows.
void dual_weights(const DualRows& rows, int64_t stride, std::span<const double> values,
                  const Execution& execution, std::span<double> weights_out);

}  // namespace wordodds
