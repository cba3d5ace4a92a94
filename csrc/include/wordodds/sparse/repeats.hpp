// Does a row name a column twice? Where a kernel is not linear in the entries, they must be summed
// first.
#pragma once

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// Whether any row holds an index twice, in whatever order. Entries of value zero count.
//
// O(n_rows + nnz): a row whose indices strictly increase takes one look; any other marks its
// columns in an array of n_cols int32, which a thread makes when it first meets such a row.
// Parallel over rows.
bool csr_has_repeats(const CsrStructure& structure, const Execution& execution);

}  // namespace wordodds
