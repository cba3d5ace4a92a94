// One step of SGD for the columns of one thread. Inlined into each target region of sgd.cpp and
// compiled for it there.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sgd_lanes.hpp"
#include "wordodds/linear/sgd.hpp"

namespace wordodds::sgd {

constexpr double slope_max = 1e12;  // as in scikit-learn: beyond it a step is noise
constexpr double scale_min = 1e-9;

// What one call learns from, apart from the types of the matrix.
template <class Weight>
struct Problem {
    std::span<const double> positive_weights;
    const SgdOptions& options;
    const SgdState<Weight>& state;
    const SgdSums& sums;
    int64_t stride;
    int64_t n_features;
};

// Multiplies the scale into the weights of the columns [begin, end); true averages stay as they
// are.
template <class Weight>
inline void rescale(const SgdState<Weight>& state, int64_t begin, int64_t end, int64_t stride,
                    int64_t n_features, SgdProgress& progress) {
    for (int64_t j = 0; j < n_features; ++j) {
        Weight* const weights = state.weights.data() + j * stride;
        if (!state.averages.empty()) {
            Weight* const averages = state.averages.data() + j * stride;
            for (int64_t c = begin; c < end; ++c) {
                averages[c] = static_cast<Weight>((averages[c] + progress.average_a * weights[c]) /
                                                  progress.average_b);
            }
        }
        for (int64_t c = begin; c < end; ++c) {
            weights[c] = static_cast<Weight>(weights[c] * progress.scale);
        }
    }
    progress.scale = 1.0;
    progress.average_a = 0.0;
    progress.average_b = 1.0;
}

// The columns [begin, end) of one thread, and its scratch space; all are indexed from `begin`.
struct Columns {
    int64_t begin;
    int64_t end;
    int64_t n;       // without padding
    int64_t stride;  // with it
    SgdProgress progress;
    std::vector<double> products, scores, losses, slopes, steps, square_norms;
    std::vector<double> current;  // AdaGrad: the weights of a row

    template <class Weight>
    Columns(const SgdState<Weight>& state, int64_t begin_, int64_t end_)
        : begin(begin_),
          end(end_),
          n(std::min(end_, state.n_columns) - begin_),
          stride(end_ - begin_),
          progress(*state.progress) {
        for (auto* scratch : {&products, &scores, &losses, &slopes, &steps, &square_norms}) {
            scratch->assign(static_cast<size_t>(stride), 0.0);
        }
    }
};

inline double step_size(const SgdOptions& options, double t) {
    switch (options.schedule) {
        case SgdSchedule::optimal: return 1.0 / (options.alpha * (options.optimal_start + t - 1.0));
        case SgdSchedule::invscaling: return options.eta0 / std::pow(t, options.power_t);
        case SgdSchedule::constant:
        case SgdSchedule::adagrad: break;
    }
    return options.eta0;
}

[[gnu::always_inline]] inline bool all_finite(const double* numbers, int64_t n) {
    double zero = 0.0;  // NaN as soon as one of them is not finite
    for (int64_t c = 0; c < n; ++c) zero += numbers[c] * 0.0;
    return zero == 0.0;
}

// Losses and, in `slopes`, the gradient by the scores with all its weights. False: not finite.
template <class Weight>
[[gnu::always_inline]] inline bool look_at_row(const Problem<Weight>& problem, const Row& row,
                                               Columns& own) {
    double* const slopes = own.slopes.data();
    if (!all_finite(own.scores.data(), own.n)) return false;
    const int64_t positive = row.positive - (problem.state.n_columns > 1 ? own.begin : 0);
    if (problem.options.loss == SgdLoss::softmax) {
        softmax_loss(own.n, positive, own.scores.data(), own.losses.data(), slopes);
    } else {
        // Whole lines, without a remainder; what padding says is dropped. One column has one label
        // besides its own: code 1 is column 0, code 0 no column.
        margin_losses(problem.options.loss, own.stride, positive, own.scores.data(),
                      own.losses.data(), slopes);
        std::fill(slopes + own.n, slopes + own.stride, 0.0);
    }
    for (int64_t c = 0; c < own.n; ++c) {
        slopes[c] = std::min(slope_max, std::max(-slope_max, slopes[c])) * row.weight;
        own.losses[static_cast<size_t>(c)] *= row.weight;
    }
    if (!problem.positive_weights.empty() && positive >= 0 && positive < own.n) {
        const auto label = static_cast<size_t>(row.positive);
        slopes[positive] *= problem.positive_weights[label];
        own.losses[static_cast<size_t>(positive)] *= problem.positive_weights[label];
    }
    return all_finite(own.losses.data(), own.n);
}

// |w|^2 after the step, from (s w + u x)^2 = s^2 w^2 + 2 s u (w x) + u^2 x^2 and without touching
// w: also where the row shares no feature with those before. False: it overflows.
template <class Weight>
[[gnu::always_inline]] inline bool next_norms(const SgdState<Weight>& state, double row_square_norm,
                                              double shrink, Columns& own) {
    const double* const norms = state.square_norms.data() + own.begin;
    const double factor = 2.0 * shrink * own.progress.scale;
    for (int64_t c = 0; c < own.stride; ++c) {
        const auto at = static_cast<size_t>(c);
        const double u = own.steps[at];
        const double norm =
            shrink * shrink * norms[c] + factor * (u * own.products[at]) + u * u * row_square_norm;
        own.square_norms[at] = norm < 0.0 ? 0.0 : norm;
    }
    return all_finite(own.square_norms.data(), own.stride);
}

template <class Weight>
[[gnu::always_inline]] inline void add_sums(const Problem<Weight>& problem, const Columns& own) {
    const SgdState<Weight>& state = problem.state;
    const double half_l2 = 0.5 * problem.options.l2, l1 = problem.options.l1;
    double* const loss = problem.sums.loss.data() + own.begin;
    double* const penalty = problem.sums.penalty.data() + own.begin;
    const double* const squares = state.square_norms.data() + own.begin;
    const double* const sums = state.sum_norms.data() + own.begin;
    for (int64_t c = 0; c < own.n; ++c) loss[c] += own.losses[static_cast<size_t>(c)];
    if (problem.options.schedule == SgdSchedule::adagrad) return;
    for (int64_t c = 0; c < own.stride; ++c) penalty[c] += half_l2 * squares[c] + l1 * sums[c];
}

// One step of plain SGD. False: it would overflow, and nothing has changed.
template <class Weight>
[[gnu::always_inline]] inline bool plain_step(const Problem<Weight>& problem, const Row& row,
                                              const Row& next, Columns& own) {
    const SgdOptions& options = problem.options;
    const SgdState<Weight>& state = problem.state;
    SgdProgress& progress = own.progress;
    Weight* const weights = state.weights.data();
    double* const products = own.products.data();
    double square_norm = 0.0;  // of the row, the same from each stretch
    for_each_stretch(own.begin, own.end,
                     [&]<int width>(int64_t first) __attribute__((always_inline)) {
                         square_norm = dot<width>(row, next, weights + first, problem.stride,
                                                  products + (first - own.begin));
                     });
    double* const bias = state.bias.data() + own.begin;
    for (int64_t c = 0; c < own.stride; ++c) {
        own.scores[static_cast<size_t>(c)] = progress.scale * products[c] + bias[c];
    }
    if (!look_at_row(problem, row, own)) return false;

    const double eta = step_size(options, progress.t);
    const double shrink = std::max(0.0, 1.0 - options.l2 * eta);
    double* const steps = own.steps.data();
    bool moves = false;
    for (int64_t c = 0; c < own.n; ++c) {
        steps[c] = -eta * own.slopes[static_cast<size_t>(c)];
        moves |= steps[c] != 0.0;
    }
    // A row of huge values that asks for no step is no reason to stop.
    if (!next_norms(state, moves ? square_norm : 0.0, shrink, own)) return false;
    add_sums(problem, own);

    double* const sum_norms = state.sum_norms.data() + own.begin;
    double* const square_norms = state.square_norms.data() + own.begin;
    if (options.l1 > 0.0) {  // the penalty changes the norms too: they follow each weight below
        for (int64_t c = 0; c < own.stride; ++c) {
            square_norms[c] *= shrink * shrink;
            sum_norms[c] *= shrink;
        }
    } else {
        std::copy(own.square_norms.begin(), own.square_norms.end(), square_norms);
    }
    progress.scale *= shrink;
    if (progress.scale < scale_min) {
        rescale(state, own.begin, own.end, problem.stride, problem.n_features, progress);
    }
    for (int64_t c = 0; c < own.n; ++c) bias[c] += steps[c] * options.bias_rate;
    for (int64_t c = 0; c < own.n; ++c) steps[c] /= progress.scale;

    const bool averaged = options.average_from > 0.0 && options.average_from <= progress.t;
    Weight* const averages = state.averages.data();
    const double a = averaged ? progress.average_a : 0.0;
    if (options.l1 > 0.0) {
        progress.l1_total += options.l1 * eta;
        // A line at a time: divisions take the time here, and each width would be compiled.
        for (int64_t first = own.begin; first < own.end; first += line) {
            const L1Arrays<Weight> arrays{weights + first,
                                          averaged ? averages + first : nullptr,
                                          state.l1_received.data() + first,
                                          state.square_norms.data() + first,
                                          state.sum_norms.data() + first,
                                          a,
                                          progress.scale,
                                          progress.l1_total};
            if (own.stride == 1) {
                add_penalized<1>(row, steps, problem.stride, arrays);
            } else {
                add_penalized<line>(row, steps + (first - own.begin), problem.stride, arrays);
            }
        }
    } else if (moves) {
        for_each_stretch(
            own.begin, own.end, [&]<int width>(int64_t first) __attribute__((always_inline)) {
                if (averaged) {
                    add<width, true>(row, next, steps + (first - own.begin), problem.stride,
                                     weights + first, averages + first, a);
                } else {
                    add<width, false>(row, next, steps + (first - own.begin), problem.stride,
                                      weights + first, static_cast<Weight*>(nullptr), 0.0);
                }
            });
    }
    if (averaged) {
        const double n = progress.t - options.average_from + 1.0;
        if (n > 1.0) progress.average_b *= n / (n - 1.0);
        progress.average_a += progress.average_b * progress.scale / n;
        double* const average_bias = state.average_bias.data() + own.begin;
        for (int64_t c = 0; c < own.n; ++c) average_bias[c] += (bias[c] - average_bias[c]) / n;
    }
    progress.t += 1.0;
    return true;
}

// One step of AdaGrad. False: it would overflow, and nothing has changed.
template <class Weight>
[[gnu::always_inline]] inline bool adagrad_step(const Problem<Weight>& problem, const Row& row,
                                                Columns& own) {
    const SgdOptions& options = problem.options;
    const SgdState<Weight>& state = problem.state;
    Weight* const duals = state.duals.data() + own.begin;
    Weight* const roots = state.roots.data() + own.begin;
    const double steps_done = own.progress.t - 1.0;
    const double l1 = steps_done * options.l1, l2 = steps_done * options.l2;
    const double inverse_eta0 = 1.0 / options.eta0;
    const size_t n_current = static_cast<size_t>(row.n * own.stride);
    if (own.current.size() < n_current) own.current.resize(n_current);
    double* const bias = state.bias.data() + own.begin;
    double* const scores = own.scores.data();
    for (int64_t c = 0; c < own.stride; ++c) scores[c] = bias[c];
    double square_norm = 0.0;
    for (int64_t k = 0; k < row.n; ++k) {
        const double x = row.values[k];
        square_norm += x * x;
        const int64_t offset = row.features[k] * problem.stride;
        const Weight* const dual = duals + offset;
        const Weight* const root = roots + offset;
        double* const weight = own.current.data() + k * own.stride;
        for (int64_t c = 0; c < own.stride; ++c) {
            weight[c] = adagrad_weight(dual[c], root[c], l1, l2, inverse_eta0);
            scores[c] += x * weight[c];
        }
    }
    if (!look_at_row(problem, row, own)) return false;
    double largest = 0.0;
    for (const double slope : own.slopes) largest = std::max(largest, std::abs(slope));
    if (largest > 0.0 && !std::isfinite(largest * largest * square_norm)) return false;
    add_sums(problem, own);
    const double* const slopes = own.slopes.data();
    for (int64_t k = 0; k < row.n; ++k) {
        const double x = row.values[k];
        const int64_t offset = row.features[k] * problem.stride;
        Weight* const dual = duals + offset;
        Weight* const root = roots + offset;
        const double* const weight = own.current.data() + k * own.stride;
        for (int64_t c = 0; c < own.stride; ++c) {
            const double gradient = x * slopes[c];
            const double before = root[c];
            const double grown = std::sqrt(before * before + gradient * gradient);
            dual[c] = static_cast<Weight>(dual[c] + gradient -
                                          (grown - before) * inverse_eta0 * weight[c]);
            root[c] = static_cast<Weight>(grown);
        }
    }
    double* const bias_roots = state.bias_roots.data() + own.begin;
    for (int64_t c = 0; c < own.n; ++c) {
        bias_roots[c] = std::sqrt(bias_roots[c] * bias_roots[c] + slopes[c] * slopes[c]);
        bias[c] -= options.eta0 * options.bias_rate * slopes[c] / bias_roots[c];
    }
    own.progress.t += 1.0;
    return true;
}

}  // namespace wordodds::sgd
