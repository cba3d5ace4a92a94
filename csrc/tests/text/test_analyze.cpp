#include "reference/text/analyze.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/analysis.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {
namespace {

// body(options) for every kind, n-gram range and case; for words also with and without stop words
// and three minimal lengths.
template <class Body>
void for_each_options(Body body) {
    for (const AnalyzerKind kind : analyzer_kinds) {
        for (const NgramRange range : ngram_ranges) {
            for (const bool lowercase : {true, false}) {
                AnalyzerOptions options{kind, lowercase, 2, range.min, range.max, nullptr};
                // Accents are the lower-caser's business; here it is enough that they get there.
                if (range.min == 1)
                    options.accents = lowercase ? Accents::strip : Accents::strip_ascii;
                if (!has_words(kind)) {
                    body(options);
                    continue;
                }
                for (const int32_t min_length : {1, 2, 3}) {
                    // Only `word` and `word_or_mark` must look at it.
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
    const AnalyzerKind with_marks = AnalyzerKind::word_or_mark;
    CHECK_SAME(ascii_features(U"Well...  it's x-ray?!", {with_marks, true, 1, 1, 1, nullptr}),
               (Strings{"well", ".", ".", ".", "it", "'", "s", "x", "-", "ray", "?", "!"}));
    CHECK_SAME(ascii_features(U"No! a", {with_marks, true, 2, 1, 2, nullptr}),
               (Strings{"no", "!", "no !"}));
    const AnalyzerKind by_boundaries = AnalyzerKind::unicode_word;
    CHECK_SAME(ascii_features(U"X can't, 3.14!", {by_boundaries, true, 2, 1, 2, nullptr}),
               (Strings{"x", "can't", "3.14", "x can't", "can't 3.14"}));
    CHECK_SAME(ascii_features(U"It's a_b to Bits", {by_boundaries, false, 2, 1, 1, &stops}),
               (Strings{"It's", "a_b", "Bits"}));
    CHECK_SAME(ascii_features(U"\u00C9t\u00E9 \u4E2D\u6587",
                              {by_boundaries, true, 2, 1, 1, nullptr, Accents::strip}),
               (Strings{"ete", "\xE4\xB8\xAD", "\xE6\x96\x87"}));
    CHECK_SAME(ascii_features(U"It's,\tA the\u00A0x.\n\n(B) the",
                              {AnalyzerKind::separated, false, 2, 2, 3, &stops}),
               (Strings{"It's,", "A", "the\xC2\xA0x.", "(B)"}));
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
            for (const char32_t* text :
                 {U"", U" ", U"  ", U"\n", U" \n ", U"a", U"A ", U" a", U"ab", U"a b", U"a  b",
                  U"ab cd", U"abc", U"ab cd ef", U"the", U"The to", U"x the y", U".", U". ,"}) {
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
                const AnalyzerOptions options{
                    kind,      turn % 3 != 0, 1 + turn % 3,
                    range.min, range.max,     turn % 2 ? &stop_vocabulary() : nullptr};
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
    for (const AnalyzerKind kind : {AnalyzerKind::word, AnalyzerKind::word_or_mark,
                                    AnalyzerKind::chars, AnalyzerKind::unicode_word}) {
        const AnalyzerOptions options{kind, true, 1, 1, 3, nullptr};
        for (size_t n = batch - 3; n <= batch + 4; ++n) {
            std::u32string text;
            for (size_t i = 0; i < n; ++i) {
                text += static_cast<char32_t>(U'a' + i % 23);
                if (has_words(kind)) text += U' ';
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

TEST("document_features gives all that the analyzer finds") {
    Random random(35);
    for_each_options([&](const AnalyzerOptions& options) {
        const TextKind kind = text_kinds[random() % 5];
        const std::u32string text = spaced_text(random, below(random, 2 * window), kind);
        const OwnedDocument document(text, kind);
        const Run run(2, available_instruction_sets().back());
        CHECK_SAME(document_features(document.view(), options, run), expected_of(text, options),
                   options.kind, options.ngram_max);
    });
    Run stopped;
    stopped.stop().request();
    const OwnedDocument document(U"some words", TextKind::ascii);
    CHECK_THROWS(Stopped, document_features(document.view(), AnalyzerOptions{}, stopped));
}

TEST("a request stops the analyzer, and the next document is whole") {
    Random random(34);
    const std::u32string text = spaced_text(random, 3 * window, TextKind::latin1);
    const OwnedDocument document(text, TextKind::latin1);
    for (const AnalyzerKind kind : analyzer_kinds) {
        for (const NgramRange range : ngram_ranges) {
            const AnalyzerOptions options{kind, true, 1, range.min, range.max, nullptr};
            Analyzer analyzer(options, InstructionSet::baseline);
            const bool at_once = kind == AnalyzerKind::unicode_word && range.max == 1;
            for (const int n_before : {0, 1, 2}) {
                StopToken stop;
                analyzer.start(document.view());
                for (int i = 0; i < std::min(n_before, at_once ? 1 : 2); ++i)
                    CHECK(analyzer.next(stop), kind, range.max, i);
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
    for (const AnalyzerKind kind : {AnalyzerKind::word, AnalyzerKind::word_or_mark,
                                    AnalyzerKind::chars, AnalyzerKind::unicode_word}) {
        Analyzer analyzer({kind, true, 1, 2, 2, nullptr}, InstructionSet::baseline);
        analyzer.start(document);
        StopToken stop([](void*) { return true; }, nullptr);
        CHECK_THROWS(Stopped, analyzer.next(stop));
    }
}

}  // namespace
}  // namespace wordodds
