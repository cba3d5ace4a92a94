// The shapes that travel between families: views that own nothing, with sizes in 64 bits.
#pragma once

#include <cstdint>
#include <span>

namespace wordodds {

// Compressed sparse rows. Row i holds the entries indptr[i] .. indptr[i + 1].
// Lengths: indptr n_rows + 1; indices and data indptr[n_rows] or more.
template <class Index, class Value>
struct CsrView {
    int64_t n_rows;
    int64_t n_cols;
    std::span<const Index> indptr;
    std::span<const Index> indices;
    std::span<const Value> data;
};

}  // namespace wordodds

// Every sparse kernel exists for both index widths and both widths of floating point values.
#define WORDODDS_FOR_EACH_INDEX_VALUE(INSTANTIATE) \
    INSTANTIATE(int32_t, float)                    \
    INSTANTIATE(int32_t, double)                   \
    INSTANTIATE(int64_t, float)                    \
    INSTANTIATE(int64_t, double)

// Those that only read values also take counts as the vectorizers write them, without a copy.
#define WORDODDS_FOR_EACH_INDEX_NUMBER(INSTANTIATE) \
    WORDODDS_FOR_EACH_INDEX_VALUE(INSTANTIATE)      \
    INSTANTIATE(int32_t, int64_t)                   \
    INSTANTIATE(int64_t, int64_t)
