// Is this really a CSR matrix? Asked once, at the public border, before anything trusts an index.
#pragma once

#include <cstdint>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

enum class CsrDefect : int32_t {
    none,
    indptr_length,       // not n_rows + 1
    indptr_start,        // does not start at 0
    indptr_decreases,    // at `row`
    indptr_end,          // reaches past the end of indices
    data_length,         // other than that of indices
    index_out_of_range,  // negative, or n_cols or more
    value_not_finite,
    value_negative,
};

struct CsrReport {
    CsrDefect defect = CsrDefect::none;
    int64_t row = 0;
    int64_t position = 0;  // into indices and data
};

// What the values must satisfy besides.
struct CsrRequirements {
    bool finite;
    bool non_negative;
};

// The first defect in row order, or none. Reads nothing outside the spans, whatever they hold.
// Unsorted and repeated indices are not defects. O(n_rows + nnz), in parallel over rows.
template <class Value>
CsrReport csr_find_defect(const CsrView<Value>& matrix, CsrRequirements requirements,
                          const Execution& execution);

}  // namespace wordodds
