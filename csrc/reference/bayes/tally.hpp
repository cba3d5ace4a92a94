// Slow twins of bayes/tally and bayes/tally_entries: the formulas of the header, written down as
// loops.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "wordodds/base/types.hpp"

namespace wordodds::reference {

// tally[c * n_cols + j]. Sum = double, in row order: the very bits that the kernel promises;
// Sum = long double: the nearly exact sum. No weights: all are 1.
template <class Sum, class Value>
std::vector<Sum> csr_tally_classes(const CsrView<Value>& m, std::span<const int32_t> labels,
                                   int64_t n_classes, std::span<const double> row_weights = {}) {
    std::vector<Sum> tally(static_cast<size_t>(n_classes * m.n_cols), 0);
    for (int64_t row = 0; row < m.n_rows; ++row) {
        const auto r = static_cast<size_t>(row);
        const Sum weight = row_weights.empty() ? 1.0 : row_weights[r];
        if (weight == 0) continue;
        for (int64_t i = m.indptr[r]; i < m.indptr[r + 1]; ++i) {
            const auto at = static_cast<size_t>(i);
            tally[static_cast<size_t>(labels[r] * m.n_cols + m.indices[at])] +=
                weight * static_cast<Sum>(m.data[at]);
        }
    }
    return tally;
}

struct TallyEntries {
    std::vector<int64_t> indptr{0};
    std::vector<int32_t> classes;
    std::vector<double> sums;
};

// Cell by cell from a map: which cells there are, and in which order, follows from its keys.
template <class Value>
TallyEntries csr_tally_entries(const CsrView<Value>& m, std::span<const int32_t> labels,
                               std::span<const double> row_weights) {
    std::map<std::pair<int64_t, int32_t>, double> cells;  // (feature, class)
    for (int64_t row = 0; row < m.n_rows; ++row) {
        const auto r = static_cast<size_t>(row);
        const double weight = row_weights.empty() ? 1.0 : row_weights[r];
        if (weight == 0) continue;
        for (int64_t i = m.indptr[r]; i < m.indptr[r + 1]; ++i) {
            const auto at = static_cast<size_t>(i);
            const double product = weight * static_cast<double>(m.data[at]);
            if (product != 0) cells[{m.indices[at], labels[r]}] += product;
        }
    }
    TallyEntries entries;
    auto cell = cells.begin();
    for (int64_t j = 0; j < m.n_cols; ++j) {
        for (; cell != cells.end() && cell->first.first == j; ++cell) {
            entries.classes.push_back(cell->first.second);
            entries.sums.push_back(cell->second);
        }
        entries.indptr.push_back(static_cast<int64_t>(entries.classes.size()));
    }
    return entries;
}

}  // namespace wordodds::reference
