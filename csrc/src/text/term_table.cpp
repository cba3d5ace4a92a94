#include "wordodds/text/term_table.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace wordodds {
namespace {

constexpr uint64_t term_max_bytes = 0xFFFFFFFF;

}  // namespace

void check_term_offsets(std::span<const int64_t> offsets, size_t n_bytes) {
    bool rises = !offsets.empty() && offsets.front() == 0 &&
                 static_cast<uint64_t>(offsets.back()) == n_bytes;
    uint64_t longest = 0;
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        rises &= offsets[i] <= offsets[i + 1];
        // Unsigned: numbers from a file may lie further apart than signed ones can tell.
        longest = std::max(
            longest, static_cast<uint64_t>(offsets[i + 1]) - static_cast<uint64_t>(offsets[i]));
    }
    if (!rises) {
        throw std::invalid_argument("offsets of a vocabulary must rise from 0 to the arena's size");
    }
    if (longest > term_max_bytes) throw std::invalid_argument("a term of 4 GiB or more");
}

void FrozenTerms::check() const {
    check_term_offsets(offsets, arena.size());
    if (!std::has_single_bit(slots.size()) || size() > term_table_max) {
        throw std::invalid_argument("the slots of a vocabulary must be a power of two");
    }
    const size_t n_bytes = arena.size();
    int64_t n_used = 0;
    bool is_sound = true;
    for (const TermSlot& slot : slots) {
        n_used += slot.id_plus_one != 0;
        // Without branches, so that the whole table passes at the speed of memory.
        const bool is_within = slot.length <= token_head_bytes ||
                               ((slot.rest <= n_bytes) & (slot.length <= n_bytes - slot.rest));
        is_sound &= (int64_t{slot.id_plus_one} <= size()) & is_within;
    }
    if (!is_sound || n_used != size() || n_used >= static_cast<int64_t>(slots.size())) {
        throw std::invalid_argument("the slots of a vocabulary do not fit its terms");
    }
}

}  // namespace wordodds
