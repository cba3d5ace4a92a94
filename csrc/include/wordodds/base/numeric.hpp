// The named stable functions; nothing else takes the logarithm of a sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace wordodds {

// log sum_i exp(x_i) = m + log sum_i exp(x_i - m) with m = max_i x_i, so that nothing overflows.
// Of nothing, or of minus infinities only: minus infinity, never NaN. O(n).
inline double logsumexp(std::span<const double> x) {
    if (x.empty()) return -std::numeric_limits<double>::infinity();
    const double largest = *std::max_element(x.begin(), x.end());
    if (std::isinf(largest)) return largest;
    double sum = 0.0;
    for (const double value : x) sum += std::exp(value - largest);
    return largest + std::log(sum);
}

// log(1 + exp(x)), neither overflowing nor losing what is small. O(1).
inline double log1pexp(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// 1 / (1 + exp(-x)), with all digits at both ends; its derivative is s * (1 - s), and 1 - s is
// sigmoid(-x). O(1).
inline double sigmoid(double x) {
    const double e = std::exp(-std::abs(x));
    return (x >= 0.0 ? 1.0 : e) / (1.0 + e);
}

}  // namespace wordodds
