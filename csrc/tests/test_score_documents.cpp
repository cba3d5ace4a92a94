#include <string>
#include <vector>

#include "analysis.hpp"
#include "check.hpp"
#include "corpus.hpp"
#include "execution.hpp"
#include "reference/documents.hpp"
#include "reference/hash.hpp"
#include "wordodds/score/documents.hpp"

namespace wordodds {
namespace {

constexpr HashKey frozen_key{0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu};
constexpr int64_t column_counts[] = {1, 2, 4, 5, 20, 32, 33, 70};

struct Weights {
    std::vector<double> weights, bias;
    int64_t stride;

    // The padding holds large numbers, which must not show anywhere.
    Weights(Random& random, int64_t n_rows, int64_t n_columns)
        : stride(n_columns == 1 ? 1 : (n_columns + 3) / 4 * 4) {
        weights.assign(static_cast<size_t>(n_rows * stride), 1e300);
        for (size_t i = 0; i < weights.size(); ++i) {
            if (static_cast<int64_t>(i) % stride < n_columns) weights[i] = 8.0 * uniform(random) - 4.0;
        }
        for (int64_t c = 0; c < n_columns; ++c) bias.push_back(uniform(random) - 0.5);
    }
    ClassWeights view() const { return {weights, bias, stride}; }
};

void check_scores(const Corpus& corpus, const AnalyzerOptions& options, const FeatureRows& rows,
                  const TermWeighting& weighting, const reference::Counts& counts,
                  const Weights& weights) {
    CHECK(is_score_stride(weights.stride, static_cast<int64_t>(weights.bias.size())));
    const auto expected = reference::score_counts(counts, weighting, weights.view());
    std::vector<double> first;
    for_each_execution([&](const Execution& execution) {
        std::vector<double> scores(expected.size(), 1e99);
        documents_score_classes(corpus.views(), options, rows, weighting, weights.view(), execution,
                                scores);
        for (size_t i = 0; i < scores.size(); ++i) {
            CHECK_CLOSE(scores[i], static_cast<double>(expected[i]), 1e-11, i, weights.bias.size());
        }
        if (first.empty()) first = scores;
        CHECK_SAME(scores, first, execution.n_jobs);
    });
}

// Every way to weigh counts; norm weights are given to each second one.
template <class Body>
void for_each_weighting(const std::vector<double>& norm_weights, bool with_logarithm, Body body) {
    for (const RowNorm norm : {RowNorm::none, RowNorm::l1, RowNorm::l2}) {
        for (const bool binary : {false, true}) {
            for (const bool sublinear : {false, with_logarithm}) {
                const bool weighted = binary != sublinear;
                body(TermWeighting{binary, sublinear, norm,
                                   weighted ? std::span<const double>(norm_weights)
                                            : std::span<const double>()});
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
        for (size_t i = 0; i < terms.size(); ++i) terms.erase(terms.begin() + static_cast<int64_t>(i));
        const Vocabulary vocabulary = packed_vocabulary(terms);
        std::vector<TermSlot> slots(static_cast<size_t>(frozen_slots(vocabulary.size())));
        vocabulary.freeze(frozen_key, slots);
        const FrozenTerms frozen{frozen_key, vocabulary.arena(), vocabulary.offsets(), slots};
        for (const int64_t n_unknown : {0, 1, 7}) {
            const FeatureRows rows{&frozen, n_unknown, {}};
            const auto counts = reference::count_frozen(features, terms, n_unknown);
            const auto norm_weights = random_norm_weights(random, rows.size());
            const int64_t n_columns = column_counts[random() % std::size(column_counts)];
            const Weights weights(random, rows.size(), n_columns);
            for_each_weighting(norm_weights, true, [&](const TermWeighting& weighting) {
                check_scores(corpus, options, rows, weighting, counts, weights);
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
            const Weights weights(random, n_features, alternate_sign ? 1 : 3);
            for_each_weighting(norm_weights, !alternate_sign, [&](const TermWeighting& weighting) {
                check_scores(corpus, {}, rows, weighting, counts, weights);
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
    for (const int64_t n_columns : column_counts) {
        const Weights weights(random, rows.size(), n_columns);
        check_scores(corpus, {}, rows, {false, false, RowNorm::none, {}}, counts, weights);
        check_scores(corpus, {}, rows, {false, true, RowNorm::l2, {}}, counts, weights);
        documents_score_classes({}, {}, rows, {}, weights.view(), Run(), {});
    }
}

}  // namespace
}  // namespace wordodds
