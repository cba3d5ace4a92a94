// The logistic loss in lanes; linear/loss.hpp says what it computes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wordodds/base/lanes.hpp"

namespace wordodds {

// log(1 + e^z) - y z and its derivatives, y being 0 or 1, with all digits of what is small. Beyond
// |z| = 708 probabilities stay what they are there, 3e-308.
struct LogitLanes {
    Lanes loss;
    Lanes gradient;
    Lanes hessian;

    WORDODDS_LANES LogitLanes(Lanes y, Lanes z) {
        const Lanes e = exp_lanes(-magnitude(z));
        const Lanes likely = 1.0 / (1.0 + e);
        const Lanes unlikely = e / (1.0 + e);
        // As a function of the score that should be large.
        const Lanes wrong = y > 0.5 ? -z : z;
        const Lanes missing = wrong > 0.0 ? likely : unlikely;
        loss = larger(wrong, lanes_of(0.0)) + elementary::log1p_of_fraction(e);
        gradient = y > 0.5 ? -missing : missing;
        hessian = likely * unlikely;
    }
};

WORDODDS_LANES void logit_in_lanes(int64_t n, const double* y, const double* raw, double* loss,
                                   double* gradient, double* hessian) {
    int64_t i = 0;
    for (; i + n_lanes <= n; i += n_lanes) {
        const LogitLanes d(load_lanes(y + i), load_lanes(raw + i));
        store_lanes(loss + i, d.loss);
        store_lanes(gradient + i, d.gradient);
        store_lanes(hessian + i, d.hessian);
    }
    for (; i < n; ++i) {
        const LogitLanes d(lanes_of(y[i]), lanes_of(raw[i]));
        loss[i] = d.loss[0];
        gradient[i] = d.gradient[0];
        hessian[i] = d.hessian[0];
    }
}

}  // namespace wordodds
