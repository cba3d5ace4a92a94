#include <numeric>
#include <string>
#include <vector>

#include "reference/score/documents.hpp"
#include "reference/text/hashing.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/score/document_weights.hpp"
#include "tests/text/analysis.hpp"
#include "tests/text/corpus.hpp"
#include "wordodds/score/documents.hpp"
#include "wordodds/text/view_reader.hpp"

namespace wordodds {
namespace {

constexpr HashKey frozen_key{0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu};
constexpr int64_t column_counts[] = {1, 2, 4, 5, 20, 32, 33, 70};

template <class Weight>
void check_scores(const Corpus& corpus, const AnalyzerOptions& options, const FeatureRows& rows,
                  const TermWeighting& weighting, const reference::Counts& counts,
                  const std::vector<int64_t>& n_features, const Weights<Weight>& weights) {
    CHECK(is_lane_stride(weights.stride, weights.rank));
    const auto expected = reference::score_counts(counts, weighting, weights.view());
    std::vector<double> first;
    for_each_execution([&](const Execution& execution) {
        std::vector<double> scores(expected.size(), 1e99);
        std::vector<int64_t> found(n_features.size(), -1);
        documents_score_classes(corpus.views(), options, rows, {&weighting, 1}, weights.view(),
                                execution, scores, found);
        for (size_t i = 0; i < scores.size(); ++i) {
            CHECK_CLOSE(scores[i], static_cast<double>(expected[i]), 1e-11, i, weights.bias.size(),
                        weights.factor.size());
        }
        CHECK_SAME(found, n_features, execution.n_jobs);
        if (first.empty()) first = scores;
        CHECK_SAME(scores, first, execution.n_jobs);
    });
    std::vector<double> scores(expected.size(), 1e99);
    documents_score_classes(corpus.views(), options, rows, {&weighting, 1}, weights.view(), Run(),
                            scores, {});
    CHECK_SAME(scores, first);
}

// How often a document has features of the model.
std::vector<int64_t> row_sums(const reference::Counts& counts) {
    std::vector<int64_t> sums;
    for (size_t row = 0; row + 1 < counts.indptr.size(); ++row) {
        const auto data = counts.data.begin();
        sums.push_back(
            std::accumulate(data + counts.indptr[row], data + counts.indptr[row + 1], int64_t{0}));
    }
    return sums;
}

std::vector<int64_t> lengths_of(const reference::Features& features) {
    std::vector<int64_t> lengths;
    for (const auto& each : features) lengths.push_back(static_cast<int64_t>(each.size()));
    return lengths;
}

// Every way to weigh counts; norm weights are given to each second one.
template <class Body>
void for_each_weighting(const std::vector<double>& norm_weights, bool with_logarithm, Body body) {
    for (const RowNorm norm : {RowNorm::none, RowNorm::l1, RowNorm::l2}) {
        for (const bool binary : {false, true}) {
            for (const bool sublinear : {false, with_logarithm}) {
                const bool weighted = binary != sublinear;
                body(TermWeighting{
                    binary, sublinear, norm,
                    weighted ? std::span<const double>(norm_weights) : std::span<const double>()});
            }
        }
    }
}

std::vector<double> random_norm_weights(Random& random, int64_t n) {
    std::vector<double> weights;
    for (int64_t j = 0; j < n; ++j) weights.push_back(random() % 5 == 0 ? 0.0 : uniform(random));
    return weights;
}

TEST("features of a vocabulary, weighed in every way") {
    Random random(5);
    const Corpus corpus = random_corpus(3, 40, 60, 12);
    for (const AnalyzerKind kind : analyzer_kinds) {
        AnalyzerOptions options;
        options.kind = kind;
        options.ngram_max = 2;
        const auto features = reference::features_of(corpus.views(), options);
        // Every third term is unknown to the model.
        std::vector<std::string> terms = reference::count_growing(features).terms;
        for (size_t i = 0; i < terms.size(); ++i)
            terms.erase(terms.begin() + static_cast<int64_t>(i));
        const Vocabulary vocabulary = packed_vocabulary(terms);
        std::vector<TermSlot> slots(static_cast<size_t>(frozen_slots(vocabulary.size())));
        vocabulary.freeze(frozen_key, slots);
        const FrozenTerms frozen{frozen_key, vocabulary.arena(), vocabulary.offsets(), slots};
        for (const int64_t n_unknown : {0, 1, 7}) {
            const FeatureRows rows{&frozen, n_unknown, {}};
            const auto counts = reference::count_frozen(features, terms, n_unknown);
            const auto norm_weights = random_norm_weights(random, rows.size());
            const int64_t n_columns = column_counts[random() % std::size(column_counts)];
            const int64_t rank = column_counts[random() % std::size(column_counts)];
            for_each_weights(random, rows.size(), n_columns, rank, [&](const auto& weights) {
                for_each_weighting(norm_weights, true, [&](const TermWeighting& weighting) {
                    check_scores(corpus, options, rows, weighting, counts, row_sums(counts),
                                 weights);
                });
            });
        }
    }
}

TEST("hashed features, with and without signs") {
    Random random(6);
    const Corpus corpus = random_corpus(4, 30, 60, 12);
    const auto features = reference::features_of(corpus.views());
    for (const int32_t n_features : {1, 7, 64, 1 << 12}) {
        for (const bool alternate_sign : {false, true}) {
            const FeatureRows rows{nullptr, 0, {n_features, alternate_sign}};
            const auto counts = reference::count_hashed(features, n_features, alternate_sign);
            const auto norm_weights = random_norm_weights(random, n_features);
            // Features count before their signs cancel.
            const std::vector<int64_t> lengths = lengths_of(features);
            for_each_weights(
                random, n_features, alternate_sign ? 1 : 3, 2, [&](const auto& weights) {
                    for_each_weighting(
                        norm_weights, !alternate_sign, [&](const TermWeighting& weighting) {
                            check_scores(corpus, {}, rows, weighting, counts, lengths, weights);
                        });
                });
        }
    }
}

// What views add to the bias, each alone, summed.
template <class Weight>
std::vector<long double> scores_of_views(const std::vector<reference::Counts>& counts,
                                         const std::vector<TermWeighting>& weighting,
                                         const Weights<Weight>& weights) {
    std::vector<long double> scores;
    for (size_t view = 0; view < counts.size(); ++view) {
        const auto alone = reference::score_counts(counts[view], weighting[view], weights.view());
        if (view == 0) {
            scores = alone;
            continue;
        }
        for (size_t i = 0; i < scores.size(); ++i) {
            scores[i] += alone[i] - weights.bias[i % weights.bias.size()];
        }
    }
    return scores;
}

template <class Weight>
void check_views(const Corpus& corpus, const std::vector<AnalyzerOptions>& views,
                 const FeatureRows& rows, const std::vector<TermWeighting>& weighting,
                 const std::vector<reference::Counts>& counts, const Weights<Weight>& weights) {
    const std::vector<long double> expected = scores_of_views(counts, weighting, weights);
    std::vector<double> first;
    for_each_execution([&](const Execution& execution) {
        std::vector<double> scores(expected.size(), 1e99);
        std::vector<int64_t> found(static_cast<size_t>(corpus.views().size()), -1);
        documents_score_classes(corpus.views(), std::span<const AnalyzerOptions>(views), rows,
                                weighting, weights.view(), execution, scores, found);
        for (size_t i = 0; i < scores.size(); ++i) {
            CHECK_CLOSE(scores[i], static_cast<double>(expected[i]), 1e-11, i);
        }
        if (first.empty()) first = scores;
        CHECK_SAME(scores, first, execution.n_jobs);
    });
}

TEST("several views: each is weighed and normalized alone, and their sums are added") {
    Random random(12);
    Corpus corpus = random_corpus(13, 30, 60, 12);
    // Long enough for words to be remembered.
    corpus.add(random_prose(random, 4'000, random_lexicon(random, 300, TextKind::ascii)),
               TextKind::ascii);
    std::vector<AnalyzerOptions> views(2);
    views[0].ngram_max = 2;
    views[1].kind = AnalyzerKind::chars_in_words;
    views[1].ngram_min = views[1].ngram_max = 3;
    std::vector<reference::Features> features;
    for (const AnalyzerOptions& view : views) {
        features.push_back(reference::features_of(corpus.views(), view));
    }
    // In one vocabulary, which lacks every third term.
    std::vector<std::string> terms;
    std::vector<reference::Features> named = features;
    for (size_t view = 0; view < views.size(); ++view) {
        views[view].name_space = view_name_space(view);
        for (auto& document : named[view]) {
            for (std::string& feature : document) feature.insert(0, 1, views[view].name_space);
        }
        for (const std::string& term : reference::count_growing(named[view]).terms) {
            if (random() % 3 != 0) terms.push_back(term);
        }
    }
    const Vocabulary vocabulary = packed_vocabulary(terms);
    std::vector<TermSlot> slots(static_cast<size_t>(frozen_slots(vocabulary.size())));
    vocabulary.freeze(frozen_key, slots);
    const FrozenTerms frozen{frozen_key, vocabulary.arena(), vocabulary.offsets(), slots};
    const FeatureRows known{&frozen, 0, {}};
    const FeatureRows hashed{nullptr, 0, {50, false}};
    CHECK_EQ(hashed.size(2), 100);
    const auto norm_weights = random_norm_weights(random, known.size());
    const std::vector<TermWeighting> weightings[] = {
        {{false, true, RowNorm::l2, norm_weights}, {false, false, RowNorm::l1, norm_weights}},
        {{true, false, RowNorm::none, {}}, {false, true, RowNorm::l2, {}}},
        {{false, false, RowNorm::none, {}}, {false, false, RowNorm::none, {}}}};
    std::vector<reference::Counts> by_term, by_hash;
    for (size_t view = 0; view < views.size(); ++view) {
        by_term.push_back(reference::count_frozen(named[view], terms));
        by_hash.push_back(reference::count_hashed(features[view], 50, false));
        for (int64_t& column : by_hash.back().indices) column += 50 * static_cast<int64_t>(view);
    }
    for (const std::vector<TermWeighting>& weighting : weightings) {
        for_each_weights(random, known.size(), 3, 2, [&](const auto& weights) {
            check_views(corpus, views, known, weighting, by_term, weights);
        });
    }
    for (AnalyzerOptions& view : views) view.name_space = 0;
    for_each_weights(random, 100, 5, 2, [&](const auto& weights) {
        check_views(corpus, views, hashed, weightings[1], by_hash, weights);
    });
}

TEST("every number of columns, long documents, and no document at all") {
    Random random(8);
    Corpus corpus = random_corpus(9, 3, 40, 30);
    corpus.add(random_prose(random, 40'000, random_lexicon(random, 500, TextKind::ascii)),
               TextKind::ascii);
    const auto features = reference::features_of(corpus.views());
    const FeatureRows rows{nullptr, 0, {1 << 10, false}};
    const auto counts = reference::count_hashed(features, 1 << 10, false);
    const std::vector<int64_t> lengths = lengths_of(features);
    const TermWeighting plain{false, false, RowNorm::none, {}};
    const TermWeighting normed{false, true, RowNorm::l2, {}};
    constexpr size_t n_counts = std::size(column_counts);
    for (size_t i = 0; i < n_counts; ++i) {
        const int64_t n_columns = column_counts[i];
        const int64_t rank = column_counts[n_counts - 1 - i];
        for_each_weights(random, rows.size(), n_columns, rank, [&](const auto& weights) {
            check_scores(corpus, {}, rows, plain, counts, lengths, weights);
            check_scores(corpus, {}, rows, normed, counts, lengths, weights);
            documents_score_classes({}, AnalyzerOptions{}, rows, {}, weights.view(), Run(), {}, {});
        });
    }
}

TEST("a document has the same bits alone and among many, long words included") {
    Random random(31);
    Corpus corpus;
    for (int repeat = 0; repeat < 40; ++repeat) {
        std::u32string text;
        for (int word = 0; word < 60; ++word) {
            const int64_t length = word % 7 == 3 ? 60 + below(random, 12) : 1 + below(random, 9);
            for (int64_t i = 0; i < length; ++i) text += U"etaoin"[below(random, 6)];
            text += U' ';
        }
        corpus.add(text, TextKind::ascii);
    }
    CHECK(is_worth_remembering(corpus.views()));
    AnalyzerOptions options;
    options.kind = AnalyzerKind::chars_in_words;
    options.ngram_min = options.ngram_max = 3;
    const std::vector<std::string> terms =
        reference::count_growing(reference::features_of(corpus.views(), options)).terms;
    const Vocabulary vocabulary = packed_vocabulary(terms);
    std::vector<TermSlot> slots(static_cast<size_t>(frozen_slots(vocabulary.size())));
    vocabulary.freeze(frozen_key, slots);
    const FrozenTerms frozen{frozen_key, vocabulary.arena(), vocabulary.offsets(), slots};
    const FeatureRows rows{&frozen, 0, {}};
    const Weights<double> weights(random, rows.size(), 3);
    const TermWeighting counts{false, false, RowNorm::none, {}};
    const auto scores_of = [&](std::span<const Document> documents) {
        std::vector<double> scores(3 * documents.size());
        documents_score_classes(documents, options, rows, {&counts, 1}, weights.view(), Run(),
                                scores, {});
        return scores;
    };
    const std::vector<double> together = scores_of(corpus.views());
    for (size_t i = 0; i < corpus.views().size(); ++i) {
        CHECK(!is_worth_remembering(corpus.views().subspan(i, 1)));
        const std::vector<double> alone = scores_of(corpus.views().subspan(i, 1));
        for (size_t c = 0; c < 3; ++c) CHECK_EQ(alone[c], together[3 * i + c], i);
    }
}

}  // namespace
}  // namespace wordodds
