// Stochastic average gradient: steps along the mean of every row's last known gradient.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"
#include "wordodds/linear/loss.hpp"

namespace wordodds {

// What one epoch minimises, f(W, b) = sum_i s_i loss(y_i, x_i W + b) + penalty / 2 |W|^2, and how.
struct SagProblem {
    std::span<const int32_t> codes;       // n_rows: the class of each row
    std::span<const double> row_weights;  // n_rows: s
    double penalty;
    ScalarLoss loss;  // null: softmax
    int64_t n_columns;
    int64_t stride;  // lane_stride(n_columns)
    bool fit_intercept;
    double step;  // eta
};

// Belongs to the caller, from epoch to epoch.
struct SagState {
    std::span<double> weights;        // n_cols * stride
    std::span<double> intercepts;     // stride
    std::span<double> row_gradients;  // n_rows * stride: s_i times the loss's derivative by scores,
                                      // when the row was last visited
    std::span<double> gradient;       // n_cols * stride: X^T row_gradients
    std::span<double> by_intercepts;  // stride: sum of the row_gradients
};

// For each row of `order`: replaces the row's gradient by that at the current weights, then
//
//     W <- W - eta (gradient + penalty W),    b <- b - eta by_intercepts
//
// A step costs what the row's entries cost: features that it does not have are brought up to date
// when a row has them, or at the end of the epoch: with W = c V, V_j moves by
// gradient_j times a sum of eta / c that all features share.
// Preconditions: 0 < eta * penalty < 1; order holds rows of the matrix. Neither sorted nor distinct
// columns are needed. Sequential, so n_jobs does not matter; O(nnz of the rows * stride + n_cols *
// stride).
template <class Value>
void csr_sag_epoch(const CsrView<Value>& matrix, const SagProblem& problem,
                   std::span<const int64_t> order, const Execution& execution,
                   const SagState& state_in_out);

}  // namespace wordodds
