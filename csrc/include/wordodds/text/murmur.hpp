// MurmurHash3 of a feature: the hash whose columns scikit-learn's HashingVectorizer uses.
#pragma once

#include <cstdint>
#include <cstring>

namespace wordodds {

// MurmurHash3_x86_32 with seed 0, by Austin Appleby, who placed it in the public domain. The four-byte
// blocks are read in little-endian order. O(n).
inline uint32_t murmur3_32(const char* bytes, uint32_t n) {
    const auto rotate = [](uint32_t x, int by) { return (x << by) | (x >> (32 - by)); };
    const auto scramble = [&](uint32_t block) { return rotate(block * 0xCC9E2D51u, 15) * 0x1B873593u; };
    uint32_t hash = 0;
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const auto* b = reinterpret_cast<const unsigned char*>(bytes + i);
        const uint32_t block = static_cast<uint32_t>(b[0]) | static_cast<uint32_t>(b[1]) << 8 |
                               static_cast<uint32_t>(b[2]) << 16 | static_cast<uint32_t>(b[3]) << 24;
        hash = rotate(hash ^ scramble(block), 13) * 5 + 0xE6546B64u;
    }
    uint32_t rest = 0;
    for (uint32_t j = n; j > i; --j) rest = rest << 8 | static_cast<unsigned char>(bytes[j - 1]);
    if (i < n) hash ^= scramble(rest);
    hash ^= n;
    hash = (hash ^ (hash >> 16)) * 0x85EBCA6Bu;
    hash = (hash ^ (hash >> 13)) * 0xC2B2AE35u;
    return hash ^ (hash >> 16);
}

}  // namespace wordodds
