// Counting features found by the caller: the way of tokenizers and analyzers written in
// Python.
#pragma once

#include <optional>

#include "wordodds/text/count.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/row_builder.hpp"

namespace wordodds {

// Takes the features of one document after the other and gives the rows that
// documents_count_growing, _frozen or _hashed would give for them. One thread.
class FeatureCounter {
   public:
    // Growing: collects the features in a vocabulary of its own.
    explicit FeatureCounter(HashKey key, size_t n_views = 1)
        : own_(std::in_place, key), n_views_(n_views) {}
    // Frozen: the vocabulary must outlive the counter. Throws as documents_count_frozen does.
    FeatureCounter(const Vocabulary& vocabulary, int64_t n_unknown, size_t n_views = 1)
        : frozen_(&vocabulary), n_unknown_(n_unknown), n_views_(n_views) {
        frozen_columns(vocabulary, n_unknown);
        vocabulary.prepare_lookups();
    }
    // Throws as documents_count_hashed does.
    explicit FeatureCounter(HashingOptions hashing, size_t n_views = 1)
        : hashing_(hashing), n_views_(n_views) {
        hashed_columns(hashing, static_cast<int64_t>(n_views));
    }

    // One feature of the current view of the current document. O(length).
    void add(const Document& feature);
    // Ends the current view, and with the last one the document.
    void end_view();

    // All rows. Growing: sorts the vocabulary and moves it to vocabulary_out, which else is left as
    // it is.
    CountedRows finish(const Execution& execution, Vocabulary& vocabulary_out);

   private:
    const Vocabulary& vocabulary() const { return own_ ? *own_ : *frozen_; }

    std::optional<Vocabulary> own_;
    const Vocabulary* frozen_ = nullptr;
    int64_t n_unknown_ = 0;
    std::optional<HashingOptions> hashing_;
    size_t n_views_;
    size_t view_ = 0;
    RowBuilder row_;
    CountedPart part_{};
    Buffer<char> bytes_;
};

}  // namespace wordodds
