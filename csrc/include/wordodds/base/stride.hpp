// How far apart the rows of a dense matrix lie: its columns, padded to whole registers or cache
// lines.
//
// Everywhere `n_columns` counts the columns that mean something and `stride` those with padding:
// element k of row j is at j * stride + k.
#pragma once

#include <cstdint>

namespace wordodds {

inline constexpr int64_t n_lanes = 4;       // doubles of a register
inline constexpr int64_t line_doubles = 8;  // doubles of a cache line

constexpr int64_t padded_to(int64_t multiple, int64_t n) {
    return (n + multiple - 1) / multiple * multiple;
}

// A matrix beside a sparse one: one column stands by itself, more fill registers.
constexpr int64_t lane_stride(int64_t n_columns) {
    return n_columns == 1 ? 1 : padded_to(n_lanes, n_columns);
}
constexpr bool is_lane_stride(int64_t stride, int64_t n_columns) {
    return stride >= n_columns && stride == lane_stride(stride);
}

// Weights that are written in random order: one column stands by itself, more fill cache lines.
constexpr int64_t line_stride(int64_t n_columns) {
    return n_columns == 1 ? 1 : padded_to(line_doubles, n_columns);
}

// Weights of classes, always in cache lines.
constexpr int64_t class_stride(int64_t n_classes) { return padded_to(line_doubles, n_classes); }

}  // namespace wordodds
