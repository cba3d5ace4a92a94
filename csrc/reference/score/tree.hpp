// Slow twin of score/tree: the probability of every leaf, by its whole way from the root.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace wordodds::reference {

inline std::vector<double> leaf_chances(std::span<const double> scores,
                                        std::span<const int32_t> tree, double floor) {
    const size_t n_nodes = tree.size() / 2, n_leaves = n_nodes + 1;
    std::vector<double> chances;
    for (size_t leaf = 0; leaf < n_leaves; ++leaf) {
        double chance = 1.0;
        for (size_t at = leaf; at != 2 * n_leaves - 2;) {
            size_t child = 0;
            while (static_cast<size_t>(tree[child]) != at) ++child;
            const double right = 1.0 / (1.0 + std::exp(-scores[child / 2]));
            chance *= (child % 2 ? right : 1.0 - right) + floor;
            at = n_leaves + child / 2;
        }
        chances.push_back(chance);
    }
    return chances;
}

}  // namespace wordodds::reference
