// Rows in the order of their classes: what lets one thread own the sums of a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/stop.hpp"

namespace wordodds {

// Numbers of the rows that weigh something, grouped by class and ascending within each; group c is
// [begin[c], begin[c + 1]).
struct RowsByClass {
    std::vector<size_t> begin;
    std::vector<int64_t> rows;

    int64_t n_classes() const { return static_cast<int64_t>(begin.size()) - 1; }
    std::span<const int64_t> of_class(size_t c) const {
        return std::span(rows).subspan(begin[c], begin[c + 1] - begin[c]);
    }
};

// Groups the rows by counting. Lengths: labels n_rows, each in [0, n_classes); row_weights n_rows,
// or empty for weights of 1. Rows of weight zero are left out. O(n_rows + n_classes), one thread.
inline RowsByClass group_rows(std::span<const int32_t> labels, std::span<const double> row_weights,
                              int64_t n_classes, StopToken& stop) {
    constexpr size_t rows_per_check = 1 << 18;
    const auto for_each_row = [&](auto&& body) {
        for (size_t row = 0; row < labels.size(); ++row) {
            if (row % rows_per_check == 0) stop.check();
            if (row_weights.empty() || row_weights[row] != 0.0) body(row);
        }
    };
    RowsByClass groups;
    groups.begin.assign(static_cast<size_t>(n_classes) + 1, 0);
    for_each_row([&](size_t row) { ++groups.begin[static_cast<size_t>(labels[row]) + 1]; });
    for (size_t c = 1; c < groups.begin.size(); ++c) groups.begin[c] += groups.begin[c - 1];
    groups.rows.resize(groups.begin.back());
    std::vector<size_t> next(groups.begin.begin(), groups.begin.end() - 1);
    for_each_row([&](size_t row) {
        groups.rows[next[static_cast<size_t>(labels[row])]++] = static_cast<int64_t>(row);
    });
    return groups;
}

}  // namespace wordodds
