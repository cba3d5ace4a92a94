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

}  // namespace wordodds
