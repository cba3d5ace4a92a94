// Rows of weights, added up: the inner loops of fused scoring.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wordodds/base/dispatch.hpp"

namespace wordodds {
namespace {

constexpr int64_t prefetch_ahead = 16;
constexpr int lanes = 4;       // columns come in groups of this size
constexpr int groups_max = 8;  // groups of accumulators that fit the registers

// Rows of weights to be added up. With values[i] beside row i, or else one for each.
template <class Weight>
struct Rows {
    const uint32_t* ids;
    const double* values;
    int64_t n;
    const Weight* weights;
    int64_t stride;
};

// sums[c] = sum_i values[i] * weights[ids[i]][first + c] for n_groups groups of columns. Inlined
// into each target region below and compiled for it there.
template <int n_groups, bool weighted, class Weight>
[[gnu::always_inline]] inline void add_groups(const Rows<Weight>& rows, int64_t first,
                                              double* sums_out) {
    constexpr int width = n_groups * lanes;
    constexpr int64_t line = 64 / sizeof(Weight);
    double sums[width] = {};  // double: float32 sums drift
    for (int64_t i = 0; i < rows.n; ++i) {
        if (i + prefetch_ahead < rows.n) {
            // Which weights come next only the text knows: no hardware prefetcher guesses them.
            const Weight* const ahead =
                rows.weights + rows.ids[i + prefetch_ahead] * rows.stride + first;
            for (int64_t c = 0; c < width; c += line) __builtin_prefetch(ahead + c);
            __builtin_prefetch(ahead + width - 1);
        }
        const Weight* const row = rows.weights + rows.ids[i] * rows.stride + first;
        for (int c = 0; c < width; ++c) {
            const auto weight = static_cast<double>(row[c]);
            sums[c] += weighted ? rows.values[i] * weight : weight;
        }
    }
    for (int c = 0; c < width; ++c) sums_out[c] = sums[c];
}

template <bool weighted, class Weight>
[[gnu::always_inline]] inline void add_rows_as(const Rows<Weight>& rows, double* sums_out) {
    if (rows.stride == 1) {
        double sum = 0.0;
        for (int64_t i = 0; i < rows.n; ++i) {
            if (i + prefetch_ahead < rows.n) {
                __builtin_prefetch(rows.weights + rows.ids[i + prefetch_ahead]);
            }
            const auto weight = static_cast<double>(rows.weights[rows.ids[i]]);
            sum += weighted ? rows.values[i] * weight : weight;
        }
        *sums_out = sum;
        return;
    }
    for (int64_t first = 0; first < rows.stride; first += groups_max * lanes) {
        switch (std::min<int64_t>(groups_max, (rows.stride - first) / lanes)) {
            case 1: add_groups<1, weighted>(rows, first, sums_out + first); break;
            case 2: add_groups<2, weighted>(rows, first, sums_out + first); break;
            case 3: add_groups<3, weighted>(rows, first, sums_out + first); break;
            case 4: add_groups<4, weighted>(rows, first, sums_out + first); break;
            case 5: add_groups<5, weighted>(rows, first, sums_out + first); break;
            case 6: add_groups<6, weighted>(rows, first, sums_out + first); break;
            case 7: add_groups<7, weighted>(rows, first, sums_out + first); break;
            default: add_groups<8, weighted>(rows, first, sums_out + first);
        }
    }
}

// sums_out[c] = sum_i values[i] * weights[ids[i]][c]. Length: sums_out stride.
template <class Weight>
[[gnu::always_inline]] inline void add_rows(const Rows<Weight>& rows, double* sums_out) {
    if (rows.values) {
        add_rows_as<true>(rows, sums_out);
    } else {
        add_rows_as<false>(rows, sums_out);
    }
}

// The second factor of low-rank weights: factor[k * n_columns + c].
struct Factor {
    const double* factor;
    int64_t rank;
    int64_t n_columns;
};

// scores_out[c] += sum_k sums[k] * factor[k][c].
[[gnu::always_inline]] inline void apply_factor(const Factor& factor, const double* sums,
                                                double* scores_out) {
    for (int64_t k = 0; k < factor.rank; ++k) {
        const double sum = sums[k];
        const double* const row = factor.factor + k * factor.n_columns;
        for (int64_t c = 0; c < factor.n_columns; ++c) scores_out[c] += sum * row[c];
    }
}

// Both, compiled for one instruction set.
template <class Weight>
struct RowKernels {
    void (*add)(const Rows<Weight>&, double*);
    void (*apply)(const Factor&, const double*, double*);
};

template <class Weight>
RowKernels<Weight> row_kernels_baseline() {
    return {[](const Rows<Weight>& rows, double* sums) { add_rows(rows, sums); },
            [](const Factor& factor, const double* sums, double* scores) {
                apply_factor(factor, sums, scores);
            }};
}
#if WORDODDS_X86
template <class Weight>
WORDODDS_TARGET_AVX2 void add_rows_avx2(const Rows<Weight>& rows, double* sums_out) {
    add_rows(rows, sums_out);
}
template <class Weight>
WORDODDS_TARGET_AVX512 void add_rows_avx512(const Rows<Weight>& rows, double* sums_out) {
    add_rows(rows, sums_out);
}
WORDODDS_TARGET_AVX2 void apply_factor_avx2(const Factor& factor, const double* sums,
                                            double* scores_out) {
    apply_factor(factor, sums, scores_out);
}
WORDODDS_TARGET_AVX512 void apply_factor_avx512(const Factor& factor, const double* sums,
                                                double* scores_out) {
    apply_factor(factor, sums, scores_out);
}
#endif

template <class Weight>
RowKernels<Weight> row_kernels_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) {
        return {add_rows_avx512<Weight>, apply_factor_avx512};
    }
    if (instruction_set == InstructionSet::avx2) {
        return {add_rows_avx2<Weight>, apply_factor_avx2};
    }
#endif
    return row_kernels_baseline<Weight>();
}

}  // namespace
}  // namespace wordodds
