// One coordinate under an L1 penalty.
#pragma once

#include <algorithm>
#include <cmath>

namespace wordodds {

// The smallest |subgradient| of a coordinate with weight w and gradient g of all that is smooth.
inline double violation_of(double g, double w, double l1) {
    if (w > 0.0) return std::abs(g + l1);
    if (w < 0.0) return std::abs(g - l1);
    return std::max(std::abs(g) - l1, 0.0);
}

// argmin over the change: g change + a / 2 change^2 + l1 |w + change|. Precondition: a > 0.
inline double best_change(double g, double a, double w, double l1) {
    if (g + l1 <= a * w) return -(g + l1) / a;
    if (g - l1 >= a * w) return -(g - l1) / a;
    return -w;
}

}  // namespace wordodds
