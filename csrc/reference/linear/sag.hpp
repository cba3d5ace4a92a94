// Slow twin of linear/sag: every step moves every weight.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/linear/sag.hpp"

namespace wordodds::reference {

// The state's arrays, owned.
struct Sag {
    std::vector<double> weights, intercepts, row_gradients, gradient, by_intercepts;
};

// The derivative of a row's loss by its scores.
inline std::vector<double> sag_derivatives(const SagProblem& problem, int32_t code,
                                           const std::vector<double>& scores) {
    const auto n = static_cast<size_t>(problem.n_columns);
    std::vector<double> derivatives(static_cast<size_t>(problem.stride), 0.0);
    if (problem.loss == nullptr) {
        const double largest =
            *std::max_element(scores.begin(), scores.begin() + problem.n_columns);
        double sum = 0.0;
        for (size_t k = 0; k < n; ++k) sum += std::exp(scores[k] - largest);
        for (size_t k = 0; k < n; ++k) {
            const double own = static_cast<int32_t>(k) == code ? 1.0 : 0.0;
            derivatives[k] = std::exp(scores[k] - largest) / sum - own;
        }
        return derivatives;
    }
    for (size_t k = 0; k < n; ++k) {
        const double target = n == 1 ? code : (static_cast<int32_t>(k) == code ? 1.0 : 0.0);
        double loss, hessian;
        problem.loss(1, &target, &scores[k], &loss, &derivatives[k], &hessian);
    }
    return derivatives;
}

template <class Value>
void csr_sag_epoch(const CsrView<Value>& m, const SagProblem& problem,
                   std::span<const int64_t> order, Sag& state) {
    const auto stride = static_cast<size_t>(problem.stride);
    for (const int64_t row : order) {
        const auto r = static_cast<size_t>(row);
        const auto begin = static_cast<size_t>(m.indptr[r]),
                   end = static_cast<size_t>(m.indptr[r + 1]);
        std::vector<double> scores = state.intercepts;
        for (size_t i = begin; i < end; ++i) {
            for (size_t k = 0; k < stride; ++k) {
                scores[k] += static_cast<double>(m.data[i]) *
                             state.weights[static_cast<size_t>(m.indices[i]) * stride + k];
            }
        }
        const auto derivatives = sag_derivatives(problem, problem.codes[r], scores);
        for (size_t k = 0; k < stride; ++k) {
            const double now = problem.row_weights[r] * derivatives[k];
            const double change = now - state.row_gradients[r * stride + k];
            state.row_gradients[r * stride + k] = now;
            for (size_t i = begin; i < end; ++i) {
                state.gradient[static_cast<size_t>(m.indices[i]) * stride + k] +=
                    static_cast<double>(m.data[i]) * change;
            }
            if (problem.fit_intercept) {
                state.by_intercepts[k] += change;
                state.intercepts[k] -= problem.step * state.by_intercepts[k];
            }
        }
        for (size_t i = 0; i < state.weights.size(); ++i) {
            state.weights[i] -=
                problem.step * (state.gradient[i] + problem.penalty * state.weights[i]);
        }
    }
}

}  // namespace wordodds::reference
