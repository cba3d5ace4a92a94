// Slow twins of linear/vectors, in long double.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wordodds::reference {

inline double vectors_dot(std::span<const double> a, std::span<const double> b) {
    long double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
    return static_cast<double>(sum);
}

struct CgStep {
    std::vector<double> solution, residual, preconditioned;
    double squared;
    double energy;
};

inline CgStep vectors_cg_step(double alpha, std::span<const double> direction,
                              std::span<const double> product,
                              std::span<const double> inverse_diagonal,
                              std::span<const double> solution, std::span<const double> residual) {
    CgStep step{};
    for (size_t i = 0; i < direction.size(); ++i) {
        step.solution.push_back(solution[i] + alpha * direction[i]);
        step.residual.push_back(residual[i] - alpha * product[i]);
        step.preconditioned.push_back(inverse_diagonal[i] * step.residual.back());
    }
    step.squared = vectors_dot(step.residual, step.residual);
    step.energy = vectors_dot(step.residual, step.preconditioned);
    return step;
}

}  // namespace wordodds::reference
