// Rows in the order of their classes: what lets one thread own the sums of a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/stop.hpp"

namespace wordodds {

// Row numbers grouped by class, ascending within each; group c is [begin[c], begin[c + 1]).
struct RowsByClass {
    std::vector<size_t> begin;
    std::vector<int64_t> rows;

    int64_t n_classes() const { return static_cast<int64_t>(begin.size()) - 1; }
};

// Groups the rows by counting. Each label is in [0, n_classes). O(n_rows + n_classes), one thread.
inline RowsByClass group_rows(std::span<const int32_t> labels, int64_t n_classes, StopToken& stop) {
    constexpr size_t rows_per_check = 1 << 18;
    RowsByClass groups;
    groups.begin.assign(static_cast<size_t>(n_classes) + 1, 0);
    groups.rows.resize(labels.size());
    for (size_t row = 0; row < labels.size(); ++row) {
        if (row % rows_per_check == 0) stop.check();
        ++groups.begin[static_cast<size_t>(labels[row]) + 1];
    }
    for (size_t c = 1; c < groups.begin.size(); ++c) groups.begin[c] += groups.begin[c - 1];
    std::vector<size_t> next(groups.begin.begin(), groups.begin.end() - 1);
    for (size_t row = 0; row < labels.size(); ++row) {
        if (row % rows_per_check == 0) stop.check();
        groups.rows[next[static_cast<size_t>(labels[row])]++] = static_cast<int64_t>(row);
    }
    return groups;
}

}  // namespace wordodds
