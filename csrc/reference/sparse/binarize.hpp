// Slow twins of what makes presences of values, and of the question before it.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "wordodds/base/types.hpp"

namespace wordodds::reference {

template <class Value>
bool csr_has_repeats(const CsrView<Value>& m) {
    for (size_t row = 0; row < static_cast<size_t>(m.n_rows); ++row) {
        std::set<int32_t> seen;
        for (int64_t i = m.indptr[row]; i < m.indptr[row + 1]; ++i) {
            if (!seen.insert(m.indices[static_cast<size_t>(i)]).second) return true;
        }
    }
    return false;
}

template <class Value>
std::vector<float> csr_binarize(const CsrView<Value>& m, double threshold) {
    std::vector<float> out;
    for (const Value value : m.data) {
        const bool above = sizeof(Value) == 4 ? value > static_cast<Value>(threshold)
                                              : static_cast<double>(value) > threshold;
        out.push_back(above ? 1.0f : 0.0f);
    }
    return out;
}

}  // namespace wordodds::reference
