// Products of one sparse row with feature-major weights, four columns of them to a lane.
#pragma once

#include <cstdint>

#include "wordodds/base/lanes.hpp"

namespace wordodds {

// The entries of one row.
struct RowEntries {
    const int32_t* indices;
    const double* data;
    int64_t n;
};

inline constexpr int64_t units_max = 6;  // lanes of sums that fit the registers

// fixed(std::integral_constant<int, n>) for stretches of units that cover [0, n_units).
template <class Fixed>
WORDODDS_LANES void for_unit_blocks(int64_t n_units, Fixed fixed) {
    int64_t unit = 0;
    for (; unit + units_max <= n_units; unit += units_max) fixed.template run<units_max>(unit);
    switch (n_units - unit) {
        case 1: fixed.template run<1>(unit); break;
        case 2: fixed.template run<2>(unit); break;
        case 3: fixed.template run<3>(unit); break;
        case 4: fixed.template run<4>(unit); break;
        case 5: fixed.template run<5>(unit); break;
    }
}

// Asks for the n * 4 weights of a column.
template <int n, class Weight>
WORDODDS_LANES void fetch_units(const Weight* column) {
    constexpr int64_t line = 64 / sizeof(Weight);
    for (int64_t k = 0; k < n * n_lanes; k += line) __builtin_prefetch(column + k, 0, 2);
    __builtin_prefetch(column + n * n_lanes - 1, 0, 2);
}

// sums_out[k] = sum_j x_j weights[j][k] for k in [0, 4 * n_units). The first n_known of the indices
// from the row's first on can be read, later rows included: their weights are asked for ahead of
// time.
template <class Weight>
struct GatherRow {
    static constexpr int64_t ahead = 16;

    RowEntries row;
    int64_t n_known;
    const Weight* weights;
    int64_t stride;
    double* sums_out;

    template <int n>
    WORDODDS_LANES void run(int64_t unit) const {
        const Weight* const first = weights + unit * n_lanes;
        Lanes sums[n];
        for (int k = 0; k < n; ++k) sums[k] = lanes_of(0.0);
        for (int64_t i = 0; i < row.n; ++i) {
            if (i + ahead < n_known) fetch_units<n>(first + row.indices[i + ahead] * stride);
            const Weight* const from = first + row.indices[i] * stride;
            const double value = row.data[i];
#pragma GCC unroll 6
            for (int k = 0; k < n; ++k) sums[k] += value * load_lanes(from + k * n_lanes);
        }
        for (int k = 0; k < n; ++k) store_lanes(sums_out + (unit + k) * n_lanes, sums[k]);
    }
};

// weights[j][k] += x_j change[k]. What is fetched for `next` comes while these weights are written.
template <class Weight>
struct ScatterRow {
    RowEntries row;
    RowEntries next;
    Weight* weights;
    int64_t stride;
    const double* change;

    template <int n>
    WORDODDS_LANES void run(int64_t unit) const {
        Weight* const first = weights + unit * n_lanes;
        Lanes by[n];
        for (int k = 0; k < n; ++k) by[k] = load_lanes(change + (unit + k) * n_lanes);
        const int64_t n_both = row.n > next.n ? row.n : next.n;
        for (int64_t i = 0; i < n_both; ++i) {
            if (i < next.n) fetch_units<n>(first + next.indices[i] * stride);
            if (i >= row.n) continue;
            Weight* const to = first + row.indices[i] * stride;
            const double value = row.data[i];
#pragma GCC unroll 6
            for (int k = 0; k < n; ++k) add_lanes(to + k * n_lanes, value, by[k]);
        }
    }
};

}  // namespace wordodds
