// The loss of one row and its derivatives, stable for any finite score.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace wordodds {

struct LogisticRow {
    double loss;       // log(1 + exp(-margin)), margin = score for the positive class, else -score
    double residual;   // d loss / d score = probability - label
    double curvature;  // its derivative
};

inline LogisticRow logistic_row(double score, bool positive) {
    const double margin = positive ? score : -score;
    const double e = std::exp(-std::abs(margin));
    const double inverse = 1.0 / (1.0 + e);
    const double wrong = margin >= 0.0 ? e * inverse : inverse;  // probability of the other class
    return {std::log1p(e) + std::max(-margin, 0.0), positive ? -wrong : wrong,
            e * inverse * inverse};
}

// exp(scores[k * stride] + step * direction[k * stride]) normalised over k < n, into
// probabilities_out[k * stride]; returns -log of that of class `code`.
inline double softmax_row(const double* scores, const double* direction, double step, int64_t n,
                          int64_t stride, int64_t code, double* probabilities_out) {
    double largest = scores[0] + step * direction[0];
    for (int64_t k = 0; k < n; ++k) {
        const double score = scores[k * stride] + step * direction[k * stride];
        probabilities_out[k * stride] = score;
        largest = std::max(largest, score);
    }
    const double own = probabilities_out[code * stride] - largest;
    double total = 0.0;
    for (int64_t k = 0; k < n; ++k) {
        const double e = std::exp(probabilities_out[k * stride] - largest);
        probabilities_out[k * stride] = e;
        total += e;
    }
    const double inverse = 1.0 / total;
    for (int64_t k = 0; k < n; ++k) probabilities_out[k * stride] *= inverse;
    return std::log(total) - own;
}

}  // namespace wordodds
