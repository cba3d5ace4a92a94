// The columns that rows share, apart from those that one row has to itself.
//
// An L2 penalty does not change when the columns are rotated. Those that occur in a single row act
// as one column, of value sqrt(sum x^2), and its weights follow from that row's dual variables
// alone: w_j = x_ij a_i. In text more than half of the columns are of that kind; without them the
// weights that a solver walks over fit into the cache. Columns without an entry vanish too.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// numbers_out[j]: the columns with two or more entries are numbered from 0 on, the others get -1.
// Returns how many columns there are of that kind. Those of more entries, by powers of two up to
// 128, come first, otherwise in their own order: the weights that most rows ask for lie side by
// side.
//
// Lengths: numbers_out n_cols. Entries of zero do not count; repeated ones count twice. Throws
// std::length_error above 2^31 - 1 shared columns. O(nnz + n_cols), one thread.
template <class Value>
int64_t csr_number_shared_columns(const CsrView<Value>& matrix, const Execution& execution,
                                  std::span<int32_t> numbers_out);

// What csr_take_shared_columns leaves of a matrix.
struct SharedColumns {
    std::span<int64_t> indptr;     // n_rows + 1
    std::span<int32_t> indices;    // nnz or more: numbers of shared columns
    std::span<double> data;        // nnz or more
    std::span<double> shared;      // n_rows: sum of x^2 over shared columns
    std::span<double> single;      // n_rows: sum of x^2 over the others
    std::span<double> single_max;  // n_rows: max |x| over the others
};

// The rows in terms of shared columns. numbers as above; O(nnz), one thread.
template <class Value>
void csr_take_shared_columns(const CsrView<Value>& matrix, std::span<const int32_t> numbers,
                             const Execution& execution, const SharedColumns& out);

// weights_out[j][k] of every column j and the n_columns columns of weights: shared ones are copied,
// the others are x_ij a_i, or 0 without an entry.
//
// Lengths: shared_weights n_shared * stride, duals n_rows * stride, weights_out n_cols * n_columns.
// O(nnz + n_cols * n_columns), parallel over columns and, for the rest, over rows.
template <class Value>
void csr_spread_weights(const CsrView<Value>& matrix, std::span<const int32_t> numbers,
                        std::span<const double> shared_weights, std::span<const double> duals,
                        int64_t n_columns, int64_t stride, const Execution& execution,
                        std::span<double> weights_out);

}  // namespace wordodds
