#include "sort_terms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

namespace wordodds {
namespace {

constexpr int64_t n_pairs = 1 << 16;
constexpr int lead_bytes = 8;
constexpr size_t insertion_max = 24;
constexpr size_t entries_per_check = 1 << 14;

struct Entry {
    uint64_t lead;  // eight bytes, as a number that compares as they do; zero-filled
    uint32_t id;
};

class TermSorter {
   public:
    TermSorter(std::span<const char> arena, std::span<const int64_t> offsets, StopToken& stop)
        : arena_(arena), offsets_(offsets), stop_(stop) {}

    uint64_t lead(uint32_t id, size_t begin) const {
        const std::string_view bytes = term(id).substr(begin);
        uint64_t number = 0;
        if (bytes.size() >= lead_bytes) {
            std::memcpy(&number, bytes.data(), lead_bytes);
        } else if (!bytes.empty()) {
            std::memcpy(&number, bytes.data(), bytes.size());
        }
        if constexpr (std::endian::native == std::endian::little)
            number = __builtin_bswap64(number);
        return number;
    }

    // Sorts entries whose terms agree in their first `begin + n_equal` bytes and whose leads start
    // at `begin`. The largest part of each split is left to the loop and only the others, none
    // larger than half, to recursion: that keeps the stack small on terms made to nest deeply.
    void sort(Entry* entries, Entry* scratch, size_t n, size_t begin, int n_equal) const {
        while (n > insertion_max) {
            if (n > entries_per_check) stop_.check();
            if (n_equal == lead_bytes) {
                const size_t n_ended = part_ended(entries, n, begin);
                entries += n_ended;
                n -= n_ended;
                begin += lead_bytes;
                n_equal = 0;
                for (size_t i = 0; i < n; ++i) entries[i].lead = lead(entries[i].id, begin);
                continue;
            }
            const auto [largest, size] = split(entries, scratch, n, begin, n_equal);
            entries += largest;
            scratch += largest;
            n = size;
            ++n_equal;
        }
        sort_few(entries, n, begin);
    }

   private:
    std::string_view term(uint32_t id) const {
        const int64_t begin = offsets_[id];
        return {arena_.data() + begin, static_cast<size_t>(offsets_[id + 1] - begin)};
    }

    // Terms that end within their lead, which all share, come first, the shorter one before. At
    // most nine: they are distinct, and the zeros that fill the lead are all they may differ in.
    size_t part_ended(Entry* entries, size_t n, size_t begin) const {
        Entry* const middle = std::partition(entries, entries + n, [&](const Entry& entry) {
            return term(entry.id).size() <= begin + lead_bytes;
        });
        std::sort(entries, middle, [this](const Entry& x, const Entry& y) {
            return term(x.id).size() < term(y.id).size();
        });
        return static_cast<size_t>(middle - entries);
    }

    // Parts entries by the next byte of their leads and sorts all parts but the largest; returns
    // where that one is, and its size.
    std::pair<size_t, size_t> split(Entry* entries, Entry* scratch, size_t n, size_t begin,
                                    int n_equal) const {
        const int shift = 8 * (lead_bytes - 1 - n_equal);
        const auto byte_of = [shift](const Entry& entry) { return entry.lead >> shift & 0xFF; };
        std::array<size_t, 256> position{};
        for (size_t i = 0; i < n; ++i) ++position[byte_of(entries[i])];
        if (position[byte_of(entries[0])] == n) return {0, n};
        size_t before = 0;
        for (size_t& count : position) before += std::exchange(count, before);
        for (size_t i = 0; i < n; ++i) scratch[position[byte_of(entries[i])]++] = entries[i];
        std::copy_n(scratch, n, entries);
        // Each position is now the end of its part.
        size_t largest = 0, size = position[0];
        for (size_t b = 1; b < position.size(); ++b) {
            if (position[b] - position[b - 1] <= size) continue;
            largest = b;
            size = position[b] - position[b - 1];
        }
        for (size_t b = 0; b < position.size(); ++b) {
            const size_t first = b == 0 ? 0 : position[b - 1];
            if (b == largest || position[b] - first < 2) continue;
            sort(entries + first, scratch + first, position[b] - first, begin, n_equal + 1);
        }
        return {largest == 0 ? 0 : position[largest - 1], size};
    }

    void sort_few(Entry* entries, size_t n, size_t begin) const {
        const auto less = [&](const Entry& x, const Entry& y) {
            if (x.lead != y.lead) return x.lead < y.lead;
            return term(x.id).substr(begin) < term(y.id).substr(begin);
        };
        for (size_t i = 1; i < n; ++i) {
            const Entry moving = entries[i];
            size_t j = i;
            for (; j > 0 && less(moving, entries[j - 1]); --j) entries[j] = entries[j - 1];
            entries[j] = moving;
        }
    }

    std::span<const char> arena_;
    std::span<const int64_t> offsets_;
    StopToken& stop_;
};

}  // namespace

std::vector<uint32_t> sort_terms(std::span<const char> arena, std::span<const int64_t> offsets,
                                 const Execution& execution) {
    const size_t n = offsets.size() - 1;
    const TermSorter sorter(arena, offsets, *execution.stop);
    const auto pair_of = [&](size_t id) {
        return static_cast<size_t>(sorter.lead(static_cast<uint32_t>(id), 0) >> 48);
    };
    std::vector<uint32_t> order(n);
    std::vector<size_t> pair_end(n_pairs + 1, 0);
    for (size_t id = 0; id < n; ++id) ++pair_end[pair_of(id) + 1];
    // Counts shifted by one, summed: the start of each pair, which becomes its end below.
    std::partial_sum(pair_end.begin(), pair_end.end(), pair_end.begin());
    for (size_t id = 0; id < n; ++id) order[pair_end[pair_of(id)]++] = static_cast<uint32_t>(id);

    const FixedChunks chunks{n_pairs, 256};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        std::vector<Entry> entries, scratch;
        for (int64_t pair = chunks.begin(chunk); pair < chunks.end(chunk); ++pair) {
            const auto p = static_cast<size_t>(pair);
            const size_t first = p == 0 ? 0 : pair_end[p - 1];
            const size_t length = pair_end[p] - first;
            if (length < 2) continue;
            entries.resize(length);
            scratch.resize(length);
            for (size_t i = 0; i < length; ++i) {
                const uint32_t id = order[first + i];
                entries[i] = {sorter.lead(id, 0), id};
            }
            sorter.sort(entries.data(), scratch.data(), length, 0, 2);
            for (size_t i = 0; i < length; ++i) order[first + i] = entries[i].id;
        }
    });
    return order;
}

}  // namespace wordodds
