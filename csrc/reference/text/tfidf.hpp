// Slow twin of text/tfidf: the formula of the header in long double, never rounded in between.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/text/tfidf.hpp"

namespace wordodds::reference {

// `matrix.data` holds the counts here.
template <class Value>
std::vector<long double> csr_weigh_terms(const CsrView<Value>& matrix, std::span<const Value> idf,
                                         TfidfOptions options) {
    std::vector<long double> out;
    for (int64_t row = 0; row < matrix.n_rows; ++row) {
        const size_t first = out.size();
        long double sum = 0;
        for (auto i = static_cast<size_t>(matrix.indptr[static_cast<size_t>(row)]);
             i < static_cast<size_t>(matrix.indptr[static_cast<size_t>(row) + 1]); ++i) {
            long double weight = matrix.data[i];
            if (options.sublinear && weight != 0) weight = 1 + std::log(weight);
            if (!idf.empty()) weight *= idf[static_cast<size_t>(matrix.indices[i])];
            sum += options.norm == RowNorm::l1 ? std::abs(weight) : weight * weight;
            out.push_back(weight);
        }
        if (options.norm == RowNorm::none || sum == 0) continue;
        const long double norm = options.norm == RowNorm::l1 ? sum : std::sqrt(sum);
        for (size_t i = first; i < out.size(); ++i) out[i] /= norm;
    }
    return out;
}

}  // namespace wordodds::reference
