// Multinomial naive Bayes: class tallies and their smoothed logarithms.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// tally[c][j] = sum of x[i][j] over the rows i with labels[i] = c.
//
// Lengths: labels n_rows, each in [0, n_classes); tally_out n_classes * n_cols, overwritten.
// Repeated and unsorted entries add up like any others. Sums in double, in row order: one thread
// takes all rows of a class, so the bits do not depend on n_jobs. O(n_rows + nnz + n_classes * n_cols).
template <class Index, class Value>
void csr_tally_classes(const CsrView<Index, Value>& matrix, std::span<const int32_t> labels,
                       int64_t n_classes, const Execution& execution, std::span<double> tally_out);

// weights[j][c] = log(tally[c][j] + alpha) - log(sum_k (tally[c][k] + alpha)),
// the logarithm of p(word j | class c) under a symmetric Dirichlet prior; minus infinity where the
// estimate is zero.
//
// Lengths: tally n_classes * n_cols; weights_out n_cols * stride, stride >= n_classes; the padding
// of each row is set to 0. A class without any word and alpha = 0 has no estimate: its weights are
// minus infinity. O(n_classes * n_cols).
void tally_log_weights(std::span<const double> tally, int64_t n_classes, int64_t n_cols,
                       double alpha, int64_t stride, const Execution& execution,
                       std::span<double> weights_out);

}  // namespace wordodds
