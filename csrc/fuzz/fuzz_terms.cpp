// Tables of terms from a hostile file: whatever FrozenTerms::check lets pass, every lookup ends,
// stays within the arrays (AddressSanitizer) and gives a number below size() or none. A vocabulary
// made of the same terms either refuses them, as the offsets or repeated terms demand, or finds
// each of them.
#include <memory>
#include <set>
#include <stdexcept>

#include "fuzz.hpp"
#include "tests/text/terms.hpp"
#include "wordodds/text/term_table.hpp"

using namespace wordodds;

namespace {

// Term i is arena[offsets[i], offsets[i + 1]), and the offsets must rise from 0 to the arena's
// size.
bool offsets_are_sound(const std::vector<int64_t>& offsets, size_t arena) {
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<int64_t>(arena))
        return false;
    return std::is_sorted(offsets.begin(), offsets.end());
}

std::vector<std::string> cut(const std::vector<char>& arena, const std::vector<int64_t>& offsets) {
    std::vector<std::string> terms;
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        terms.emplace_back(arena.begin() + offsets[i], arena.begin() + offsets[i + 1]);
    }
    return terms;
}

void check_vocabulary(const std::vector<char>& arena, const std::vector<int64_t>& offsets) {
    const bool sound = offsets_are_sound(offsets, arena.size());
    const auto terms = sound ? cut(arena, offsets) : std::vector<std::string>{};
    const bool distinct = std::set<std::string>(terms.begin(), terms.end()).size() == terms.size();
    try {
        const Vocabulary vocabulary(some_key, arena, offsets);
        CHECK(sound && distinct, sound, distinct);
        for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(find(vocabulary, terms[i]), i);
    } catch (const std::invalid_argument&) {
        CHECK(!sound || !distinct);
    }
}

}  // namespace

FUZZ(input) {
    const HashKey key{input.number<uint64_t>(), input.number<uint64_t>()};
    const int64_t n_terms = input.below(20);
    std::vector<char> arena;
    std::vector<int64_t> offsets{0};
    for (int64_t i = 0; i < n_terms; ++i) {
        const std::string term = input.take(static_cast<size_t>(input.below(40)));
        arena.insert(arena.end(), term.begin(), term.end());
        offsets.push_back(static_cast<int64_t>(arena.size()));
    }
    arena.shrink_to_fit();
    // Slots as a writer would leave them, if the terms allow it; then patches of any byte.
    const std::vector<std::string> terms = cut(arena, offsets);
    std::vector<TermSlot> slots(static_cast<size_t>(frozen_slots(n_terms)));
    const bool distinct = std::set<std::string>(terms.begin(), terms.end()).size() == terms.size();
    if (distinct) Vocabulary(key, arena, offsets).freeze(key, slots);
    while (!input.empty()) {
        const uint8_t what = input.byte();
        if (what < 200) {
            auto* const bytes = reinterpret_cast<uint8_t*>(slots.data());
            if (!slots.empty())
                bytes[input.number<uint16_t>() % (slots.size() * sizeof(TermSlot))] = input.byte();
        } else if (what < 220) {
            if (!offsets.empty())
                offsets[static_cast<size_t>(input.byte()) % offsets.size()] =
                    input.number<int64_t>();
        } else if (what < 225) {
            slots.resize(static_cast<size_t>(input.byte() % 70));
        } else if (what < 230) {
            offsets.resize(static_cast<size_t>(input.byte() % 40));
        } else {
            arena.resize(static_cast<size_t>(input.byte()));
        }
    }
    slots.shrink_to_fit();
    offsets.shrink_to_fit();
    arena.shrink_to_fit();
    check_vocabulary(arena, offsets);

    const FrozenTerms frozen{key, arena, offsets, slots};
    try {
        frozen.check();
    } catch (const std::invalid_argument&) {
        return;
    }
    CHECK(offsets_are_sound(offsets, arena.size()));
    std::vector<std::string> sought = terms;
    for (const TermSlot& slot : slots) {  // and what only the table claims to have
        if (slot.length > token_head_bytes)
            sought.emplace_back(arena.data() + slot.rest, slot.length);
    }
    sought.emplace_back("absent");
    sought.emplace_back();
    for (const std::string& term : sought) {
        const uint32_t id = frozen.table().find(Padded(term).key(key));
        CHECK(id == term_not_found || id < static_cast<uint64_t>(frozen.size()), id);
    }
}
