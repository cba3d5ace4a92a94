#include "wordodds/linear/loss.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "logit.hpp"
#include "wordodds/base/lanes.hpp"

namespace wordodds {
namespace {

constexpr int64_t scores_per_chunk = 1 << 13;  // some hundred microseconds of exponentials

FixedChunks chunks_of_rows(int64_t n_rows, int64_t stride) {
    return {n_rows, std::max<int64_t>(1, scores_per_chunk / stride)};
}

// Loss, gradient and probabilities of one row.
WORDODDS_LANES double softmax_row(const ScoredRows& rows, int64_t row, double* gradient,
                                  double* p) {
    const double* const z = rows.scores.data() + row * rows.stride;
    const double weight = rows.row_weights[static_cast<size_t>(row)];
    const int32_t code = rows.codes[static_cast<size_t>(row)];
    const double largest = *std::max_element(z, z + rows.n_columns);
    const double own_score = z[code] - largest;
    for (int64_t k = 0; k < rows.stride; k += n_lanes) {
        store_lanes(p + k, exp_lanes(load_lanes(z + k) - largest));
    }
    std::fill(p + rows.n_columns, p + rows.stride, 0.0);
    // The own class apart: p - 1 as minus the sum of the others has all digits where p is nearly 1.
    const double own = p[code];
    p[code] = 0.0;
    Lanes sums = lanes_of(0.0);
    for (int64_t k = 0; k < rows.stride; k += n_lanes) sums += load_lanes(p + k);
    const double others = sum_of(sums);
    const double sum = own + others;
    for (int64_t k = 0; k < rows.stride; k += n_lanes) {
        const Lanes share = load_lanes(p + k) / sum;
        store_lanes(p + k, share);
        store_lanes(gradient + k, weight * share);
    }
    p[code] = own / sum;
    gradient[code] = -weight * (others / sum);
    return weight * (std::log(sum) - own_score);
}

}  // namespace

void scores_scalar_loss(std::span<const double> y, std::span<const double> raw, ScalarLoss loss,
                        const Execution& execution, std::span<double> loss_out,
                        std::span<double> gradient_out, std::span<double> hessian_out) {
    const FixedChunks chunks{static_cast<int64_t>(raw.size()), scores_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        const int64_t first = chunks.begin(chunk);
        loss(chunks.end(chunk) - first, y.data() + first, raw.data() + first,
             loss_out.data() + first, gradient_out.data() + first, hessian_out.data() + first);
    });
}

double rows_scalar_loss(const ScoredRows& rows, ScalarLoss loss, const Execution& execution,
                        std::span<double> gradient_out, std::span<double> hessian_out) {
    const FixedChunks chunks = chunks_of_rows(rows.n_rows, rows.stride);
    return parallel_reduce(
        execution, chunks.count(), 0.0,
        [&](int64_t chunk) {
            const int64_t begin = chunks.begin(chunk);
            const int64_t n = (chunks.end(chunk) - begin) * rows.stride;
            std::vector<double> targets(static_cast<size_t>(n), 0.0), losses(targets.size());
            for (int64_t row = begin; row < chunks.end(chunk); ++row) {
                const int32_t code = rows.codes[static_cast<size_t>(row)];
                const int64_t at = (row - begin) * rows.stride;
                if (rows.n_columns == 1) {
                    targets[static_cast<size_t>(at)] = code;
                } else {
                    targets[static_cast<size_t>(at + code)] = 1.0;
                }
            }
            const int64_t first = begin * rows.stride;
            double* const gradient = gradient_out.data() + first;
            double* const hessian = hessian_out.data() + first;
            // A copy: a loss that others wrote need not expect that its output is its input.
            const std::vector<double> raw(rows.scores.begin() + first,
                                          rows.scores.begin() + first + n);
            if (loss == logit_loss) {  // that function itself, in wider registers
                with_lanes(execution.instruction_set, [&]() WORDODDS_INLINED {
                    logit_in_lanes(n, targets.data(), raw.data(), losses.data(), gradient, hessian);
                });
            } else {
                loss(n, targets.data(), raw.data(), losses.data(), gradient, hessian);
            }
            double sum = 0.0;
            for (int64_t row = begin; row < chunks.end(chunk); ++row) {
                const double weight = rows.row_weights[static_cast<size_t>(row)];
                const int64_t at = (row - begin) * rows.stride;
                for (int64_t k = 0; k < rows.n_columns; ++k) {
                    sum += weight * losses[static_cast<size_t>(at + k)];
                    gradient[at + k] *= weight;
                    hessian[at + k] *= weight;
                }
                for (int64_t k = rows.n_columns; k < rows.stride; ++k) {
                    gradient[at + k] = hessian[at + k] = 0.0;
                }
            }
            return sum;
        },
        [](double sum, double part) { return sum + part; });
}

double rows_softmax_loss(const ScoredRows& rows, const Execution& execution,
                         std::span<double> gradient_out, std::span<double> probabilities_out) {
    const FixedChunks chunks = chunks_of_rows(rows.n_rows, rows.stride);
    return parallel_reduce(
        execution, chunks.count(), 0.0,
        [&](int64_t chunk) {
            double sum = 0.0;
            with_lanes(execution.instruction_set, [&]() WORDODDS_INLINED {
                for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
                    const int64_t first = row * rows.stride;
                    sum += softmax_row(rows, row, gradient_out.data() + first,
                                       probabilities_out.data() + first);
                }
            });
            return sum;
        },
        [](double sum, double part) { return sum + part; });
}

void rows_softmax_curve(int64_t n_rows, int64_t stride, std::span<const double> row_weights,
                        std::span<const double> probabilities, const Execution& execution,
                        std::span<double> vectors_in_out) {
    const FixedChunks chunks = chunks_of_rows(n_rows, stride);
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
            const double* const p = probabilities.data() + row * stride;
            double* const v = vectors_in_out.data() + row * stride;
            double mean = 0.0;
            for (int64_t k = 0; k < stride; ++k) mean += p[k] * v[k];
            const double weight = row_weights[static_cast<size_t>(row)];
            for (int64_t k = 0; k < stride; ++k) v[k] = weight * p[k] * (v[k] - mean);
        }
    });
}

}  // namespace wordodds
