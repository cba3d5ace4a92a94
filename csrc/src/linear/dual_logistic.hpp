// The equation that makes one row's probability right: logistic columns of dual ascent.
#pragma once

#include "wordodds/base/lanes.hpp"

namespace wordodds {

// What stands for a probability of zero where nobody has asked yet, and in the padding.
inline constexpr double dual_unlikely = -40.0;
inline constexpr double dual_impossible = -700.0;

inline constexpr double dual_settled = 0.1;  // a last step below this is quadratically close

// Where l + exp(l) = v lies at most. Newton's method descends from there without overshooting, as
// the left side is convex.
WORDODDS_LANES Lanes root_above(Lanes v) {
    return v > 1.0 ? log_above(larger(v, lanes_of(1.0))) : v;
}

// l + rho sigmoid(l) = u, to 1e-2 or so, from `before`. Mirrored so that l <= 0, where the left
// side is convex: every step after the first comes from the right and stays there. sigmoid(l) >=
// exp(l) / 2 bounds l from above. Preconditions: rho > 0 and finite, log_half_rho = log(rho / 2).
WORDODDS_LANES Lanes solve_logistic(Lanes u, Lanes rho, Lanes log_half_rho, Lanes before) {
    constexpr int steps_max = 60;
    const LaneBits mirrored = u > 0.5 * rho;
    const Lanes target = mirrored ? rho - u : u;
    const Lanes bound = smaller(root_above(target + log_half_rho) - log_half_rho, lanes_of(0.0));
    Lanes l = smaller(mirrored ? -before : before, bound);
    for (int step = 0; step < steps_max; ++step) {
        const Lanes p = sigmoid_lanes(l);
        const Lanes newton = l - (l + rho * p - target) / (1.0 + rho * p * (1.0 - p));
        const Lanes next = larger(smaller(newton, bound), lanes_of(dual_impossible));
        const Lanes change = magnitude(next - l);
        l = next;
        if (!(largest_of(change) > dual_settled)) break;
    }
    return mirrored ? -l : l;
}

}  // namespace wordodds
