// Fused scoring: from raw text to log-odds without a matrix in between.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/stride.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/count.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/fasttext.hpp"
#include "wordodds/text/term_table.hpp"
#include "wordodds/text/tfidf.hpp"

namespace wordodds {

// Which row of weights belongs to a feature.
struct FeatureRows {
    const FrozenTerms* terms;  // null: every feature is hashed
    int64_t n_unknown;         // rows behind those of the terms, for features that are none of them
    HashingOptions hashing;    // without terms; each view has n_features rows of its own
    const FastTextRows* fasttext = nullptr;  // if given, all others are without meaning

    int64_t size(int64_t n_views = 1) const {
        if (fasttext) return fasttext->size();
        return terms ? terms->size() + n_unknown : hashing.n_features * n_views;
    }
};

// What a feature's count in a document becomes before it meets the weights. Each view has its own.
struct TermWeighting {
    bool binary;     // 1 in place of the count
    bool sublinear;  // 1 + log(count) in place of the count, which is positive
    RowNorm norm;    // what a view of a document is divided by: the norm of
    std::span<const double> norm_weights;  // tf[j] * norm_weights[j]; empty: of tf[j]
};

// Feature-major weights: weights[j * stride + c]. Of low rank r they are the product of two
// factors, weights[j * stride + k] and factor[k * n_columns + c]: a document's rows are added up
// first.
template <class Weight>
struct DocumentWeights {
    std::span<const Weight> weights;  // rows.size() * stride; padding holds any finite number
    int64_t stride;
    std::span<const double> bias;    // n_columns
    std::span<const double> factor;  // rank * n_columns; empty: there is none
    int64_t rank;                    // columns of weights; without a factor n_columns
};

// score[i][c] = bias[c] + sum_v sum_j tf(count of j in view v of document i) * weights[j][c] /
// norm(view v of document i), where a norm of zero divides nothing. The features of the views have
// rows of their own, by their name spaces in rows.terms.
//
// With rows.fasttext, whose documents are read by an analyzer of kind `separated`, the norm is the
// number of features, and the weighting is without meaning.
//
// Lengths: weighting views.size(), norm_weights rows.size() or 0, scores_out documents.size() *
// n_columns, n_features_out documents.size() or 0 (how many features each has). Preconditions:
// is_lane_stride(weights.stride, weights.rank); rows.terms or rows.fasttext has passed check().
// Sums in double, in an order that depends on the document alone, without fused operations: the
// same bits for any n_jobs and any instruction set. Counts to which nothing is done are never
// sorted out: each occurrence adds its row. O(total length + features * stride + documents * rank
// * n_columns), parallel over documents. Weight: float or double.
template <class Weight>
void documents_score_classes(std::span<const Document> documents, const AnalyzerViews& views,
                             const FeatureRows& rows, std::span<const TermWeighting> weighting,
                             const DocumentWeights<Weight>& weights, const Execution& execution,
                             std::span<double> scores_out, std::span<int64_t> n_features_out);

}  // namespace wordodds
