// One thread's way from a document to its row, by looking up each feature.
#pragma once

#include <cstdint>

#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/identify.hpp"
#include "wordodds/text/row_builder.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

class LookupCounter {
   public:
    LookupCounter(const AnalyzerOptions& options, InstructionSet instruction_set)
        : analyzer_(options, instruction_set) {}

    // Appends the document's row to part_out. `identify` maps a TokenKey to a number or
    // Vocabulary::not_found, which is dropped; n_ids() is above every number it has given.
    template <class Identify, class CountIds>
    void count(const Document& document, const Vocabulary& vocabulary, StopToken& stop,
               Identify identify, CountIds n_ids, CountedPart& part_out) {
        row_.clear();
        analyzer_.start(document);
        while (analyzer_.next(stop)) collect(vocabulary, identify);
        row_.append_row(key_bits_for(n_ids()), part_out);
        stop.advance();
    }

    // The same for a vocabulary that takes in every feature.
    void count_growing(const Document& document, Vocabulary& vocabulary, StopToken& stop,
                       CountedPart& part_out) {
        count(
            document, vocabulary, stop,
            [&](const TokenKey& token) { return vocabulary.find_or_insert(token); },
            [&] { return vocabulary.size(); }, part_out);
    }

   private:
    template <class Identify>
    void collect(const Vocabulary& vocabulary, Identify identify) {
        uint32_t* const out = row_.extend(static_cast<int64_t>(analyzer_.features().size()));
        row_.keep(features_identify(analyzer_, vocabulary.key(), vocabulary, identify, out));
    }

    Analyzer analyzer_;
    RowBuilder row_;
};

}  // namespace wordodds
