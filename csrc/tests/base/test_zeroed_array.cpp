#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "tests/check.hpp"
#include "wordodds/base/zeroed_array.hpp"

namespace wordodds {
namespace {

struct alignas(32) Slot {
    uint64_t values[4];
};

constexpr size_t mapped_min = size_t{1} << 22;  // bytes; private there
constexpr size_t sizes[] = {
    0, 1, 1000, mapped_min / 32 - 1, mapped_min / 32, mapped_min / 32 + 1, mapped_min / 8};

template <class T>
bool all_are(const ZeroedArray<T>& array, uint8_t byte) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(array.begin());
    return std::all_of(bytes, bytes + array.size() * sizeof(T),
                       [&](uint8_t b) { return b == byte; });
}

template <class T>
void fill(ZeroedArray<T>& array, uint8_t byte) {
    std::fill_n(reinterpret_cast<uint8_t*>(array.begin()), array.size() * sizeof(T), byte);
}

TEST("zeros of any size, also where memory is used again") {
    for (const size_t n : sizes) {
        for (int turn = 0; turn < 3; ++turn) {
            ZeroedArray<Slot> slots(n);
            CHECK_EQ(slots.size(), n);
            CHECK_EQ(static_cast<size_t>(slots.end() - slots.begin()), n);
            CHECK(all_are(slots, 0), n, turn);
            fill(slots, 0xFF);
            CHECK(all_are(slots, 0xFF), n, turn);
        }
        ZeroedArray<uint8_t> bytes(n);
        CHECK(all_are(bytes, 0), n);
    }
}

TEST("elements are aligned as their type asks") {
    // Some of each size: one alone may be aligned by chance.
    for (const size_t n : sizes) {
        ZeroedArray<Slot> arrays[5];
        ZeroedArray<uint8_t> between[5];
        for (size_t i = 0; i < 5; ++i) {
            arrays[i] = ZeroedArray<Slot>(n);
            between[i] = ZeroedArray<uint8_t>(1 + 8 * i);
            CHECK_EQ(reinterpret_cast<uintptr_t>(arrays[i].begin()) % alignof(Slot), 0u, n, i);
        }
    }
}

TEST("moved, the elements stay where they are") {
    for (const size_t n : sizes) {
        ZeroedArray<uint32_t> first(n);
        fill(first, 7);
        const uint32_t* const place = first.begin();
        ZeroedArray<uint32_t> second(std::move(first));
        CHECK_EQ(first.size(), 0u);
        CHECK(second.begin() == place && second.size() == n && all_are(second, 7), n);
        ZeroedArray<uint32_t> third(3);
        third = std::move(second);
        CHECK(third.begin() == place && third.size() == n && all_are(third, 7), n);
        if (n > 0) {
            third[n - 1] = 9;
            CHECK_EQ(std::as_const(third)[n - 1], 9u);
        }
    }
}

TEST("cleared, it is empty and may be filled again") {
    for (const size_t n : sizes) {
        ZeroedArray<uint32_t> array(n);
        fill(array, 7);
        array.clear();
        CHECK_EQ(array.size(), 0u);
        CHECK(array.begin() == array.end());
        array.clear();
        array = ZeroedArray<uint32_t>(n);
        CHECK(array.size() == n && all_are(array, 0), n);
    }
}

TEST("what no memory can hold is refused") {
    CHECK_THROWS(std::bad_alloc, ZeroedArray<Slot>(~size_t{0} / 32 + 1));
    CHECK_THROWS(std::bad_alloc, ZeroedArray<Slot>(~size_t{0} / 32));
    CHECK_THROWS(std::bad_alloc, ZeroedArray<Slot>(~size_t{0}));
}

}  // namespace
}  // namespace wordodds
