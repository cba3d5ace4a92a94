// Slow twin of the validation: one question after the other, in row order.
#pragma once

#include <cmath>
#include <cstdint>

#include "wordodds/sparse/validate.hpp"

namespace wordodds::reference {

template <class Value>
CsrReport csr_find_defect(const CsrView<Value>& m, CsrRequirements must) {
    const auto n_indices = static_cast<int64_t>(m.indices.size());
    const auto n_data = static_cast<int64_t>(m.data.size());
    if (m.n_rows < 0 || m.indptr.size() != static_cast<size_t>(m.n_rows) + 1) {
        return {CsrDefect::indptr_length, 0, 0};
    }
    const auto pointer = [&](int64_t row) -> int64_t { return m.indptr[static_cast<size_t>(row)]; };
    if (pointer(0) != 0) return {CsrDefect::indptr_start, 0, 0};
    for (int64_t row = 0; row < m.n_rows; ++row) {
        if (pointer(row + 1) < pointer(row)) {
            return {CsrDefect::indptr_decreases, row, pointer(row)};
        }
    }
    if (pointer(m.n_rows) > n_indices) {
        return {CsrDefect::indptr_end, m.n_rows, pointer(m.n_rows)};
    }
    if (n_indices != n_data) return {CsrDefect::data_length, 0, 0};
    for (int64_t row = 0; row < m.n_rows; ++row) {
        for (int64_t i = pointer(row); i < pointer(row + 1); ++i) {
            const int64_t index = m.indices[static_cast<size_t>(i)];
            const double value = m.data[static_cast<size_t>(i)];
            if (!(0 <= index && index < m.n_cols)) return {CsrDefect::index_out_of_range, row, i};
            if (must.finite && !std::isfinite(value)) return {CsrDefect::value_not_finite, row, i};
            if (must.non_negative && value < 0.0) return {CsrDefect::value_negative, row, i};
        }
    }
    return {CsrDefect::none, 0, 0};
}

}  // namespace wordodds::reference
