#include "wordodds/linear/sgd_settle.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sgd_lanes.hpp"
#include "wordodds/linear/sgd.hpp"

namespace wordodds {
namespace {

constexpr int64_t weights_per_chunk = 1 << 17;  // well below a millisecond

// Features [begin, end): true weights, averages and norms. Plain loops over contiguous numbers.
template <class Weight>
void settle_features(const SgdOptions& options, const SgdState<Weight>& state, int64_t begin,
                     int64_t end, int64_t stride, double* square_norms, double* sum_norms) {
    const SgdProgress& progress = *state.progress;
    const double steps_done = progress.t - 1.0;
    for (int64_t j = begin; j < end; ++j) {
        Weight* const weights = state.weights.data() + j * stride;
        if (!state.duals.empty()) {
            const Weight* const duals = state.duals.data() + j * stride;
            const Weight* const roots = state.roots.data() + j * stride;
            for (int64_t c = 0; c < stride; ++c) {
                weights[c] = static_cast<Weight>(
                    sgd::adagrad_weight(duals[c], roots[c], steps_done * options.l1,
                                        steps_done * options.l2, 1.0 / options.eta0));
            }
        }
        if (!state.l1_received.empty()) {
            Weight* const received = state.l1_received.data() + j * stride;
            for (int64_t c = 0; c < stride; ++c) {
                const double before = weights[c];
                double got = received[c];
                weights[c] = static_cast<Weight>(
                    sgd::penalized(before, progress.scale, progress.l1_total, got));
                received[c] = static_cast<Weight>(got);
                if (!state.averages.empty()) {
                    Weight& average = state.averages[static_cast<size_t>(j * stride + c)];
                    average =
                        static_cast<Weight>(average - progress.average_a * (weights[c] - before));
                }
            }
        }
        if (!state.averages.empty()) {
            Weight* const averages = state.averages.data() + j * stride;
            for (int64_t c = 0; c < stride; ++c) {
                averages[c] = static_cast<Weight>((averages[c] + progress.average_a * weights[c]) /
                                                  progress.average_b);
            }
        }
        for (int64_t c = 0; c < stride; ++c) {
            const double weight = weights[c] * progress.scale;
            weights[c] = static_cast<Weight>(weight);
            square_norms[c] += weight * weight;
            sum_norms[c] += std::abs(weight);
        }
    }
}

}  // namespace

template <class Weight>
void sgd_settle(const SgdOptions& options, const Execution& execution,
                const SgdState<Weight>& state) {
    const int64_t stride = line_stride(state.n_columns);
    const auto n = static_cast<size_t>(stride);
    const int64_t n_features = static_cast<int64_t>(state.weights.size()) / stride;
    const FixedChunks chunks{n_features, std::max<int64_t>(1, weights_per_chunk / stride)};
    std::vector<double> squares(static_cast<size_t>(chunks.count()) * n);
    std::vector<double> sums(squares.size());
    // A stop in the middle would leave some weights scaled and others not.
    StopToken never;
    const Execution unstoppable{execution.n_jobs, execution.instruction_set, &never};
    parallel_for(unstoppable, chunks.count(), [&](int64_t chunk, int32_t) {
        const auto at = static_cast<size_t>(chunk) * n;
        settle_features(options, state, chunks.begin(chunk), chunks.end(chunk), stride,
                        squares.data() + at, sums.data() + at);
    });
    for (size_t c = 0; c < n; ++c) {
        state.square_norms[c] = 0.0;
        state.sum_norms[c] = 0.0;
        for (size_t i = c; i < squares.size(); i += n) {
            state.square_norms[c] += squares[i];
            state.sum_norms[c] += sums[i];
        }
    }
    state.progress->scale = 1.0;
    state.progress->average_a = 0.0;
    state.progress->average_b = 1.0;
}

#define WORDODDS_INSTANTIATE(Weight) \
    template void sgd_settle<Weight>(const SgdOptions&, const Execution&, const SgdState<Weight>&);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
