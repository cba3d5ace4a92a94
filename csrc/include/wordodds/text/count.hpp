// Documents into counts: one CSR row per document, one column per word.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

// The rows of consecutive documents, as one thread counted them.
struct CountedPart {
    int64_t first_row;
    Buffer<int64_t> row_ends;   // row i of the part ends here in `terms` and `counts`
    Buffer<uint32_t> terms;     // ascending within a row
    Buffer<uint32_t> counts;    // >= 1
    std::vector<uint32_t> ids;  // term number of the part -> number over all parts; empty: the same
};

// Counts whose terms still carry the numbers that the counting gave them.
struct CountedRows {
    std::vector<CountedPart> parts;  // in row order
    std::vector<uint32_t> columns;   // term number -> column; empty: the same
    int64_t n_rows = 0;
    int64_t nnz = 0;
};

// Counts the words of each document and collects them in a new vocabulary, sorted by code point.
// Within a row the entries come in the order in which their words first occur in the corpus, which is
// the order that scikit-learn gives. `vocabulary_out` must be empty.
//
// O(total length + n_terms log n_terms). Threads take consecutive stretches of documents, each with a
// vocabulary of its own; merging these in row order numbers every word by its first occurrence, so the
// result is the same for any number of threads.
CountedRows documents_count_growing(std::span<const Document> documents, const Execution& execution,
                                    Vocabulary& vocabulary_out);

// Counts the words that `vocabulary` holds and drops the others; entries of a row in ascending
// column order. O(total length).
CountedRows documents_count_frozen(std::span<const Document> documents, const Vocabulary& vocabulary,
                                   const Execution& execution);

// Writes the rows as CSR. Lengths: indptr_out n_rows + 1, indices_out and data_out nnz.
// Precondition: Index holds nnz and every column. O(nnz), or O(nnz) radix passes where
// several parts were merged.
template <class Index>
void counted_rows_write(const CountedRows& rows, const Execution& execution,
                        std::span<Index> indptr_out, std::span<Index> indices_out,
                        std::span<int64_t> data_out);

}  // namespace wordodds
