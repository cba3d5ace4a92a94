// Dual ascent where there is one column: two classes, plain numbers instead of lanes.
//
// What linear/dual.hpp and linear/dual_value.hpp say holds for these, which they call when
// n_columns = 1 (always the logistic loss): the stride is 1, which makes weights four times as
// dense.
#pragma once

#include <span>

#include "wordodds/linear/dual_value.hpp"

namespace wordodds {

template <class Weight>
void dual_ascend_one(const DualRows& rows, const DualProblem& problem,
                     std::span<const int32_t> order, const Execution& execution,
                     const DualState<Weight>& state);

template <class Weight>
DualValue dual_measure_one(const DualRows& rows, const DualProblem& problem,
                           std::span<const double> single_max, const DualState<Weight>& state,
                           const Execution& execution, std::span<double> intercept_gradient_out,
                           std::span<double> residuals_out, std::span<double> gradient_out);

void dual_variables_one(const DualProblem& problem, std::span<const double> log_odds,
                        const Execution& execution, std::span<double> duals_out);

void dual_weights_one(const DualRows& rows, std::span<const double> values,
                      const Execution& execution, std::span<double> weights_out);

}  // namespace wordodds
