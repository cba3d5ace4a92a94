// Arithmetic on long vectors: parameters, gradients and directions.
//
// With 130,000 features and 20 classes such a vector is 21 MB, and a step of conjugate gradients
// costs as much memory traffic as a pass over the data: so each function does in one sweep what
// belongs together. All are parallel over fixed chunks; sums are taken in double, by chunk, in
// chunk order: the same bits for any n_jobs. O(n).
#pragma once

#include <span>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

// sum_i a[i] b[i].
double vectors_dot(std::span<const double> a, std::span<const double> b,
                   const Execution& execution);

// y += t x.
void vectors_add(double t, std::span<const double> x, const Execution& execution,
                 std::span<double> y_in_out);

// y = x + t y.
void vectors_scale_add(std::span<const double> x, double t, const Execution& execution,
                       std::span<double> y_in_out);

// What a step of preconditioned conjugate gradients tells of its new residual.
struct ResidualNorms {
    double squared;         // r . r
    double preconditioned;  // r . M^-1 r
};

// One step of preconditioned conjugate gradients on H x = b: x += alpha p, r -= alpha Hp, and
// z = M^-1 r for a diagonal M given by its inverse.
ResidualNorms vectors_cg_step(double alpha, std::span<const double> direction,
                              std::span<const double> product,
                              std::span<const double> inverse_diagonal, const Execution& execution,
                              std::span<double> solution_in_out, std::span<double> residual_in_out,
                              std::span<double> preconditioned_out);

}  // namespace wordodds
