// Class tallies: the counts that all naive Bayes models start from.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// tally[c][j] = sum of w[i] * x[i][j] over the rows i with labels[i] = c.
//
// Lengths: labels n_rows, each in [0, n_classes); row_weights n_rows, or empty for weights of 1;
// tally_out n_classes * n_cols, overwritten. Rows of weight zero are absent, whatever they hold.
// Repeated and unsorted entries add up like any others. Sums in double, in row order: one thread
// takes all rows of a class, so the bits do not depend on n_jobs. O(n_rows + nnz + n_classes *
// n_cols).
template <class Value>
void csr_tally_classes(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                       int64_t n_classes, std::span<const double> row_weights,
                       const Execution& execution, std::span<double> tally_out);

}  // namespace wordodds
