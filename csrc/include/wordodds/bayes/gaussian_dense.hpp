// The scores of bayes/gaussian.hpp for dense rows.
#pragma once

#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/bayes/gaussian.hpp"
#include "wordodds/bayes/moments.hpp"

namespace wordodds {

// What csr_score_gaussians computes, with its promises. Length: scores_out n_rows * n_classes.
// Blocks of 32 classes, 256 rows and 128 columns; 16 rows at once. O(n_rows * n_cols * n_classes).
template <class Value>
void dense_score_gaussians(const DenseRows<Value>& matrix, const GaussianTable& gaussians,
                           const Execution& execution, std::span<double> scores_out);

}  // namespace wordodds
