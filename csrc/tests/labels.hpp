// Random labels and row weights for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/documents.hpp"

namespace wordodds {

inline std::vector<int32_t> random_labels(Random& random, int64_t n_rows, int64_t n_classes) {
    std::vector<int32_t> labels(static_cast<size_t>(n_rows));
    for (int32_t& label : labels) label = static_cast<int32_t>(below(random, n_classes));
    return labels;
}

// Every fourth or so zero.
inline std::vector<double> random_row_weights(Random& random, int64_t n_rows) {
    std::vector<double> weights(static_cast<size_t>(n_rows));
    for (double& weight : weights) weight = random() % 4 == 0 ? 0.0 : 3.0 * uniform(random);
    return weights;
}

}  // namespace wordodds
