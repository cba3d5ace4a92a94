// Losses of one score, by the link that makes a probability of it.
#pragma once

#include <cstdint>

namespace wordodds {

// Losses of one score each, for n of them at once: y[i] is 0 or 1, raw[i] the score; writes the
// loss and its first and second derivative by the score. Outside the domain of a loss: infinity,
// which tells a line search that it went too far.
using ScalarLoss = void (*)(int64_t n, const double* y, const double* raw, double* loss,
                            double* gradient, double* hessian);

// -log p(y | raw) for p(1 | raw) by its link:
void logit_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                double* hessian);  // 1 / (1 + exp(-raw))
void probit_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                 double* hessian);  // the normal distribution function
void cloglog_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                  double* hessian);  // 1 - exp(-exp(raw))
void noisy_or_loss(int64_t n, const double* y, const double* raw, double* loss, double* gradient,
                   double* hessian);  // 1 - exp(-raw), raw >= 0

}  // namespace wordodds
