// WordMap, and the analyzer that puts stems in the place of words.
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/analysis.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/terms.hpp"
#include "wordodds/text/word_map.hpp"

namespace wordodds {
namespace {

constexpr AnalyzerKind word_kinds[] = {AnalyzerKind::word, AnalyzerKind::word_or_mark,
                                       AnalyzerKind::unicode_word};

WordMap word_map_of(const std::vector<std::string>& words, const std::vector<std::string>& stems,
                    HashKey key = some_key) {
    const Packed from(words), to(stems);
    return WordMap(Vocabulary(key, from.arena, from.offsets), to.arena, to.offsets);
}

WordMap word_map_of(const reference::Stems& stems) {
    std::vector<std::string> words, becomes;
    for (const auto& [word, stem] : stems) {
        words.push_back(reference::encode(word));
        becomes.push_back(reference::encode(stem));
    }
    return word_map_of(words, becomes, HashKey{5, 99});
}

std::string find(const WordMap& map, const std::string& word) {
    const Padded padded(word);  // an unknown word is a view of this
    return std::string(map.find(padded.key(map.key())));
}

// Stems that cut, leave, lengthen or swallow the words of a text; about half of the words have
// none.
reference::Stems random_stems(Random& random, const std::u32string& text,
                              const AnalyzerOptions& options) {
    AnalyzerOptions single = options;
    single.ngram_min = single.ngram_max = 1;
    reference::Stems stems;
    for (const std::u32string& word : reference::analyze(text, single)) {
        std::u32string stem = word;
        switch (below(random, 8)) {
            case 0: stem.resize((word.size() + 1) / 2); break;
            case 1:
                stem += std::u32string(static_cast<size_t>(1 + below(random, 100)), U'z');
                break;
            case 2: stem.clear(); break;
            case 3: stem = U"the"; break;  // a stop word, but only the word itself is asked
            case 4: break;
            default: continue;
        }
        stems[word] = stem;
    }
    return stems;
}

TEST("a map finds what each word becomes, and leaves alone what it does not know") {
    std::vector<std::string> words = distinct_terms(81, 6000);
    std::vector<std::string> stems = distinct_terms(82, 6000);
    stems[7] = "";
    words[8] = "a word that is longer than sixteen bytes";
    std::map<std::string, std::string> expected;
    for (size_t i = 0; i < words.size(); i += 2) expected[words[i]] = stems[i];
    std::vector<std::string> from, to;
    for (const auto& [word, stem] : expected) {
        from.push_back(word);
        to.push_back(stem);
    }
    const WordMap map = word_map_of(from, to);
    for (const std::string& word : words) {
        const auto known = expected.find(word);
        CHECK_EQ(find(map, word), known == expected.end() ? word : known->second, word);
    }
}

TEST("a map outlives what it was made from, whose lookups need not be prepared") {
    auto words = std::make_unique<Vocabulary>(vocabulary_of({"walks", "", "saw"}));
    words->sort(Run());  // "", "saw", "walks"; drops its table
    auto stems = std::make_unique<Packed>(std::vector<std::string>{"nothing", "", "walk"});
    const WordMap map(*words, stems->arena, stems->offsets);
    words.reset();
    stems.reset();
    CHECK_EQ(find(map, "walks"), "walk");
    CHECK_EQ(find(map, "saw"), "");
    CHECK_EQ(find(map, ""), "nothing");
    CHECK_EQ(find(map, "unknown"), "unknown");
    CHECK_EQ(find(WordMap(Vocabulary(some_key), {}, std::vector<int64_t>{0}), "word"), "word");
}

TEST("offsets that do not fit are refused") {
    const Vocabulary words = vocabulary_of({"one", "two"});
    const std::vector<char> arena{'a', 'b', 'c'};
    const auto make = [&](std::vector<int64_t> offsets) { WordMap(words, arena, offsets); };
    make({0, 3, 3});
    for (const std::vector<int64_t>& offsets : std::vector<std::vector<int64_t>>{{},
                                                                                 {0},
                                                                                 {0, 3},
                                                                                 {0, 1, 2},
                                                                                 {0, 1, 4},
                                                                                 {0, 1, 2, 3},
                                                                                 {1, 2, 3},
                                                                                 {0, 4, 3},
                                                                                 {0, -1, 3}}) {
        CHECK_THROWS(std::invalid_argument, make(offsets));
    }
}

TEST("stems written out by hand") {
    const WordMap stems = word_map_of({"walks", "ran", "of", "the", "saw"},
                                      {"walk", "run quickly", "", "stop", "see"});
    const auto features = [&](const std::u32string& text, AnalyzerOptions options) {
        options.stems = &stems;
        const OwnedDocument document(text, kind_of(text));
        Analyzer analyzer(options, InstructionSet::baseline);
        return features_of(analyzer, document.view());
    };
    for (const AnalyzerKind kind : word_kinds) {
        CHECK_SAME(features(U"She WALKS and ran", {kind, true, 2, 1, 1, nullptr}),
                   (Strings{"she", "walk", "and", "run quickly"}));
        // Stop words go first: "the" has a stem, and yet it is gone.
        CHECK_SAME(features(U"Walks of the saw", {kind, true, 2, 1, 2, &stop_vocabulary()}),
                   (Strings{"walk", "", "see", "walk ", " see"}));
        // Only the lower-case word is known.
        CHECK_SAME(features(U"Walks", {kind, false, 2, 1, 1, nullptr}), (Strings{"Walks"}));
        CHECK_SAME(features(U"of", {kind, true, 2, 1, 3, nullptr}), (Strings{""}));
        CHECK_SAME(features(U"of of", {kind, true, 2, 2, 2, nullptr}), (Strings{" "}));
        CHECK_SAME(features(U"", {kind, true, 2, 1, 1, nullptr}), Strings{});
    }
}

TEST("random documents of every kind, short ones and such of several windows") {
    Random random(83);
    for (const AnalyzerKind kind : word_kinds) {
        for (const NgramRange range : ngram_ranges) {
            for (const TextKind text_kind : text_kinds) {
                for (int repeat = 0; repeat < 8; ++repeat) {
                    AnalyzerOptions options{
                        kind,      repeat % 3 != 0, 1 + repeat % 2,
                        range.min, range.max,       repeat % 2 ? &stop_vocabulary() : nullptr};
                    if (repeat == 4) options.accents = Accents::strip;
                    const int64_t length =
                        repeat == 7 ? window + below(random, window) : below(random, 200);
                    const std::u32string text = spaced_text(random, length, text_kind);
                    const reference::Stems stems = random_stems(random, text, options);
                    const WordMap map = word_map_of(stems);
                    options.stems = &map;
                    check_text(text, text_kind, options, stems);
                }
            }
        }
    }
}

TEST("kinds without words know no stems") {
    const WordMap map = word_map_of({"a", "ab"}, {"x", "y"});
    for (const AnalyzerKind kind : {AnalyzerKind::chars, AnalyzerKind::chars_in_words}) {
        AnalyzerOptions options{kind, true, 1, 1, 2, nullptr};
        options.stems = &map;
        check_text(U"a ab  abc", TextKind::ascii, options);
    }
}

TEST("stems are counted: the same for any number of jobs and instruction set") {
    const Corpus corpus = random_corpus(84, 70, 1800, 2000);
    CHECK(corpus.length() > 2 << 17, corpus.length());
    std::u32string all;
    for (const Document& document : corpus.views()) all += reference::decode(document) + U' ';
    for (const AnalyzerKind kind : word_kinds) {
        Random random(85);
        AnalyzerOptions options{kind, true, 2, 1, 1, nullptr};
        const reference::Stems stems = random_stems(random, all, options);
        const WordMap map = word_map_of(stems);
        options.stems = &map;
        const reference::Counts expected =
            reference::count_growing(reference::features_of(corpus.views(), options, {}, stems));
        for_each_execution([&](const Execution& execution) {
            Vocabulary vocabulary(some_key);
            const CountedRows rows =
                documents_count_growing(corpus.views(), options, execution, vocabulary);
            CHECK_SAME(terms_of(vocabulary), expected.terms, kind, execution.n_jobs);
            check_rows(rows, execution, expected);
        });
    }
}

}  // namespace
}  // namespace wordodds
