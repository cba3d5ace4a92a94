#include "wordodds/sparse/validate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 4096;

template <class Value>
CsrReport find_structural_defect(const CsrView<Value>& matrix) {
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

template <class Value>
bool is_finite(Value value) {
    if constexpr (std::is_floating_point_v<Value>) return std::isfinite(value);
    return true;
}

// Whether any entry of the rows has a defect, without a branch in the loop: the compiler vectorises
// it.
template <class Value>
bool has_entry_defect(const CsrView<Value>& matrix, CsrRequirements requirements, int64_t row_begin,
                      int64_t row_end) {
    const auto begin = static_cast<size_t>(matrix.indptr[static_cast<size_t>(row_begin)]);
    const auto end = static_cast<size_t>(matrix.indptr[static_cast<size_t>(row_end)]);
    const int32_t* const indices = matrix.indices.data();
    const Value* const data = matrix.data.data();
    // A negative index is a large unsigned one.
    const auto n_cols =
        static_cast<uint32_t>(std::clamp<int64_t>(matrix.n_cols, 0, int64_t{1} << 31));
    uint32_t outside = 0;
    for (size_t i = begin; i < end; ++i) outside |= static_cast<uint32_t>(indices[i]) >= n_cols;
    if (outside) return true;
    // NaN is above and below nothing; where it is allowed, so are the infinities.
    constexpr Value largest = std::numeric_limits<Value>::max();
    if (requirements.finite) {
        const Value least =
            requirements.non_negative ? Value{0} : std::numeric_limits<Value>::lowest();
        bool inside = true;
        for (size_t i = begin; i < end; ++i) inside &= (data[i] >= least) & (data[i] <= largest);
        return !inside;
    }
    bool negative = false;
    if (requirements.non_negative) {
        for (size_t i = begin; i < end; ++i) negative |= data[i] < 0;
    }
    return negative;
}

// The first defect, once it is known that there is one.
template <class Value>
CsrReport find_entry_defect(const CsrView<Value>& matrix, CsrRequirements requirements,
                            int64_t row_begin, int64_t row_end) {
    if (!has_entry_defect(matrix, requirements, row_begin, row_end)) return {};
    for (int64_t row = row_begin; row < row_end; ++row) {
        const int64_t end = matrix.indptr[static_cast<size_t>(row) + 1];
        for (int64_t i = matrix.indptr[static_cast<size_t>(row)]; i < end; ++i) {
            const auto position = static_cast<size_t>(i);
            const int32_t index = matrix.indices[position];
            const Value value = matrix.data[position];
            if (index < 0 || index >= matrix.n_cols) return {CsrDefect::index_out_of_range, row, i};
            if (requirements.finite && !is_finite(value)) {
                return {CsrDefect::value_not_finite, row, i};
            }
            if (requirements.non_negative && value < 0) return {CsrDefect::value_negative, row, i};
        }
    }
    return {};
}

}  // namespace

template <class Value>
CsrReport csr_find_defect(const CsrView<Value>& matrix, CsrRequirements requirements,
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

#define WORDODDS_INSTANTIATE(Value)                                                   \
    template CsrReport csr_find_defect<Value>(const CsrView<Value>&, CsrRequirements, \
                                              const Execution&);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
