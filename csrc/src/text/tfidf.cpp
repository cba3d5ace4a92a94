#include "wordodds/text/tfidf.hpp"

#include <algorithm>
#include <cmath>

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 256;
// Between these no square has left the range of double, nor lost digits to it.
constexpr double least_norm = 1e-140;
constexpr double largest_norm = 1e150;

template <class Value>
double norm_of(std::span<const Value> row, RowNorm norm) {
    double sum = 0.0;
    if (norm == RowNorm::l1) {
        for (const Value value : row) sum += std::abs(static_cast<double>(value));
        return sum;
    }
    for (const Value value : row) sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum);
}

// Divides a row by a power of two, which is exact, so that its largest entry is near 1.
template <class Value>
void bring_into_range(std::span<Value> row) {
    Value largest{0};
    for (const Value value : row) largest = std::max(largest, std::abs(value));
    if (largest == 0) return;
    const int exponent = std::ilogb(largest);
    for (Value& value : row) value = std::scalbn(value, -exponent);
}

template <class Value>
void normalize_row(std::span<Value> row, RowNorm kind) {
    double norm = norm_of<Value>(row, kind);
    if (!(norm >= least_norm && norm <= largest_norm)) {
        bring_into_range(row);
        norm = norm_of<Value>(row, kind);
        if (norm == 0.0) return;
    }
    for (Value& value : row) value = static_cast<Value>(static_cast<double>(value) / norm);
}

template <class Value>
void weigh_row(std::span<const int32_t> indices, std::span<const Value> idf, TfidfOptions options,
               std::span<Value> row) {
    if (options.sublinear) {
        for (Value& value : row) {
            if (value != 0) value = std::log(value) + Value{1};  // a stored zero stays one
        }
    }
    if (!idf.empty()) {
        for (size_t i = 0; i < row.size(); ++i) row[i] *= idf[static_cast<size_t>(indices[i])];
    }
    if (options.norm == RowNorm::none) return;
    size_t begin = 0;
    for (const int32_t next_view : options.view_begins) {
        size_t end = begin;
        while (end < row.size() && indices[end] < next_view) ++end;
        normalize_row(row.subspan(begin, end - begin), options.norm);
        begin = end;
    }
    normalize_row(row.subspan(begin), options.norm);
}

}  // namespace

template <class Value>
void csr_weigh_terms(const CsrView<Value>& matrix, std::span<const Value> idf, TfidfOptions options,
                     const Execution& execution, std::span<Value> data_in_out) {
    const FixedChunks chunks{matrix.n_rows, rows_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
            const auto begin = static_cast<size_t>(matrix.indptr[static_cast<size_t>(i)]);
            const auto n = static_cast<size_t>(matrix.indptr[static_cast<size_t>(i) + 1]) - begin;
            weigh_row(matrix.indices.subspan(begin, n), idf, options,
                      data_in_out.subspan(begin, n));
        }
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                     \
    template void csr_weigh_terms<Value>(const CsrView<Value>&, std::span<const Value>, \
                                         TfidfOptions, const Execution&, std::span<Value>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
