// What stochastic gradient descent left for later, done: weights as they really are.
#pragma once

#include "wordodds/linear/sgd.hpp"

namespace wordodds {

// Brings all weights and averages up to date: scale and average_b are 1 afterwards, every weight
// has received its L1 penalty, norms are computed anew. Further epochs go on as if it had not been
// called, but for rounding and for L1: scores before the next step of a feature would not know its
// penalty. O(n_features * stride); not stoppable, as half of it would be no state.
template <class Weight>
void sgd_settle(const SgdOptions& options, const Execution& execution,
                const SgdState<Weight>& state);

}  // namespace wordodds
