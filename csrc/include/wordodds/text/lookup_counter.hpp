// One thread's way from a document to its row, by looking up each feature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/analyze.hpp"
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
    // Between making a key, which prefetches its slot, and looking it up lies a batch of others.
    static constexpr size_t batch_size = 64;

    template <class Identify>
    void collect(const Vocabulary& vocabulary, Identify identify) {
        const auto features = analyzer_.features();
        uint32_t* const begin = row_.extend(static_cast<int64_t>(features.size()));
        uint32_t* out = begin;
        const HashKey key = vocabulary.key();
        for (size_t first = 0; first < features.size(); first += batch_size) {
            const size_t n = std::min(batch_size, features.size() - first);
            for (size_t i = 0; i < n; ++i) {
                const TokenSpan span = features[first + i];
                keys_[i] = make_token_key(analyzer_.bytes() + span.begin, span.length, key);
                vocabulary.prefetch(keys_[i].hash);
            }
            for (size_t i = 0; i < n; ++i) {
                *out = identify(keys_[i]);
                out += *out != Vocabulary::not_found;
            }
        }
        row_.keep(out - begin);
    }

    Analyzer analyzer_;
    RowBuilder row_;
    TokenKey keys_[batch_size];
};

}  // namespace wordodds
