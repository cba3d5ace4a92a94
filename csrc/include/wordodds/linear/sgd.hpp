// Stochastic gradient descent, all columns of a row at once.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/stride.hpp"
#include "wordodds/base/types.hpp"
#include "wordodds/linear/margin_loss.hpp"

namespace wordodds {

enum class SgdSchedule : int32_t {
    constant,    // eta = eta0
    optimal,     // eta = 1 / (alpha (optimal_start + t - 1))
    invscaling,  // eta = eta0 / t^power_t
    adagrad,     // a rate for each weight: eta0 / sqrt(sum of its squared gradients)
};

struct SgdOptions {
    SgdLoss loss;
    SgdSchedule schedule;
    double eta0;
    double power_t;
    double alpha;  // > 0 if the schedule is optimal
    double optimal_start;
    double l2;            // alpha (1 - l1_ratio)
    double l1;            // alpha l1_ratio
    double bias_rate;     // the bias moves by this part of a step; 0: there is none
    double average_from;  // the step from which on iterates are averaged; 0: never
};

// What changes with each step and is the same for all columns.
struct SgdProgress {
    double t = 1.0;          // the step to come
    double scale = 1.0;      // true weights are scale * weights
    double average_a = 0.0;  // true averages are (averages + average_a * weights) / average_b
    double average_b = 1.0;
    double l1_total = 0.0;  // the L1 penalty that every weight should have received
};

// What has been learnt, stride = line_stride(n_columns). Weight is double, or float: half the
// memory to go through, and sums over a row of about six digits; everything else is double. All
// spans of a matrix have n_features * stride elements, 64-byte aligned for speed; those of columns
// have stride. Padding is zero and stays so.
template <class Weight>
struct SgdState {
    int64_t n_columns;
    std::span<Weight> weights;
    std::span<double> bias;
    std::span<Weight> averages;      // empty unless average_from > 0
    std::span<double> average_bias;  // the same
    std::span<Weight> l1_received;   // empty unless l1 > 0 and not AdaGrad: penalty so far, signed
    std::span<Weight> duals;         // empty unless AdaGrad
    std::span<Weight> roots;         // the same: sqrt(sum of squared gradients), from a small start
    std::span<double> bias_roots;    // stride; the same
    std::span<double> square_norms;  // |w|^2 of each column
    std::span<double> sum_norms;     // |w|_1 of each column, if l1 > 0
    SgdProgress* progress;           // not null
};

// What an epoch saw, for each column; stride elements each, added to.
struct SgdSums {
    std::span<double> loss;     // weighted losses, each before its step
    std::span<double> penalty;  // l2 / 2 |w|^2 + l1 |w|_1, each before its step; none with AdaGrad
};

// One step for each row in `order`:
//
//   g_c = s_i f_c d loss / d score_c      clipped to +-1e12 before the weights s_i and f_c
//   w_c = max(0, 1 - eta l2) w_c - eta g_c x_i        b_c -= eta bias_rate g_c
//   then L1: each weight of the row moves towards 0 by what it has not received yet (Tsuruoka,
//   Tsujii and Ananiadou 2009), and stops there.
//
// f_c is positive_weights[c] for the label's column and 1 for the others; an empty span: always 1.
// AdaGrad is FTRL-Proximal (McMahan 2011), which without penalty is w -= eta0 / root g; a weight is
// soft(-dual, t l1) / (t l2 + root / eta0), computed where a row needs it.
//
// With one column, label 1 is positive; with more, label c is column c.
// Lengths: labels and row_weights (or none: all 1) n_rows. Preconditions: no repeated entries in a
// row and, with L1, no zeros (they would count as touched); row weights > 0; order holds rows of
// the matrix; n_cols < 2^31.
//
// Returns the number of steps taken: order.size(), or fewer if the next step would overflow; that
// one is not taken. If the token stops a call on one thread, the state is that after some row of
// the order; on several, columns may differ and the state must be dropped.
//
// O(entries * stride): the penalty is a common factor of all weights, averages follow from how it
// has changed. All weights are touched only where the factor falls below 1e-9. Threads share the
// columns (32 or more each, and not those of softmax, which need each other): the same bits for any
// n_jobs.
template <class Value, class Weight>
int64_t csr_sgd_epoch(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                      std::span<const double> row_weights, std::span<const double> positive_weights,
                      std::span<const int64_t> order, const SgdOptions& options,
                      const Execution& execution, const SgdState<Weight>& state,
                      const SgdSums& sums);

}  // namespace wordodds
