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
        documents_score_classes(corpus.views(), options, rows, weighting, weights.view(), execution,
                                scores, found);
        for (size_t i = 0; i < scores.size(); ++i) {
            CHECK_CLOSE(scores[i], static_cast<double>(expected[i]), 1e-11, i, weights.bias.size(),
                        weights.factor.size());
        }
        CHECK_SAME(found, n_features, execution.n_jobs);
        if (first.empty()) first = scores;
        CHECK_SAME(scores, first, execution.n_jobs);
    });
    std::vector<double> scores(expected.size(), 1e99);
    documents_score_classes(corpus.views(), options, rows, weighting, weights.view(), Run(), scores,
                            {});
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
            documents_score_classes({}, {}, rows, {}, weights.view(), Run(), {}, {});
        });
    }
}

}  // namespace
}  // namespace wordodds
