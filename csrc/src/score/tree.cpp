#include "wordodds/score/tree.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 256;

struct Open {
    int32_t node;
    double chance;
};

// Looks into the likelier child first, and later only where something better can still be.
class LeafFinder {
   public:
    LeafFinder(std::span<const int32_t> tree, double floor)
        : tree_(tree), n_leaves_(static_cast<int32_t>(tree.size() / 2) + 1), floor_(floor) {
        // With a floor a step may multiply by more than one: by that much below each node.
        gain_.assign(tree.size() + 1, 1.0);
        for (int32_t i = 0; i < n_leaves_ - 1; ++i) {
            const auto at = static_cast<size_t>(2 * i);
            gain_[static_cast<size_t>(n_leaves_ + i)] =
                (1.0 + floor) * std::max(gain_[static_cast<size_t>(tree[at])],
                                         gain_[static_cast<size_t>(tree[at + 1])]);
        }
    }

    int32_t find(const double* scores) {
        int32_t best = 0;
        double best_chance = -1.0;
        open_.assign(1, {2 * n_leaves_ - 2, 1.0});
        while (!open_.empty()) {
            const Open top = open_.back();
            open_.pop_back();
            if (top.chance * gain_[static_cast<size_t>(top.node)] <= best_chance) continue;
            if (top.node < n_leaves_) {
                best = top.node;
                best_chance = top.chance;
                continue;
            }
            const int32_t i = top.node - n_leaves_;
            const double right = 1.0 / (1.0 + std::exp(-scores[i]));
            const Open first{tree_[static_cast<size_t>(2 * i)],
                             top.chance * (1.0 - right + floor_)};
            const Open second{tree_[static_cast<size_t>(2 * i + 1)], top.chance * (right + floor_)};
            const bool first_is_likelier = first.chance > second.chance;
            open_.push_back(first_is_likelier ? second : first);
            open_.push_back(first_is_likelier ? first : second);
        }
        return best;
    }

   private:
    std::span<const int32_t> tree_;
    int32_t n_leaves_;
    double floor_;
    std::vector<double> gain_;
    std::vector<Open> open_;
};

}  // namespace

void rows_find_leaves(int64_t n_rows, std::span<const double> scores, std::span<const int32_t> tree,
                      double floor, const Execution& execution, std::span<int64_t> leaves_out) {
    const auto n_nodes = static_cast<int64_t>(tree.size() / 2);
    const FixedChunks chunks{n_rows, rows_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        LeafFinder finder(tree, floor);
        for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
            leaves_out[static_cast<size_t>(row)] = finder.find(scores.data() + row * n_nodes);
        }
    });
}

}  // namespace wordodds
