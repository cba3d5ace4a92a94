#include "wordodds/linear/dual_value.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dual_one.hpp"
#include "lane_rows.hpp"
#include "wordodds/base/numeric.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 128;
constexpr int64_t weights_per_chunk = 1 << 16;

// A chunk's part of the value, and of sum_i residual_i.
struct Part {
    DualValue value;
    std::vector<double> residual_sums;
};

// The probabilities that scores give; the padding has none. Returns log sum_k exp(score_k) for
// softmax.
WORDODDS_LANES double link(const DualProblem& problem, int64_t stride, const double* scores,
                           double* probabilities_out) {
    const int64_t n = problem.n_columns;
    if (problem.loss == DualLoss::logistic) {
        for (int64_t k = 0; k < stride; k += n_lanes) {
            store_lanes(probabilities_out + k, sigmoid_lanes(load_lanes(scores + k)));
        }
        std::fill(probabilities_out + n, probabilities_out + stride, 0.0);
        return 0.0;
    }
    const double top = *std::max_element(scores, scores + n);
    for (int64_t k = 0; k < stride; k += n_lanes) {
        store_lanes(probabilities_out + k, exp_lanes(load_lanes(scores + k) - top));
    }
    double sum = 0.0;
    for (int64_t k = 0; k < n; ++k) sum += probabilities_out[k];
    for (int64_t k = 0; k < n; ++k) probabilities_out[k] /= sum;
    std::fill(probabilities_out + n, probabilities_out + stride, 0.0);
    return top + std::log(sum);
}

template <class Weight>
struct Measure {
    const DualRows& rows;
    const DualProblem& problem;
    std::span<const double> single_max;
    const DualState<Weight>& state;
    double* residuals;
    int64_t stride;

    WORDODDS_LANES void measure_rows(int64_t begin, int64_t end, Part& part) const {
        std::vector<double> scratch(static_cast<size_t>(3 * stride), 0.0);
        double* const scores = scratch.data();
        double* const p = scores + stride;
        double* const dual_p = scores + 2 * stride;
        const bool is_softmax = problem.loss == DualLoss::softmax;
        const int64_t n_entries = rows.indptr[static_cast<size_t>(rows.n_rows)];
        for (int64_t row = begin; row < end; ++row) {
            const auto i = static_cast<size_t>(row);
            const int64_t first = rows.indptr[i];
            const RowEntries entries{rows.indices.data() + first, rows.data.data() + first,
                                     rows.indptr[i + 1] - first};
            for_unit_blocks(stride / n_lanes,
                            GatherRow<Weight>{entries, n_entries - first, state.weights.data(),
                                              stride, scores});
            const double* const log_odds = state.log_odds.data() + row * stride;
            for (int64_t k = 0; k < stride; k += n_lanes) {
                const Lanes l = load_lanes(log_odds + k);
                store_lanes(dual_p + k, is_softmax ? exp_lanes(l) : sigmoid_lanes(l));
            }
            const int64_t own = problem.codes[i];
            const double cost = problem.costs[i];
            double dual_squares = 0.0;
            double entropy = 0.0;
            for (int64_t k = 0; k < problem.n_columns; ++k) {
                const double dual = cost * ((k == own ? 1.0 : 0.0) - dual_p[k]);
                dual_squares += dual * dual;
                scores[k] += state.intercept[static_cast<size_t>(k)] + rows.single[i] * dual;
                // p log p + (1 - p) log (1 - p) = p l - log(1 + exp(l)).
                entropy -= dual_p[k] * log_odds[k] - (is_softmax ? 0.0 : log1pexp(log_odds[k]));
            }
            const double log_sum = link(problem, stride, scores, p);
            double loss = is_softmax ? log_sum - scores[own] : 0.0;
            double apart = 0.0;
            double* const residual = residuals + row * stride;
            for (int64_t k = 0; k < stride; ++k) residual[k] = 0.0;
            for (int64_t k = 0; k < problem.n_columns; ++k) {
                if (!is_softmax) loss += log1pexp(k == own ? -scores[k] : scores[k]);
                residual[k] = cost * ((k == own ? 1.0 : 0.0) - p[k]);
                part.residual_sums[static_cast<size_t>(k)] += residual[k];
                apart = std::max(apart, cost * std::abs(dual_p[k] - p[k]));
            }
            part.value.loss += cost * loss;
            part.value.entropy += cost * entropy;
            part.value.squares += rows.single[i] * dual_squares;
            part.value.gradient_max = std::max(part.value.gradient_max, single_max[i] * apart);
        }
    }
};

struct Scatter {
    const DualRows& rows;
    int64_t stride;
    const double* values;
    double* weights;

    RowEntries entries(int64_t row) const {
        if (row >= rows.n_rows) return {nullptr, nullptr, 0};
        const auto i = static_cast<size_t>(row);
        const int64_t first = rows.indptr[i];
        return {rows.indices.data() + first, rows.data.data() + first, rows.indptr[i + 1] - first};
    }

    WORDODDS_LANES void scatter_units(int64_t first_unit, int64_t n_units, StopToken* stop) const {
        const int64_t offset = first_unit * n_lanes;
        for (int64_t row = 0; row < rows.n_rows; ++row) {
            if (row % rows_per_chunk == 0) stop->check();
            for_unit_blocks(n_units,
                            ScatterRow<double>{entries(row), entries(row + 1), weights + offset,
                                               stride, values + row * stride + offset});
        }
    }
};

template <class Weight>
struct MeasureWork {
    const Measure<Weight>& measure;
    int64_t begin;
    int64_t end;
    Part& part;
    WORDODDS_LANES void operator()() const { measure.measure_rows(begin, end, part); }
};

struct ScatterWork {
    const Scatter& scatter;
    int64_t first_unit;
    int64_t n_units;
    StopToken* stop;
    WORDODDS_LANES void operator()() const { scatter.scatter_units(first_unit, n_units, stop); }
};

}  // namespace

void dual_weights(const DualRows& rows, int64_t stride, std::span<const double> values,
                  const Execution& execution, std::span<double> weights_out) {
    if (stride == 1) return dual_weights_one(rows, values, execution, weights_out);
    const FixedChunks stretches{static_cast<int64_t>(weights_out.size()), weights_per_chunk};
    parallel_for(execution, stretches.count(), [&](int64_t chunk, int32_t) {
        std::fill(weights_out.begin() + stretches.begin(chunk),
                  weights_out.begin() + stretches.end(chunk), 0.0);
    });
    const int64_t n_units = stride / n_lanes;
    const FixedChunks halves{n_units, (n_units + 1) / 2};
    const Scatter scatter{rows, stride, values.data(), weights_out.data()};
    parallel_for(execution, halves.count(), [&](int64_t half, int32_t) {
        const int64_t first = halves.begin(half);
        with_lanes(execution.instruction_set,
                   ScatterWork{scatter, first, halves.end(half) - first, execution.stop});
    });
}

template <class Weight>
DualValue dual_measure(const DualRows& rows, const DualProblem& problem,
                       std::span<const double> single_max, const DualState<Weight>& state,
                       const Execution& execution, std::span<double> intercept_gradient_out,
                       std::span<double> residuals_out, std::span<double> gradient_out) {
    if (problem.n_columns == 1) {
        return dual_measure_one(rows, problem, single_max, state, execution, intercept_gradient_out,
                                residuals_out, gradient_out);
    }
    const int64_t stride = lane_stride(problem.n_columns);
    const FixedChunks chunks{rows.n_rows, rows_per_chunk};
    const Measure<Weight> measure{rows, problem, single_max, state, residuals_out.data(), stride};
    std::vector<Part> parts(static_cast<size_t>(chunks.count()));
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        Part& part = parts[static_cast<size_t>(chunk)];
        part.residual_sums.assign(static_cast<size_t>(stride), 0.0);
        with_lanes(execution.instruction_set,
                   MeasureWork<Weight>{measure, chunks.begin(chunk), chunks.end(chunk), part});
    });
    DualValue value;
    std::fill(intercept_gradient_out.begin(), intercept_gradient_out.end(), 0.0);
    for (const Part& part : parts) {
        value.loss += part.value.loss;
        value.entropy += part.value.entropy;
        value.squares += part.value.squares;
        value.gradient_max = std::max(value.gradient_max, part.value.gradient_max);
        for (size_t k = 0; k < part.residual_sums.size(); ++k) {
            intercept_gradient_out[k] -= part.residual_sums[k];
        }
    }
    dual_weights(rows, stride, residuals_out, execution, gradient_out);
    // The padding is zero in both.
    const FixedChunks stretches{static_cast<int64_t>(gradient_out.size()), weights_per_chunk};
    struct Sum {
        double squares = 0.0;
        double gradient_max = 0.0;
    };
    const auto measured = parallel_reduce(
        execution, stretches.count(), Sum{},
        [&](int64_t chunk) {
            Lanes squares = lanes_of(0.0);
            Lanes apart = lanes_of(0.0);
            for (int64_t i = stretches.begin(chunk); i < stretches.end(chunk); i += n_lanes) {
                const Lanes weight = load_lanes(state.weights.data() + i);
                squares += weight * weight;
                apart = larger(apart, magnitude(weight - load_lanes(gradient_out.data() + i)));
            }
            return Sum{sum_of(squares), largest_of(apart)};
        },
        [](Sum a, Sum b) {
            return Sum{a.squares + b.squares, std::max(a.gradient_max, b.gradient_max)};
        });
    value.squares += measured.squares;
    value.gradient_max = std::max(value.gradient_max, measured.gradient_max);
    return value;
}

void dual_variables(const DualProblem& problem, std::span<const double> log_odds,
                    const Execution& execution, std::span<double> duals_out) {
    if (problem.n_columns == 1) {
        return dual_variables_one(problem, log_odds, execution, duals_out);
    }
    const int64_t stride = lane_stride(problem.n_columns);
    const FixedChunks chunks{static_cast<int64_t>(problem.codes.size()), rows_per_chunk};
    const bool is_softmax = problem.loss == DualLoss::softmax;
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
            const double* const from = log_odds.data() + row * stride;
            double* const to = duals_out.data() + row * stride;
            const double cost = problem.costs[static_cast<size_t>(row)];
            const int64_t own = problem.codes[static_cast<size_t>(row)];
            for (int64_t k = 0; k < stride; k += n_lanes) {
                const Lanes l = load_lanes(from + k);
                store_lanes(to + k, is_softmax ? exp_lanes(l) : sigmoid_lanes(l));
            }
            for (int64_t k = 0; k < stride; ++k) {
                to[k] = k < problem.n_columns ? cost * ((k == own ? 1.0 : 0.0) - to[k]) : 0.0;
            }
        }
    });
}

#define WORDODDS_INSTANTIATE(Weight)                                                            \
    template DualValue dual_measure<Weight>(                                                    \
        const DualRows&, const DualProblem&, std::span<const double>, const DualState<Weight>&, \
        const Execution&, std::span<double>, std::span<double>, std::span<double>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
