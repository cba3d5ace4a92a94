#include "wordodds/score/linear.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "wordodds/base/numeric.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk_max = 256;
constexpr int64_t products_per_chunk = 1 << 22;      // about a millisecond
constexpr int64_t exponentials_per_chunk = 1 << 18;  // the same

// Chunks of rows that take about as long as the stop token should wait.
FixedChunks chunks_of_rows(int64_t n_rows, int64_t work, int64_t work_per_chunk) {
    const int64_t per_row = 1 + work / std::max<int64_t>(1, n_rows);
    return {n_rows, std::clamp<int64_t>(work_per_chunk / per_row, 1, rows_per_chunk_max)};
}

constexpr int64_t prefetch_ahead = 16;
constexpr int64_t lines_max = 4;  // cache lines of accumulators that fit the registers

// What one call scores; plain pointers, so that the compiler sees no aliasing spans in the loop.
template <class Value>
struct Problem {
    const int64_t* indptr;
    const int32_t* indices;
    const Value* data;
    const double* weights;
    const double* padded_bias;
    int64_t n_entries;
    int64_t stride;
    int64_t n_classes;
    double* scores;
};

// The classes [8 * first_line, 8 * (first_line + n_lines)) of one row. Inlined into each target
// region below and compiled for it there.
template <int n_lines, class Value>
[[gnu::always_inline]] inline void score_lines(const Problem<Value>& problem, int64_t row,
                                               int64_t first_line) {
    constexpr int width = n_lines * static_cast<int>(line_doubles);
    const int64_t first_class = first_line * line_doubles;
    double sums[width];
    for (int c = 0; c < width; ++c) sums[c] = problem.padded_bias[first_class + c];
    const int64_t end = problem.indptr[row + 1];
    for (int64_t i = problem.indptr[row]; i < end; ++i) {
        // Which weights come next only the indices know: no hardware prefetcher guesses them.
        if (i + prefetch_ahead < problem.n_entries) {
            const double* const ahead = problem.weights +
                                        problem.indices[i + prefetch_ahead] * problem.stride +
                                        first_class;
            for (int line = 0; line < n_lines; ++line) {
                __builtin_prefetch(ahead + line * line_doubles);
            }
        }
        const auto value = static_cast<double>(problem.data[i]);
        if (value == 0.0) continue;
        const double* const weights =
            problem.weights + problem.indices[i] * problem.stride + first_class;
        for (int c = 0; c < width; ++c) sums[c] += value * weights[c];
    }
    const int64_t n = std::min<int64_t>(width, problem.n_classes - first_class);
    double* const scores = problem.scores + row * problem.n_classes + first_class;
    for (int64_t c = 0; c < n; ++c) scores[c] = sums[c];
}

template <class Value>
[[gnu::always_inline]] inline void score_rows(const Problem<Value>& problem, int64_t begin,
                                              int64_t end) {
    const int64_t n_lines = problem.stride / line_doubles;
    for (int64_t row = begin; row < end; ++row) {
        int64_t line = 0;
        for (; line + lines_max <= n_lines; line += lines_max) {
            score_lines<lines_max>(problem, row, line);
        }
        switch (n_lines - line) {
            case 1: score_lines<1>(problem, row, line); break;
            case 2: score_lines<2>(problem, row, line); break;
            case 3: score_lines<3>(problem, row, line); break;
        }
    }
}

template <class Value>
void score_rows_baseline(const Problem<Value>& problem, int64_t begin, int64_t end) {
    score_rows(problem, begin, end);
}

#if WORDODDS_X86
template <class Value>
WORDODDS_TARGET_AVX2 void score_rows_avx2(const Problem<Value>& problem, int64_t begin,
                                          int64_t end) {
    score_rows(problem, begin, end);
}

template <class Value>
WORDODDS_TARGET_AVX512 void score_rows_avx512(const Problem<Value>& problem, int64_t begin,
                                              int64_t end) {
    score_rows(problem, begin, end);
}
#endif

template <class Value>
auto score_rows_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return score_rows_avx512<Value>;
    if (instruction_set == InstructionSet::avx2) return score_rows_avx2<Value>;
#endif
    return score_rows_baseline<Value>;
}

}  // namespace

template <class Value>
void csr_score_classes(const CsrView<Value>& matrix, const ClassWeights& weights,
                       const Execution& execution, std::span<double> scores_out) {
    std::vector<double> padded_bias(static_cast<size_t>(weights.stride), 0.0);
    std::copy(weights.bias.begin(), weights.bias.end(), padded_bias.begin());
    const Problem<Value> problem{
        matrix.indptr.data(), matrix.indices.data(),
        matrix.data.data(),   weights.weights.data(),
        padded_bias.data(),   matrix.indptr[static_cast<size_t>(matrix.n_rows)],
        weights.stride,       static_cast<int64_t>(weights.bias.size()),
        scores_out.data()};
    const auto run = score_rows_for<Value>(execution.instruction_set);
    const FixedChunks chunks =
        chunks_of_rows(matrix.n_rows, problem.n_entries * weights.stride, products_per_chunk);
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        run(problem, chunks.begin(chunk), chunks.end(chunk));
    });
}

void rows_log_softmax(int64_t n_rows, int64_t n_classes, const Execution& execution,
                      std::span<double> scores_in_out) {
    const auto width = static_cast<size_t>(n_classes);
    const FixedChunks chunks = chunks_of_rows(n_rows, n_rows * n_classes, exponentials_per_chunk);
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
            const auto scores = scores_in_out.subspan(static_cast<size_t>(row) * width, width);
            const double largest = *std::max_element(scores.begin(), scores.end());
            // Differences first: beside a sum of -25,000 the logarithm would lose five digits.
            for (double& score : scores) score = std::isinf(largest) ? 0.0 : score - largest;
            const double total = logsumexp(scores);
            for (double& score : scores) score -= total;
        }
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                    \
    template void csr_score_classes<Value>(const CsrView<Value>&, const ClassWeights&, \
                                           const Execution&, std::span<double>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
