// Slow twins of linear/loss, one score at a time in long double.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/linear/loss.hpp"

namespace wordodds::reference {

struct LossOfRows {
    long double value = 0;
    std::vector<double> first, second;  // gradient; hessian or probabilities
};

inline LossOfRows rows_scalar_loss(const ScoredRows& rows, ScalarLoss loss) {
    LossOfRows result;
    for (int64_t row = 0; row < rows.n_rows; ++row) {
        const auto i = static_cast<size_t>(row);
        for (int64_t k = 0; k < rows.stride; ++k) {
            double value = 0, gradient = 0, hessian = 0;
            if (k < rows.n_columns) {
                const double y = rows.codes[i] == (rows.n_columns == 1 ? 1 : k) ? 1.0 : 0.0;
                loss(1, &y, &rows.scores[static_cast<size_t>(row * rows.stride + k)], &value,
                     &gradient, &hessian);
            }
            result.value += static_cast<long double>(rows.row_weights[i]) * value;
            result.first.push_back(gradient * rows.row_weights[i]);
            result.second.push_back(hessian * rows.row_weights[i]);
        }
    }
    return result;
}

inline LossOfRows rows_softmax_loss(const ScoredRows& rows) {
    LossOfRows result;
    for (int64_t row = 0; row < rows.n_rows; ++row) {
        const auto i = static_cast<size_t>(row);
        const auto z = rows.scores.subspan(static_cast<size_t>(row * rows.stride));
        const long double weight = rows.row_weights[i];
        const auto own = static_cast<size_t>(rows.codes[i]);
        // exp(z_k - z_against), summed; of all but the own class where nothing may cancel.
        const auto sum_against = [&](size_t against, bool others_only) {
            long double sum = 0;
            for (size_t k = 0; k < static_cast<size_t>(rows.n_columns); ++k) {
                if (others_only && k == own) continue;
                sum += std::exp(static_cast<long double>(z[k]) - z[against]);
            }
            return sum;
        };
        size_t top = 0;
        for (size_t k = 0; k < static_cast<size_t>(rows.n_columns); ++k)
            top = z[k] > z[top] ? k : top;
        const long double behind = static_cast<long double>(z[top]) - z[own];
        result.value += weight * (behind > 0 ? std::log(sum_against(top, false)) + behind
                                             : std::log1p(sum_against(own, true)));
        for (size_t k = 0; k < static_cast<size_t>(rows.stride); ++k) {
            const bool padding = k >= static_cast<size_t>(rows.n_columns);
            const long double p = padding ? 0 : 1 / sum_against(k, false);
            const long double missing = sum_against(top, true) / sum_against(top, false);
            result.first.push_back(static_cast<double>(weight * (k == own ? -missing : p)));
            result.second.push_back(static_cast<double>(p));
        }
    }
    return result;
}

// v_ik <- s_i sum_m (p_ik [k = m] - p_ik p_im) v_im, written out.
inline std::vector<double> rows_softmax_curve(int64_t n_rows, int64_t stride,
                                              std::span<const double> row_weights,
                                              std::span<const double> probabilities,
                                              std::span<const double> vectors) {
    std::vector<double> result;
    for (int64_t row = 0; row < n_rows; ++row) {
        const auto p = probabilities.subspan(static_cast<size_t>(row * stride));
        const auto v = vectors.subspan(static_cast<size_t>(row * stride));
        for (size_t k = 0; k < static_cast<size_t>(stride); ++k) {
            long double sum = 0;
            for (size_t m = 0; m < static_cast<size_t>(stride); ++m) {
                sum += (static_cast<long double>(k == m ? p[k] : 0.0) -
                        static_cast<long double>(p[k]) * p[m]) *
                       v[m];
            }
            result.push_back(static_cast<double>(row_weights[static_cast<size_t>(row)] * sum));
        }
    }
    return result;
}

}  // namespace wordodds::reference
