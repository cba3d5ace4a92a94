// Slow twins of the links' losses in linear/loss.hpp: -log q and its derivatives
// -q'/q and (q'/q)^2 - q''/q, q the chance of what happened, in long double.
#pragma once

#include <cmath>
#include <numbers>

namespace wordodds::reference {

struct LinkLoss {
    long double loss;
    long double gradient;
    long double hessian;
};

inline LinkLoss logit_loss(bool positive, long double z) {
    const long double own = positive ? z : -z;
    const long double other = 1 / (1 + std::exp(own));  // the chance of what did not happen
    return {std::log1p(std::exp(-own)), positive ? -other : other, other / (1 + std::exp(-own))};
}

inline LinkLoss probit_loss(bool positive, long double z) {
    constexpr long double sqrt2 = std::numbers::sqrt2_v<long double>;
    const long double own = positive ? z : -z;
    const long double q = std::erfc(-own / sqrt2) / 2;
    const long double density =
        std::exp(-own * own / 2) / std::sqrt(2 * std::numbers::pi_v<long double>);
    const long double ratio = density / q;
    const long double loss = own > 0 ? -std::log1p(-std::erfc(own / sqrt2) / 2) : -std::log(q);
    return {loss, positive ? -ratio : ratio, ratio * (ratio + own)};
}

// q = 1 - exp(-u) for a positive row, exp(-u) for another, by u.
inline LinkLoss noisy_or_loss(bool positive, long double u) {
    if (!positive) return {u, 1, 0};
    const long double missing = std::exp(-u), q = -std::expm1(-u);
    return {u < 1 ? -std::log(q) : -std::log1p(-missing), -missing / q, missing / (q * q)};
}

// The same with u = exp(z), by the chain rule: du/dz = d^2u/dz^2 = u.
inline LinkLoss cloglog_loss(bool positive, long double z) {
    const long double u = std::exp(z);
    const LinkLoss by_u = noisy_or_loss(positive, u);
    return {by_u.loss, by_u.gradient * u, by_u.hessian * u * u + by_u.gradient * u};
}

}  // namespace wordodds::reference
