// Fused scoring: from raw text to log-odds without a matrix in between.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/score/linear.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/count.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/term_table.hpp"
#include "wordodds/text/tfidf.hpp"

namespace wordodds {

// Which row of weights belongs to a feature.
struct FeatureRows {
    const FrozenTerms* terms;  // null: every feature is hashed
    int64_t n_unknown;         // rows behind those of the terms, for features that are none of them
    HashingOptions hashing;    // without terms

    int64_t size() const { return terms ? terms->size() + n_unknown : hashing.n_features; }
};

// What a feature's count in a document becomes before it meets the weights.
struct TermWeighting {
    bool binary;     // 1 in place of the count
    bool sublinear;  // 1 + log(count) in place of the count, which is positive
    RowNorm norm;    // what a document is divided by: the norm of
    std::span<const double> norm_weights;  // tf[j] * norm_weights[j]; empty: of tf[j]
};

// The numbers of columns that rows of weights may be apart: one, or a multiple of four.
constexpr bool is_score_stride(int64_t stride, int64_t n_columns) {
    return stride >= n_columns && (stride == 1 || stride % 4 == 0);
}

// score[i][c] = bias[c] + sum_j tf(count of j in document i) * weights[j][c] / norm(document i),
// where a norm of zero divides nothing.
//
// Lengths: weights.weights rows.size() * stride, weights.bias n_columns, norm_weights rows.size() or 0,
// scores_out documents.size() * n_columns. Preconditions: is_score_stride(weights.stride, n_columns);
// rows.terms has passed check(). Sums in double, in an order that depends on the document alone, without
// fused operations: the same bits for any n_jobs and any instruction set. Counts to which nothing is done
// are never sorted out: each occurrence adds its row. O(total length + features * stride), parallel over
// documents.
void documents_score_classes(std::span<const Document> documents, const AnalyzerOptions& options,
                             const FeatureRows& rows, const TermWeighting& weighting,
                             const ClassWeights& weights, const Execution& execution,
                             std::span<double> scores_out);

}  // namespace wordodds
