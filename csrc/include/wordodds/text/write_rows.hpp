// Counted rows into the arrays of a CSR matrix.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/text/count.hpp"

namespace wordodds {

// Writes the rows as CSR. Lengths: indptr_out n_rows + 1, indices_out and data_out nnz.
// With `binary`, every value is 1. O(nnz), or O(nnz) radix passes where several parts were merged.
template <class Value>
void counted_rows_write(const CountedRows& rows, bool binary, const Execution& execution,
                        std::span<int64_t> indptr_out, std::span<int32_t> indices_out,
                        std::span<Value> data_out);

}  // namespace wordodds
