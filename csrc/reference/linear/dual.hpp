// Slow twins of dual ascent's kernels: dense matrices, standard functions, one formula a line.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "wordodds/base/types.hpp"
#include "wordodds/linear/dual.hpp"

namespace wordodds::reference {

using Matrix = std::vector<std::vector<double>>;

template <class Value>
Matrix dense(const CsrView<Value>& matrix) {
    Matrix x(static_cast<size_t>(matrix.n_rows),
             std::vector<double>(static_cast<size_t>(matrix.n_cols), 0.0));
    for (size_t i = 0; i < x.size(); ++i) {
        for (auto e = static_cast<size_t>(matrix.indptr[i]);
             e < static_cast<size_t>(matrix.indptr[i + 1]); ++e) {
            x[i][static_cast<size_t>(matrix.indices[e])] += static_cast<double>(matrix.data[e]);
        }
    }
    return x;
}

inline bool is_own(int64_t n_columns, int32_t code, size_t k) {
    return n_columns == 1 ? code == 1 : static_cast<size_t>(code) == k;
}

// Probabilities of scores (or of log-odds, which are scores too).
inline std::vector<double> probabilities(DualLoss loss, const std::vector<double>& scores) {
    std::vector<double> p(scores.size());
    double sum = 0.0;
    double top = scores[0];
    for (const double score : scores) top = std::max(top, score);
    for (size_t k = 0; k < p.size(); ++k) {
        p[k] = loss == DualLoss::softmax ? std::exp(scores[k] - top)
                                         : 1.0 / (1.0 + std::exp(-scores[k]));
        sum += p[k];
    }
    if (loss == DualLoss::softmax) {
        for (double& value : p) value /= sum;
    }
    return p;
}

// What a point is worth, from the dense matrix and dual variables alone.
struct DualPoint {
    Matrix weights;             // n_cols x n_columns: sum_i x_i^T a_i
    double value = 0.0;         // P
    double dual = 0.0;          // entropy - |W|^2 / 2 - b . sum_i a_i
    double gradient_max = 0.0;  // over the weights
    std::vector<double> sums;   // sum_i a_i
};

inline DualPoint dual_point(const Matrix& x, DualLoss loss, const std::vector<int32_t>& codes,
                            const std::vector<double>& costs, const Matrix& p,
                            const std::vector<double>& intercept) {
    const size_t n_columns = intercept.size();
    const auto n = static_cast<int64_t>(n_columns);
    const size_t n_cols = x.empty() ? 0 : x[0].size();
    DualPoint point;
    point.weights.assign(n_cols, std::vector<double>(n_columns, 0.0));
    Matrix gradient = point.weights;
    point.sums.assign(n_columns, 0.0);
    for (size_t i = 0; i < x.size(); ++i) {
        for (size_t k = 0; k < n_columns; ++k) {
            const double a = costs[i] * ((is_own(n, codes[i], k) ? 1.0 : 0.0) - p[i][k]);
            point.sums[k] += a;
            for (size_t j = 0; j < n_cols; ++j) point.weights[j][k] += x[i][j] * a;
            const double q = p[i][k];
            if (q > 0.0) point.dual -= costs[i] * q * std::log(q);
            if (loss == DualLoss::logistic && q < 1.0) {
                point.dual -= costs[i] * (1.0 - q) * std::log1p(-q);
            }
        }
    }
    for (size_t i = 0; i < x.size(); ++i) {
        std::vector<double> scores = intercept;
        for (size_t k = 0; k < n_columns; ++k) {
            for (size_t j = 0; j < n_cols; ++j) scores[k] += x[i][j] * point.weights[j][k];
        }
        const std::vector<double> now = probabilities(loss, scores);
        for (size_t k = 0; k < n_columns; ++k) {
            const bool own = is_own(n, codes[i], k);
            if (loss == DualLoss::logistic) {
                point.value -= costs[i] * std::log(own ? now[k] : 1.0 - now[k]);
            } else if (own) {
                point.value -= costs[i] * std::log(now[k]);
            }
            for (size_t j = 0; j < n_cols; ++j) {
                gradient[j][k] += costs[i] * (now[k] - (own ? 1.0 : 0.0)) * x[i][j];
            }
        }
    }
    for (size_t j = 0; j < n_cols; ++j) {
        for (size_t k = 0; k < n_columns; ++k) {
            const double w = point.weights[j][k];
            point.value += w * w / 2;
            point.dual -= w * w / 2;
            point.gradient_max = std::max(point.gradient_max, std::abs(w + gradient[j][k]));
        }
    }
    for (size_t k = 0; k < n_columns; ++k) point.dual -= intercept[k] * point.sums[k];
    return point;
}

}  // namespace wordodds::reference
