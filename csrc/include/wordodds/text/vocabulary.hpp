// The words that were seen: packed UTF-8, numbered in order of insertion, found by a keyed hash.
#pragma once

#include <atomic>
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
#include "wordodds/text/term_table.hpp"

namespace wordodds {

// The terms themselves lie one behind the other in an arena. Beside them stands a table by which
// they are found, at most seven tenths full.
//
// The table can be made from the arena at any time, and is the larger of the two: it is dropped
// where nothing is looked up (while sorting, in a subset) and made again by prepare_lookups().
// Growing drops the old table before it makes the new one.
class Vocabulary {
   public:
    static constexpr uint32_t not_found = term_not_found;
    static constexpr int64_t max_terms = term_table_max;

    // `expected_terms` sizes the table; any number of terms may follow.
    explicit Vocabulary(HashKey key, int64_t expected_terms = 0);

    // Terms `arena[offsets[i], offsets[i + 1])`, numbered as they come.
    // Throws std::invalid_argument if offsets are not monotone within the arena or a term comes
    // twice.
    Vocabulary(HashKey key, std::span<const char> arena, std::span<const int64_t> offsets);

    int64_t size() const { return offsets_.size() - 1; }
    HashKey key() const { return key_; }
    // 16 bytes from each term's start may be read, as make_token_key does.
    std::string_view term(int64_t id) const {
        return {arena_.data() + offsets_[id], static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
    }
    std::span<const char> arena() const { return arena_.span(); }
    std::span<const int64_t> offsets() const { return offsets_.span(); }

    // Makes the table if there is none. Any number of threads may call it at once, and each must
    // have called it before its first find. O(size()) the first time.
    void prepare_lookups() const;

    // Bring the slot of a hash near, ahead of a lookup.
    void prefetch(uint64_t hash) const { table().prefetch(hash); }

    // O(length), expected. The hash must have been made with key(). Precondition: the table is
    // there, see prepare_lookups(). Between insertions, any number of threads may call find.
    uint32_t find(const TokenKey& token) const { return table().find(token); }
    uint32_t find_or_insert(const TokenKey& token) {
        const size_t position = table().position_of(token);
        const uint32_t found = slots_[position].id_plus_one;
        return found == 0 ? insert(token, position) : found - 1;
    }

    // Writes the table of a vocabulary that no longer changes, under a key of its own; slots_out is
    // overwritten. Length: slots_out a power of two above size(), such as frozen_slots(size()).
    // O(size()).
    void freeze(HashKey key, std::span<TermSlot> slots_out) const;

    // Inserts the terms of `other` in their order; returns the number that each has here.
    // O(other.size()), expected. Precondition: as of find, for this one alone.
    std::vector<uint32_t> merge(const Vocabulary& other, StopToken& stop);

    // Writes the number that each term of `other` has here, -1 where it has none. Length:
    // numbers_out other.size(). O(other.size()), expected. Precondition: as of find, for this one
    // alone.
    void locate(const Vocabulary& other, StopToken& stop, std::span<int64_t> numbers_out) const;

    // Renumbers the terms by byte order, which is code point order. Returns the new number of each
    // old one. Drops the table. If stopped, the terms are as before. O(bytes that tell the terms
    // apart).
    std::vector<uint32_t> sort(const Execution& execution);

    // An equal vocabulary, as yet without a table. O(size of the arena).
    Vocabulary copy() const;

    // The terms i with keep[i] != 0, renumbered in their order, replace vocabulary_out.
    // Length: keep size(). O(size()).
    void subset(std::span<const uint8_t> keep, Vocabulary& vocabulary_out) const;

   private:
    template <class Use>
    void for_each_key(const Vocabulary& other, StopToken& stop, Use use) const;
    void append_term(const char* data, uint32_t length);
    TermTable table() const { return {slots_.begin(), slot_mask_, arena_.data()}; }
    uint32_t insert(const TokenKey& token, size_t position);
    void make_table(size_t n_slots) const;
    void fill_table(HashKey key, std::span<TermSlot> slots) const;

    HashKey key_;
    Buffer<char> arena_;
    Buffer<int64_t> offsets_;
    // The table is a way to find what the vocabulary holds, not a part of its value.
    mutable uint64_t slot_mask_ = 0;
    mutable ZeroedArray<TermSlot> slots_;
    struct Lookups {
        std::mutex making;
        std::atomic<bool> ready{false};
    };
    std::unique_ptr<Lookups> lookups_ = std::make_unique<Lookups>();
};

}  // namespace wordodds
