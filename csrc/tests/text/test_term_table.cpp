// Vocabularies that no longer change: found by a table that may come from a file.
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/check.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/terms.hpp"
#include "wordodds/text/term_table.hpp"

namespace wordodds {
namespace {

constexpr HashKey other_key{0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu};

// Arrays of a frozen vocabulary, of exact size.
struct Frozen {
    Packed packed;
    std::vector<TermSlot> slots;

    explicit Frozen(const std::vector<std::string>& terms)
        : packed(terms),
          slots(static_cast<size_t>(frozen_slots(static_cast<int64_t>(terms.size())))) {
        packed_vocabulary(terms).freeze(other_key, slots);
    }
    FrozenTerms view() const { return {other_key, packed.arena, packed.offsets, slots}; }
    uint32_t find(const std::string& term) const {
        return view().table().find(Padded(term).key(other_key));
    }
};

TEST("a frozen vocabulary finds each of its terms, and no other") {
    for (const size_t n : {0u, 1u, 2u, 3u, 7u, 100u, 5000u}) {
        const auto terms = distinct_terms(n + 1, n);
        const Frozen frozen(terms);
        frozen.view().check();
        CHECK_EQ(frozen.view().size(), static_cast<int64_t>(n));
        CHECK(10 * n <= 7 * frozen.slots.size() || n == 0, n, frozen.slots.size());
        for (size_t i = 0; i < n; ++i) CHECK_EQ(frozen.find(terms[i]), i, n);
        const Vocabulary vocabulary = vocabulary_of(terms);
        for (const std::string& term : distinct_terms(n + 2, 500)) {
            CHECK_EQ(frozen.find(term), find(vocabulary, term), n, term);
        }
    }
}

template <class Damage>
void check_refused(Damage damage) {
    Frozen frozen(distinct_terms(3, 200));
    damage(frozen);
    CHECK_THROWS(std::invalid_argument, frozen.view().check());
}

TEST("tables that would lead astray are refused") {
    check_refused([](Frozen& f) { f.slots.pop_back(); });
    check_refused([](Frozen& f) { f.slots.clear(); });
    check_refused([](Frozen& f) { f.slots[5].id_plus_one = 201; });
    check_refused([](Frozen& f) { f.packed.offsets[7] = f.packed.offsets[8] + 1; });
    check_refused([](Frozen& f) { f.packed.offsets[7] = std::numeric_limits<int64_t>::min(); });
    check_refused([](Frozen& f) { f.packed.offsets.back() += 1; });
    check_refused([](Frozen& f) { f.packed.offsets.front() = -1; });
    check_refused([](Frozen& f) { f.packed.offsets.clear(); });
    check_refused([](Frozen& f) { f.packed.arena.pop_back(); });
    for (const uint64_t rest : {uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{0} - 16}) {
        check_refused([&](Frozen& f) {
            for (TermSlot& slot : f.slots) {
                if (slot.length > token_head_bytes) slot.rest = rest;
            }
        });
    }
    check_refused([](Frozen& f) {  // no empty slot: a lookup would never end
        for (TermSlot& slot : f.slots) slot.id_plus_one = 1;
    });
    check_refused([](Frozen& f) {
        for (TermSlot& slot : f.slots) slot.length = 0xFFFFFFFFu;
    });
}

TEST("whatever passes the check, lookups end within the arrays") {
    Random random(11);
    int n_passed = 0;
    for (int repeat = 0; repeat < 3000; ++repeat) {
        const auto terms = distinct_terms(random(), 40);
        Frozen frozen(terms);
        for (int64_t n = 1 + below(random, 3); n > 0; --n) {
            auto* const bytes = reinterpret_cast<char*>(frozen.slots.data());
            const auto at = static_cast<size_t>(
                below(random, static_cast<int64_t>(frozen.slots.size() * sizeof(TermSlot))));
            bytes[at] = static_cast<char>(random() % 256);
        }
        try {
            frozen.view().check();
        } catch (const std::invalid_argument&) {
            continue;
        }
        ++n_passed;
        for (const std::string& term : terms) {
            const uint32_t id = frozen.find(term);
            CHECK(id == term_not_found || id < terms.size(), id);
        }
    }
    CHECK(n_passed > 100 && n_passed < 3000, n_passed);
}

}  // namespace
}  // namespace wordodds
