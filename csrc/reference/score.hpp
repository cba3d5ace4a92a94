// Slow twins of score/linear and base/numeric.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "wordodds/base/types.hpp"

namespace wordodds::reference {

// scores[i * n_classes + c]. Sum = double, in the order of the entries: the very bits that the
// kernel promises; Sum = long double: the nearly exact sum.
template <class Sum, class Index, class Value>
std::vector<Sum> csr_score_classes(const CsrView<Index, Value>& m, std::span<const double> weights,
                                   std::span<const double> bias, int64_t stride) {
    const auto n_classes = static_cast<int64_t>(bias.size());
    std::vector<Sum> scores;
    for (int64_t row = 0; row < m.n_rows; ++row) {
        for (int64_t c = 0; c < n_classes; ++c) {
            Sum score = bias[static_cast<size_t>(c)];
            const auto r = static_cast<size_t>(row);
            for (int64_t i = m.indptr[r]; i < m.indptr[r + 1]; ++i) {
                const auto at = static_cast<size_t>(i);
                const int64_t j = m.indices[at];
                if (m.data[at] == 0) continue;
                const double weight = weights[static_cast<size_t>(j * stride + c)];
                score += static_cast<Sum>(m.data[at]) * weight;
            }
            scores.push_back(score);
        }
    }
    return scores;
}

inline double logsumexp(std::span<const double> x) {
    long double largest = -std::numeric_limits<long double>::infinity();
    for (const double value : x) largest = std::max<long double>(largest, value);
    if (std::isinf(largest)) return static_cast<double>(largest);
    long double sum = 0;
    for (const double value : x) sum += std::exp(value - largest);
    return static_cast<double>(largest + std::log(sum));
}

// The largest score is taken off before the logarithm of the sum: with scores of 1e300 the other
// order would lose the logarithm altogether.
inline std::vector<double> rows_log_softmax(int64_t n_rows, int64_t n_classes,
                                            std::span<const double> scores) {
    std::vector<double> out;
    for (int64_t row = 0; row < n_rows; ++row) {
        const auto x = scores.subspan(static_cast<size_t>(row * n_classes),
                                      static_cast<size_t>(n_classes));
        const long double largest = *std::max_element(x.begin(), x.end());
        long double sum = 0;
        for (const double value : x) sum += std::exp(value - largest);
        for (const double value : x) {
            out.push_back(std::isinf(largest)
                              ? -std::log(static_cast<double>(n_classes))
                              : static_cast<double>((value - largest) - std::log(sum)));
        }
    }
    return out;
}

}  // namespace wordodds::reference
