// Slow twins of bayes/moments and bayes/gaussian: the formulas of the headers, on a dense matrix of
// long doubles.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "wordodds/base/types.hpp"
#include "wordodds/bayes/moments.hpp"

namespace wordodds::reference {

using LongRows = std::vector<std::vector<long double>>;

template <class Value>
LongRows rows_of(const CsrView<Value>& m) {
    LongRows rows(static_cast<size_t>(m.n_rows),
                  std::vector<long double>(static_cast<size_t>(m.n_cols), 0));
    for (size_t row = 0; row < rows.size(); ++row) {
        for (int64_t i = m.indptr[row]; i < m.indptr[row + 1]; ++i) {
            const auto at = static_cast<size_t>(i);
            rows[row][static_cast<size_t>(m.indices[at])] += static_cast<long double>(m.data[at]);
        }
    }
    return rows;
}

template <class Value>
LongRows rows_of(const DenseRows<Value>& m) {
    LongRows rows;
    for (int64_t row = 0; row < m.n_rows; ++row) {
        const auto x =
            m.data.subspan(static_cast<size_t>(row * m.n_cols), static_cast<size_t>(m.n_cols));
        rows.emplace_back(x.begin(), x.end());
    }
    return rows;
}

struct LongMoments {
    std::vector<long double> weight, mean, m2;
};

inline LongMoments class_moments(const LongRows& rows, std::span<const int32_t> labels,
                                 std::span<const double> row_weights, size_t n_classes,
                                 size_t n_cols) {
    LongMoments out{std::vector<long double>(n_classes, 0),
                    std::vector<long double>(n_classes * n_cols, 0),
                    std::vector<long double>(n_classes * n_cols, 0)};
    const auto weight = [&](size_t i) { return row_weights.empty() ? 1.0 : row_weights[i]; };
    const auto cell = [&](size_t i, size_t j) {
        return static_cast<size_t>(labels[i]) * n_cols + j;
    };
    for (size_t i = 0; i < rows.size(); ++i)
        out.weight[static_cast<size_t>(labels[i])] += weight(i);
    for (size_t i = 0; i < rows.size(); ++i) {
        if (weight(i) == 0.0) continue;
        for (size_t j = 0; j < n_cols; ++j) {
            out.mean[cell(i, j)] +=
                weight(i) * rows[i][j] / out.weight[static_cast<size_t>(labels[i])];
        }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        for (size_t j = 0; j < n_cols; ++j) {
            const long double deviation = rows[i][j] - out.mean[cell(i, j)];
            out.m2[cell(i, j)] += weight(i) * deviation * deviation;
        }
    }
    return out;
}

// scores[i * n_classes + c]; a variance of 0 is a point mass.
inline std::vector<long double> score_gaussians(const LongRows& rows, std::span<const double> mean,
                                                std::span<const double> variance,
                                                std::span<const double> log_prior, size_t n_cols) {
    const long double two_pi = 2 * std::acos(-1.0L);
    std::vector<long double> scores;
    for (const auto& row : rows) {
        for (size_t c = 0; c < log_prior.size(); ++c) {
            long double score = log_prior[c];
            for (size_t j = 0; j < n_cols; ++j) {
                const long double deviation = row[j] - mean[c * n_cols + j];
                const long double square = variance[c * n_cols + j];
                if (square > 0) {
                    score -= (std::log(two_pi * square) + deviation * deviation / square) / 2;
                } else if (deviation != 0) {
                    score = -std::numeric_limits<long double>::infinity();
                }
            }
            scores.push_back(score);
        }
    }
    return scores;
}

}  // namespace wordodds::reference
