// Labels as the leaves of a binary tree: hierarchical softmax.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

// The most probable leaf of each row of scores. A node with score s leads to its first child with
// probability 1 - sigmoid(s) + floor and to its second with sigmoid(s) + floor; a leaf has the
// product over the way from the root.
//
// tree[2 * i] and tree[2 * i + 1] are the children of node i: a leaf below n_leaves, any other node
// child - n_leaves, which comes before i; the root is the last node. Lengths: tree 2 * (n_leaves -
// 1), scores n_rows * (n_leaves - 1), leaves_out n_rows. Preconditions: each leaf and each node but
// the root is a child once; n_leaves >= 2; no score is NaN; floor >= 0. Of leaves that are equal to
// the last bit it is one. O(n_rows * depth) where some leaf is clearly the best, O(n_rows *
// n_leaves) at most; parallel over rows.
void rows_find_leaves(int64_t n_rows, std::span<const double> scores, std::span<const int32_t> tree,
                      double floor, const Execution& execution, std::span<int64_t> leaves_out);

}  // namespace wordodds
