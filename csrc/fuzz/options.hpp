// Options of an analyzer from the first bytes of an input.
#pragma once

#include "fuzz.hpp"
#include "tests/text/analysis.hpp"

namespace wordodds::fuzz {

// Lengths of n-grams up to longest_max.
inline AnalyzerOptions options_of(Input& input, int64_t longest_max) {
    static constexpr Accents accents[] = {Accents::keep, Accents::strip, Accents::strip_ascii};
    AnalyzerOptions options;
    options.kind = input.one_of(analyzer_kinds);
    const uint8_t flags = input.byte();
    options.lowercase = flags & 1;
    options.stop_words = (flags & 2) && has_words(options.kind) ? &stop_vocabulary() : nullptr;
    options.accents = accents[flags / 4 % 3];
    options.word_min_length = 1 + flags / 16 % 3;
    options.ngram_min = static_cast<int32_t>(1 + input.below(longest_max));
    options.ngram_max =
        options.ngram_min + static_cast<int32_t>(input.below(longest_max - options.ngram_min + 1));
    return options;
}

}  // namespace wordodds::fuzz
