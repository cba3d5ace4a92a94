#include <cmath>

#include "wordodds/sparse/validate.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 4096;

template <class Index, class Value>
CsrReport find_structural_defect(const CsrView<Index, Value>& matrix) {
    const auto& indptr = matrix.indptr;
    const auto n_stored = static_cast<int64_t>(matrix.indices.size());
    if (indptr.empty() || static_cast<int64_t>(indptr.size() - 1) != matrix.n_rows) {
        return {CsrDefect::indptr_length};
    }
    if (indptr[0] != 0) return {CsrDefect::indptr_start};
    for (size_t row = 0; row + 1 < indptr.size(); ++row) {
        if (indptr[row + 1] < indptr[row]) {
            return {CsrDefect::indptr_decreases, static_cast<int64_t>(row), indptr[row]};
        }
    }
    if (indptr.back() > n_stored) return {CsrDefect::indptr_end, matrix.n_rows, indptr.back()};
    if (static_cast<int64_t>(matrix.data.size()) != n_stored) return {CsrDefect::data_length};
    return {};
}

template <class Index, class Value>
CsrReport find_entry_defect(const CsrView<Index, Value>& matrix, CsrRequirements requirements,
                            int64_t row_begin, int64_t row_end) {
    for (int64_t row = row_begin; row < row_end; ++row) {
        const int64_t end = matrix.indptr[static_cast<size_t>(row) + 1];
        for (int64_t i = matrix.indptr[static_cast<size_t>(row)]; i < end; ++i) {
            const auto position = static_cast<size_t>(i);
            const Index index = matrix.indices[position];
            const Value value = matrix.data[position];
            if (index < 0 || index >= matrix.n_cols) return {CsrDefect::index_out_of_range, row, i};
            if (requirements.finite && !std::isfinite(value)) {
                return {CsrDefect::value_not_finite, row, i};
            }
            if (requirements.non_negative && value < 0) return {CsrDefect::value_negative, row, i};
        }
    }
    return {};
}

}  // namespace

template <class Index, class Value>
CsrReport csr_find_defect(const CsrView<Index, Value>& matrix, CsrRequirements requirements,
                          const Execution& execution) {
    const CsrReport structural = find_structural_defect(matrix);
    if (structural.defect != CsrDefect::none) return structural;
    const FixedChunks chunks{matrix.n_rows, rows_per_chunk};
    return parallel_reduce(
        execution, chunks.count(), CsrReport{},
        [&](int64_t chunk) {
            return find_entry_defect(matrix, requirements, chunks.begin(chunk), chunks.end(chunk));
        },
        [](CsrReport earlier, CsrReport later) {
            return earlier.defect != CsrDefect::none ? earlier : later;
        });
}

#define INSTANTIATE(Index, Value)                                                          \
    template CsrReport csr_find_defect<Index, Value>(const CsrView<Index, Value>&,         \
                                                     CsrRequirements, const Execution&);
WORDODDS_FOR_EACH_INDEX_VALUE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace wordodds
