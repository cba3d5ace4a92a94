// Slow twin of score/documents: counts in maps, then the formula of the header in long double.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/text/count.hpp"
#include "wordodds/score/documents.hpp"

namespace wordodds::reference {

// bias + sums / norm, where a norm of zero divides nothing, or bias + (sums / norm) * factor.
template <class Weight>
std::vector<long double> scores_of_sums(const std::vector<long double>& sums, long double norm,
                                        const DocumentWeights<Weight>& weights) {
    if (norm == 0) norm = 1;
    const size_t n_columns = weights.bias.size();
    std::vector<long double> scores(weights.bias.begin(), weights.bias.end());
    for (size_t c = 0; c < n_columns; ++c) {
        if (weights.factor.empty()) {
            scores[c] += sums[c] / norm;
            continue;
        }
        for (size_t k = 0; k < sums.size(); ++k) {
            scores[c] += sums[k] / norm * weights.factor[k * n_columns + c];
        }
    }
    return scores;
}

// `counts`: rows of counts by feature, zeros among them.
template <class Weight>
std::vector<long double> score_counts(const Counts& counts, const TermWeighting& weighting,
                                      const DocumentWeights<Weight>& weights) {
    std::vector<long double> scores;
    for (size_t row = 0; row + 1 < counts.indptr.size(); ++row) {
        std::vector<long double> sums(static_cast<size_t>(weights.rank), 0);
        long double norm = 0;
        for (auto i = static_cast<size_t>(counts.indptr[row]);
             i < static_cast<size_t>(counts.indptr[row + 1]); ++i) {
            const auto j = static_cast<size_t>(counts.indices[i]);
            long double tf = static_cast<long double>(counts.data[i]);
            if (weighting.binary) tf = 1;
            if (weighting.sublinear && !weighting.binary) tf = 1 + std::log(tf);
            const long double part =
                weighting.norm_weights.empty() ? tf : tf * weighting.norm_weights[j];
            norm += weighting.norm == RowNorm::l1 ? std::abs(part) : part * part;
            for (size_t k = 0; k < sums.size(); ++k) {
                sums[k] += tf * weights.weights[j * static_cast<size_t>(weights.stride) + k];
            }
        }
        if (weighting.norm == RowNorm::none) norm = 1;
        if (weighting.norm == RowNorm::l2) norm = std::sqrt(norm);
        for (const long double score : scores_of_sums(sums, norm, weights)) scores.push_back(score);
    }
    return scores;
}

}  // namespace wordodds::reference
