#include "wordodds/bayes/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log_two_pi = 1.8378770664093454835606594728112;
constexpr int64_t cells_per_chunk = 1 << 16;
constexpr int64_t cells_per_check = 1 << 14;
constexpr int64_t entries_per_check = 1 << 15;
constexpr int64_t rows_per_chunk = 256;
constexpr int64_t prefetch_ahead = 8;

// One value for each of eight classes. The compiler makes of an operation what the target has for
// it: one, two or four instructions, with the same bits.
using Lanes [[gnu::vector_size(8 * line_doubles)]] = double;
// In memory: as aligned as its elements. Not the type above: Clang drops it in template arguments.
using LanesInMemory [[gnu::vector_size(8 * line_doubles), gnu::aligned(8), gnu::may_alias]] =
    double;

// A standard deviation below this part of the mean is none: no other number is so close to the
// mean, and the squares of |mean| / deviation, which sparse rows sum, stay finite.
constexpr double least_relative_deviation = 1e-145;

// sum += x, and to error what rounding takes from it (TwoSum); of doubles or Lanes.
template <class Number>
[[gnu::always_inline]] inline void add_exactly(const Number& x, Number& sum, Number& error) {
    const Number total = sum + x;
    const Number part = total - sum;
    error += (sum - (total - part)) + (x - part);
    sum = total;
}

// What one call scores: plain pointers, so that the compiler sees no aliasing spans in the loop.
template <class Value>
struct CsrProblem {
    const int64_t* indptr;
    const int32_t* indices;
    const Value* data;
    GaussianTable gaussians;
    double* scores;
    StopToken* stop;
};

// What the stored entries of a row add up to, in eight classes.
struct LineSums {
    Lanes squares{};  // of their deviations
    Lanes zeros{};    // of the deviations that zeros in their place would have
    Lanes zeros_error{};
    Lanes off_zero{};  // how many of them meet a point mass that is not at zero
};

// Inlined into each target region below and compiled for it there.
template <bool has_points>
[[gnu::always_inline]] inline void add_entry(double value, const double* means,
                                             const double* scales, LineSums& sums) {
    const Lanes none{};
    const Lanes mean = *reinterpret_cast<const LanesInMemory*>(means);
    const Lanes scale = *reinterpret_cast<const LanesInMemory*>(scales);
    const Lanes difference = value - mean;
    Lanes z = difference * scale;
    const Lanes u = mean * scale;
    Lanes zero = u * u;
    if constexpr (has_points) {
        z = difference == none ? none : z;  // 0 * infinity is NaN
        zero = scale == infinity ? none : zero;
        sums.off_zero += scale == infinity ? (mean != none ? none + 1.0 : none) : none;
    }
    sums.squares += z * z;
    add_exactly(zero, sums.zeros, sums.zeros_error);
}

// Eight classes of one row.
template <bool has_points, class Value>
[[gnu::always_inline]] inline void score_line(const CsrProblem<Value>& problem, int64_t row,
                                              int64_t first_class) {
    const GaussianTable& gaussians = problem.gaussians;
    const int64_t feature = 2 * gaussians.stride;
    const double* const table = gaussians.table.data() + first_class;
    LineSums sums;
    const int64_t end = problem.indptr[row + 1];
    for (int64_t i = problem.indptr[row]; i < end; ++i) {
        if (i % entries_per_check == 0) problem.stop->check();
        // Which Gaussians come next only the indices know: no hardware prefetcher guesses them.
        if (i + prefetch_ahead < end) {
            const double* const ahead = table + problem.indices[i + prefetch_ahead] * feature;
            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + gaussians.stride);
        }
        const double* const mean = table + problem.indices[i] * feature;
        add_entry<has_points>(static_cast<double>(problem.data[i]), mean, mean + gaussians.stride,
                              sums);
    }
    const double* const bias = gaussians.of(ClassSummary::bias) + first_class;
    const double* const all = gaussians.of(ClassSummary::squares) + first_class;
    const double* const all_error = gaussians.of(ClassSummary::squares_error) + first_class;
    const double* const points = gaussians.of(ClassSummary::points_off_zero) + first_class;
    double* const scores = problem.scores + row * gaussians.n_classes + first_class;
    const int64_t n = std::min<int64_t>(line_doubles, gaussians.n_classes - first_class);
    for (int64_t c = 0; c < n; ++c) {
        const double not_stored = (all[c] - sums.zeros[c]) + (all_error[c] - sums.zeros_error[c]);
        scores[c] = bias[c] - 0.5 * (sums.squares[c] + std::max(0.0, not_stored));
        // A point mass away from zero whose column the row does not store.
        if (has_points && sums.off_zero[c] != points[c]) scores[c] = -infinity;
    }
}

template <bool has_points, class Value>
[[gnu::always_inline]] inline void score_rows(const CsrProblem<Value>& problem, int64_t begin,
                                              int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
        for (int64_t c = 0; c < problem.gaussians.n_classes; c += line_doubles) {
            score_line<has_points>(problem, row, c);
        }
    }
}

template <bool has_points, class Value>
void score_rows_baseline(const CsrProblem<Value>& problem, int64_t begin, int64_t end) {
    score_rows<has_points>(problem, begin, end);
}

#if WORDODDS_X86
template <bool has_points, class Value>
WORDODDS_TARGET_AVX2 void score_rows_avx2(const CsrProblem<Value>& problem, int64_t begin,
                                          int64_t end) {
    score_rows<has_points>(problem, begin, end);
}

template <bool has_points, class Value>
WORDODDS_TARGET_AVX512 void score_rows_avx512(const CsrProblem<Value>& problem, int64_t begin,
                                              int64_t end) {
    score_rows<has_points>(problem, begin, end);
}
#endif

template <bool has_points, class Value>
auto score_rows_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return score_rows_avx512<has_points, Value>;
    if (instruction_set == InstructionSet::avx2) return score_rows_avx2<has_points, Value>;
#endif
    return score_rows_baseline<has_points, Value>;
}

// 1 / sqrt(variance); infinity for a point mass.
double scale_of(double mean, double variance) {
    const double deviation = std::sqrt(variance);
    return deviation <= least_relative_deviation * std::abs(mean) ? infinity : 1.0 / deviation;
}

}  // namespace

void moments_fill_gaussians(std::span<const double> mean, std::span<const double> variance,
                            std::span<const double> log_prior, int64_t n_cols,
                            const Execution& execution, std::span<double> table_out,
                            std::span<double> summary_out) {
    const auto n_classes = static_cast<int64_t>(log_prior.size());
    const int64_t stride = class_stride(n_classes);
    parallel_for(execution, n_classes, [&](int64_t c, int32_t) {
        double squares = 0.0, squares_error = 0.0, logarithms = 0.0, points = 0.0,
               points_off_zero = 0.0;
        for (int64_t j = 0; j < n_cols; ++j) {
            if (j % cells_per_check == 0) execution.stop->check();
            const auto at = static_cast<size_t>(c * n_cols + j);
            const double scale = scale_of(mean[at], variance[at]);
            if (scale == infinity) {
                points += 1.0;
                points_off_zero += mean[at] != 0.0 ? 1.0 : 0.0;
                continue;
            }
            logarithms += log_two_pi + std::log(variance[at]);
            const double u = mean[at] * scale;
            add_exactly(u * u, squares, squares_error);
        }
        const auto put = [&](ClassSummary what, double value) {
            summary_out[static_cast<size_t>(static_cast<int64_t>(what) * n_classes + c)] = value;
        };
        put(ClassSummary::bias, log_prior[static_cast<size_t>(c)] - 0.5 * logarithms);
        put(ClassSummary::squares, squares);
        put(ClassSummary::squares_error, squares_error);
        put(ClassSummary::points, points);
        put(ClassSummary::points_off_zero, points_off_zero);
    });
    const FixedChunks chunks{n_cols, std::max<int64_t>(1, cells_per_chunk / (stride + 1))};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t j = chunks.begin(chunk); j < chunks.end(chunk); ++j) {
            double* const means = table_out.data() + 2 * j * stride;
            double* const scales = means + stride;
            std::fill_n(means, 2 * stride, 0.0);
            for (int64_t c = 0; c < n_classes; ++c) {
                const auto at = static_cast<size_t>(c * n_cols + j);
                means[c] = mean[at];
                scales[c] = scale_of(mean[at], variance[at]);
            }
        }
    });
}

template <class Value>
void csr_score_gaussians(const CsrView<Value>& matrix, const GaussianTable& gaussians,
                         const Execution& execution, std::span<double> scores_out) {
    const CsrProblem<Value> problem{matrix.indptr.data(), matrix.indices.data(),
                                    matrix.data.data(),   gaussians,
                                    scores_out.data(),    execution.stop};
    const auto run = gaussians.has_points()
                         ? score_rows_for<true, Value>(execution.instruction_set)
                         : score_rows_for<false, Value>(execution.instruction_set);
    const FixedChunks chunks{matrix.n_rows, rows_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        run(problem, chunks.begin(chunk), chunks.end(chunk));
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                       \
    template void csr_score_gaussians<Value>(const CsrView<Value>&, const GaussianTable&, \
                                             const Execution&, std::span<double>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
