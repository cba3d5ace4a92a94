// Counting features that somebody else found: the way of tokenizers and analyzers written in
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
    explicit FeatureCounter(HashKey key) : own_(std::in_place, key) {}
    // Frozen: the vocabulary must outlive the counter. Throws as documents_count_frozen does.
    FeatureCounter(const Vocabulary& vocabulary, int64_t n_unknown)
        : frozen_(&vocabulary), n_unknown_(n_unknown) {
        frozen_columns(vocabulary, n_unknown);
        vocabulary.prepare_lookups();
    }
    explicit FeatureCounter(HashingOptions hashing) : hashing_(hashing) {}

    // One feature of the current document. O(length).
    void add(const Document& feature);
    // Ends the current document.
    void end_row();

    // All rows. Growing: sorts the vocabulary and moves it to vocabulary_out, which else is left as
    // it is.
    CountedRows finish(const Execution& execution, Vocabulary& vocabulary_out);

   private:
    const Vocabulary& vocabulary() const { return own_ ? *own_ : *frozen_; }

    std::optional<Vocabulary> own_;
    const Vocabulary* frozen_ = nullptr;
    int64_t n_unknown_ = 0;
    std::optional<HashingOptions> hashing_;
    RowBuilder row_;
    CountedPart part_{};
    Buffer<char> bytes_;
};

}  // namespace wordodds
