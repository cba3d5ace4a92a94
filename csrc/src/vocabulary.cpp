#include "wordodds/text/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace wordodds {
namespace {

constexpr int64_t slots_min = 1 << 10;
constexpr size_t terms_per_check = 4096;
constexpr int64_t n_buckets = 1 << 16;
constexpr int lead_pairs = 4;
constexpr size_t comparison_sort_max = 1 << 17;

// The first 8 bytes as a number that compares as the bytes do.
uint64_t leading_bytes(std::string_view term) {
    uint64_t bytes = 0;
    if (!term.empty()) std::memcpy(&bytes, term.data(), std::min<size_t>(8, term.size()));
    if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
    return bytes;
}

// Two bytes of the leading ones: pair 0 is the first and second.
size_t bucket_of(uint64_t lead, int pair) {
    return static_cast<size_t>(lead >> (48 - 16 * pair)) & (n_buckets - 1);
}

}  // namespace

Vocabulary::Vocabulary(HashKey key, int64_t expected_terms) : key_(key) {
    const int64_t n_slots = std::max(slots_min, 2 * expected_terms);
    slots_.resize(std::bit_ceil(static_cast<uint64_t>(n_slots)));
    slot_mask_ = slots_.size() - 1;
    offsets_.push_back(0);
}

Vocabulary::Vocabulary(HashKey key, std::span<const char> arena, std::span<const int64_t> offsets)
    : Vocabulary(key, static_cast<int64_t>(offsets.size())) {
    if (offsets.empty() || offsets.front() != 0 ||
        offsets.back() != static_cast<int64_t>(arena.size()) ||
        !std::is_sorted(offsets.begin(), offsets.end())) {
        throw std::invalid_argument("offsets of a vocabulary must rise from 0 to the arena's size");
    }
    // Keys are read 16 bytes at a time, which may go past the end of a borrowed arena.
    Buffer<char> padded;
    std::copy(arena.begin(), arena.end(),
              padded.extend(static_cast<int64_t>(arena.size()) + token_head_bytes));
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        const auto length = static_cast<uint64_t>(offsets[i + 1] - offsets[i]);
        if (length > 0xFFFFFFFFu) throw std::invalid_argument("a term of 4 GiB or more");
        const TokenKey token =
            make_token_key(padded.data() + offsets[i], static_cast<uint32_t>(length), key_);
        if (find_or_insert(token) != i) {
            throw std::invalid_argument("a vocabulary holds the same term twice");
        }
    }
}

void Vocabulary::subset(std::span<const uint8_t> keep, Vocabulary& vocabulary_out) const {
    Buffer<char> arena;
    Buffer<int64_t> offsets;
    offsets.push_back(0);
    for (size_t i = 0; i < keep.size(); ++i) {
        if (!keep[i]) continue;
        const std::string_view kept = term(static_cast<int64_t>(i));
        std::copy(kept.begin(), kept.end(), arena.extend(static_cast<int64_t>(kept.size())));
        offsets.push_back(arena.size());
    }
    vocabulary_out = Vocabulary(key_, arena.span(), offsets.span());
}

uint32_t Vocabulary::insert(const TokenKey& token, size_t position) {
    if (size() == max_terms) throw std::invalid_argument("more than 2^31 - 1 distinct terms");
    const auto id = static_cast<uint32_t>(size());
    std::copy_n(token.data, token.length, arena_.extend(token.length));
    offsets_.push_back(arena_.size());
    slots_[position] = {{token.head[0], token.head[1]}, token.hash, id + 1, token.length};
    if (10 * static_cast<uint64_t>(size()) > 7 * slots_.size()) grow();
    return id;
}

void Vocabulary::grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    slot_mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.id_plus_one == 0) continue;
        size_t i = slot.hash & slot_mask_;
        while (slots_[i].id_plus_one != 0) i = (i + 1) & slot_mask_;
        slots_[i] = slot;
    }
}

std::vector<uint32_t> Vocabulary::merge(const Vocabulary& other, StopToken& stop) {
    std::vector<uint32_t> ids(static_cast<size_t>(other.size()));
    // The slots hold heads and hashes ready made, but not in the order of the terms.
    std::vector<const Slot*> by_id(ids.size());
    for (const Slot& slot : other.slots_) {
        if (slot.id_plus_one != 0) by_id[slot.id_plus_one - 1] = &slot;
    }
    constexpr size_t ahead = 16;
    for (size_t i = 0; i < ids.size(); ++i) {
        if (i % terms_per_check == 0) stop.check();
        if (i + ahead < ids.size()) prefetch(by_id[i + ahead]->hash);
        const Slot& slot = *by_id[i];
        ids[i] = find_or_insert({{slot.head[0], slot.head[1]},
                                 slot.hash,
                                 other.term(static_cast<int64_t>(i)).data(),
                                 slot.length});
    }
    return ids;
}

// Counting sort by the first two bytes, then each bucket by comparison: most comparisons of a plain
// sort would be spent on finding out the first letters.
std::vector<Vocabulary::SortEntry> Vocabulary::sorted_entries(const Execution& execution) const {
    const auto n = static_cast<size_t>(size());
    std::vector<SortEntry> unsorted(n), sorted(n);
    std::vector<size_t> bucket_end(n_buckets + 1, 0);
    for (size_t i = 0; i < n; ++i) {
        unsorted[i] = {leading_bytes(term(static_cast<int64_t>(i))), static_cast<uint32_t>(i)};
        ++bucket_end[bucket_of(unsorted[i].lead, 0) + 1];
    }
    // Counts shifted by one, summed: the start of each bucket, which becomes its end below.
    std::partial_sum(bucket_end.begin(), bucket_end.end(), bucket_end.begin());
    for (const SortEntry& entry : unsorted) sorted[bucket_end[bucket_of(entry.lead, 0)]++] = entry;

    const FixedChunks chunks{n_buckets, 256};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t bucket = chunks.begin(chunk); bucket < chunks.end(chunk); ++bucket) {
            const auto b = static_cast<size_t>(bucket);
            const size_t begin = b == 0 ? 0 : bucket_end[b - 1];
            // The unsorted entries have served: their room is the scratch space.
            sort_bucket(sorted.data() + begin, unsorted.data() + begin, bucket_end[b] - begin, 1,
                        *execution.stop);
        }
    });
    return sorted;
}

// Sorts entries that agree in their first 2 * n_pairs bytes. Where they are many, as all words of one
// alphabet are, the next two bytes part them again: no comparison sort runs long without a look at
// the stop token.
void Vocabulary::sort_bucket(SortEntry* entries, SortEntry* scratch, size_t n, int n_pairs,
                             StopToken& stop) const {
    if (n < 2) return;
    stop.check();
    if (n <= comparison_sort_max || n_pairs == lead_pairs) {
        std::sort(entries, entries + n, [this](const SortEntry& x, const SortEntry& y) {
            if (x.lead != y.lead) return x.lead < y.lead;
            return term(x.id) < term(y.id);
        });
        return;
    }
    std::vector<size_t> bucket_end(n_buckets + 1, 0);
    for (size_t i = 0; i < n; ++i) ++bucket_end[bucket_of(entries[i].lead, n_pairs) + 1];
    std::partial_sum(bucket_end.begin(), bucket_end.end(), bucket_end.begin());
    for (size_t i = 0; i < n; ++i) {
        scratch[bucket_end[bucket_of(entries[i].lead, n_pairs)]++] = entries[i];
    }
    std::copy_n(scratch, n, entries);
    size_t begin = 0;
    for (size_t b = 0; b < n_buckets; ++b) {
        sort_bucket(entries + begin, scratch + begin, bucket_end[b] - begin, n_pairs + 1, stop);
        begin = bucket_end[b];
    }
}

std::vector<uint32_t> Vocabulary::sort(const Execution& execution) {
    const std::vector<SortEntry> order = sorted_entries(execution);
    std::vector<uint32_t> rank(order.size());
    Buffer<char> arena;
    Buffer<int64_t> offsets;
    arena.reserve(arena_.size());
    offsets.reserve(offsets_.size());
    offsets.push_back(0);
    for (size_t i = 0; i < order.size(); ++i) {
        const std::string_view moved = term(order[i].id);
        std::copy(moved.begin(), moved.end(), arena.extend(static_cast<int64_t>(moved.size())));
        offsets.push_back(arena.size());
        rank[order[i].id] = static_cast<uint32_t>(i);
    }
    arena_ = std::move(arena);
    offsets_ = std::move(offsets);
    for (Slot& slot : slots_) {
        if (slot.id_plus_one != 0) slot.id_plus_one = rank[slot.id_plus_one - 1] + 1;
    }
    return rank;
}

}  // namespace wordodds
