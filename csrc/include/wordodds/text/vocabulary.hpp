// The words that were seen: packed UTF-8, numbered in order of insertion, found by a keyed hash.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/base/zeroed_array.hpp"
#include "wordodds/text/key.hpp"

namespace wordodds {

// The terms themselves lie one behind the other in an arena. Beside them stands a table by which they are
// found: open addressing with linear probing, at most seven tenths full. A slot holds a word of up to
// 16 bytes whole, so that a hit on it touches one half cache line and nothing else.
//
// The table can be made from the arena at any time, and is the larger of the two: it is dropped where
// nobody looks anything up (while sorting, in a subset) and made again by prepare_lookups(). Growing
// drops the old table before it makes the new one.
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
    // 16 bytes from each term's start may be read, as make_token_key does.
    TokenKey token(int64_t id) const {
        return make_token_key(arena_.data() + offsets_[id],
                              static_cast<uint32_t>(offsets_[id + 1] - offsets_[id]), key_);
    }
    std::span<const char> arena() const { return arena_.span(); }
    std::span<const int64_t> offsets() const { return offsets_.span(); }

    // Makes the table if there is none. Any number of threads may call it at once, and each must have
    // called it before its first find. O(size()) the first time.
    void prepare_lookups() const;

    // Bring the slot of a hash near, ahead of a lookup.
    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & slot_mask_]); }

    // O(length), expected. The hash must have been made with key(). Precondition: the table is there,
    // see prepare_lookups(). While nobody inserts, any number of threads may call find.
    uint32_t find(const TokenKey& token) const;
    uint32_t find_or_insert(const TokenKey& token);

    // Inserts the terms of `other` in their order; returns the number that each has here.
    // O(other.size()), expected. Precondition: as of find, for this one alone.
    std::vector<uint32_t> merge(const Vocabulary& other, StopToken& stop);

    // Renumbers the terms by byte order, which is code point order. Returns the new number of each
    // old one. Drops the table. If stopped, the terms are as before. O(bytes that tell the terms apart).
    std::vector<uint32_t> sort(const Execution& execution);

    // An equal vocabulary, as yet without a table. O(size of the arena).
    Vocabulary copy() const;

    // The terms i with keep[i] != 0, renumbered in their order, replace vocabulary_out.
    // Length: keep size(). O(size()).
    void subset(std::span<const uint8_t> keep, Vocabulary& vocabulary_out) const;

   private:
    struct alignas(32) Slot {
        uint64_t lead;  // the first 8 bytes, zero-filled
        uint64_t rest;  // the next 8; of a term longer than 16: where it begins in the arena
        uint64_t hash;
        uint32_t id_plus_one;  // 0: empty
        uint32_t length;
    };
    static_assert(sizeof(Slot) == 32);

    void append_term(const char* data, uint32_t length);
    bool matches(const Slot& slot, const TokenKey& token) const;
    uint32_t insert(const TokenKey& token, size_t position);
    void make_table(size_t n_slots) const;

    HashKey key_;
    Buffer<char> arena_;
    Buffer<int64_t> offsets_;
    // The table is a way to find what the vocabulary holds, not a part of its value.
    mutable uint64_t slot_mask_ = 0;
    mutable ZeroedArray<Slot> slots_;
    std::unique_ptr<std::mutex> making_table_ = std::make_unique<std::mutex>();
};

inline bool Vocabulary::matches(const Slot& slot, const TokenKey& token) const {
    if (slot.lead != token.head[0] || slot.length != token.length) return false;
    if (token.length <= token_head_bytes) [[likely]] return slot.rest == token.head[1];
    return slot.hash == token.hash &&
           same_long_bytes(arena_.data() + slot.rest, token.data, token.length);
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
