#include <algorithm>
#include <vector>

#include "reference/score/tree.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "wordodds/score/tree.hpp"

namespace wordodds {
namespace {

// Two nodes without a parent at a time become children of the next; a deep tree takes the newest.
std::vector<int32_t> random_tree(Random& random, int32_t n_leaves, bool deep) {
    std::vector<int32_t> orphans, tree;
    for (int32_t leaf = 0; leaf < n_leaves; ++leaf) orphans.push_back(leaf);
    for (int32_t node = n_leaves; node < 2 * n_leaves - 1; ++node) {
        for (int side = 0; side < 2; ++side) {
            const bool newest = deep && side == 0;
            const size_t at = newest ? orphans.size() - 1 : random() % orphans.size();
            tree.push_back(orphans[at]);
            orphans.erase(orphans.begin() + static_cast<int64_t>(at));
        }
        orphans.push_back(node);
    }
    return tree;
}

TEST("the leaf is the best of all, whatever the tree") {
    Random random(11);
    for (const int32_t n_leaves : {2, 3, 7, 64, 200}) {
        for (const bool deep : {false, true}) {
            for (const double floor : {0.0, 1e-5, 0.3}) {
                const auto tree = random_tree(random, n_leaves, deep);
                const int64_t n_rows = 700, n_nodes = n_leaves - 1;
                std::vector<double> scores;
                for (int64_t i = 0; i < n_rows * n_nodes; ++i) {
                    const double scale = i / n_nodes % 3 == 0   ? 0.5
                                         : i / n_nodes % 3 == 1 ? 8.0
                                                                : 900.0;
                    scores.push_back(scale * (2.0 * uniform(random) - 1.0));
                }
                for_each_execution([&](const Execution& execution) {
                    std::vector<int64_t> leaves(static_cast<size_t>(n_rows), -1);
                    rows_find_leaves(n_rows, scores, tree, floor, execution, leaves);
                    for (int64_t row = 0; row < n_rows; row += 97) {
                        const std::span<const double> own(scores.data() + row * n_nodes,
                                                          static_cast<size_t>(n_nodes));
                        const auto chances = reference::leaf_chances(own, tree, floor);
                        const double best = *std::max_element(chances.begin(), chances.end());
                        const auto leaf = static_cast<size_t>(leaves[static_cast<size_t>(row)]);
                        // The products are taken from the other end.
                        CHECK_CLOSE(chances[leaf], best, 1e-13, row, n_leaves, deep, floor);
                    }
                });
            }
        }
    }
}

TEST("no row at all") {
    const std::vector<int32_t> tree{0, 1};
    rows_find_leaves(0, {}, tree, 0.0, Run(), {});
}

}  // namespace
}  // namespace wordodds
