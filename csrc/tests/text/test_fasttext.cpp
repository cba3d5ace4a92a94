#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/text/analysis.hpp"
#include "tests/text/fasttext.hpp"

namespace wordodds {
namespace {

using Model = reference::FastTextModel;

struct Bagged {
    std::vector<int64_t> rows;  // ascending
    int64_t n_features;
};

// With or without taking the rows of each window when it is done.
Bagged bag_of(FastTextBag& bag, Analyzer& analyzer, const Document& document, bool takes) {
    Bagged bagged;
    StopToken stop;
    const auto take = [&] {
        bagged.rows.insert(bagged.rows.end(), bag.ids().begin(), bag.ids().end());
        bag.take();
        CHECK(bag.ids().empty());
    };
    bag.start();
    analyzer.start(document);
    while (analyzer.next(stop) && bag.add(analyzer.bytes(), analyzer.features(), stop)) {
        if (takes) take();
    }
    bag.finish(stop);
    take();
    bagged.n_features = bag.n_features();
    std::sort(bagged.rows.begin(), bagged.rows.end());
    return bagged;
}

void check_bag(const Model& model, const FastTextRows& rows, const std::u32string& text,
               TextKind kind) {
    const OwnedDocument document(text, kind);
    const reference::FastTextLine line = reference::read_line(model, text);
    const std::vector<int64_t> expected = reference::rows_of(model, line);
    for (const InstructionSet set : available_instruction_sets()) {
        FastTextBag bag(rows);
        Analyzer analyzer(separated_words, set);
        for (const bool takes : {false, true}) {
            const Bagged bagged = bag_of(bag, analyzer, document.view(), takes);
            CHECK_SAME(bagged.rows, expected, reference::encode(text), kind, model.word_ngrams,
                       model.subword_min, model.subword_max, model.n_buckets);
            CHECK_EQ(bagged.n_features, reference::count_features(model, line),
                     reference::encode(text), kind, model.absent_counts);
        }
    }
}

// Twin and engine share one reading of the definition. These buckets fastText itself has for a
// model with minn=2, maxn=3, wordNgrams=3 and bucket=1000: of get_subwords, and such that
// get_sentence_vector is the mean of their rows.
TEST("a line written out by hand") {
    const Model model{{{"</s>", 0}, {"the", 1}, {"film", 2}, {"\xC3\xA9t\xC3\xA9", 3}},
                      {"__label__a"},
                      3,
                      2,
                      3,
                      1000,
                      true,
                      {},
                      false};
    const std::u32string text = U"\u4E2D\u6587 \u00E9t\u00E9 __label__a zz";
    std::vector<int64_t> expected{0, 3};
    for (const int64_t bucket :
         {166, 167, 189, 513, 24, 275, 867, 373, 41, 281, 46, 263, 290, 55, 864}) {
        expected.push_back(4 + bucket);
    }
    std::sort(expected.begin(), expected.end());
    const FastTextArrays arrays(model);
    const FastTextRows rows = arrays.view();
    CHECK_SAME(reference::rows_of(model, reference::read_line(model, text)), expected);
    CHECK_EQ(rows.words[3].n_features, 8u);  // with its seven subwords
    FastTextBag bag(rows);
    Analyzer analyzer(separated_words, InstructionSet::baseline);
    const OwnedDocument document(text, TextKind::ucs2);
    const Bagged bagged = bag_of(bag, analyzer, document.view(), false);
    CHECK_SAME(bagged.rows, expected);
    CHECK_EQ(bagged.n_features, 24);
}

TEST("random short documents of every kind, under all options") {
    Random random(51);
    for (const TextKind kind : text_kinds) {
        for_each_model(random, kind,
                       [&](const Model& model, const FastTextRows& rows, const Lexicon& lexicon) {
                           for (int repeat = 0; repeat < 2; ++repeat) {
                               const int64_t n_words = below(random, 30);
                               check_bag(model, rows,
                                         fasttext_text(random, lexicon, n_words, repeat == 1),
                                         kind);
                           }
                       });
    }
}

TEST("no text, separators only, ends of sentences, labels, single words") {
    Random random(52);
    for_each_model(
        random, TextKind::ascii, [&](const Model& model, const FastTextRows& rows, const Lexicon&) {
            for (const char32_t* text :
                 {U"", U" ", U" \n\t\v\f\r ", U"</s>", U" </s> a", U"a </s> a a </s> a",
                  U"</s></s> a", U"</S> a", U"a </s", U"__label__known", U"label", U"__label__",
                  U"__label__unknown a __label__known _ label", U"__label__in_words a",
                  U"a __label__in_words", U"x", U"a", U"Good good", U"a a a a a a a"}) {
                for (const TextKind kind : text_kinds) check_bag(model, rows, text, kind);
            }
            check_bag(model, rows, {U'a', U'\0', U'b', U'\0'}, TextKind::utf8);
        });
}

TEST("a model that knows no word, and one that knows labels alone") {
    Random random(50);
    using Labels = std::set<std::string>;
    for (const Labels& labels : {Labels{}, Labels{"a", "__label__known"}, Labels{"</s>", "Good"}}) {
        const Model model{{}, labels, 3, 1, 2, 100, true, {}, false};
        const FastTextArrays arrays(model);
        arrays.view().check();
        const Lexicon lexicon = fasttext_lexicon(random, TextKind::ucs2);
        for (int repeat = 0; repeat < 20; ++repeat) {
            const std::u32string text = fasttext_text(random, lexicon, repeat, repeat % 2 == 0);
            check_bag(model, arrays.view(), text, TextKind::ucs2);
        }
    }
}

TEST("documents of several windows, of every kind") {
    Random random(53);
    for (const TextKind kind : text_kinds) {
        int turn = 0;
        for_each_model(random, kind,
                       [&](const Model& model, const FastTextRows& rows, const Lexicon& lexicon) {
                           if (++turn % 16 != static_cast<int>(kind)) return;
                           std::u32string text;
                           while (static_cast<int64_t>(text.size()) < 2 * window) {
                               text += fasttext_text(random, lexicon, 500, false) + U' ';
                           }
                           check_bag(model, rows, text, kind);
                           check_bag(model, rows, text + U"</s> " + text, kind);
                       });
    }
}

TEST("words longer than a window") {
    Random random(54);
    const Lexicon lexicon = fasttext_lexicon(random, TextKind::ucs4);
    const auto model = random_model(random, lexicon, {2, 2, 4, 1000}, true, -1, false);
    const FastTextArrays arrays(model);
    std::u32string word;
    while (static_cast<int64_t>(word.size()) < 2 * window + 5) word += U"a\u00E9\u4E2D\U00010400<>";
    for (const TextKind kind : {TextKind::ucs4, TextKind::utf8}) {
        check_bag(model, arrays.view(), word, kind);
        check_bag(model, arrays.view(), U"a " + word + U" </s> " + word, kind);
    }
}

TEST("a bucket for each number of 31 bits") {
    Random random(55);
    const Lexicon lexicon = fasttext_lexicon(random, TextKind::utf8);
    for (const int64_t n_buckets : {2'000'000, std::numeric_limits<int32_t>::max()}) {
        const auto model = random_model(random, lexicon, {5, 3, 6, n_buckets}, true, -1, false);
        const FastTextArrays arrays(model);
        arrays.view().check();
        check_bag(model, arrays.view(), fasttext_text(random, lexicon, 200, false), TextKind::utf8);
    }
}

TEST("one bag serves document after document, also after one abandoned half way") {
    Random random(56);
    for_each_model(
        random, TextKind::ucs2,
        [&](const Model& model, const FastTextRows& rows, const Lexicon& lexicon) {
            FastTextBag bag(rows);
            Analyzer analyzer(separated_words, available_instruction_sets().back());
            StopToken stop;
            for (int repeat = 0; repeat < 6; ++repeat) {
                const std::u32string text =
                    fasttext_text(random, lexicon, below(random, 20), repeat == 2);
                const OwnedDocument document(text, TextKind::ucs2);
                if (repeat % 2 == 0) {
                    bag.start();
                    analyzer.start(document.view());
                    if (analyzer.next(stop)) bag.add(analyzer.bytes(), analyzer.features(), stop);
                }
                const auto line = reference::read_line(model, text);
                const Bagged bagged = bag_of(bag, analyzer, document.view(), repeat == 1);
                CHECK_SAME(bagged.rows, reference::rows_of(model, line), repeat);
                CHECK_EQ(bagged.n_features, reference::count_features(model, line), repeat);
            }
        });
}

TEST("a request stops the bag within a long word, and the search for subwords") {
    Random random(57);
    const Lexicon lexicon = fasttext_lexicon(random, TextKind::ascii);
    const auto model = random_model(random, lexicon, {1, 1, 6, 100}, true, -1, false);
    const FastTextArrays arrays(model);
    const FastTextRows rows = arrays.view();
    FastTextBag bag(rows);
    const std::string word(100'000 + Tokenizer::token_padding, 'x');
    StopToken stop;
    stop.request();
    const TokenSpan words[] = {{0, 100'000}};
    bag.start();
    CHECK_THROWS(Stopped, bag.add(word.data(), words, stop));
    Buffer<uint32_t> buckets;
    Buffer<int64_t> ends;
    CHECK_THROWS(Stopped, fasttext_find_subwords(rows.terms.arena, rows.terms.offsets, rows.options,
                                                 stop, buckets, ends));
}

}  // namespace
}  // namespace wordodds
