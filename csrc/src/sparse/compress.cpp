#include "wordodds/sparse/compress.hpp"

#include <algorithm>
#include <vector>

#include "wordodds/base/types.hpp"

namespace wordodds {
namespace {

constexpr int64_t cells_per_chunk = 1 << 18;
// Of a matrix stored by columns: enough for whole cache lines, few enough for the cache to hold
// where each row goes on.
constexpr int64_t rows_min = 1024;
constexpr int64_t rows_max = 4096;
constexpr int64_t block = 16;

// Chunks of whole rows, by the size of the matrix alone.
template <class Value>
FixedChunks chunks_of(const DenseView<Value>& matrix) {
    const int64_t rows =
        std::max<int64_t>(1, cells_per_chunk / std::max<int64_t>(1, matrix.n_cols));
    return {matrix.n_rows,
            matrix.layout == Layout::rows ? rows : std::clamp(rows, rows_min, rows_max)};
}

// visit(j) for every column, with a look at the token about every cells_per_chunk cells.
template <class Visit>
void for_each_column(int64_t n_cols, int64_t cells_per_column, StopToken& stop, Visit visit) {
    const FixedChunks stretches{n_cols, std::max<int64_t>(1, cells_per_chunk / cells_per_column)};
    for (int64_t stretch = 0; stretch < stretches.count(); ++stretch) {
        if (stretch > 0) stop.check();
        for (int64_t j = stretches.begin(stretch); j < stretches.end(stretch); ++j) visit(j);
    }
}

template <class Value>
int64_t count_row(const Value* row, int64_t n_cols, StopToken& stop) {
    int64_t n = 0;
    const FixedChunks stretches{n_cols, cells_per_chunk};
    for (int64_t stretch = 0; stretch < stretches.count(); ++stretch) {
        if (stretch > 0) stop.check();
        int32_t within = 0;  // narrow: the compiler packs more of them into a register
        for (int64_t j = stretches.begin(stretch); j < stretches.end(stretch); ++j) {
            within += row[j] != Value{0};
        }
        n += within;
    }
    return n;
}

// Appends the entries of row[from, to); returns where the next one goes. `room` is the end of the
// row's place in the output.
template <class Value>
int64_t compress_block(const Value* row, int64_t from, int64_t to, int64_t at, int64_t room,
                       int32_t* indices, Value* data) {
    if (at + (to - from) <= room) {
        // Writes zeros too, and then over them: no branch to mispredict.
        for (int64_t j = from; j < to; ++j) {
            indices[at] = static_cast<int32_t>(j);
            data[at] = row[j];
            at += row[j] != Value{0};
        }
        return at;
    }
    for (int64_t j = from; j < to; ++j) {
        if (row[j] == Value{0}) continue;
        indices[at] = static_cast<int32_t>(j);
        data[at++] = row[j];
    }
    return at;
}

template <class Value>
void compress_row(const Value* row, int64_t n_cols, int64_t begin, int64_t end, StopToken& stop,
                  int32_t* indices, Value* data) {
    int64_t at = begin;
    for (int64_t from = 0; from < n_cols && at < end; from += block) {
        if (from > 0 && from % cells_per_chunk == 0) stop.check();
        const int64_t to = std::min(from + block, n_cols);
        int32_t any = 0;
        for (int64_t j = from; j < to; ++j) any |= row[j] != Value{0};
        if (any) at = compress_block(row, from, to, at, end, indices, data);
    }
}

}  // namespace

template <class Value>
void dense_count_entries(const DenseView<Value>& matrix, const Execution& execution,
                         std::span<int64_t> indptr_out) {
    const FixedChunks chunks = chunks_of(matrix);
    const Value* const data = matrix.data.data();
    indptr_out[0] = 0;
    int64_t* const counts = indptr_out.data() + 1;
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        const int64_t begin = chunks.begin(chunk), end = chunks.end(chunk);
        if (matrix.layout == Layout::rows) {
            for (int64_t row = begin; row < end; ++row) {
                counts[row] = count_row(data + row * matrix.n_cols, matrix.n_cols, *execution.stop);
            }
            return;
        }
        std::fill(counts + begin, counts + end, 0);
        for_each_column(matrix.n_cols, end - begin, *execution.stop, [&](int64_t j) {
            const Value* const column = data + j * matrix.n_rows;
            for (int64_t row = begin; row < end; ++row) counts[row] += column[row] != Value{0};
        });
    });
    for (size_t row = 1; row < indptr_out.size(); ++row) {
        if (row % cells_per_chunk == 0) execution.stop->check();
        indptr_out[row] += indptr_out[row - 1];
    }
}

template <class Value>
void dense_compress_rows(const DenseView<Value>& matrix, std::span<const int64_t> indptr,
                         const Execution& execution, std::span<int32_t> indices_out,
                         std::span<Value> data_out) {
    const FixedChunks chunks = chunks_of(matrix);
    const Value* const data = matrix.data.data();
    const int64_t* const starts = indptr.data();
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        const int64_t begin = chunks.begin(chunk), end = chunks.end(chunk);
        if (matrix.layout == Layout::rows) {
            for (int64_t row = begin; row < end; ++row) {
                compress_row(data + row * matrix.n_cols, matrix.n_cols, starts[row],
                             starts[row + 1], *execution.stop, indices_out.data(), data_out.data());
            }
            return;
        }
        std::vector<int64_t> next(starts + begin, starts + end);
        for_each_column(matrix.n_cols, end - begin, *execution.stop, [&](int64_t j) {
            const Value* const column = data + j * matrix.n_rows;
            for (int64_t row = begin; row < end; ++row) {
                if (column[row] == Value{0}) continue;
                const auto at = static_cast<size_t>(next[static_cast<size_t>(row - begin)]++);
                indices_out[at] = static_cast<int32_t>(j);
                data_out[at] = column[row];
            }
        });
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                             \
    template void dense_count_entries<Value>(const DenseView<Value>&, const Execution&,         \
                                             std::span<int64_t>);                               \
    template void dense_compress_rows<Value>(const DenseView<Value>&, std::span<const int64_t>, \
                                             const Execution&, std::span<int32_t>,              \
                                             std::span<Value>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
