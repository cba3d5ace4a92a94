// What a row of scores costs, given the row's class: losses with two derivatives.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/linear/link_losses.hpp"

namespace wordodds {

// What a loss says of each score: loss(y[i], raw[i]) and its two derivatives, one by one.
// Lengths: all alike. O(n), parallel over the scores.
void scores_scalar_loss(std::span<const double> y, std::span<const double> raw, ScalarLoss loss,
                        const Execution& execution, std::span<double> loss_out,
                        std::span<double> gradient_out, std::span<double> hessian_out);

// The rows that a loss is summed over, and their scores.
struct ScoredRows {
    int64_t n_rows;
    int64_t n_columns;               // classes, or 1 for two of them
    int64_t stride;                  // columns with padding, of scores and of all arrays like them
    std::span<const int32_t> codes;  // n_rows: the class of each row
    std::span<const double> row_weights;  // n_rows
    std::span<const double> scores;       // n_rows * stride
};

// Returns sum_i s_i sum_k loss([codes_i = k], z_ik) over the columns, one-vs-rest; of one column,
// of which class 1 is the positive. Writes s_i times the derivatives; zeros into the padding.
// Lengths: both outputs n_rows * stride; gradient_out may be the scores' own memory.
// O(n_rows * stride), parallel over rows, summed by fixed chunks.
double rows_scalar_loss(const ScoredRows& rows, ScalarLoss loss, const Execution& execution,
                        std::span<double> gradient_out, std::span<double> hessian_out);

// Returns sum_i s_i (log sum_k exp(z_ik) - z_i,codes_i). Writes s_i (p_ik - [codes_i = k]) and the
// probabilities p_ik; zeros into the padding. Otherwise as rows_scalar_loss.
double rows_softmax_loss(const ScoredRows& rows, const Execution& execution,
                         std::span<double> gradient_out, std::span<double> probabilities_out);

// v_i <- s_i (diag(p_i) - p_i p_i^T) v_i: the second derivative of the softmax loss, times a
// vector. Lengths: row_weights n_rows; both others n_rows * stride, with zeros as the padding of
// the probabilities. O(n_rows * stride), parallel over rows.
void rows_softmax_curve(int64_t n_rows, int64_t stride, std::span<const double> row_weights,
                        std::span<const double> probabilities, const Execution& execution,
                        std::span<double> vectors_in_out);

}  // namespace wordodds
