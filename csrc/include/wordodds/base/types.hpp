// The shapes that travel between families: views that own nothing, with sizes in 64 bits.
#pragma once

#include <cstdint>
#include <span>

namespace wordodds {

// Compressed sparse rows. Row i holds the entries indptr[i] .. indptr[i + 1].
// Lengths: indptr n_rows + 1; indices and data indptr[n_rows] or more.
// One pair of index types serves everybody: entries may outgrow 32 bits, columns do not.
struct CsrStructure {
    int64_t n_rows;
    int64_t n_cols;
    std::span<const int64_t> indptr;
    std::span<const int32_t> indices;
};

template <class Value>
struct CsrView : CsrStructure {
    std::span<const Value> data;
};

}  // namespace wordodds

// Explicit instantiation. A source defines WORDODDS_INSTANTIATE(Value) as the kernels to compile
// for a type, passes it to one of these and undefines it. Every kernel exists for both floating
// point types.
#define WORDODDS_FOR_EACH_VALUE(INSTANTIATE) \
    INSTANTIATE(float)                       \
    INSTANTIATE(double)

// Those that only read values also take counts as the vectorizers write them, without a copy.
#define WORDODDS_FOR_EACH_NUMBER(INSTANTIATE) \
    WORDODDS_FOR_EACH_VALUE(INSTANTIATE)      \
    INSTANTIATE(int64_t)
