// Sorting small unsigned keys in linear time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace wordodds {

// Sorts data[0, n) ascending by key_of(element), stably, where every key is below 2^key_bits.
// `scratch` has room for n elements and is overwritten. Least significant digit first, in passes
// of at most 9 bits: O(n * key_bits / 9), no comparison and so no mispredicted branch. Short arrays
// are sorted by insertion, which beats clearing the histograms.
template <class T, class KeyOf>
void radix_sort(T* data, T* scratch, int64_t n, int key_bits, KeyOf key_of) {
    constexpr int64_t insertion_max = 24;
    constexpr int digit_bits_max = 9;
    if (n <= insertion_max) {
        for (int64_t i = 1; i < n; ++i) {
            const T moving = data[i];
            int64_t j = i;
            for (; j > 0 && key_of(moving) < key_of(data[j - 1]); --j) data[j] = data[j - 1];
            data[j] = moving;
        }
        return;
    }
    const int passes = std::max(1, (key_bits + digit_bits_max - 1) / digit_bits_max);
    const int digit_bits = (key_bits + passes - 1) / passes;
    const uint32_t digit_mask = (1u << digit_bits) - 1;
    T* from = data;
    T* to = scratch;
    for (int pass = 0; pass < passes; ++pass) {
        const int shift = pass * digit_bits;
        std::array<uint32_t, 1 << digit_bits_max> position;
        std::fill_n(position.begin(), digit_mask + 1, 0u);
        for (int64_t i = 0; i < n; ++i) ++position[(key_of(from[i]) >> shift) & digit_mask];
        uint32_t before = 0;
        for (uint32_t digit = 0; digit <= digit_mask; ++digit) {
            before += std::exchange(position[digit], before);
        }
        for (int64_t i = 0; i < n; ++i) {
            to[position[(key_of(from[i]) >> shift) & digit_mask]++] = from[i];
        }
        std::swap(from, to);
    }
    if (from != data) std::copy_n(from, n, data);
}

// How many bits hold every key below n_keys.
inline int key_bits_for(int64_t n_keys) {
    return static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(n_keys, 2) - 1)));
}

}  // namespace wordodds
