// Entries of a CSR matrix moved to other columns, or dropped.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// columns[j] is the new column of column j, or -1 if its entries go. Entries that stay keep their
// order. Two calls, so that the caller can make room exactly once:
//
// csr_count_mapped: indptr_out[i] = the number of entries that stay in the rows before i;
// csr_map_columns: row i holds its entries in indices and data [indptr[i], indptr[i + 1]).
//
// Lengths: columns n_cols; indptr n_rows + 1; indices_out and data_out indptr[n_rows].
// Precondition: indptr is as the first call wrote it. O(n_rows + nnz), parallel over rows.
void csr_count_mapped(const CsrStructure& matrix, std::span<const int32_t> columns,
                      const Execution& execution, std::span<int64_t> indptr_out);

template <class Value>
void csr_map_columns(const CsrView<Value>& matrix, std::span<const int32_t> columns,
                     std::span<const int64_t> indptr, const Execution& execution,
                     std::span<int32_t> indices_out, std::span<Value> data_out);

}  // namespace wordodds
