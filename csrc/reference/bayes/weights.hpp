// Slow twins of bayes/weights: the formulas of the header in long double, one cell after the other.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "wordodds/bayes/weights.hpp"

namespace wordodds::reference {

inline long double log_or_minus_infinity(long double x) {
    return x > 0 ? std::log(x) : -std::numeric_limits<long double>::infinity();
}

// weights[j * stride + c] = cell(c, j), the padding zero.
template <class Cell>
std::vector<double> weights_of_cells(const TallyView& tally, int64_t stride, Cell&& cell) {
    std::vector<double> weights(static_cast<size_t>(tally.n_cols * stride), 0.0);
    for (int64_t c = 0; c < tally.n_classes; ++c) {
        for (int64_t j = 0; j < tally.n_cols; ++j) {
            weights[static_cast<size_t>(j * stride + c)] = static_cast<double>(cell(c, j));
        }
    }
    return weights;
}

inline std::vector<double> tally_multinomial_weights(const TallyView& tally, const PseudoCounts& a,
                                                     int64_t stride) {
    return weights_of_cells(tally, stride, [&](int64_t c, int64_t j) -> long double {
        long double total = 0;
        for (int64_t k = 0; k < tally.n_cols; ++k) {
            total += static_cast<long double>(tally.of_class(c)[k]) + a.of(c, k);
        }
        const long double part = static_cast<long double>(tally.of_class(c)[j]) + a.of(c, j);
        return part == 0 ? log_or_minus_infinity(0) : std::log(part) - std::log(total);
    });
}

struct BernoulliWeights {
    std::vector<double> weights;
    std::vector<double> bias;
};

inline BernoulliWeights tally_bernoulli_weights(const TallyView& tally,
                                                std::span<const double> class_counts,
                                                const PseudoCounts& a, int64_t stride) {
    const long double nothing = log_or_minus_infinity(0);
    const auto rows = [&](int64_t c) {
        return static_cast<long double>(class_counts[static_cast<size_t>(c)]);
    };
    BernoulliWeights result;
    result.weights = weights_of_cells(tally, stride, [&](int64_t c, int64_t j) -> long double {
        const long double present = static_cast<long double>(tally.of_class(c)[j]) + a.of(c, j);
        const long double absent = rows(c) - tally.of_class(c)[j] + a.of(c, j);
        if (present == 0) return nothing;
        return absent == 0 ? 0 : std::log(present) - std::log(absent);
    });
    for (int64_t c = 0; c < tally.n_classes; ++c) {
        long double bias = 0;
        for (int64_t j = 0; j < tally.n_cols; ++j) {
            const long double absent = rows(c) - tally.of_class(c)[j] + a.of(c, j);
            const long double total = rows(c) + 2 * static_cast<long double>(a.of(c, j));
            if (total == 0) bias = nothing;
            if (absent > 0) bias += std::log(absent / total);
        }
        result.bias.push_back(static_cast<double>(bias));
    }
    return result;
}

inline std::vector<double> tally_complement_weights(const TallyView& tally,
                                                    std::span<const double> feature_totals,
                                                    const PseudoCounts& a, int64_t stride) {
    const auto elsewhere = [&](int64_t c, int64_t j) {
        return static_cast<long double>(feature_totals[static_cast<size_t>(j)]) -
               tally.of_class(c)[j] + a.of(c, j);
    };
    return weights_of_cells(tally, stride, [&](int64_t c, int64_t j) -> long double {
        long double total = 0;
        for (int64_t k = 0; k < tally.n_cols; ++k) total += elsewhere(c, k);
        const long double log_total = total > 0 ? std::log(total) : 0;
        return elsewhere(c, j) > 0 ? log_total - std::log(elsewhere(c, j)) : log_total;
    });
}

}  // namespace wordodds::reference
