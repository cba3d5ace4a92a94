#include <algorithm>
#include <limits>

#include "reference/score/linear.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "wordodds/base/numeric.hpp"
#include "wordodds/base/radix_sort.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Item {
    uint32_t key;
    uint32_t position;  // before sorting, so that stability shows

    bool operator==(const Item&) const = default;
};

void check_radix_sort(Random& random, size_t n, int key_bits, int shift) {
    const auto mask = static_cast<uint32_t>((uint64_t{1} << key_bits) - 1);
    std::vector<Item> items(n), scratch(n);
    for (size_t i = 0; i < n; ++i) {
        // Shifted down: many equal keys. The largest key of all goes in as well.
        items[i] = {i == 0 ? mask : (static_cast<uint32_t>(random()) & mask) >> shift,
                    static_cast<uint32_t>(i)};
    }
    std::vector<Item> expected = items;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Item& x, const Item& y) { return x.key < y.key; });
    radix_sort(items.data(), scratch.data(), static_cast<int64_t>(n), key_bits,
               [](const Item& item) { return item.key; });
    CHECK(items == expected, n, key_bits, shift);
}

TEST("radix_sort is std::stable_sort, any length and key width") {
    Random random(2);
    for (int key_bits = 1; key_bits <= 32; ++key_bits) {
        for (size_t n = 0; n <= 2000; n += n < 40 ? 1 : 131) {
            check_radix_sort(random, n, key_bits, 0);
            check_radix_sort(random, n, key_bits, key_bits / 2);
        }
    }
    for (size_t n = 0; n <= 2000; ++n) check_radix_sort(random, n, 17, 0);
    check_radix_sort(random, 100'000, 32, 0);
}

TEST("key_bits_for holds every key and no more") {
    CHECK_EQ(key_bits_for(0), 1);
    CHECK_EQ(key_bits_for(1), 1);
    CHECK_EQ(key_bits_for(2), 1);
    for (int bits = 1; bits <= 31; ++bits) {
        const int64_t power = int64_t{1} << bits;
        CHECK_EQ(key_bits_for(power), bits);
        CHECK_EQ(key_bits_for(power + 1), bits + 1);
    }
}

TEST("logsumexp agrees with its twin in long double") {
    Random random(3);
    for (int repeat = 0; repeat < 2000; ++repeat) {
        std::vector<double> x(1 + random() % 40);
        const double scale = std::exp(20.0 * uniform(random) - 10.0);
        for (double& value : x) {
            value = random() % 16 == 0 ? -infinity : scale * (uniform(random) - 0.5);
        }
        CHECK_CLOSE(logsumexp(x), reference::logsumexp(x), 1e-13, repeat);
    }
}

TEST("logsumexp never overflows and never makes NaN") {
    const auto of = [](std::vector<double> x) { return logsumexp(x); };
    CHECK_EQ(of({}), -infinity);
    CHECK_EQ(of({-infinity}), -infinity);
    CHECK_EQ(of({-infinity, -infinity, -infinity}), -infinity);
    CHECK_EQ(of({infinity, 1.0, -infinity}), infinity);
    CHECK_EQ(of({-infinity, 3.0}), 3.0);
    CHECK_EQ(of({1e308, -1e308}), 1e308);
    CHECK_CLOSE(of({1000.0, 1000.0}), 1000.0 + std::log(2.0), 1e-15);
    CHECK_CLOSE(of({-1000.0, -1000.0}), -1000.0 + std::log(2.0), 1e-15);
}

}  // namespace
}  // namespace wordodds
