#include <vector>

#include "reference/score/documents.hpp"
#include "reference/text/fasttext.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/score/document_weights.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/fasttext.hpp"

namespace wordodds {
namespace {

// Weights of each word and each bucket before a word's row becomes the sum over its subwords.
// Multiples of 1/64, so that these sums are exact even in float32.
using Table = std::vector<std::vector<double>>;

Table random_table(Random& random, size_t n, int64_t n_columns) {
    Table table(n);
    for (auto& row : table) {
        for (int64_t c = 0; c < n_columns; ++c) {
            row.push_back(static_cast<double>(below(random, 513) - 256) / 64);
        }
    }
    return table;
}

struct Tables {
    Table words, buckets;
};

template <class Weight>
void fill(const reference::FastTextModel& model, const FastTextRows& rows, const Tables& tables,
          Weights<Weight>& weights_out) {
    const auto write = [&](int64_t row, const std::vector<double>& from, bool adds) {
        Weight* const to = weights_out.weights.data() + row * weights_out.stride;
        for (size_t k = 0; k < from.size(); ++k) {
            to[k] = static_cast<Weight>(from[k] + (adds ? static_cast<double>(to[k]) : 0.0));
        }
    };
    Buffer<uint32_t> subwords;
    Buffer<int64_t> ends;
    StopToken stop;
    if (model.n_buckets > 0) {
        fasttext_find_subwords(rows.terms.arena, rows.terms.offsets, rows.options, stop, subwords,
                               ends);
    }
    for (size_t i = 0; i < tables.words.size(); ++i) {
        const auto word = static_cast<int64_t>(i);
        write(word, tables.words[i], false);
        if (ends.size() == 0) continue;
        for (int64_t at = i == 0 ? 0 : ends[word - 1]; at < ends[word]; ++at) {
            if (reference::has_row(model, subwords[at]))
                write(word, tables.buckets[subwords[at]], true);
        }
    }
    for (int64_t bucket = 0; bucket < model.n_buckets; ++bucket) {
        if (!reference::has_row(model, bucket)) continue;
        write(reference::row_of_bucket(model, bucket), tables.buckets[static_cast<size_t>(bucket)],
              false);
    }
}

template <class Weight>
void check_scores(const Corpus& corpus, const reference::FastTextModel& model,
                  const FastTextRows& rows, const Tables& tables, const Weights<Weight>& weights) {
    std::vector<long double> expected;
    std::vector<int64_t> n_features;
    for (const Document& document : corpus.views()) {
        const auto line = reference::read_line(model, reference::decode(document));
        const auto sums = reference::sum_features(model, line, tables.words, tables.buckets,
                                                  static_cast<size_t>(weights.rank));
        n_features.push_back(reference::count_features(model, line));
        const auto n = static_cast<long double>(n_features.back());
        for (const long double score : reference::scores_of_sums(sums, n, weights.view())) {
            expected.push_back(score);
        }
    }
    const FeatureRows feature_rows{nullptr, 0, {}, &rows};
    CHECK_EQ(feature_rows.size(), rows.size());
    // Has no meaning here, and must not change anything.
    const TermWeighting weighting{true, true, RowNorm::l2, {}};
    std::vector<double> first;
    for_each_execution([&](const Execution& execution) {
        std::vector<double> scores(expected.size(), 1e99);
        std::vector<int64_t> found(n_features.size(), -1);
        documents_score_classes(corpus.views(), separated_words, feature_rows, {&weighting, 1},
                                weights.view(), execution, scores, found);
        for (size_t i = 0; i < scores.size(); ++i) {
            CHECK_CLOSE(scores[i], static_cast<double>(expected[i]), 1e-12, i, weights.bias.size(),
                        weights.factor.size());
        }
        CHECK_SAME(found, n_features, execution.n_jobs);
        if (first.empty()) first = scores;
        CHECK_SAME(scores, first, execution.n_jobs,
                   instruction_set_name(execution.instruction_set));
    });
}

template <class Weight>
void check_weights(Random& random, const Corpus& corpus, const reference::FastTextModel& model,
                   const FastTextRows& rows, int64_t n_columns, int64_t rank) {
    Weights<Weight> weights(random, rows.size(), n_columns, rank);
    const Tables tables{random_table(random, model.words.size(), weights.rank),
                        random_table(random, static_cast<size_t>(model.n_buckets), weights.rank)};
    fill(model, rows, tables, weights);
    check_scores(corpus, model, rows, tables, weights);
}

TEST("scores of short documents of every kind, under all options") {
    Random random(61);
    constexpr int64_t column_counts[] = {1, 2, 4, 5, 20, 37};
    size_t turn = 0;
    for (const TextKind kind : text_kinds) {
        for_each_model(
            random, kind, [&](const auto& model, const FastTextRows& rows, const Lexicon& lexicon) {
                Corpus corpus;
                for (int64_t i = 0; i < 8; ++i) {
                    corpus.add(fasttext_text(random, lexicon, below(random, 20), i % 4 == 3), kind);
                }
                for (const char32_t* text : {U"", U"</s>", U"__label__x", U"a"})
                    corpus.add(text, kind);
                const int64_t n_columns = column_counts[random() % std::size(column_counts)];
                const int64_t rank = column_counts[random() % std::size(column_counts)];
                switch (++turn % 4) {
                    case 0: return check_weights<double>(random, corpus, model, rows, n_columns, 0);
                    case 1: return check_weights<float>(random, corpus, model, rows, n_columns, 0);
                    case 2:
                        return check_weights<double>(random, corpus, model, rows, n_columns, rank);
                    default:
                        return check_weights<float>(random, corpus, model, rows, n_columns, rank);
                }
            });
    }
}

TEST("scores of documents of several windows") {
    Random random(62);
    for (const TextKind kind : text_kinds) {
        const Lexicon lexicon = fasttext_lexicon(random, kind);
        for (const int64_t one_in : {-1, 3}) {
            const auto model = random_model(random, lexicon, {3, 2, 4, 1000}, one_in > 0, one_in,
                                            kind == TextKind::ucs2);
            const FastTextArrays arrays(model);
            const FastTextRows rows = arrays.view();
            Corpus corpus;
            for (const int64_t n_words : {1800, 0, 5, 1200, 100}) {
                corpus.add(fasttext_text(random, lexicon, n_words, n_words == 1200), kind);
            }
            check_weights<double>(random, corpus, model, rows, 3, 0);
            check_weights<float>(random, corpus, model, rows, 6, 10);
        }
    }
}

TEST("no document at all, and a request stops the scorer") {
    Random random(63);
    const Lexicon lexicon = fasttext_lexicon(random, TextKind::ascii);
    const auto model = random_model(random, lexicon, {2, 2, 4, 100}, true, -1, false);
    const FastTextArrays arrays(model);
    const FastTextRows rows = arrays.view();
    const FeatureRows feature_rows{nullptr, 0, {}, &rows};
    const Weights<float> weights(random, rows.size(), 2);
    documents_score_classes({}, separated_words, feature_rows, {}, weights.view(), Run(), {}, {});
    const OwnedDocument document(U"some words", TextKind::ascii);
    Run stopped;
    stopped.stop().request();
    std::vector<double> scores(2);
    CHECK_THROWS(Stopped,
                 documents_score_classes({&document.view(), 1}, separated_words, feature_rows, {},
                                         weights.view(), stopped, scores, {}));
}

}  // namespace
}  // namespace wordodds
