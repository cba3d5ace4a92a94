#include "wordodds/linear/link_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "logit.hpp"
#include "wordodds/linear/loss.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Derivatives {
    double loss;
    double gradient;
    double hessian;
};

template <class One>
[[gnu::always_inline]] inline void for_each(int64_t n, const double* y, const double* raw,
                                            double* loss, double* gradient, double* hessian,
                                            One one) {
    for (int64_t i = 0; i < n; ++i) {
        const Derivatives d = one(y[i], raw[i]);
        loss[i] = d.loss;
        gradient[i] = d.gradient;
        hessian[i] = d.hessian;
    }
}

// The normal distribution far below its mean, x > 0: density / distribution = x + excess.
// A continued fraction; beyond x = 5 its 60 terms are more than double can hold.
double mills_excess(double x) {
    double fraction = 0.0;
    for (int term = 60; term >= 1; --term) fraction = term / (x + fraction);
    return fraction;
}

// -log Phi(z) and its derivatives by z.
Derivatives negative_log_normal(double z) {
    constexpr double far = -5.0;
    const double log_density = -0.5 * z * z - 0.5 * std::log(2.0 * std::numbers::pi);
    if (z < far) {
        const double excess = mills_excess(-z);
        const double mills = excess - z;
        // mills * (mills + z), but without the difference of two large numbers.
        return {std::log(mills) - log_density, -mills, mills * excess};
    }
    const double below = 0.5 * std::erfc(-z * (0.5 * std::numbers::sqrt2));
    const double mills = std::exp(log_density) / below;
    // Near 1 the logarithm is that of what is missing.
    const double above = 0.5 * std::erfc(z * (0.5 * std::numbers::sqrt2));
    const double loss = z > 0.0 ? -std::log1p(-above) : -std::log(below);
    return {loss, -mills, mills * (mills + z)};
}

// -log(1 - exp(-u)), u > 0: of what is there where that is small, of what is missing where it is
// not.
double negative_log_missing(double u) {
    return u < std::numbers::ln2 ? -std::log(-std::expm1(-u)) : -std::log1p(-std::exp(-u));
}

// The same and its derivatives by u.
Derivatives negative_log_chance(double u) {
    const double grows = std::expm1(u);
    // The second one beyond what double holds (u < 1e-154) is cut: infinity times zero is no
    // number.
    return {negative_log_missing(u), -1.0 / grows,
            std::min(1.0 / (grows * -std::expm1(-u)), std::numeric_limits<double>::max())};
}

// The same with u = exp(raw), by raw.
Derivatives negative_log_cloglog(double raw) {
    constexpr double small = 0.05;
    const double u = std::exp(raw);
    if (u == 0.0 || std::isinf(u)) return {u == 0.0 ? -raw : 0.0, u == 0.0 ? -1.0 : 0.0, 0.0};
    const double missing = -std::expm1(-u);
    const double ratio = u / std::expm1(u);
    // u / (1 - exp(-u)) - 1; by its series where that is a difference of nearly equal numbers.
    const double excess =
        u < small ? u * (0.5 + u * (1.0 / 12.0 - u * u * (1.0 / 720.0 - u * u / 30240.0)))
                  : u / missing - 1.0;
    // For small u, log(1 - exp(-u)) = raw + log((1 - exp(-u)) / u): exact where u has no digits
    // left.
    const double loss = u < small ? -raw - std::log1p(missing / u - 1.0) : negative_log_missing(u);
    return {loss, -ratio, ratio * excess};
}

}  // namespace

void logit_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                double* hessian) {
    logit_in_lanes(n, y, raw, loss, gradient, hessian);
}

void probit_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                 double* hessian) {
    for_each(n, y, raw, loss, gradient, hessian, [](double target, double z) -> Derivatives {
        const double sign = target > 0.5 ? 1.0 : -1.0;
        const Derivatives d = negative_log_normal(sign * z);
        return {d.loss, sign * d.gradient, d.hessian};
    });
}

void cloglog_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                  double* hessian) {
    for_each(n, y, raw, loss, gradient, hessian, [](double target, double z) -> Derivatives {
        if (target > 0.5) return negative_log_cloglog(z);
        const double u = std::exp(z);
        return {u, u, u};
    });
}

void noisy_or_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                   double* hessian) {
    for_each(n, y, raw, loss, gradient, hessian, [](double target, double z) -> Derivatives {
        if (z < 0.0 || (z == 0.0 && target > 0.5)) return {infinity, 0.0, 0.0};
        if (target > 0.5) return negative_log_chance(z);
        return {z, 1.0, 0.0};
    });
}

}  // namespace wordodds
