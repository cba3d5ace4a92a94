// One thread's way from a document to its row, by looking up each feature.
#pragma once

#include <cstdint>
#include <vector>

#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/count.hpp"
#include "wordodds/text/row_builder.hpp"
#include "wordodds/text/view_reader.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

class LookupCounter {
   public:
    // `is_long`: whether there is text enough to remember words, see ViewReader.
    LookupCounter(const AnalyzerViews& views, bool is_long, InstructionSet instruction_set) {
        for (const AnalyzerOptions& view : views)
            readers_.emplace_back(view, is_long, instruction_set);
    }

    // Appends the document's row to part_out, one view after the other. `identify` maps a TokenKey
    // to a number or Vocabulary::not_found, which is dropped, and always to the same one; n_ids()
    // is above every number it has given.
    template <class Identify, class CountIds>
    void count(const Document& document, const Vocabulary& vocabulary, StopToken& stop,
               Identify identify, CountIds n_ids, CountedPart& part_out) {
        for (ViewReader& reader : readers_) {
            row_.clear();
            reader.read(document, vocabulary.key(), vocabulary, identify, stop, row_.ids());
            row_.append_entries(key_bits_for(n_ids()), part_out);
        }
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
    std::vector<ViewReader> readers_;
    RowBuilder row_;
};

}  // namespace wordodds
