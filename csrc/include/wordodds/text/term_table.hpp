// The table by which terms are found, as a view: in a vocabulary's memory or in a mapped file.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wordodds/text/key.hpp"

namespace wordodds {

// Holds a term of up to 16 bytes whole, so that a hit on it touches one half cache line and nothing
// else. The layout is that of model files.
struct alignas(32) TermSlot {
    uint64_t lead;  // the first 8 bytes, zero-filled
    uint64_t rest;  // the next 8; of a term longer than 16: where it begins in the arena
    uint64_t hash;
    uint32_t id_plus_one;  // 0: empty
    uint32_t length;
};
static_assert(sizeof(TermSlot) == 32);

inline constexpr uint32_t term_not_found = 0xFFFFFFFFu;
inline constexpr int64_t term_table_max = 0x7FFFFFFF;  // terms

// Open addressing with linear probing over 2^k slots, of which at least one is empty.
struct TermTable {
    const TermSlot* slots;
    uint64_t mask;  // number of slots - 1
    const char* arena;

    // Bring the slot of a hash near, ahead of a lookup.
    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots[hash & mask]); }

    bool matches(const TermSlot& slot, const TokenKey& token) const {
        if (slot.lead != token.head[0] || slot.length != token.length) return false;
        if (token.length <= token_head_bytes) [[likely]]
            return slot.rest == token.head[1];
        return slot.hash == token.hash &&
               same_long_bytes(arena + slot.rest, token.data, token.length);
    }

    // The slot of the token, or the empty one where it would go. O(length), expected.
    size_t position_of(const TokenKey& token) const {
        size_t i = token.hash & mask;
        while (slots[i].id_plus_one != 0 && !matches(slots[i], token)) i = (i + 1) & mask;
        return i;
    }

    // The token's number, or term_not_found. O(length), expected.
    uint32_t find(const TokenKey& token) const { return slots[position_of(token)].id_plus_one - 1; }
};

// What a slot holds for a term that begins at `begin` in the arena.
inline TermSlot make_term_slot(const TokenKey& token, int64_t begin, uint32_t id) {
    const bool is_whole = token.length <= token_head_bytes;
    return {token.head[0], is_whole ? token.head[1] : static_cast<uint64_t>(begin), token.hash,
            id + 1, token.length};
}

// Throws std::invalid_argument unless offsets rise from 0 to n_bytes, the size of the arena, and no
// term is too long for a slot. O(offsets).
void check_term_offsets(std::span<const int64_t> offsets, size_t n_bytes);

// A vocabulary that no longer changes; owns nothing. Term i is arena[offsets[i], offsets[i + 1]).
struct FrozenTerms {
    HashKey key;
    std::span<const char> arena;
    std::span<const int64_t> offsets;  // size() + 1
    std::span<const TermSlot> slots;   // a power of two, more than size()

    int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
    TermTable table() const { return {slots.data(), slots.size() - 1, arena.data()}; }

    // Throws std::invalid_argument unless every lookup ends and stays within arena and size(),
    // whatever wrote the four: they may come from a file. Does not compare slots with terms.
    // O(slots).
    void check() const;
};

// Slots of a frozen vocabulary: a power of two, at most seven tenths full.
inline int64_t frozen_slots(int64_t n_terms) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n_terms) * 10 / 7 + 1));
}

}  // namespace wordodds
