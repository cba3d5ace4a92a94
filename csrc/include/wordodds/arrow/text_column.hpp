// Columns of text in Arrow's memory layout, borrowed as documents.
//
// The producer of an array vouches for its length and, in layouts with offsets, for the sizes of
// its buffers: the interface does not transmit them. All that can be checked against something is.
#pragma once

#include <cstdint>
#include <vector>

#include "wordodds/arrow/abi.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/text/document.hpp"

namespace wordodds {

// The documents point into the arrays; both are moved together or not at all.
struct TextColumn {
    std::vector<ArrowOwned<ArrowArray>> arrays;
    std::vector<Document> documents;
    std::vector<int64_t> null_rows;  // ascending; the documents there have length 0
    int64_t n_bytes = 0;             // of all documents
};

// Reads an array, or all arrays of a stream, into an empty column. Takes text (formats u, U, vu),
// text behind a dictionary of any integer type, and columns without type (n), where all rows are
// null. Returns false for any other type, with the column still empty.
//
// Throws std::invalid_argument that names the row if offsets, views, indices or UTF-8 are damaged
// or a document is longer than document_max_length, and std::runtime_error with the stream's own
// words if it fails. The sources are moved out of or released in any case. O(rows + bytes of text);
// no copy of the text. Checking the text runs in parallel.
bool text_column_read_array(ArrowOwned<ArrowSchema> schema, ArrowOwned<ArrowArray> array,
                            const Execution& execution, TextColumn& column_out);
bool text_column_read_stream(ArrowOwned<ArrowArrayStream> stream, const Execution& execution,
                             TextColumn& column_out);

}  // namespace wordodds
