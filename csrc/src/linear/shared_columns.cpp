#include "wordodds/linear/shared_columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace wordodds {
namespace {

constexpr int64_t rows_between_checks = 256;

}  // namespace

template <class Value>
int64_t csr_number_shared_columns(const CsrView<Value>& matrix, const Execution& execution,
                                  std::span<int32_t> numbers_out) {
    const auto n_entries = static_cast<int64_t>(matrix.indptr[static_cast<size_t>(matrix.n_rows)]);
    const int32_t* const indices = matrix.indices.data();
    const Value* const data = matrix.data.data();
    // Of bytes: the columns that an unsorted row jumps to stay in the cache.
    std::vector<uint8_t> seen(numbers_out.size(), 0);
    constexpr int64_t entries_between_checks = 1 << 18;
    for (int64_t begin = 0; begin < n_entries; begin += entries_between_checks) {
        execution.stop->check();
        const int64_t end = std::min(n_entries, begin + entries_between_checks);
        for (int64_t i = begin; i < end; ++i) {
            uint8_t& n = seen[static_cast<size_t>(indices[i])];
            n = static_cast<uint8_t>(std::min(255, n + (data[i] != Value{0})));
        }
    }
    constexpr int n_levels = 9;  // binary digits of a byte's value: 0 to 8
    int64_t next[n_levels] = {};
    for (const uint8_t n : seen) ++next[std::bit_width(n)];
    int64_t n_shared = 0;
    for (int level = n_levels - 1; level >= 2; --level) {
        n_shared += std::exchange(next[level], n_shared);
    }
    if (n_shared > int64_t{std::numeric_limits<int32_t>::max()} + 1) {
        throw std::length_error("more than 2^31 - 1 columns with two or more entries");
    }
    for (size_t j = 0; j < numbers_out.size(); ++j) {
        const int level = std::bit_width(seen[j]);
        numbers_out[j] = level < 2 ? -1 : static_cast<int32_t>(next[level]++);
    }
    return n_shared;
}

template <class Value>
void csr_take_shared_columns(const CsrView<Value>& matrix, std::span<const int32_t> numbers,
                             const Execution& execution, const SharedColumns& out) {
    int64_t n_taken = 0;
    out.indptr[0] = 0;
    for (size_t row = 0; row < static_cast<size_t>(matrix.n_rows); ++row) {
        if (row % rows_between_checks == 0) execution.stop->check();
        double shared = 0.0;
        double single = 0.0;
        double single_max = 0.0;
        for (auto i = static_cast<size_t>(matrix.indptr[row]);
             i < static_cast<size_t>(matrix.indptr[row + 1]); ++i) {
            const auto value = static_cast<double>(matrix.data[i]);
            const int32_t number = numbers[static_cast<size_t>(matrix.indices[i])];
            // Written in any case and overwritten if it does not count: no branch to guess wrong.
            out.indices[static_cast<size_t>(n_taken)] = number;
            out.data[static_cast<size_t>(n_taken)] = value;
            n_taken += (number >= 0) & (value != 0.0);
            const double square = value * value;
            shared += number >= 0 ? square : 0.0;
            single += number >= 0 ? 0.0 : square;
            single_max = std::max(single_max, number >= 0 ? 0.0 : std::abs(value));
        }
        out.indptr[row + 1] = n_taken;
        out.shared[row] = shared;
        out.single[row] = single;
        out.single_max[row] = single_max;
    }
}

template <class Value>
void csr_spread_weights(const CsrView<Value>& matrix, std::span<const int32_t> numbers,
                        std::span<const double> shared_weights, std::span<const double> duals,
                        int64_t n_columns, int64_t stride, const Execution& execution,
                        std::span<double> weights_out) {
    const FixedChunks columns{matrix.n_cols, std::max<int64_t>(1, (1 << 17) / n_columns)};
    parallel_for(execution, columns.count(), [&](int64_t chunk, int32_t) {
        for (int64_t j = columns.begin(chunk); j < columns.end(chunk); ++j) {
            double* const to = weights_out.data() + j * n_columns;
            const int64_t number = numbers[static_cast<size_t>(j)];
            if (number < 0) {  // loops, as calls would be slower for the few that there are
                for (int64_t k = 0; k < n_columns; ++k) to[k] = 0.0;
            } else {
                const double* const from = shared_weights.data() + number * stride;
                for (int64_t k = 0; k < n_columns; ++k) to[k] = from[k];
            }
        }
    });
    // Each of these columns has one entry other than zero: no two rows write to the same place.
    const FixedChunks rows{matrix.n_rows, rows_between_checks};
    parallel_for(execution, rows.count(), [&](int64_t chunk, int32_t) {
        for (int64_t row = rows.begin(chunk); row < rows.end(chunk); ++row) {
            const double* const dual = duals.data() + row * stride;
            const auto r = static_cast<size_t>(row);
            for (auto i = static_cast<size_t>(matrix.indptr[r]);
                 i < static_cast<size_t>(matrix.indptr[r + 1]); ++i) {
                const auto value = static_cast<double>(matrix.data[i]);
                const auto j = static_cast<int64_t>(matrix.indices[i]);
                if (value == 0.0 || numbers[static_cast<size_t>(j)] >= 0) continue;
                double* const to = weights_out.data() + j * n_columns;
                for (int64_t k = 0; k < n_columns; ++k) to[k] = value * dual[k];
            }
        }
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                               \
    template int64_t csr_number_shared_columns<Value>(const CsrView<Value>&, const Execution&,    \
                                                      std::span<int32_t>);                        \
    template void csr_take_shared_columns<Value>(const CsrView<Value>&, std::span<const int32_t>, \
                                                 const Execution&, const SharedColumns&);         \
    template void csr_spread_weights<Value>(                                                      \
        const CsrView<Value>&, std::span<const int32_t>, std::span<const double>,                 \
        std::span<const double>, int64_t, int64_t, const Execution&, std::span<double>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
