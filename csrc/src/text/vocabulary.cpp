#include "wordodds/text/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "sort_terms.hpp"

namespace wordodds {
namespace {

constexpr int64_t slots_min = 1 << 10;
constexpr int64_t terms_per_check = 4096;

// A power of two, at most half full.
size_t slots_for(int64_t n_terms) {
    return std::bit_ceil(static_cast<uint64_t>(std::max(slots_min, 2 * n_terms)));
}

}  // namespace

Vocabulary::Vocabulary(HashKey key, int64_t expected_terms) : key_(key) {
    offsets_.push_back(0);
    make_table(slots_for(expected_terms));
}

Vocabulary::Vocabulary(HashKey key, std::span<const char> arena, std::span<const int64_t> offsets)
    : key_(key) {
    check_term_offsets(offsets, arena.size());
    const auto n_bytes = static_cast<int64_t>(arena.size());
    arena_.reserve(n_bytes + token_head_bytes);
    std::copy(arena.begin(), arena.end(), arena_.extend(n_bytes));
    std::copy(offsets.begin(), offsets.end(),
              offsets_.extend(static_cast<int64_t>(offsets.size())));
    make_table(slots_for(size()));
}

// Precondition: 16 bytes from `data` on may be read.
inline void Vocabulary::append_term(const char* data, uint32_t length) {
    // Keys are read 16 bytes at a time, also from the last term; and most terms are written so.
    arena_.reserve(arena_.size() + length + token_head_bytes);
    char* const out = arena_.extend(length);
    std::memcpy(out, data, token_head_bytes);
    if (length > token_head_bytes) std::memcpy(out, data, length);
    offsets_.push_back(arena_.size());
}

Vocabulary Vocabulary::copy() const {
    Vocabulary duplicate(key_);
    duplicate.slots_.clear();
    duplicate.arena_.reserve(arena_.size() + token_head_bytes);
    std::copy_n(arena_.data(), arena_.size(), duplicate.arena_.extend(arena_.size()));
    duplicate.offsets_.shrink(0);
    std::copy_n(offsets_.data(), offsets_.size(), duplicate.offsets_.extend(offsets_.size()));
    return duplicate;
}

void Vocabulary::subset(std::span<const uint8_t> keep, Vocabulary& vocabulary_out) const {
    Vocabulary kept(key_);
    for (size_t i = 0; i < keep.size(); ++i) {
        if (!keep[i]) continue;
        const std::string_view moved = term(static_cast<int64_t>(i));
        kept.append_term(moved.data(), static_cast<uint32_t>(moved.size()));
    }
    kept.slots_.clear();
    vocabulary_out = std::move(kept);
}

uint32_t Vocabulary::insert(const TokenKey& token, size_t position) {
    if (size() == max_terms) throw std::invalid_argument("more than 2^31 - 1 distinct terms");
    const auto id = static_cast<uint32_t>(size());
    const int64_t begin = arena_.size();
    append_term(token.data, token.length);
    slots_[position] = make_term_slot(token, begin, id);
    if (static_cast<uint64_t>(size()) * 10 > slots_.size() * 7) make_table(slots_.size() * 2);
    return id;
}

void Vocabulary::freeze(HashKey key, std::span<TermSlot> slots_out) const {
    std::fill(slots_out.begin(), slots_out.end(), TermSlot{});
    fill_table(key, slots_out);
}

// Precondition: the slots are zero. Batches: between the prefetch of a slot and its use lie the
// keys of others.
void Vocabulary::fill_table(HashKey key, std::span<TermSlot> slots) const {
    const TermTable table{slots.data(), slots.size() - 1, arena_.data()};
    constexpr int64_t batch_size = 32;
    TokenKey keys[batch_size];
    for (int64_t first = 0; first < size(); first += batch_size) {
        const int64_t n = std::min(batch_size, size() - first);
        for (int64_t i = 0; i < n; ++i) {
            const std::string_view term = this->term(first + i);
            keys[i] = make_token_key(term.data(), static_cast<uint32_t>(term.size()), key);
            table.prefetch(keys[i].hash);
        }
        for (int64_t i = 0; i < n; ++i) {
            const size_t position = table.position_of(keys[i]);
            if (slots[position].id_plus_one != 0) {
                throw std::invalid_argument("a vocabulary holds the same term twice");
            }
            const auto id = static_cast<uint32_t>(first + i);
            slots[position] = make_term_slot(keys[i], offsets_[first + i], id);
        }
    }
}

void Vocabulary::make_table(size_t n_slots) const {
    slots_.clear();
    slots_ = ZeroedArray<TermSlot>(n_slots);
    slot_mask_ = n_slots - 1;
    fill_table(key_, {slots_.begin(), slots_.size()});
}

void Vocabulary::prepare_lookups() const {
    // No lock where the table exists: a child forked while another thread held it would deadlock.
    if (lookups_->ready.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(lookups_->making);
    if (slots_.size() == 0) make_table(slots_for(size()));
    lookups_->ready.store(true, std::memory_order_release);
}

// Calls use(i, key) for each term i of `other`, its key made under ours. Batches: between the
// prefetch of a slot and its use lie the keys of others.
template <class Use>
void Vocabulary::for_each_key(const Vocabulary& other, StopToken& stop, Use use) const {
    constexpr int64_t batch_size = 64;
    TokenKey keys[batch_size];
    for (int64_t first = 0; first < other.size(); first += batch_size) {
        if (first % terms_per_check == 0) stop.check();
        const int64_t n = std::min(batch_size, other.size() - first);
        for (int64_t i = 0; i < n; ++i) {
            const std::string_view term = other.term(first + i);
            keys[i] = make_token_key(term.data(), static_cast<uint32_t>(term.size()), key_);
            prefetch(keys[i].hash);
        }
        for (int64_t i = 0; i < n; ++i) use(static_cast<size_t>(first + i), keys[i]);
    }
}

std::vector<uint32_t> Vocabulary::merge(const Vocabulary& other, StopToken& stop) {
    std::vector<uint32_t> ids(static_cast<size_t>(other.size()));
    for_each_key(other, stop,
                 [&](size_t i, const TokenKey& token) { ids[i] = find_or_insert(token); });
    return ids;
}

void Vocabulary::locate(const Vocabulary& other, StopToken& stop,
                        std::span<int64_t> numbers_out) const {
    for_each_key(other, stop, [&](size_t i, const TokenKey& token) {
        const uint32_t found = find(token);
        numbers_out[i] = found == not_found ? int64_t{-1} : int64_t{found};
    });
}

std::vector<uint32_t> Vocabulary::sort(const Execution& execution) {
    const std::vector<uint32_t> order = sort_terms(arena_.span(), offsets_.span(), execution);
    slots_.clear();
    lookups_->ready.store(false, std::memory_order_release);
    std::vector<uint32_t> rank(order.size());
    Vocabulary sorted(key_);
    sorted.arena_.reserve(arena_.size() + token_head_bytes);
    sorted.offsets_.reserve(offsets_.size());
    for (size_t i = 0; i < order.size(); ++i) {
        const std::string_view moved = term(order[i]);
        sorted.append_term(moved.data(), static_cast<uint32_t>(moved.size()));
        rank[order[i]] = static_cast<uint32_t>(i);
    }
    arena_ = std::move(sorted.arena_);
    offsets_ = std::move(sorted.offsets_);
    return rank;
}

}  // namespace wordodds
