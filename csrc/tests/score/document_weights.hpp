// Weights for fused scoring, as its tests need them.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/documents.hpp"
#include "wordodds/base/stride.hpp"
#include "wordodds/score/documents.hpp"

namespace wordodds {

// Rows of `rank` columns, or of n_columns where the rank is zero: then there is no factor. The
// padding holds large numbers, which must not show anywhere.
template <class Weight>
struct Weights {
    std::vector<Weight> weights;
    std::vector<double> bias, factor;
    int64_t rank;  // columns of weights
    int64_t stride;

    Weights(Random& random, int64_t n_rows, int64_t n_columns, int64_t factor_rank = 0)
        : rank(factor_rank > 0 ? factor_rank : n_columns), stride(lane_stride(rank)) {
        weights.assign(static_cast<size_t>(n_rows * stride), static_cast<Weight>(1e38));
        for (size_t i = 0; i < weights.size(); ++i) {
            if (static_cast<int64_t>(i) % stride >= rank) continue;
            weights[i] = static_cast<Weight>(8.0 * uniform(random) - 4.0);
        }
        for (int64_t i = 0; i < factor_rank * n_columns; ++i) {
            factor.push_back(uniform(random) - 0.5);
        }
        for (int64_t c = 0; c < n_columns; ++c) bias.push_back(uniform(random) - 0.5);
    }
    DocumentWeights<Weight> view() const { return {weights, stride, bias, factor, rank}; }
};

// body(weights) for both types of numbers, in one piece and of low rank.
template <class Body>
void for_each_weights(Random& random, int64_t n_rows, int64_t n_columns, int64_t rank, Body body) {
    body(Weights<double>(random, n_rows, n_columns));
    body(Weights<float>(random, n_rows, n_columns));
    body(Weights<double>(random, n_rows, n_columns, rank));
    body(Weights<float>(random, n_rows, n_columns, rank));
}

}  // namespace wordodds
