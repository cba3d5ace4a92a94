#include <optional>

#include "check.hpp"
#include "documents.hpp"
#include "execution.hpp"
#include "reference/analyze.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {
namespace {

// The window of tokenizer and analyzer in code points (both keep it private).
constexpr int64_t window = 8192;

struct NgramRange {
    int32_t min;
    int32_t max;
};
constexpr NgramRange ngram_ranges[] = {{1, 1}, {1, 2}, {2, 3}, {1, 5}, {3, 3}};
constexpr AnalyzerKind analyzer_kinds[] = {AnalyzerKind::word, AnalyzerKind::chars,
                                           AnalyzerKind::chars_in_words};

// Stop words for both sides. One is longer than the head of a key, one beyond ASCII.
const reference::StopWords& stop_words() {
    static const reference::StopWords words{U"e",   U"t",  U"a",  U"et",       U"at",
                                            U"the", U"to", U"is", U"\u00E9", U"\u00B5",
                                            U"a_word_that_is_longer_than_a_head"};
    return words;
}

const Vocabulary& stop_vocabulary() {
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

// body(options) for every kind, n-gram range and case; for words also with and without stop words
// and three minimal lengths.
template <class Body>
void for_each_options(Body body) {
    for (const AnalyzerKind kind : analyzer_kinds) {
        for (const NgramRange range : ngram_ranges) {
            for (const bool lowercase : {true, false}) {
                AnalyzerOptions options{kind, lowercase, 2, range.min, range.max, nullptr};
                // Accents are the lower-caser's business; here it is enough that they get there.
                if (range.min == 1) options.accents = lowercase ? Accents::strip : Accents::strip_ascii;
                if (kind != AnalyzerKind::word) {
                    body(options);
                    continue;
                }
                for (const int32_t min_length : {1, 2, 3}) {
                    options.word_min_length = min_length;
                    options.stop_words = nullptr;
                    body(options);
                    options.stop_words = &stop_vocabulary();
                    body(options);
                }
            }
        }
    }
}

std::vector<std::string> features_of(Analyzer& analyzer, const Document& document) {
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

std::vector<std::string> expected_of(const std::u32string& text, const AnalyzerOptions& options) {
    const bool stops = options.stop_words != nullptr;
    return reference::encode_each(
        reference::analyze(text, options, stops ? stop_words() : reference::StopWords{}));
}

void check_text(const std::u32string& text, TextKind kind, const AnalyzerOptions& options) {
    const OwnedDocument document(text, kind);
    const std::vector<std::string> expected = expected_of(text, options);
    for (const InstructionSet set : available_instruction_sets()) {
        Analyzer analyzer(options, set);
        CHECK_SAME(features_of(analyzer, document.view()), expected, reference::encode(text),
                   text.size(), kind, instruction_set_name(set), options.kind, options.lowercase,
                   options.word_min_length, options.ngram_min, options.ngram_max);
    }
}

// Text with white space of every sort, alone and in runs, and with stop words.
std::u32string spaced_text(Random& random, int64_t length, TextKind kind) {
    static const std::u32string spaces = {U' ',  U' ',  U'\n', U'\t', 0x1C,
                                          0x85,  0xA0,  0x1680, 0x2003, 0x2028, 0x3000};
    static const std::u32string stops[] = {U" the ", U" To. ", U" IS ", U" \u00E9 ", U" E ",
                                           U" a_word_that_is_longer_than_a_head "};
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

using Strings = std::vector<std::string>;

Strings ascii_features(const std::u32string& text, const AnalyzerOptions& options) {
    const OwnedDocument document(text, kind_of(text));
    Analyzer analyzer(options, InstructionSet::baseline);
    return features_of(analyzer, document.view());
}

// Both sides of every other test share the Unicode tables and one author's reading of the order;
// these lists are what scikit-learn's CountVectorizer.build_analyzer() gives.
TEST("features written out by hand") {
    const Vocabulary& stops = stop_vocabulary();
    CHECK_SAME(ascii_features(U"One two, THREE", {AnalyzerKind::word, true, 2, 1, 2, nullptr}),
               (Strings{"one", "two", "three", "one two", "two three"}));
    CHECK_SAME(ascii_features(U"One to the x Two", {AnalyzerKind::word, true, 1, 2, 3, &stops}),
               (Strings{"one x", "x two", "one x two"}));
    CHECK_SAME(ascii_features(U"The the", {AnalyzerKind::word, false, 2, 1, 1, &stops}),
               (Strings{"The"}));
    CHECK_SAME(ascii_features(U"aB\n\tc\td", {AnalyzerKind::chars, true, 2, 1, 2, nullptr}),
               (Strings{"a", "b", " ", "c", "\t", "d", "ab", "b ", " c", "c\t", "\td"}));
    CHECK_SAME(ascii_features(U"  a ", {AnalyzerKind::chars, true, 2, 3, 3, nullptr}),
               (Strings{" a "}));
    CHECK_SAME(ascii_features(U"ab  c", {AnalyzerKind::chars_in_words, true, 2, 3, 5, nullptr}),
               (Strings{" ab", "ab ", " ab ", " c "}));
    CHECK_SAME(ascii_features(U"x yz", {AnalyzerKind::chars_in_words, true, 2, 4, 4, nullptr}),
               (Strings{" x ", " yz "}));
    CHECK_SAME(ascii_features(U"\u00C9!", {AnalyzerKind::chars_in_words, true, 2, 1, 2, nullptr}),
               (Strings{" ", "\xC3\xA9", "!", " ", " \xC3\xA9", "\xC3\xA9!", "! "}));
}

TEST("random short documents of every kind, under all options") {
    Random random(31);
    for_each_options([&](const AnalyzerOptions& options) {
        for (const TextKind kind : text_kinds) {
            for (int repeat = 0; repeat < 12; ++repeat) {
                check_text(spaced_text(random, below(random, 100), kind), kind, options);
            }
        }
    });
}

TEST("empty documents, white space only, documents shorter than n") {
    for_each_options([&](const AnalyzerOptions& options) {
        for (const TextKind kind : text_kinds) {
            for (const char32_t* text : {U"", U" ", U"  ", U"\n", U" \n ", U"a", U"A ", U" a", U"ab",
                                         U"a b", U"a  b", U"ab cd", U"abc", U"ab cd ef", U"the",
                                         U"The to", U"x the y", U".", U". ,"}) {
                check_text(text, kind, options);
            }
            check_text(std::u32string(1, U'\0'), kind, options);
        }
        check_text(U"\u4E2D", TextKind::ucs2, options);
        check_text(U"\u0130 \u0130\u0130", TextKind::ucs2, options);  // two code points each
        check_text(U"\u3000", TextKind::ucs2, options);               // one space, not ' '
        check_text(U"\U00010400 \U00010400\U00010401", TextKind::ucs4, options);
    });
}

TEST("random documents of several windows, of every kind") {
    Random random(32);
    int turn = 0;
    for (const AnalyzerKind kind : analyzer_kinds) {
        for (const NgramRange range : ngram_ranges) {
            for (const TextKind text_kind : text_kinds) {
                ++turn;
                const AnalyzerOptions options{kind,      turn % 3 != 0, 1 + turn % 3, range.min,
                                              range.max, turn % 2 ? &stop_vocabulary() : nullptr};
                const int64_t length = window + 1 + below(random, 2 * window);
                check_text(spaced_text(random, length, text_kind), text_kind, options);
            }
        }
    }
}

TEST("words, runs of white space and sigmas across the border of a window") {
    for (const AnalyzerKind kind : analyzer_kinds) {
        const AnalyzerOptions options{kind, true, 2, 2, 3, nullptr};
        for (int64_t before = 0; before < 4; ++before) {
            for (size_t n_spaces = 0; n_spaces < 5; ++n_spaces) {
                std::u32string text;
                while (static_cast<int64_t>(text.size()) < window) text += U"ab ";
                text.resize(static_cast<size_t>(window - before));
                const std::u32string spaces(n_spaces, U'\t');
                check_text(text + spaces + U"cde f", TextKind::ascii, options);
                check_text(text + spaces, TextKind::ascii, options);
                check_text(text + U'\u00E9' + spaces + U"\u00C9", TextKind::latin1, options);
                check_text(text + U"A\u03A3" + spaces + U"\u03A3B", TextKind::ucs2, options);
            }
        }
        for (const int64_t length : {window - 1, window, window + 1, 2 * window}) {
            const auto n = static_cast<size_t>(length);
            check_text(std::u32string(n, U' '), TextKind::ascii, options);
            check_text(std::u32string(n, U'x'), TextKind::ascii, options);
            check_text(std::u32string(n, U'\u4E2D'), TextKind::ucs2, options);
        }
    }
}

TEST("more n-grams than one batch holds, cut at every place around its end") {
    // batch_features in analyze.cpp; the lengths of n-grams change near it.
    constexpr size_t batch = 4096;
    for (const AnalyzerKind kind : {AnalyzerKind::word, AnalyzerKind::chars}) {
        const AnalyzerOptions options{kind, true, 1, 1, 3, nullptr};
        for (size_t n = batch - 3; n <= batch + 4; ++n) {
            std::u32string text;
            for (size_t i = 0; i < n; ++i) {
                text += static_cast<char32_t>(U'a' + i % 23);
                if (kind == AnalyzerKind::word) text += U' ';
            }
            check_text(text, TextKind::ascii, options);
        }
    }
}

TEST("one analyzer serves document after document, also after one abandoned half way") {
    Random random(33);
    for_each_options([&](const AnalyzerOptions& options) {
        Analyzer analyzer(options, available_instruction_sets().back());
        StopToken stop;
        for (int repeat = 0; repeat < 8; ++repeat) {
            const TextKind kind = text_kinds[random() % 5];
            const int64_t length = below(random, repeat == 3 ? window + 500 : 100);
            const std::u32string text = spaced_text(random, length, kind);
            const OwnedDocument document(text, kind);
            if (repeat % 3 == 0) {
                analyzer.start(document.view());
                analyzer.next(stop);
                if (repeat % 2 == 0) continue;
            }
            CHECK_SAME(features_of(analyzer, document.view()), expected_of(text, options), repeat);
        }
    });
}

TEST("a request stops the analyzer, and the next document is whole") {
    Random random(34);
    const std::u32string text = spaced_text(random, 3 * window, TextKind::latin1);
    const OwnedDocument document(text, TextKind::latin1);
    for (const AnalyzerKind kind : analyzer_kinds) {
        for (const NgramRange range : ngram_ranges) {
            const AnalyzerOptions options{kind, true, 1, range.min, range.max, nullptr};
            Analyzer analyzer(options, InstructionSet::baseline);
            for (const int n_before : {0, 1, 2}) {
                StopToken stop;
                analyzer.start(document.view());
                for (int i = 0; i < n_before; ++i) CHECK(analyzer.next(stop), kind, range.max, i);
                stop.request();
                CHECK_THROWS(Stopped, analyzer.next(stop));
            }
            CHECK_SAME(features_of(analyzer, document.view()), expected_of(text, options), kind);
        }
    }
}

TEST("a poll stops the joining of one long document") {
    // A single next() reads it all; what notices an interval later is the check per window.
    std::vector<char> text(16'000'000, '\xE9');
    for (size_t i = 3; i < text.size(); i += 4) text[i] = ' ';
    const Document document{text.data(), static_cast<int64_t>(text.size()), TextKind::latin1};
    for (const AnalyzerKind kind : {AnalyzerKind::word, AnalyzerKind::chars}) {
        Analyzer analyzer({kind, true, 1, 2, 2, nullptr}, InstructionSet::baseline);
        analyzer.start(document);
        StopToken stop([](void*) { return true; }, nullptr);
        CHECK_THROWS(Stopped, analyzer.next(stop));
    }
}

}  // namespace
}  // namespace wordodds
