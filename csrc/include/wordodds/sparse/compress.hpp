// Dense matrices into compressed sparse rows.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

enum class Layout : int32_t {
    rows,     // x[i][j] = data[i * n_cols + j]
    columns,  // x[i][j] = data[i + j * n_rows]
};

template <class Value>
struct DenseView {
    int64_t n_rows;
    int64_t n_cols;
    std::span<const Value> data;  // n_rows * n_cols
    Layout layout;
};

// The nonzero entries of a dense matrix, in two calls, so that the caller can make room exactly
// once:
//
// dense_count_entries: indptr[i] = the number of entries x != 0 in the rows before i;
// dense_compress_rows: row i holds its entries in indices and data [indptr[i], indptr[i + 1]),
// columns ascending.
//
// Zeros of either sign are dropped; NaN is an entry. Lengths: indptr n_rows + 1; indices_out and
// data_out indptr[n_rows]. Precondition: indptr is as the first call wrote it; n_cols fits into 32
// bits. O(n_rows * n_cols), read once by each call along the layout; parallel over rows.
template <class Value>
void dense_count_entries(const DenseView<Value>& matrix, const Execution& execution,
                         std::span<int64_t> indptr_out);

template <class Value>
void dense_compress_rows(const DenseView<Value>& matrix, std::span<const int64_t> indptr,
                         const Execution& execution, std::span<int32_t> indices_out,
                         std::span<Value> data_out);

}  // namespace wordodds
