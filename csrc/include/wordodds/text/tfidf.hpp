// Term weights: counts into tf-idf, row by row.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

enum class RowNorm : int32_t { none, l1, l2 };

struct TfidfOptions {
    bool sublinear;  // 1 + log(count) in place of the count; 0 stays 0
    RowNorm norm;    // what each row's norm becomes 1 in; a row of zeros stays
    // First columns of the views but the first, ascending: each view of a row has a norm of its
    // own.
    std::span<const int32_t> view_begins = {};
};

// data[i] = tf(data[i]) * idf[indices[i]], then every row divided by its norm; in place.
//
// Lengths: idf n_cols, or 0 for no idf; data_in_out as matrix.data (whose values are not read).
// Preconditions: the entries of a view stand together in each row, the views in their order; no
// cell of a row is stored twice, or its parts would be weighed one by one; with sublinear no value
// is negative; tf times idf is finite. Norms are summed in double, and rows whose squares would
// leave its range are scaled first. O(nnz), parallel over rows.
template <class Value>
void csr_weigh_terms(const CsrView<Value>& matrix, std::span<const Value> idf, TfidfOptions options,
                     const Execution& execution, std::span<Value> data_in_out);

}  // namespace wordodds
