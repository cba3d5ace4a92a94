// Documents into counts: one CSR row per document, one column per feature.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

// The rows of consecutive documents, as one thread counted them.
struct CountedPart {
    int64_t first_row;
    Buffer<int64_t> ends;       // view v of row i ends at ends[i * n_views + v] in both below
    Buffer<uint32_t> terms;     // ascending within a view of a row
    Buffer<int32_t> counts;     // >= 1, or any sum of signs where features were hashed
    std::vector<uint32_t> ids;  // term number of the part -> number over all parts; empty: the same
};

// Counts whose terms still carry the numbers that the counting gave them.
struct CountedRows {
    std::vector<CountedPart> parts;  // in row order
    std::vector<uint32_t> columns;   // term number -> column; empty: the same
    int64_t n_views = 1;
    int64_t n_rows = 0;
    int64_t nnz = 0;
};

// Counts the features of each document and collects them in a new vocabulary, sorted by code point.
// Within a row the entries come in the order in which their features first occur in the corpus,
// which is the order that scikit-learn gives; with several views one view after the other, each in
// that order, and so are the columns. `vocabulary_out` must be empty.
//
// O(total length + n_terms log n_terms). Threads take consecutive stretches of documents, each with
// a vocabulary of its own; merging these in row order numbers every feature by its first
// occurrence, so the result is the same for any number of threads.
CountedRows documents_count_growing(std::span<const Document> documents, const AnalyzerViews& views,
                                    const Execution& execution, Vocabulary& vocabulary_out);

// Counts the features that `vocabulary` holds; entries of a row in ascending column order. Other
// features are dropped, or counted in n_unknown columns behind those of the vocabulary. O(total
// length). Throws std::invalid_argument if there are more than 2^31 - 1 columns.
CountedRows documents_count_frozen(std::span<const Document> documents, const AnalyzerViews& views,
                                   const Vocabulary& vocabulary, int64_t n_unknown,
                                   const Execution& execution);

// How many columns that gives. Throws as it does. O(1).
int64_t frozen_columns(const Vocabulary& vocabulary, int64_t n_unknown);

// The column of a feature that `vocabulary` does not hold: Vocabulary::not_found without columns
// for unknown ones, else size() + MurmurHash3 mod n_unknown. 3 bytes behind the token may be read.
// O(length).
uint32_t unknown_column(const TokenKey& token, const Vocabulary& vocabulary, int64_t n_unknown);

// columns_out[i] = MurmurHash3 of term i mod n_columns: where unknown_column would put the term,
// behind the others. Length: columns_out vocabulary.size(). Precondition: 1 <= n_columns < 2^31.
// O(arena).
void vocabulary_hash_columns(const Vocabulary& vocabulary, int64_t n_columns,
                             std::span<int64_t> columns_out);

struct HashingOptions {
    int32_t n_features;   // columns, >= 1
    bool alternate_sign;  // add +1 or -1 by the sign of the hash, else always +1
};

// 2 * column + negative for a feature's MurmurHash3. The magnitude of the signed hash is taken in
// 32 bits, where that of the smallest number is 2^31.
inline uint32_t hashed_signed_column(uint32_t hash, HashingOptions hashing) {
    const bool negative = hash >> 31;
    const uint32_t magnitude = negative ? 0u - hash : hash;
    const auto n = static_cast<uint32_t>(hashing.n_features);
    // Most users leave it at a power of two, where a mask spares a slow division.
    const uint32_t column = (n & (n - 1)) == 0 ? magnitude & (n - 1) : magnitude % n;
    return 2 * column + (negative && hashing.alternate_sign);
}

// How many columns that gives for some views. Throws as documents_count_hashed does. O(1).
int64_t hashed_columns(HashingOptions hashing, int64_t n_views);

// Sums the features of each document by hashed column: column |h| mod n_features of the signed
// MurmurHash3 h, as scikit-learn's FeatureHasher does. Each view has n_features columns of its own,
// one view after the other. Entries in ascending column order; a sum of signs may be zero and
// stays. O(total length). Throws std::invalid_argument if there are more than 2^31 - 1 columns.
CountedRows documents_count_hashed(std::span<const Document> documents, const AnalyzerViews& views,
                                   HashingOptions hashing, const Execution& execution);

}  // namespace wordodds
