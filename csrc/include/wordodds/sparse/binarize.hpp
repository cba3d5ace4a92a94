// Counts into presences: the values of a matrix as zeros and ones.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// out[k] = 1 if data[k] > threshold, else 0, for every stored entry k; the structure stays as it
// is. Returns whether a row holds a column twice (csr_has_repeats): then the question must be asked
// of the sum of its entries, and `out` answers it for each alone.
//
// Lengths: data_out as data. Precondition: no value is NaN. Like NumPy, float values are compared
// with the threshold as a float, and whole numbers as doubles. Entries that are not stored are
// zero, and stay so: a threshold below zero is not the business of this kernel. O(n_rows + nnz),
// parallel.
template <class Value>
bool csr_binarize(const CsrView<Value>& matrix, double threshold, const Execution& execution,
                  std::span<float> data_out);

}  // namespace wordodds
