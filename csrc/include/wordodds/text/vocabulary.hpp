// The words that were seen: packed UTF-8, numbered in order of insertion, found by a keyed hash.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/text/key.hpp"

namespace wordodds {

// Open addressing with linear probing, at most seven tenths full; a slot holds the head of the term, so
// that a hit on a word of up to 16 bytes touches one half cache line and nothing else.
// Grows by find_or_insert; after the last insertion any number of threads may call the const
// methods at once.
class Vocabulary {
   public:
    static constexpr uint32_t not_found = 0xFFFFFFFFu;
    static constexpr int64_t max_terms = 0x7FFFFFFF;

    // `expected_terms` sizes the table; any number of terms may follow.
    explicit Vocabulary(HashKey key, int64_t expected_terms = 0);

    // Terms `arena[offsets[i], offsets[i + 1])`, numbered as they come.
    // Throws std::invalid_argument if offsets are not monotone within the arena or a term comes twice.
    Vocabulary(HashKey key, std::span<const char> arena, std::span<const int64_t> offsets);

    int64_t size() const { return offsets_.size() - 1; }
    HashKey key() const { return key_; }
    std::string_view term(int64_t id) const {
        return {arena_.data() + offsets_[id], static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
    }
    std::span<const char> arena() const { return arena_.span(); }
    std::span<const int64_t> offsets() const { return offsets_.span(); }

    // The terms i with keep[i] != 0, renumbered in their order, replace vocabulary_out.
    // Length: keep size(). O(size()).
    void subset(std::span<const uint8_t> keep, Vocabulary& vocabulary_out) const;

    // Bring the slot of a hash near, ahead of a lookup.
    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & slot_mask_]); }

    // O(length), expected. The hash must have been made with key().
    uint32_t find(const TokenKey& token) const;
    uint32_t find_or_insert(const TokenKey& token);

    // Inserts the terms of `other` in their order; returns the number that each has here.
    // Precondition: both were made with the same key. O(other.size()), expected.
    std::vector<uint32_t> merge(const Vocabulary& other, StopToken& stop);

    // Renumbers the terms by byte order, which is code point order. Returns the new number of each
    // old one. If stopped, the vocabulary is as before. O(n log n).
    std::vector<uint32_t> sort(const Execution& execution);

   private:
    struct alignas(32) Slot {
        uint64_t head[2];
        uint64_t hash;
        uint32_t id_plus_one;  // 0: empty
        uint32_t length;
    };
    static_assert(sizeof(Slot) == 32);

    struct SortEntry {
        uint64_t lead;  // the first 8 bytes, as a number that compares as they do
        uint32_t id;
    };

    std::vector<SortEntry> sorted_entries(const Execution& execution) const;
    void sort_bucket(SortEntry* entries, SortEntry* scratch, size_t n, int n_pairs,
                     StopToken& stop) const;
    bool matches(const Slot& slot, const TokenKey& token) const;
    uint32_t insert(const TokenKey& token, size_t position);
    void grow();

    HashKey key_;
    uint64_t slot_mask_;
    std::vector<Slot> slots_;
    Buffer<char> arena_;
    Buffer<int64_t> offsets_;
};

inline bool Vocabulary::matches(const Slot& slot, const TokenKey& token) const {
    if (slot.head[0] != token.head[0] || slot.head[1] != token.head[1] ||
        slot.length != token.length) {
        return false;
    }
    if (token.length <= token_head_bytes) [[likely]] return true;
    return slot.hash == token.hash &&
           term(slot.id_plus_one - 1) == std::string_view(token.data, token.length);
}

inline uint32_t Vocabulary::find(const TokenKey& token) const {
    for (size_t i = token.hash & slot_mask_;; i = (i + 1) & slot_mask_) {
        const Slot& slot = slots_[i];
        if (slot.id_plus_one == 0) return not_found;
        if (matches(slot, token)) return slot.id_plus_one - 1;
    }
}

inline uint32_t Vocabulary::find_or_insert(const TokenKey& token) {
    for (size_t i = token.hash & slot_mask_;; i = (i + 1) & slot_mask_) {
        const Slot& slot = slots_[i];
        if (slot.id_plus_one == 0) return insert(token, i);
        if (matches(slot, token)) return slot.id_plus_one - 1;
    }
}

}  // namespace wordodds
