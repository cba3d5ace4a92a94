// Slow twins of score/linear, score/sparse_linear and base/numeric.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "wordodds/base/types.hpp"
#include "wordodds/score/sparse_linear.hpp"

namespace wordodds::reference {

// scores[i * n_classes + c]. Sum = double, in the order of the entries: the very bits that the
// kernel promises; Sum = long double: the nearly exact sum.
template <class Sum, class Value>
std::vector<Sum> csr_score_classes(const CsrView<Value>& m, std::span<const double> weights,
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

// The same, one class of one row at a time, term by term in the order of the formula.
template <class Sum, class Value>
std::vector<Sum> csr_score_sparse_classes(const CsrView<Value>& m, const SparseClassWeights& w) {
    const auto excess = [&](int64_t j, size_t c) -> Sum {
        const auto begin = static_cast<size_t>(w.indptr[static_cast<size_t>(j)]);
        const auto end = static_cast<size_t>(w.indptr[static_cast<size_t>(j) + 1]);
        for (size_t k = begin; k < end; ++k) {
            if (w.classes[k] == static_cast<int32_t>(c)) return w.excess[k];
        }
        return 0;
    };
    std::vector<Sum> scores;
    for (size_t row = 0; row < static_cast<size_t>(m.n_rows); ++row) {
        for (size_t c = 0; c < w.bias.size(); ++c) {
            Sum base = 0, values = 0;
            for (int64_t i = m.indptr[row]; i < m.indptr[row + 1]; ++i) {
                const auto at = static_cast<size_t>(i);
                base += static_cast<Sum>(m.data[at]) *
                        w.feature_base[static_cast<size_t>(m.indices[at])];
                values += static_cast<Sum>(m.data[at]);
            }
            Sum score = w.bias[c];
            if (base != 0) score += base * w.class_scale[c];
            if (values != 0) score += values * w.class_base[c];
            for (int64_t i = m.indptr[row]; i < m.indptr[row + 1]; ++i) {
                const auto at = static_cast<size_t>(i);
                if (m.data[at] != 0)
                    score += static_cast<Sum>(m.data[at]) * excess(m.indices[at], c);
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
        const auto x =
            scores.subspan(static_cast<size_t>(row * n_classes), static_cast<size_t>(n_classes));
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
