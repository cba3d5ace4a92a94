// Class tallies as they are where classes are many: nearly empty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// One w[i] * x[i][j] that is not zero.
struct TallyProduct {
    uint32_t feature;  // within its block
    int32_t label;
    double product;
};

// The products of a matrix by blocks of neighbouring features, and by class, then row, within each:
// what a block adds up stays in the cache. Block b holds the features [b << block_bits, (b + 1) <<
// block_bits).
struct TallyProducts {
    Buffer<TallyProduct> products;
    std::vector<int64_t> block_begin;  // n_blocks + 1, into products
    int block_bits;
};

// The tally
//
//     sums[j][c] = sum of w[i] * x[i][j] over the rows i with labels[i] = c
//
// in compressed form, feature-major: feature j holds the classes c, ascending and each once, in
// which some row has a stored entry with w[i] * x[i][j] != 0. A sum of such entries that cancels to
// zero is held too. Rows of weight zero are absent. It takes two calls, so that the caller can make
// room exactly once: csr_tally_entries writes indptr, tally_entries_write the classes and sums.
//
// Lengths: labels n_rows, each in [0, n_classes); row_weights n_rows, or empty for weights of 1;
// indptr n_cols + 1; classes_out and sums_out indptr[n_cols]. Repeated and unsorted entries add up
// like any others.
//
// Sums in double, in row order: one thread takes all of a block, so the bits do not depend on
// n_jobs. O(nnz + n_cols + n_rows + n_classes) time and memory: 16 bytes for each product, 8 for
// each row and class. Parallel over rows, then over blocks of features.
template <class Value>
TallyProducts csr_tally_entries(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                                int64_t n_classes, std::span<const double> row_weights,
                                const Execution& execution, std::span<int64_t> indptr_out);

// Precondition: `products` and `indptr` come from the same call.
void tally_entries_write(const TallyProducts& products, std::span<const int64_t> indptr,
                         const Execution& execution, std::span<int32_t> classes_out,
                         std::span<double> sums_out);

}  // namespace wordodds
