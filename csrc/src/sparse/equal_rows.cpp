#include "wordodds/sparse/equal_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 1024;
constexpr int64_t rows_between_checks = 4096;

// The finalizer of splitmix64 (Steele, Lea and Flood): every bit of the input reaches every bit of
// the result.
uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

template <class Value>
uint64_t bits_of(Value value) {
    if constexpr (sizeof(Value) == 4)
        return std::bit_cast<uint32_t>(value);
    else
        return std::bit_cast<uint64_t>(value);
}

template <class Value>
struct Rows {
    const CsrView<Value>& matrix;

    size_t begin(size_t row) const { return static_cast<size_t>(matrix.indptr[row]); }
    size_t length(size_t row) const {
        return static_cast<size_t>(matrix.indptr[row + 1]) - begin(row);
    }

    // A sum over the entries, which have no order.
    uint64_t hash(size_t row) const {
        uint64_t hash = length(row);
        for (size_t at = begin(row); at < begin(row) + length(row); ++at) {
            hash += mixed(static_cast<uint64_t>(matrix.indices[at]) * 0x9E3779B97F4A7C15u +
                          mixed(bits_of(matrix.data[at])));
        }
        return mixed(hash);
    }

    bool same(size_t a, size_t b) const {
        const size_t n = length(a);
        if (n != length(b)) return false;
        if (n == 0) return true;
        const bool is_same_order =
            std::memcmp(&matrix.indices[begin(a)], &matrix.indices[begin(b)],
                        n * sizeof(int32_t)) == 0 &&
            std::memcmp(&matrix.data[begin(a)], &matrix.data[begin(b)], n * sizeof(Value)) == 0;
        return is_same_order || sorted(a) == sorted(b);
    }

    // The bits of a row's entries, in ascending order.
    std::vector<std::pair<int32_t, uint64_t>> sorted(size_t row) const {
        std::vector<std::pair<int32_t, uint64_t>> entries;
        entries.reserve(length(row));
        for (size_t at = begin(row); at < begin(row) + length(row); ++at) {
            entries.emplace_back(matrix.indices[at], bits_of(matrix.data[at]));
        }
        std::sort(entries.begin(), entries.end());
        return entries;
    }
};

}  // namespace

template <class Value>
int64_t csr_number_rows(const CsrView<Value>& matrix, const Execution& execution,
                        std::span<int64_t> numbers_out) {
    const Rows<Value> rows{matrix};
    const auto n_rows = static_cast<size_t>(matrix.n_rows);
    std::vector<uint64_t> hashes(n_rows);
    const FixedChunks chunks{matrix.n_rows, rows_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (auto row = static_cast<size_t>(chunks.begin(chunk));
             row < static_cast<size_t>(chunks.end(chunk)); ++row) {
            hashes[row] = rows.hash(row);
        }
    });
    // Open addressing; a slot holds a row and one more, so that 0 is empty.
    std::vector<uint64_t> slots(std::bit_ceil(2 * n_rows + 2), 0);
    const uint64_t mask = slots.size() - 1;
    int64_t n_distinct = 0;
    for (size_t row = 0; row < n_rows; ++row) {
        if (row % static_cast<size_t>(rows_between_checks) == 0) execution.stop->check();
        uint64_t slot = hashes[row] & mask;
        while (slots[slot] != 0) {
            const auto other = static_cast<size_t>(slots[slot] - 1);
            if (hashes[other] == hashes[row] && rows.same(other, row)) break;
            slot = (slot + 1) & mask;
        }
        if (slots[slot] == 0) {
            slots[slot] = row + 1;
            numbers_out[row] = n_distinct++;
        } else {
            numbers_out[row] = numbers_out[static_cast<size_t>(slots[slot] - 1)];
        }
    }
    return n_distinct;
}

#define WORDODDS_INSTANTIATE(Value)                                                  \
    template int64_t csr_number_rows<Value>(const CsrView<Value>&, const Execution&, \
                                            std::span<int64_t>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
