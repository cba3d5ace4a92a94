// Losses of one row: of the margin m = y s for each column by itself (y = 1 for the label's column,
// -1 for the others), or of all columns together (softmax). s is the score x · w + b.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "wordodds/base/elementary.hpp"

namespace wordodds {

enum class SgdLoss : int32_t {
    log_loss,        // log(1 + e^-m)
    softmax,         // log sum_k e^(s_k) - s_label, all columns together
    hinge,           // max(0, 1 - m)
    squared_hinge,   // max(0, 1 - m)^2
    modified_huber,  // max(0, 1 - m)^2 where m >= -1, else -4 m
    perceptron,      // max(0, -m)
    squared_error,   // (1 - m)^2 / 2, which is (y - s)^2 / 2
};

// loss_out[c] and slope_out[c] = d loss / d s_c for the columns [0, n) of one row.
//
// `positive` is the label's column, or none of them (< 0 or >= n). Precondition: scores are finite;
// loss is not softmax. A kink (m = 1, or 0 for the perceptron) takes the slope of its left side, as
// scikit-learn does. O(n), vectorised where it is inlined.
[[gnu::always_inline]] inline void margin_losses(SgdLoss kind, int64_t n, int64_t positive,
                                                 const double* scores, double* loss_out,
                                                 double* slope_out) {
    // One column is the exception: all margins first, which then are of one kind.
    for (int64_t c = 0; c < n; ++c) loss_out[c] = -scores[c];
    const bool has_positive = positive >= 0 && positive < n;
    if (has_positive) loss_out[positive] = scores[positive];
    const auto each = [&](auto loss_of) __attribute__((always_inline)) {
        for (int64_t c = 0; c < n; ++c) {
            double slope;
            loss_out[c] = loss_of(loss_out[c], slope);
            slope_out[c] = -slope;
        }
    };
    switch (kind) {
        case SgdLoss::log_loss:
            each([](double m, double& slope) __attribute__((always_inline)) {
                const double e = elementary::exp_of_negative(-std::abs(m));
                slope = (m < 0.0 ? -1.0 : -e) / (1.0 + e);
                return (m < 0.0 ? -m : 0.0) + elementary::log1p_of_fraction(e);
            });
            break;
        case SgdLoss::hinge:
            each([](double m, double& slope) __attribute__((always_inline)) {
                slope = m <= 1.0 ? -1.0 : 0.0;
                return m <= 1.0 ? 1.0 - m : 0.0;
            });
            break;
        case SgdLoss::perceptron:
            each([](double m, double& slope) __attribute__((always_inline)) {
                slope = m <= 0.0 ? -1.0 : 0.0;
                return m <= 0.0 ? -m : 0.0;
            });
            break;
        case SgdLoss::squared_hinge:
            each([](double m, double& slope) __attribute__((always_inline)) {
                const double short_of = m < 1.0 ? 1.0 - m : 0.0;
                slope = -2.0 * short_of;
                return short_of * short_of;
            });
            break;
        case SgdLoss::modified_huber:
            each([](double m, double& slope) __attribute__((always_inline)) {
                const double short_of = m < 1.0 ? 1.0 - m : 0.0;
                slope = m < -1.0 ? -4.0 : -2.0 * short_of;
                return m < -1.0 ? -4.0 * m : short_of * short_of;
            });
            break;
        case SgdLoss::squared_error:
        case SgdLoss::softmax:
            each([](double m, double& slope) __attribute__((always_inline)) {
                slope = m - 1.0;
                return 0.5 * slope * slope;
            });
            break;
    }
    if (has_positive) slope_out[positive] = -slope_out[positive];
}

// The softmax loss of the columns [0, n): loss_out[label] is the row's loss, the others are 0;
// slope_out[c] = p_c - [c is label]. Precondition: scores are finite; 0 <= label < n.
[[gnu::always_inline]] inline void softmax_loss(int64_t n, int64_t label, const double* scores,
                                                double* loss_out, double* slope_out) {
    double largest = scores[0];
    for (int64_t c = 1; c < n; ++c) largest = std::max(largest, scores[c]);
    for (int64_t c = 0; c < n; ++c) {
        slope_out[c] = elementary::exp_of_negative(scores[c] - largest);
        loss_out[c] = 0.0;
    }
    double total = 0.0;
    for (int64_t c = 0; c < n; ++c) total += slope_out[c];
    loss_out[label] = std::log(total) + (largest - scores[label]);
    // The label's own slope as minus the sum of the others: 1 - p would lose all digits near p = 1.
    double others = 0.0;
    for (int64_t c = 0; c < n; ++c) {
        slope_out[c] /= total;
        if (c != label) others += slope_out[c];
    }
    slope_out[label] = -others;
}

}  // namespace wordodds
