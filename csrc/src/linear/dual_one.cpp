#include "dual_one.hpp"

#include <algorithm>
#include <cmath>

#include "dual_logistic.hpp"
#include "lane_rows.hpp"
#include "wordodds/base/numeric.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_between_checks = 256;
constexpr int64_t rows_per_chunk = 4096;  // fewer are not worth a thread
constexpr double settled = 0.1;           // a last step below this is quadratically close
constexpr int newton_steps = 60;

RowEntries entries(const DualRows& rows, size_t i) {
    const int64_t begin = rows.indptr[i];
    return {rows.indices.data() + begin, rows.data.data() + begin, rows.indptr[i + 1] - begin};
}

// Four sums, as one would wait for each addition before the next.
template <class Weight>
double gather(const RowEntries& row, const Weight* weights) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= row.n; i += 4) {
        for (int k = 0; k < 4; ++k) {
            sums[k] += row.data[i + k] * static_cast<double>(weights[row.indices[i + k]]);
        }
    }
    for (; i < row.n; ++i) sums[0] += row.data[i] * static_cast<double>(weights[row.indices[i]]);
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

template <class Weight>
void scatter(const RowEntries& row, double by, Weight* weights) {
    for (int64_t i = 0; i < row.n; ++i) {
        weights[row.indices[i]] += static_cast<Weight>(row.data[i] * by);
    }
}

// c (is it class 1? - p) for the log-odds of p, with all digits where p is nearly right.
double residual(const DualProblem& problem, size_t i, double log_odds) {
    return problem.codes[i] == 1 ? problem.costs[i] * sigmoid(-log_odds)
                                 : -problem.costs[i] * sigmoid(log_odds);
}

// l + rho sigmoid(l) = u, mirrored so that l <= 0, where the left side is convex: every step after
// the first comes from the right and stays there. sigmoid(l) >= exp(l) / 2 bounds l from above,
// as l + exp(l) = v > 1 has l < log(v).
double solve(double l, double rho, double u) {
    const bool mirrored = u > 0.5 * rho;
    const double target = mirrored ? rho - u : u;
    const double log_half_rho = std::log(0.5 * rho);
    const double v = target + log_half_rho;
    const double bound = std::min((v > 1.0 ? std::log(v) : v) - log_half_rho, 0.0);
    l = std::min(mirrored ? -l : l, bound);
    for (int step = 0; step < newton_steps; ++step) {
        const double p = sigmoid(l);
        const double newton = l - (l + rho * p - target) / (1.0 + rho * p * (1.0 - p));
        const double next = std::max(std::min(newton, bound), dual_impossible);
        const double change = std::abs(next - l);
        l = next;
        if (!(change > settled)) break;
    }
    return mirrored ? -l : l;
}

}  // namespace

template <class Weight>
void dual_ascend_one(const DualRows& rows, const DualProblem& problem,
                     std::span<const int32_t> order, const Execution& execution,
                     const DualState<Weight>& state) {
    double intercept = state.intercept[0];
    double sum = state.sums[0];
    for (size_t place = 0; place < order.size(); ++place) {
        if (place % rows_between_checks == 0) execution.stop->check();
        const auto i = static_cast<size_t>(order[place]);
        const RowEntries row = entries(rows, i);
        const double cost = problem.costs[i];
        const double followed = cost * (rows.shared[i] + problem.intercept_step);
        // A row without any entry still has probabilities; they change no weight.
        const double rho = std::max(followed + cost * rows.single[i], 1e-290);
        const double before = sigmoid(state.log_odds[i]);
        const double score = gather(row, state.weights.data()) + intercept;
        const double u = score + followed * before + cost * rows.single[i] * problem.codes[i];
        state.log_odds[i] = solve(state.log_odds[i], rho, u);
        const double by = cost * (before - sigmoid(state.log_odds[i]));
        intercept += problem.intercept_step * by;
        sum += by;
        scatter(row, by, state.weights.data());
    }
    state.intercept[0] = intercept + problem.intercept_step * sum;
    state.sums[0] = sum;
}

template <class Weight>
DualValue dual_measure_one(const DualRows& rows, const DualProblem& problem,
                           std::span<const double> single_max, const DualState<Weight>& state,
                           const Execution& execution, std::span<double> intercept_gradient_out,
                           std::span<double> residuals_out, std::span<double> gradient_out) {
    const FixedChunks chunks{rows.n_rows, rows_per_chunk};
    DualValue value = parallel_reduce(
        execution, chunks.count(), DualValue{},
        [&](int64_t chunk) {
            DualValue part;
            for (auto i = static_cast<size_t>(chunks.begin(chunk));
                 i < static_cast<size_t>(chunks.end(chunk)); ++i) {
                const double cost = problem.costs[i];
                const double log_odds = state.log_odds[i];
                const double dual = residual(problem, i, log_odds);
                const double score = gather(entries(rows, i), state.weights.data()) +
                                     state.intercept[0] + rows.single[i] * dual;
                residuals_out[i] = residual(problem, i, score);
                part.loss += cost * log1pexp(problem.codes[i] == 1 ? -score : score);
                // p log p + (1 - p) log (1 - p) = p l - log(1 + exp(l)).
                part.entropy -= cost * (sigmoid(log_odds) * log_odds - log1pexp(log_odds));
                part.squares += rows.single[i] * dual * dual;
                part.gradient_max =
                    std::max(part.gradient_max, single_max[i] * std::abs(dual - residuals_out[i]));
            }
            return part;
        },
        [](const DualValue& a, const DualValue& b) {
            return DualValue{a.loss + b.loss, a.entropy + b.entropy, a.squares + b.squares,
                             std::max(a.gradient_max, b.gradient_max)};
        });
    double slope = 0.0;
    for (const double by : residuals_out) slope -= by;
    intercept_gradient_out[0] = slope;
    dual_weights_one(rows, residuals_out, execution, gradient_out);
    for (size_t j = 0; j < gradient_out.size(); ++j) {
        const auto weight = static_cast<double>(state.weights[j]);
        value.squares += weight * weight;
        value.gradient_max = std::max(value.gradient_max, std::abs(weight - gradient_out[j]));
    }
    return value;
}

void dual_variables_one(const DualProblem& problem, std::span<const double> log_odds,
                        const Execution& execution, std::span<double> duals_out) {
    const FixedChunks chunks{static_cast<int64_t>(log_odds.size()), rows_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (auto i = static_cast<size_t>(chunks.begin(chunk));
             i < static_cast<size_t>(chunks.end(chunk)); ++i) {
            duals_out[i] = residual(problem, i, log_odds[i]);
        }
    });
}

void dual_weights_one(const DualRows& rows, std::span<const double> values,
                      const Execution& execution, std::span<double> weights_out) {
    std::fill(weights_out.begin(), weights_out.end(), 0.0);
    for (size_t i = 0; i < static_cast<size_t>(rows.n_rows); ++i) {
        if (i % rows_between_checks == 0) execution.stop->check();
        scatter(entries(rows, i), values[i], weights_out.data());
    }
}

#define WORDODDS_INSTANTIATE(Weight)                                                            \
    template void dual_ascend_one<Weight>(const DualRows&, const DualProblem&,                  \
                                          std::span<const int32_t>, const Execution&,           \
                                          const DualState<Weight>&);                            \
    template DualValue dual_measure_one<Weight>(                                                \
        const DualRows&, const DualProblem&, std::span<const double>, const DualState<Weight>&, \
        const Execution&, std::span<double>, std::span<double>, std::span<double>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
