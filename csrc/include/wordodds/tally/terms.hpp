// In how many documents each term occurs, and how often: what a vocabulary is chosen by.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

// Adds up: the tally of two corpora is the sum of theirs, whichever way they were cut.
//
// With a limit on the terms, the rarest are dropped on the way. Then, for every term x,
//     counted(x) <= documents that hold x <= counted(x) + undercount,
// counted(x) being 0 for a term that is not there: every term that occurs in more than `undercount`
// documents is kept. Without a limit undercount is 0.
class TermTally {
   public:
    explicit TermTally(HashKey key) : vocabulary_(key) {}

    // As it was: lengths of both spans are vocabulary.size().
    TermTally(const Vocabulary& vocabulary, std::span<const int64_t> n_documents_with,
              std::span<const int64_t> n_occurrences, int64_t n_documents, int64_t undercount);

    const Vocabulary& vocabulary() const { return vocabulary_; }
    std::span<const int64_t> n_documents_with() const { return n_documents_with_.span(); }
    std::span<const int64_t> n_occurrences() const { return n_occurrences_.span(); }
    int64_t n_documents() const { return n_documents_; }
    int64_t undercount() const { return undercount_; }

    // Adds the features of one document: n distinct numbers of vocabulary(), with their counts.
    void add_row(std::span<const uint32_t> terms, std::span<const int32_t> counts);

    // Adds another tally. If stopped, only some of its terms were added. O(other's terms),
    // expected.
    void merge(const TermTally& other, StopToken& stop);

    // Drops the rarest terms, by documents, if there are more than max_terms: all that occur in at
    // most as many documents as leaves max_terms or fewer. O(terms).
    void prune(int64_t max_terms);

    // An equal tally, as yet without a table for lookups. O(terms).
    TermTally copy() const;

    // Gives the terms away; the tally is of no use afterwards.
    void release_vocabulary(Vocabulary& vocabulary_out) { vocabulary_out = std::move(vocabulary_); }

    // Terms in byte order from here on. If stopped, the tally is as before.
    void sort(const Execution& execution);

    Vocabulary& vocabulary_to_grow() { return vocabulary_; }

   private:
    Vocabulary vocabulary_;
    Buffer<int64_t> n_documents_with_;
    Buffer<int64_t> n_occurrences_;
    int64_t n_documents_ = 0;
    int64_t undercount_ = 0;
};

// The same on the heap, for callers that cannot hold a tally by value.
inline std::unique_ptr<TermTally> tally_copy(const TermTally& tally) {
    return std::make_unique<TermTally>(tally.copy());
}

inline constexpr int64_t no_max_terms = 0;

// Adds the documents' features to the tally. With max_terms >= 1 the tally is pruned to max_terms
// whenever it holds more than twice as many, after blocks of documents whose borders depend on the
// documents alone: the result is the same for any number of threads. Memory: 2 * max_terms terms
// and those of one block (32 million code units, or one document). If stopped, the tally holds some
// of the blocks. O(total length). Threads take stretches of a block, in order.
void documents_tally(std::span<const Document> documents, const AnalyzerViews& views,
                     int64_t max_terms, const Execution& execution, TermTally& tally_out);

}  // namespace wordodds
