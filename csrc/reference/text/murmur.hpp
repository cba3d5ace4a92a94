// Slow twin of text/murmur: numbers in 64 bits, reduced after each step.
#pragma once

#include <cstdint>
#include <string>

namespace wordodds::reference {

// MurmurHash3_x86_32 with seed 0, after the description of the algorithm.
inline uint32_t murmur3_32(const std::string& bytes) {
    constexpr uint64_t modulus = uint64_t{1} << 32;
    const auto times = [](uint64_t x, uint64_t y) { return x * y % modulus; };
    const auto rotated = [](uint64_t x, int by) { return (x << by) % modulus + (x >> (32 - by)); };
    uint64_t hash = 0;
    for (size_t first = 0; first < bytes.size(); first += 4) {
        uint64_t block = 0;
        uint64_t weight = 1;
        for (const char byte : bytes.substr(first, 4)) {
            block += weight * static_cast<uint8_t>(byte);
            weight *= 256;
        }
        hash ^= times(rotated(times(block, 0xCC9E2D51), 15), 0x1B873593);
        const bool is_whole = first + 4 <= bytes.size();
        if (is_whole) hash = (times(rotated(hash, 13), 5) + 0xE6546B64) % modulus;
    }
    hash ^= bytes.size();
    hash = times(hash ^ (hash >> 16), 0x85EBCA6B);
    hash = times(hash ^ (hash >> 13), 0xC2B2AE35);
    return static_cast<uint32_t>(hash ^ (hash >> 16));
}

}  // namespace wordodds::reference
