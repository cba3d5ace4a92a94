// Dual coordinate ascent for L2-regularised logistic regression: one row, all classes at a time.
//
// The primal problem: minimise P(W, b) = sum_i c_i loss(y_i, x_i W + b) + |W|^2 / 2.
// At the optimum W = sum_i x_i^T a_i with a_i = c_i (onehot(y_i) - p_i), p_i the probabilities of
// row i. Dual ascent keeps W = sum_i x_i^T a_i and makes one row after the other right: p_i must be
// the probabilities that its own scores give, while W and so the scores follow p_i:
//     softmax   log p_k + rho p_k = u_k - t with sum_k p_k = 1;
//     logistic  logit p_k + rho p_k = u_k, each column by itself;
// where u_k = (score of class k) + rho p_k(before), rho = c_i (|x_i|^2 + intercept_step).
//
// The intercept is not penalised, which asks for sum_i a_i = 0. The method of multipliers meets
// that in the limit: rows see the intercept as a column of value sqrt(intercept_step), and after
// each epoch it moves by intercept_step * sum_i a_i once more. intercept_step = 0: without
// intercept.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/stride.hpp"

namespace wordodds {

enum class DualLoss : int32_t {
    softmax,   // the columns share each row's probability
    logistic,  // each column by itself: class k or not; one column: code 1 or not
};

// Rows in terms of shared columns (linear/shared_columns.hpp).
struct DualRows {
    int64_t n_rows;
    std::span<const int64_t> indptr;
    std::span<const int32_t> indices;
    std::span<const double> data;
    std::span<const double> shared;  // n_rows: sum of x^2 over shared columns
    std::span<const double> single;  // n_rows: sum of x^2 over the others
};

struct DualProblem {
    DualLoss loss;
    int64_t n_columns;               // of softmax: two or more
    std::span<const int32_t> codes;  // n_rows
    std::span<const double> costs;   // n_rows: c_i > 0
    double intercept_step;           // >= 0
};

// stride = lane_stride(n_columns).
template <class Weight>
struct DualState {
    std::span<Weight> weights;    // n_shared * stride
    std::span<double> intercept;  // stride
    std::span<double> sums;       // stride: sum_i a_i
    std::span<double> log_odds;   // n_rows * stride: log p (softmax), logit p (logistic)
};

// One epoch: every row of `order` once, then the intercept's step.
//
// order holds numbers of rows. The weights must be sum_i x_i^T a_i for the dual variables that
// log_odds give (all zero for log_odds that put everything on the row's own class); they may be
// float, which halves the memory to go through and comes within about 1e-10 of the optimum. A row's
// equation is solved to 1e-2 or so, quadratically better as the changes get smaller; each step is
// safe for any finite rho. O(nnz * stride). Softmax runs on one thread; logistic columns run in
// fixed blocks, parallel over these. The same bits for any n_jobs and any instruction set.
template <class Weight>
void dual_ascend(const DualRows& rows, const DualProblem& problem, std::span<const int32_t> order,
                 const Execution& execution, const DualState<Weight>& state);

}  // namespace wordodds
