#include "wordodds/linear/dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "dual_logistic.hpp"
#include "dual_one.hpp"
#include "lane_rows.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_between_checks = 64;
constexpr int64_t units_per_block = 3;  // logistic columns that one thread takes: 12

constexpr double matters = 1e3;  // probabilities below 1 / this count for less
constexpr int newton_steps = 6;  // on probabilities and normaliser together
constexpr int safe_steps = 60;   // of the method that cannot fail
constexpr int root_steps = 4;    // from log_above these reach 1e-12

// The equation of one row, for n_units lanes of columns. All in memory of the epoch. known: n_units
// if the compiler knows it and so need not write loops, else 0.
template <int known>
struct RowProblem {
    int64_t n_units;
    double rho;
    double log_rho;
    const double* u;
    double* log_odds;       // in: before; out: after
    double* probabilities;  // in: exp(log_odds); out: after
    double* step;           // scratch
    double* slope;          // scratch

    WORDODDS_LANES int64_t n() const { return (known > 0 ? known : n_units) * n_lanes; }
};

// Newton's method on the normaliser t alone, with each log p_k exact for it. The sum of the p_k is
// convex and falls with t: from the left of the root it goes there without overshooting, from the
// right it jumps to the left first.
template <int known>
WORDODDS_LANES void solve_softmax_safely(const RowProblem<known>& row, double t) {
    double top = -std::numeric_limits<double>::infinity();
    for (int64_t k = 0; k < row.n(); ++k) top = std::max(top, row.u[k]);
    const double t_min = top - row.rho;  // the likeliest class would have probability 1
    t = std::isfinite(t) ? std::max(t, t_min) : t_min;
    for (int step = 0; step < safe_steps; ++step) {
        Lanes sum = lanes_of(0.0);
        Lanes slope = lanes_of(0.0);
        for (int64_t k = 0; k < row.n(); k += n_lanes) {
            const Lanes v = load_lanes(row.u + k) - t + row.log_rho;
            Lanes l = root_above(v);
            for (int i = 0; i < root_steps; ++i) {
                const Lanes e = exp_lanes(l);
                l -= (l + e - v) / (1.0 + e);
            }
            const Lanes e = exp_lanes(l);
            sum += e;
            slope += e / (1.0 + e);
            store_lanes(row.log_odds + k, larger(l - row.log_rho, lanes_of(dual_impossible)));
            store_lanes(row.probabilities + k, e / row.rho);
        }
        const double next = std::max(t_min, t + (sum_of(sum) - row.rho) / sum_of(slope));
        if (!(std::abs(next - t) > 1e-3)) break;
        t = next;
    }
}

// Newton's method on all log p_k and t together: two exponentials a class when little changes. Each
// log p_k stays below what t allows, which keeps the first steps from overshooting.
template <int known>
WORDODDS_LANES void solve_softmax(const RowProblem<known>& row) {
    const int64_t n = row.n();
    Lanes above = lanes_of(0.0);
    Lanes below = lanes_of(0.0);
    for (int64_t k = 0; k < n; k += n_lanes) {
        const Lanes p = load_lanes(row.probabilities + k);
        const Lanes weight = p / (1.0 + row.rho * p);
        above += weight * (load_lanes(row.u + k) - load_lanes(row.log_odds + k) - row.rho * p);
        below += weight;
    }
    double t = sum_of(above) / sum_of(below);
    for (int i = 0; i < newton_steps; ++i) {
        Lanes moved = lanes_of(0.0);
        Lanes slopes = lanes_of(0.0);
        Lanes total = lanes_of(0.0);
        for (int64_t k = 0; k < n; k += n_lanes) {
            const Lanes p = load_lanes(row.probabilities + k);
            const Lanes slope = 1.0 / (1.0 + row.rho * p);
            const Lanes rest =
                load_lanes(row.u + k) - t - load_lanes(row.log_odds + k) - row.rho * p;
            const Lanes step = rest * slope;
            store_lanes(row.slope + k, slope);
            store_lanes(row.step + k, step);
            moved += p * step;
            slopes += p * slope;
            total += p;
        }
        const double t_step = (sum_of(moved) - (1.0 - sum_of(total))) / sum_of(slopes);
        t += t_step;
        Lanes change = lanes_of(0.0);
        for (int64_t k = 0; k < n; k += n_lanes) {
            const Lanes before = load_lanes(row.log_odds + k);
            const Lanes v = load_lanes(row.u + k) - t + row.log_rho;
            Lanes l = before + load_lanes(row.step + k) - t_step * load_lanes(row.slope + k);
            l = smaller(l, smaller(root_above(v) - row.log_rho, lanes_of(0.0)));
            l = larger(l, lanes_of(dual_impossible));
            const Lanes p = exp_lanes(l);
            const Lanes weight =
                smaller(lanes_of(1.0), matters * larger(p, load_lanes(row.probabilities + k)));
            change = larger(change, magnitude(l - before) * weight);
            store_lanes(row.log_odds + k, l);
            store_lanes(row.probabilities + k, p);
        }
        const double most = largest_of(change);
        if (most < dual_settled) return;
        if (!std::isfinite(most)) break;
    }
    solve_softmax_safely(row, t);
}

// Probabilities that sum to 1, and their logarithms.
template <int known>
WORDODDS_LANES void normalise(const RowProblem<known>& row) {
    Lanes total = lanes_of(0.0);
    for (int64_t k = 0; k < row.n(); k += n_lanes) {
        total += load_lanes(row.probabilities + k);
    }
    const double sum = sum_of(total);
    const double log_sum = std::log(sum);
    for (int64_t k = 0; k < row.n(); k += n_lanes) {
        store_lanes(row.probabilities + k, load_lanes(row.probabilities + k) / sum);
        store_lanes(row.log_odds + k,
                    larger(load_lanes(row.log_odds + k) - log_sum, lanes_of(dual_impossible)));
    }
}

// Each column by itself.
WORDODDS_LANES void solve_columns(const RowProblem<0>& row) {
    const Lanes rho = lanes_of(row.rho);
    const Lanes log_half_rho = lanes_of(row.log_rho - 0.6931471805599453);
    for (int64_t k = 0; k < row.n(); k += n_lanes) {
        const Lanes l =
            solve_logistic(load_lanes(row.u + k), rho, log_half_rho, load_lanes(row.log_odds + k));
        store_lanes(row.log_odds + k, l);
        store_lanes(row.probabilities + k, sigmoid_lanes(l));
    }
}

// One epoch over the units [first_unit, first_unit + n_units) of the columns.
template <class Weight>
struct Epoch {
    const DualRows& rows;
    const DualProblem& problem;
    std::span<const int32_t> order;
    const DualState<Weight>& state;
    StopToken* stop;
    int64_t n_stride;
    int64_t first_unit;
    int64_t n_all_units;

    RowEntries entries(size_t place) const {
        if (place >= order.size()) return {nullptr, nullptr, 0};
        const auto i = static_cast<size_t>(order[place]);
        const int64_t begin = rows.indptr[i];
        return {rows.indices.data() + begin, rows.data.data() + begin, rows.indptr[i + 1] - begin};
    }

    // known: the units of a softmax, which are all that there are; 0: any loss and number.
    template <int known>
    WORDODDS_LANES void run() const {
        const int64_t n_units = known > 0 ? known : n_all_units;
        const int64_t stride = known > 0 ? known * n_lanes : n_stride;
        const int64_t n = n_units * n_lanes;
        const int64_t first = first_unit * n_lanes;
        std::vector<double> scratch(static_cast<size_t>(6 * n), 0.0);
        double* const u = scratch.data();
        double* const probabilities = u + n;
        double* const before = u + 2 * n;
        double* const change = u + 3 * n;
        double* const intercept = state.intercept.data() + first;
        double* const sums = state.sums.data() + first;
        Weight* const weights = state.weights.data() + first;
        const bool is_softmax = known > 0 || problem.loss == DualLoss::softmax;
        const int64_t n_real = std::min(n, problem.n_columns - first);
        for (size_t place = 0; place < order.size(); ++place) {
            if (place % rows_between_checks == 0) stop->check();
            const auto i = static_cast<size_t>(order[place]);
            const RowEntries row = entries(place);
            for_unit_blocks(n_units, GatherRow<Weight>{row, 0, weights, stride, u});
            const double cost = problem.costs[i];
            const double followed = cost * (rows.shared[i] + problem.intercept_step);
            // A row without any entry still has probabilities; they change no weight.
            const double rho = std::max(followed + cost * rows.single[i], 1e-290);
            double* const log_odds =
                state.log_odds.data() + static_cast<int64_t>(i) * stride + first;
            for (int64_t k = 0; k < n; k += n_lanes) {
                const Lanes l = load_lanes(log_odds + k);
                const Lanes p = is_softmax ? exp_lanes(l) : sigmoid_lanes(l);
                store_lanes(probabilities + k, p);
                store_lanes(before + k, p);
                store_lanes(u + k, load_lanes(u + k) + load_lanes(intercept + k) + followed * p);
            }
            const int64_t own = problem.codes[i] - first;
            if (own >= 0 && own < n_real) u[own] += cost * rows.single[i];
            const RowProblem<known> equation{n_units,  rho,           std::log(rho), u,
                                             log_odds, probabilities, u + 4 * n,     u + 5 * n};
            for (int64_t k = n_real; k < n; ++k) u[k] = dual_impossible - rho;
            if (is_softmax) {
                solve_softmax(equation);
                normalise(equation);
            } else if constexpr (known == 0) {
                solve_columns(equation);
            }
            for (int64_t k = 0; k < n; k += n_lanes) {
                const Lanes by = cost * (load_lanes(before + k) - load_lanes(probabilities + k));
                store_lanes(change + k, by);
                store_lanes(intercept + k, load_lanes(intercept + k) + problem.intercept_step * by);
                store_lanes(sums + k, load_lanes(sums + k) + by);
            }
            for_unit_blocks(n_units,
                            ScatterRow<Weight>{row, entries(place + 1), weights, stride, change});
        }
        for (int64_t k = 0; k < n; ++k) intercept[k] += problem.intercept_step * sums[k];
    }
};

template <class Weight, int known>
struct Run {
    const Epoch<Weight>& epoch;
    WORDODDS_LANES void operator()() const { epoch.template run<known>(); }
};

template <class Weight>
void ascend(const Epoch<Weight>& epoch, InstructionSet instruction_set) {
#if WORDODDS_X86
    // Up to twenty classes, for the large problems that float is for; elsewhere what it saves is
    // not worth compiling all this once more.
    if constexpr (std::is_same_v<Weight, float>) {
        const bool fits =
            instruction_set != InstructionSet::baseline && epoch.problem.loss == DualLoss::softmax;
        switch (fits ? epoch.n_all_units : 0) {
            case 1: return with_avx2_lanes(Run<Weight, 1>{epoch});
            case 2: return with_avx2_lanes(Run<Weight, 2>{epoch});
            case 3: return with_avx2_lanes(Run<Weight, 3>{epoch});
            case 4: return with_avx2_lanes(Run<Weight, 4>{epoch});
            case 5: return with_avx2_lanes(Run<Weight, 5>{epoch});
        }
    }
#endif
    with_lanes(instruction_set, Run<Weight, 0>{epoch});
}

}  // namespace

template <class Weight>
void dual_ascend(const DualRows& rows, const DualProblem& problem, std::span<const int32_t> order,
                 const Execution& execution, const DualState<Weight>& state) {
    if (problem.n_columns == 1) return dual_ascend_one(rows, problem, order, execution, state);
    const int64_t stride = lane_stride(problem.n_columns);
    const int64_t n_units = stride / n_lanes;
    // Softmax needs a row's columns together.
    const FixedChunks blocks{n_units,
                             problem.loss == DualLoss::softmax ? n_units : units_per_block};
    parallel_for(execution, blocks.count(), [&](int64_t block, int32_t) {
        const int64_t first = blocks.begin(block);
        ascend(Epoch<Weight>{rows, problem, order, state, execution.stop, stride, first,
                             blocks.end(block) - first},
               execution.instruction_set);
    });
}

#define WORDODDS_INSTANTIATE(Weight)                                              \
    template void dual_ascend<Weight>(const DualRows&, const DualProblem&,        \
                                      std::span<const int32_t>, const Execution&, \
                                      const DualState<Weight>&);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
