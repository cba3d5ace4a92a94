// Documents analyzed, and checked against the twin's features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/text/analyze.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

// The window of tokenizer and analyzer in code points (both keep it private).
inline constexpr int64_t window = 8192;

struct NgramRange {
    int32_t min;
    int32_t max;
};
inline constexpr NgramRange ngram_ranges[] = {{1, 1}, {1, 2}, {2, 3}, {1, 5}, {3, 3}};
inline constexpr AnalyzerKind analyzer_kinds[] = {
    AnalyzerKind::word,         AnalyzerKind::chars,     AnalyzerKind::chars_in_words,
    AnalyzerKind::unicode_word, AnalyzerKind::separated, AnalyzerKind::word_or_mark};

inline bool has_words(AnalyzerKind kind) {
    return kind == AnalyzerKind::word || kind == AnalyzerKind::word_or_mark ||
           kind == AnalyzerKind::unicode_word || kind == AnalyzerKind::separated;
}

// Stop words for both sides. One is longer than the head of a key, one beyond ASCII.
inline const reference::StopWords& stop_words() {
    static const reference::StopWords words{U"e",
                                            U"t",
                                            U"a",
                                            U"et",
                                            U"at",
                                            U"the",
                                            U"to",
                                            U"is",
                                            U"\u00E9",
                                            U"\u00B5",
                                            U"a_word_that_is_longer_than_a_head"};
    return words;
}

inline const Vocabulary& stop_vocabulary() {
    static const Vocabulary vocabulary = [] {
        std::string arena;
        std::vector<int64_t> offsets{0};
        for (const std::u32string& word : stop_words()) {
            arena += reference::encode(word);
            offsets.push_back(static_cast<int64_t>(arena.size()));
        }
        return Vocabulary(HashKey{17, 0xABCDEF}, arena, offsets);
    }();
    return vocabulary;
}

inline std::vector<std::string> features_of(Analyzer& analyzer, const Document& document) {
    std::vector<std::string> features;
    StopToken stop;
    unsigned read_behind = 0;
    analyzer.start(document);
    while (analyzer.next(stop)) {
        for (const TokenSpan span : analyzer.features()) {
            features.emplace_back(analyzer.bytes() + span.begin, span.length);
            const char* const behind = analyzer.bytes() + span.begin + span.length;
            // The header promises that these may be read; AddressSanitizer watches.
            const volatile char* const last = behind + Tokenizer::token_padding - 1;
            read_behind += static_cast<uint8_t>(*last);
        }
    }
    CHECK(!analyzer.next(stop), read_behind);
    return features;
}

using Strings = std::vector<std::string>;

inline Strings expected_of(const std::u32string& text, const AnalyzerOptions& options,
                           const reference::Stems& stems = {}) {
    const bool stops = options.stop_words != nullptr;
    return reference::encode_each(
        reference::analyze(text, options, stops ? stop_words() : reference::StopWords{}, stems));
}

// Stop words of the options: none or stop_vocabulary().
inline void check_text(const std::u32string& text, TextKind kind, const AnalyzerOptions& options,
                       const reference::Stems& stems = {}) {
    const OwnedDocument document(text, kind);
    const Strings expected = expected_of(text, options, stems);
    for (const InstructionSet set : available_instruction_sets()) {
        Analyzer analyzer(options, set);
        CHECK_SAME(features_of(analyzer, document.view()), expected, reference::encode(text),
                   text.size(), kind, instruction_set_name(set), options.kind, options.lowercase,
                   options.word_min_length, options.ngram_min, options.ngram_max);
    }
}

// Text with white space of every sort, alone and in runs, and with stop words.
inline std::u32string spaced_text(Random& random, int64_t length, TextKind kind) {
    static const std::u32string spaces = {U' ',   U' ',   U'\n',  U'\t', 0x1C,  0x85,  0xA0, 0x1680,
                                          0x2003, 0x2028, 0x3000, U'\0', U'\v', U'\f', U'\r'};
    static const std::u32string stops[] = {
        U" the ", U" To. ", U" IS ", U" \u00E9 ", U" E ", U" a_word_that_is_longer_than_a_head "};
    const auto fits = [&](char32_t c) { return c < code_points_end(kind); };
    std::u32string text;
    while (static_cast<int64_t>(text.size()) < length) {
        const int64_t draw = below(random, 8);
        if (draw == 0) {
            const std::u32string& word = stops[random() % std::size(stops)];
            if (std::all_of(word.begin(), word.end(), fits)) text += word;
        } else if (draw <= 2) {
            for (int64_t n = 1 + below(random, 3); n > 0; --n) {
                const char32_t c = spaces[random() % spaces.size()];
                if (fits(c)) text += c;
            }
        } else {
            text += random_text(random, 1 + below(random, 6), kind);
        }
    }
    text.resize(static_cast<size_t>(length));
    return text;
}

}  // namespace wordodds
