// Sorting small unsigned keys in linear time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace wordodds {

// The passes of radix_sort. How often each digit occurs does not depend on the order, so one look
// at the data counts the digits of all passes.
template <int passes, int digit_bits_max, class T, class KeyOf>
void radix_passes(T* data, T* scratch, int64_t n, int digit_bits, KeyOf key_of) {
    const uint32_t n_digits = 1u << digit_bits;
    const auto digit = [&](const T& element, int pass) {
        return (key_of(element) >> (pass * digit_bits)) & (n_digits - 1);
    };
    uint32_t position[passes][1 << digit_bits_max];
    for (int pass = 0; pass < passes; ++pass) std::fill_n(position[pass], n_digits, 0u);
    for (int64_t i = 0; i < n; ++i) {
        for (int pass = 0; pass < passes; ++pass) ++position[pass][digit(data[i], pass)];
    }
    T* from = data;
    T* to = scratch;
    for (int pass = 0; pass < passes; ++pass) {
        uint32_t before = 0;
        for (uint32_t d = 0; d < n_digits; ++d) before += std::exchange(position[pass][d], before);
        for (int64_t i = 0; i < n; ++i) to[position[pass][digit(from[i], pass)]++] = from[i];
        std::swap(from, to);
    }
    if (from != data) std::copy_n(from, n, data);
}

// Sorts data[0, n) ascending by key_of(element), stably, where every key is below 2^key_bits <=
// 2^32. `scratch` has room for n elements and is overwritten. Least significant digit first, in
// passes of at most 9 bits: O(n * key_bits / 9), no comparison and so no mispredicted branch. Short
// arrays are sorted by insertion, which beats clearing the histograms.
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
    switch (passes) {
        case 1: return radix_passes<1, digit_bits_max>(data, scratch, n, digit_bits, key_of);
        case 2: return radix_passes<2, digit_bits_max>(data, scratch, n, digit_bits, key_of);
        case 3: return radix_passes<3, digit_bits_max>(data, scratch, n, digit_bits, key_of);
        default: return radix_passes<4, digit_bits_max>(data, scratch, n, digit_bits, key_of);
    }
}

// How many bits hold every key below n_keys.
inline int key_bits_for(int64_t n_keys) {
    return static_cast<int>(
        std::bit_width(static_cast<uint64_t>(std::max<int64_t>(n_keys, 2) - 1)));
}

}  // namespace wordodds
