// Slow twins of bayes/multinomial: the formulas of the header, written down as loops.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "wordodds/base/types.hpp"

namespace wordodds::reference {

// tally[c * n_cols + j]. Sum = double, in row order: the very bits that the kernel promises;
// Sum = long double: the nearly exact sum.
template <class Sum, class Index, class Value>
std::vector<Sum> csr_tally_classes(const CsrView<Index, Value>& m, std::span<const int32_t> labels,
                                   int64_t n_classes) {
    std::vector<Sum> tally(static_cast<size_t>(n_classes * m.n_cols), 0);
    for (int64_t row = 0; row < m.n_rows; ++row) {
        const auto r = static_cast<size_t>(row);
        for (int64_t i = m.indptr[r]; i < m.indptr[r + 1]; ++i) {
            const auto at = static_cast<size_t>(i);
            tally[static_cast<size_t>(labels[r] * m.n_cols + m.indices[at])] +=
                static_cast<Sum>(m.data[at]);
        }
    }
    return tally;
}

// weights[j * stride + c], the padding zero.
inline std::vector<double> tally_log_weights(std::span<const double> tally, int64_t n_classes,
                                             int64_t n_cols, double alpha, int64_t stride) {
    std::vector<double> weights(static_cast<size_t>(n_cols * stride), 0.0);
    for (int64_t c = 0; c < n_classes; ++c) {
        long double total = 0;
        for (int64_t k = 0; k < n_cols; ++k) {
            total += static_cast<long double>(tally[static_cast<size_t>(c * n_cols + k)]) + alpha;
        }
        for (int64_t j = 0; j < n_cols; ++j) {
            const long double part =
                static_cast<long double>(tally[static_cast<size_t>(c * n_cols + j)]) + alpha;
            weights[static_cast<size_t>(j * stride + c)] =
                part == 0 ? -std::numeric_limits<double>::infinity()
                          : static_cast<double>(std::log(part) - std::log(total));
        }
    }
    return weights;
}

}  // namespace wordodds::reference
