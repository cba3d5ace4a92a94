// Several views of a text side by side, and words that are remembered.
#include <algorithm>
#include <array>
#include <vector>

#include "reference/text/count.hpp"
#include "reference/text/hashing.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/analysis.hpp"
#include "tests/text/corpus.hpp"
#include "wordodds/tally/terms.hpp"
#include "wordodds/text/count.hpp"
#include "wordodds/text/feature_counter.hpp"
#include "wordodds/text/view_reader.hpp"
#include "wordodds/text/word_memo.hpp"

namespace wordodds {
namespace {

AnalyzerOptions view_of(AnalyzerKind kind, int32_t shortest, int32_t longest, size_t view) {
    AnalyzerOptions options;
    options.kind = kind;
    options.ngram_min = shortest;
    options.ngram_max = longest;
    options.name_space = view_name_space(view);
    return options;
}

const std::array words_and_ngrams{view_of(AnalyzerKind::word, 1, 2, 0),
                                  view_of(AnalyzerKind::chars_in_words, 2, 4, 1)};
const std::array three_views{view_of(AnalyzerKind::chars_in_words, 1, 3, 0),
                             view_of(AnalyzerKind::chars, 2, 2, 1),
                             view_of(AnalyzerKind::unicode_word, 1, 1, 2)};

AnalyzerViews side_by_side(std::span<const AnalyzerOptions> views) { return views; }

// The features of a view of each document, without the name space.
reference::Features plain_features(const Corpus& corpus, AnalyzerOptions view) {
    view.name_space = 0;
    return reference::features_of(corpus.views(), view);
}

reference::Features named(reference::Features features, char name_space) {
    for (auto& document : features) {
        for (std::string& feature : document) feature.insert(feature.begin(), name_space);
    }
    return features;
}

// Blocks of columns side by side, as FeatureUnion makes them.
reference::Counts beside(const std::vector<reference::Counts>& blocks, int64_t columns_each = 0) {
    reference::Counts all;
    for (size_t row = 0; row + 1 < blocks[0].indptr.size(); ++row) {
        int64_t first = 0;
        for (const reference::Counts& block : blocks) {
            for (auto i = block.indptr[row]; i < block.indptr[row + 1]; ++i) {
                all.indices.push_back(first + block.indices[static_cast<size_t>(i)]);
                all.data.push_back(block.data[static_cast<size_t>(i)]);
            }
            first += columns_each != 0 ? columns_each : static_cast<int64_t>(block.terms.size());
        }
        all.indptr.push_back(static_cast<int64_t>(all.data.size()));
    }
    for (const reference::Counts& block : blocks) {
        all.terms.insert(all.terms.end(), block.terms.begin(), block.terms.end());
    }
    return all;
}

void check_growing(const Corpus& corpus, std::span<const AnalyzerOptions> views) {
    std::vector<reference::Counts> blocks;
    for (const AnalyzerOptions& view : views) {
        blocks.push_back(
            reference::count_growing(named(plain_features(corpus, view), view.name_space)));
    }
    const reference::Counts expected = beside(blocks);
    for_each_execution([&](const Execution& execution) {
        Vocabulary vocabulary(some_key);
        const CountedRows rows =
            documents_count_growing(corpus.views(), views, execution, vocabulary);
        CHECK_EQ(vocabulary.size(), static_cast<int64_t>(expected.terms.size()));
        for (size_t i = 0; i < expected.terms.size(); ++i) {
            CHECK_EQ(vocabulary.term(static_cast<int64_t>(i)), expected.terms[i], i);
        }
        check_rows(rows, execution, expected);
    });
}

TEST("growing: blocks of columns side by side, each as one view alone gives it") {
    for (uint64_t seed = 0; seed < 6; ++seed) {
        const Corpus corpus = random_corpus(seed, 9, 80, 40);
        check_growing(corpus, words_and_ngrams);
        check_growing(corpus, three_views);
    }
    check_growing(random_corpus(70, 90, 1500, 900), words_and_ngrams);  // several parts
}

TEST("frozen: known features of each view") {
    const Corpus corpus = random_corpus(71, 40, 900, 500);
    std::vector<reference::Counts> blocks;
    std::vector<std::string> terms;
    for (const AnalyzerOptions& view : words_and_ngrams) {
        const auto features = named(plain_features(corpus, view), view.name_space);
        std::vector<std::string> known;
        for (const std::string& term : reference::count_growing(features).terms) {
            if (term.size() % 3 != 0) known.push_back(term);
        }
        terms.insert(terms.end(), known.begin(), known.end());
        blocks.push_back(reference::count_frozen(features, known));
    }
    const Vocabulary vocabulary = packed_vocabulary(terms);
    const reference::Counts expected = beside(blocks);
    for_each_execution([&](const Execution& execution) {
        check_rows(documents_count_frozen(corpus.views(), side_by_side(words_and_ngrams),
                                          vocabulary, 0, execution),
                   execution, expected);
    });
}

TEST("hashed: columns of its own for each view") {
    const Corpus corpus = random_corpus(72, 30, 600, 300);
    for (const bool sign : {false, true}) {
        const HashingOptions hashing{61, sign};
        std::vector<reference::Counts> blocks;
        std::vector<AnalyzerOptions> views(three_views.begin(), three_views.end());
        for (AnalyzerOptions& view : views) {
            view.name_space = 0;
            blocks.push_back(reference::count_hashed(plain_features(corpus, view), 61, sign));
        }
        const reference::Counts expected = beside(blocks, 61);
        for_each_execution([&](const Execution& execution) {
            check_rows(
                documents_count_hashed(corpus.views(), std::span<const AnalyzerOptions>(views),
                                       hashing, execution),
                execution, expected);
        });
    }
    const std::vector<AnalyzerOptions> views(3);
    const auto all = std::span<const AnalyzerOptions>(views);
    CHECK_THROWS(std::invalid_argument,
                 documents_count_hashed({}, all, HashingOptions{1 << 30, true}, Run()));
}

TEST("features found by the caller, view by view") {
    const Corpus corpus = random_corpus(73, 12, 90, 40);
    std::vector<reference::Features> of_views;
    std::vector<reference::Counts> blocks;
    for (const AnalyzerOptions& view : words_and_ngrams) {
        of_views.push_back(plain_features(corpus, view));
        blocks.push_back(reference::count_growing(named(of_views.back(), view.name_space)));
    }
    FeatureCounter counter(some_key, 2);
    for (size_t document = 0; document < of_views[0].size(); ++document) {
        for (const reference::Features& features : of_views) {
            for (const std::string& feature : features[document]) {
                const Document text{feature.data(), static_cast<int64_t>(feature.size()),
                                    TextKind::utf8};
                counter.add(text);
            }
            counter.end_view();
        }
    }
    Vocabulary vocabulary(some_key);
    const CountedRows rows = counter.finish(Run(), vocabulary);
    check_rows(rows, Run(), beside(blocks));
}

TEST("a tally of several views adds up as their rows do") {
    const Corpus corpus = random_corpus(74, 30, 500, 200);
    Vocabulary vocabulary(some_key);
    const CountedRows rows =
        documents_count_growing(corpus.views(), side_by_side(words_and_ngrams), Run(), vocabulary);
    const reference::Counts counts = written(rows, Run());
    std::vector<int64_t> frequency(static_cast<size_t>(vocabulary.size()));
    for (const int64_t column : counts.indices) ++frequency[static_cast<size_t>(column)];
    for_each_execution([&](const Execution& execution) {
        TermTally tally(some_key);
        documents_tally(corpus.views(), side_by_side(words_and_ngrams), no_max_terms, execution,
                        tally);
        tally.sort(execution);
        CHECK_EQ(tally.n_documents(), 30);
        CHECK_SAME(std::vector(tally.n_documents_with().begin(), tally.n_documents_with().end()),
                   frequency, execution.n_jobs);
    });
}

// --- Words that are remembered ---

AnalyzerOptions ngrams_in_words() {
    AnalyzerOptions options;
    options.kind = AnalyzerKind::chars_in_words;
    options.ngram_min = 2;
    options.ngram_max = 3;
    return options;
}

void check_remembered(const Corpus& corpus) {
    CHECK(is_worth_remembering(corpus.views()), corpus.length());  // or nothing is remembered
    const reference::Counts expected =
        reference::count_growing(reference::features_of(corpus.views(), ngrams_in_words()));
    for (const int32_t n_jobs : {1, 3}) {
        const Run run(n_jobs);
        Vocabulary vocabulary(some_key);
        const CountedRows rows =
            documents_count_growing(corpus.views(), ngrams_in_words(), run, vocabulary);
        CHECK_EQ(vocabulary.size(), static_cast<int64_t>(expected.terms.size()));
        check_rows(rows, run, expected);
        const Vocabulary frozen = packed_vocabulary(expected.terms);
        check_rows(documents_count_frozen(corpus.views(), ngrams_in_words(), frozen, 0, run), run,
                   reference::count_frozen(
                       reference::features_of(corpus.views(), ngrams_in_words()), expected.terms));
    }
}

TEST("words too long to be remembered, between others") {
    Corpus corpus;
    for (size_t repeat = 0; repeat < 300; ++repeat) {
        const auto letter = static_cast<char32_t>(U'a' + repeat % 5);
        std::u32string text = U"short words ";
        for (const size_t length : {63U, 64U, 65U, 66U, 200U}) {
            text += std::u32string(length - repeat % 3, letter);
            text += U" again ";
        }
        corpus.add(text, TextKind::ascii);
    }
    check_remembered(corpus);
}

TEST("more words than are remembered at once") {
    Corpus corpus;
    std::u32string text;
    for (int64_t i = 0; i < 3 * WordMemo::words_max / 2; ++i) {
        for (const char c : std::to_string(i % (WordMemo::words_max + 100))) {
            text += static_cast<char32_t>(c);
        }
        text += U' ';
        if (i % 1000 == 999) {
            corpus.add(text, TextKind::ascii);
            text.clear();
        }
    }
    check_remembered(corpus);
}

}  // namespace
}  // namespace wordodds
