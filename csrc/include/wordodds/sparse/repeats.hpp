// Does a row name a column twice? Where a kernel is not linear in the entries, they must be summed first.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

// The positions of a CSR matrix, without its values.
template <class Index>
struct CsrStructure {
    int64_t n_rows;
    int64_t n_cols;
    std::span<const Index> indptr;   // n_rows + 1
    std::span<const Index> indices;  // indptr[n_rows] or more
};

// Whether any row holds an index twice, in whatever order. Entries of value zero count.
//
// O(n_rows + nnz): a row whose indices strictly increase takes one look; any other marks its
// columns in an array of n_cols int32, which a thread makes when it first meets such a row. Parallel
// over rows.
template <class Index>
bool csr_has_repeats(const CsrStructure<Index>& structure, const Execution& execution);

}  // namespace wordodds
