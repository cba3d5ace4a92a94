#include "coordinate_problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "row_loss.hpp"
#include "shrink.hpp"

namespace wordodds {
namespace {

constexpr int64_t features_per_chunk = 2048;
constexpr int64_t rows_per_chunk = 512;
constexpr int64_t lanes = 8;

// Rows of residuals are padded to whole vectors.
int64_t padded(int64_t n_columns) {
    return n_columns == 1 ? 1 : (n_columns + lanes - 1) / lanes * lanes;
}

// sums[k] += value * residuals[row][k] over the entries of one feature. Inlined into each target
// region below and compiled for it there.
template <int width, class Value>
[[gnu::always_inline]] inline void sum_lanes(const CoordinateProblem<Value>& problem, int64_t j,
                                             const double* residuals, int64_t stride, double* out) {
    double sums[width] = {};
    const int32_t* const indices = problem.columns.indices.data();
    const Value* const data = problem.columns.data.data();
    const int64_t end = problem.end(j);
    for (int64_t i = problem.begin(j); i < end; ++i) {
        const auto value = static_cast<double>(data[i]);
        const double* const row = residuals + indices[i] * stride;
        for (int c = 0; c < width; ++c) sums[c] += value * row[c];
    }
    for (int c = 0; c < width; ++c) out[c] = sums[c];
}

template <class Value>
[[gnu::always_inline]] inline void sum_features(const CoordinateProblem<Value>& problem,
                                                int64_t first, int64_t last,
                                                const double* residuals) {
    const int64_t n = problem.options.n_columns;
    const int64_t stride = padded(n);
    std::vector<double> sums(static_cast<size_t>(stride));
    for (int64_t j = first; j < last; ++j) {
        if (stride == 1) {
            sum_lanes<1>(problem, j, residuals, 1, sums.data());
        } else {
            int64_t lane = 0;
            for (; lane + 3 * lanes <= stride; lane += 3 * lanes) {
                sum_lanes<3 * lanes>(problem, j, residuals + lane, stride, sums.data() + lane);
            }
            for (; lane < stride; lane += lanes) {
                sum_lanes<lanes>(problem, j, residuals + lane, stride, sums.data() + lane);
            }
        }
        std::copy_n(sums.data(), n, &problem.gradient(j, 0));
    }
}

template <class Value>
void sum_features_baseline(const CoordinateProblem<Value>& problem, int64_t first, int64_t last,
                           const double* residuals) {
    sum_features(problem, first, last, residuals);
}

#if WORDODDS_X86
template <class Value>
WORDODDS_TARGET_AVX2 void sum_features_avx2(const CoordinateProblem<Value>& problem, int64_t first,
                                            int64_t last, const double* residuals) {
    sum_features(problem, first, last, residuals);
}

template <class Value>
WORDODDS_TARGET_AVX512 void sum_features_avx512(const CoordinateProblem<Value>& problem,
                                                int64_t first, int64_t last,
                                                const double* residuals) {
    sum_features(problem, first, last, residuals);
}
#endif

template <class Value>
auto sum_features_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return sum_features_avx512<Value>;
    if (instruction_set == InstructionSet::avx2) return sum_features_avx2<Value>;
#endif
    return sum_features_baseline<Value>;
}

// Residuals, share * (probability - label), row-major and padded; returns the loss.
template <class Value>
double residuals_of_scores(const CoordinateProblem<Value>& problem,
                           std::vector<double>& residuals) {
    const int64_t n = problem.n_rows(), n_columns = problem.options.n_columns;
    const int64_t stride = padded(n_columns);
    residuals.assign(static_cast<size_t>(n * stride), 0.0);
    const FixedChunks chunks{n, rows_per_chunk};
    const std::vector<double> still(static_cast<size_t>(n_columns), 0.0);
    return parallel_reduce(
        problem.execution, chunks.count(), 0.0,
        [&](int64_t chunk) {
            double loss = 0.0;
            std::vector<double> scores(static_cast<size_t>(n_columns)), p(scores);
            for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                const int32_t code = problem.rows.codes[static_cast<size_t>(i)];
                const double share = problem.rows.shares[static_cast<size_t>(i)];
                double* const out = residuals.data() + i * stride;
                if (problem.options.loss == CoordinateLoss::softmax) {
                    for (int64_t k = 0; k < n_columns; ++k) {
                        scores[static_cast<size_t>(k)] = problem.scores(k)[i];
                    }
                    loss += share * softmax_row(scores.data(), still.data(), 0.0, n_columns, 1,
                                                code, p.data());
                    for (int64_t k = 0; k < n_columns; ++k) {
                        out[k] = share * (p[static_cast<size_t>(k)] - (k == code ? 1.0 : 0.0));
                    }
                    continue;
                }
                for (int64_t k = 0; k < n_columns; ++k) {
                    const auto row =
                        logistic_row(problem.scores(k)[i], code == problem.positive_code(k));
                    loss += share * row.loss;
                    out[k] = share * row.residual;
                }
            }
            return loss;
        },
        std::plus<double>());
}

}  // namespace

template <class Value>
CoordinateReport look_at_all_features(const CoordinateProblem<Value>& problem) {
    const CoordinateOptions& options = problem.options;
    const int64_t n_columns = options.n_columns, n_features = problem.n_features();
    std::vector<double> residuals;
    CoordinateReport report{residuals_of_scores(problem, residuals), 0.0, problem.n_entries()};
    const auto sum = sum_features_for<Value>(problem.execution.instruction_set);
    struct Part {
        double penalty = 0.0, norm = 0.0;
    };
    const FixedChunks chunks{n_features, features_per_chunk};
    const Part all = parallel_reduce(
        problem.execution, chunks.count(), Part{},
        [&](int64_t chunk) {
            sum(problem, chunks.begin(chunk), chunks.end(chunk), residuals.data());
            Part part;
            for (int64_t j = chunks.begin(chunk); j < chunks.end(chunk); ++j) {
                for (int64_t k = 0; k < n_columns; ++k) {
                    const double w = problem.weight(j, k);
                    if (w != 0.0)
                        part.penalty += options.l1 * std::abs(w) + 0.5 * options.l2 * w * w;
                    const double smooth = problem.gradient(j, k) + options.l2 * w;
                    part.norm = std::max(part.norm, violation_of(smooth, w, options.l1));
                }
            }
            return part;
        },
        [](Part one, Part other) {
            return Part{one.penalty + other.penalty, std::max(one.norm, other.norm)};
        });
    report.value += all.penalty;
    report.gradient_norm = all.norm;
    for (int64_t k = 0; k < n_columns; ++k) {
        double gradient = 0.0;
        for (int64_t i = 0; i < problem.n_rows(); ++i) {
            gradient += residuals[static_cast<size_t>(i * padded(n_columns) + k)];
        }
        problem.gradient(n_features, k) = gradient;
        if (options.fit_intercept) {
            report.gradient_norm = std::max(report.gradient_norm, std::abs(gradient));
        }
    }
    return report;
}

#define WORDODDS_INSTANTIATE(Value) \
    template CoordinateReport look_at_all_features(const CoordinateProblem<Value>&);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
