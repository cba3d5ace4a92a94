// Slow twin of score/documents: counts in maps, then the formula of the header in long double.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/count.hpp"
#include "wordodds/score/documents.hpp"

namespace wordodds::reference {

// `counts`: rows of counts by feature, zeros among them.
inline std::vector<long double> score_counts(const Counts& counts, const TermWeighting& weighting,
                                             const ClassWeights& weights) {
    std::vector<long double> scores;
    for (size_t row = 0; row + 1 < counts.indptr.size(); ++row) {
        std::vector<long double> sums(weights.bias.size(), 0);
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
            for (size_t c = 0; c < sums.size(); ++c) {
                sums[c] += tf * weights.weights[j * static_cast<size_t>(weights.stride) + c];
            }
        }
        if (weighting.norm == RowNorm::none || norm == 0) norm = 1;
        if (weighting.norm == RowNorm::l2) norm = std::sqrt(norm);
        for (size_t c = 0; c < sums.size(); ++c) scores.push_back(weights.bias[c] + sums[c] / norm);
    }
    return scores;
}

}  // namespace wordodds::reference
