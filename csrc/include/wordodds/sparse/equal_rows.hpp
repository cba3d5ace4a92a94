// Which rows of a matrix are the same?
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// Numbers the distinct rows in the order of their first occurrence: numbers_out[i] ==
// numbers_out[j] where rows i and j store the same entries, in whatever order. Returns how many
// distinct rows there are.
//
// Lengths: numbers_out n_rows. Rows are compared entry by entry, so equal hashes do no harm; 0.0
// and -0.0 differ. O(nnz) expected, and O(n log n) for n entries of equal rows whose order differs;
// hashing parallel over rows; the same numbers for any n_jobs.
template <class Value>
int64_t csr_number_rows(const CsrView<Value>& matrix, const Execution& execution,
                        std::span<int64_t> numbers_out);

}  // namespace wordodds
