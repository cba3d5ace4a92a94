#include "wordodds/linear/products.hpp"

#include <algorithm>
#include <vector>

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk_max = 1024;
constexpr int64_t products_per_chunk = 1 << 20;  // a fraction of a millisecond
constexpr int64_t prefetch_ahead = 12;
constexpr int64_t doubles_per_line = 8;
constexpr int quads_max = 5;  // registers of sums, which leave room for the factors

// Plain pointers, so that the compiler sees no aliasing spans in the loop.
template <class Value>
struct Problem {
    const int64_t* indptr;
    const int32_t* indices;
    const Value* data;
    const double* right;
    const double* bias;
    const double* addend;  // may be null
    double factor;
    int64_t n_entries;
    int64_t stride;
    StopToken* stop;
    double* product;
};

template <Entries entries, class Value>
[[gnu::always_inline]] inline double entry(Value value) {
    const auto x = static_cast<double>(value);
    return entries == Entries::squares ? x * x : x;
}

// Columns [first, first + n) of one row's product; returns their inner product with the addend.
template <int n, Entries entries, class Value>
[[gnu::always_inline]] inline double multiply_columns(const Problem<Value>& problem, int64_t row,
                                                      int64_t first) {
    double sums[n];
    for (int k = 0; k < n; ++k) sums[k] = problem.bias[first + k];
    const double* const addend =
        problem.addend == nullptr ? nullptr : problem.addend + row * problem.stride + first;
    if (addend != nullptr) {
        for (int k = 0; k < n; ++k) sums[k] += problem.factor * addend[k];
    }
    const int64_t end = problem.indptr[row + 1];
    for (int64_t i = problem.indptr[row]; i < end; ++i) {
        // Only the indices know which row of the right side comes next.
        if (i + prefetch_ahead < problem.n_entries) {
            const double* const ahead =
                problem.right + problem.indices[i + prefetch_ahead] * problem.stride + first;
            for (int64_t k = 0; k < n; k += doubles_per_line) __builtin_prefetch(ahead + k);
        }
        const double x = entry<entries>(problem.data[i]);
        const double* const right = problem.right + problem.indices[i] * problem.stride + first;
        for (int k = 0; k < n; ++k) sums[k] += x * right[k];
    }
    double* const product = problem.product + row * problem.stride + first;
    for (int k = 0; k < n; ++k) product[k] = sums[k];
    double inner = 0.0;
    if (addend != nullptr) {
        for (int k = 0; k < n; ++k) inner += addend[k] * sums[k];
    }
    return inner;
}

template <Entries entries, class Value>
[[gnu::always_inline]] inline double multiply_rows(const Problem<Value>& problem, int64_t begin,
                                                   int64_t end) {
    constexpr int block = quads_max * static_cast<int>(n_lanes);
    double inner = 0.0;
    int64_t looked_at = problem.indptr[begin];
    for (int64_t row = begin; row < end; ++row) {
        // Chunks are cut by the mean row; rows may be far longer.
        if ((problem.indptr[row] - looked_at) * problem.stride > products_per_chunk) {
            problem.stop->check();
            looked_at = problem.indptr[row];
        }
        if (problem.stride == 1) {
            inner += multiply_columns<1, entries>(problem, row, 0);
            continue;
        }
        int64_t first = 0;
        for (; first + block <= problem.stride; first += block) {
            inner += multiply_columns<block, entries>(problem, row, first);
        }
        switch ((problem.stride - first) / n_lanes) {
            case 1: inner += multiply_columns<4, entries>(problem, row, first); break;
            case 2: inner += multiply_columns<8, entries>(problem, row, first); break;
            case 3: inner += multiply_columns<12, entries>(problem, row, first); break;
            case 4: inner += multiply_columns<16, entries>(problem, row, first); break;
        }
    }
    return inner;
}

template <class Value>
[[gnu::always_inline]] inline double multiply(const Problem<Value>& problem, Entries entries,
                                              int64_t begin, int64_t end) {
    return entries == Entries::squares ? multiply_rows<Entries::squares>(problem, begin, end)
                                       : multiply_rows<Entries::values>(problem, begin, end);
}

template <class Value>
double multiply_baseline(const Problem<Value>& problem, Entries entries, int64_t begin,
                         int64_t end) {
    return multiply(problem, entries, begin, end);
}

#if WORDODDS_X86
template <class Value>
WORDODDS_TARGET_AVX2 double multiply_avx2(const Problem<Value>& problem, Entries entries,
                                          int64_t begin, int64_t end) {
    return multiply(problem, entries, begin, end);
}
#endif

// Nobody has measured that AVX-512 adds anything to rows of a few registers.
template <class Value>
auto multiply_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set != InstructionSet::baseline) return multiply_avx2<Value>;
#endif
    return multiply_baseline<Value>;
}

}  // namespace

template <class Value>
double csr_multiply(const CsrView<Value>& matrix, std::span<const double> right, int64_t stride,
                    const ProductStart& start, Entries entries, const Execution& execution,
                    std::span<double> product_out) {
    const std::vector<double> zeros(start.bias.empty() ? static_cast<size_t>(stride) : 0, 0.0);
    const Problem<Value> problem{matrix.indptr.data(),
                                 matrix.indices.data(),
                                 matrix.data.data(),
                                 right.data(),
                                 start.bias.empty() ? zeros.data() : start.bias.data(),
                                 start.addend.empty() ? nullptr : start.addend.data(),
                                 start.addend_factor,
                                 matrix.indptr[static_cast<size_t>(matrix.n_rows)],
                                 stride,
                                 execution.stop,
                                 product_out.data()};
    const auto run = multiply_for<Value>(execution.instruction_set);
    const int64_t per_row = 1 + problem.n_entries * stride / std::max<int64_t>(1, matrix.n_rows);
    const FixedChunks chunks{
        matrix.n_rows, std::clamp<int64_t>(products_per_chunk / per_row, 1, rows_per_chunk_max)};
    return parallel_reduce(
        execution, chunks.count(), 0.0,
        [&](int64_t chunk) {
            return run(problem, entries, chunks.begin(chunk), chunks.end(chunk));
        },
        [](double sum, double part) { return sum + part; });
}

#define WORDODDS_INSTANTIATE(Value)                                                              \
    template double csr_multiply<Value>(const CsrView<Value>&, std::span<const double>, int64_t, \
                                        const ProductStart&, Entries, const Execution&,          \
                                        std::span<double>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
