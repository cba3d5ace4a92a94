// Slow twins of the family sparse: one question after the other, in row order.
#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "wordodds/sparse/compress.hpp"
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

template <class Value>
struct Compressed {
    std::vector<int64_t> indptr{0};
    std::vector<int64_t> indices;
    std::vector<Value> data;
};

template <class Value>
Compressed<Value> dense_compress_rows(const DenseView<Value>& m) {
    Compressed<Value> rows;
    for (int64_t i = 0; i < m.n_rows; ++i) {
        for (int64_t j = 0; j < m.n_cols; ++j) {
            const int64_t at = m.layout == Layout::rows ? i * m.n_cols + j : i + j * m.n_rows;
            const Value x = m.data[static_cast<size_t>(at)];
            if (x == 0) continue;
            rows.indices.push_back(j);
            rows.data.push_back(x);
        }
        rows.indptr.push_back(static_cast<int64_t>(rows.indices.size()));
    }
    return rows;
}

}  // namespace wordodds::reference
