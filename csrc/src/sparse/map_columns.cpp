#include "wordodds/sparse/map_columns.hpp"

#include <numeric>

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 256;

// visit(row, begin, end) for all rows, parallel.
template <class Visit>
void for_each_row(const CsrStructure& matrix, const Execution& execution, Visit visit) {
    const FixedChunks chunks{matrix.n_rows, rows_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
            const auto i = static_cast<size_t>(row);
            visit(i, static_cast<size_t>(matrix.indptr[i]),
                  static_cast<size_t>(matrix.indptr[i + 1]));
        }
    });
}

}  // namespace

void csr_count_mapped(const CsrStructure& matrix, std::span<const int32_t> columns,
                      const Execution& execution, std::span<int64_t> indptr_out) {
    indptr_out[0] = 0;
    for_each_row(matrix, execution, [&](size_t row, size_t begin, size_t end) {
        int64_t n = 0;
        for (size_t e = begin; e < end; ++e) {
            n += columns[static_cast<size_t>(matrix.indices[e])] >= 0;
        }
        indptr_out[row + 1] = n;
    });
    std::partial_sum(indptr_out.begin(), indptr_out.end(), indptr_out.begin());
}

template <class Value>
void csr_map_columns(const CsrView<Value>& matrix, std::span<const int32_t> columns,
                     std::span<const int64_t> indptr, const Execution& execution,
                     std::span<int32_t> indices_out, std::span<Value> data_out) {
    for_each_row(matrix, execution, [&](size_t row, size_t begin, size_t end) {
        auto to = static_cast<size_t>(indptr[row]);
        for (size_t e = begin; e < end; ++e) {
            const int32_t column = columns[static_cast<size_t>(matrix.indices[e])];
            if (column < 0) continue;
            indices_out[to] = column;
            data_out[to++] = matrix.data[e];
        }
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                       \
    template void csr_map_columns<Value>(const CsrView<Value>&, std::span<const int32_t>, \
                                         std::span<const int64_t>, const Execution&,      \
                                         std::span<int32_t>, std::span<Value>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
