// What the vocabulary needs to know of a token: its head, its length and a keyed hash.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace wordodds {

// Secret of one vocabulary, drawn at random by the caller: the author of a text cannot know
// which words collide. Results never depend on it.
struct HashKey {
    uint64_t a;
    uint64_t b;
};

inline constexpr uint32_t token_head_bytes = 16;

struct TokenKey {
    uint64_t head[2];  // the first 16 bytes, zero-filled: most words compare by these alone
    uint64_t hash;
    const char* data;
    uint32_t length;
};

// Both halves of the 128-bit product, folded: every input bit reaches every output bit.
inline uint64_t fold_multiply(uint64_t x, uint64_t y) {
#if defined(__SIZEOF_INT128__)
    __extension__ using uint128 = unsigned __int128;
    const uint128 product = static_cast<uint128>(x) * y;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#else
    const uint64_t x0 = x & 0xFFFFFFFFu, x1 = x >> 32, y0 = y & 0xFFFFFFFFu, y1 = y >> 32;
    const uint64_t low = x0 * y0, left = x1 * y0, right = x0 * y1;
    const uint64_t middle = (low >> 32) + (left & 0xFFFFFFFFu) + (right & 0xFFFFFFFFu);
    const uint64_t high = x1 * y1 + (left >> 32) + (right >> 32) + (middle >> 32);
    return ((middle << 32) | (low & 0xFFFFFFFFu)) ^ high;
#endif
}

// The bytes behind the head, 16 at a time; the last 16 of the token end them, and may overlap with
// the others. Precondition: length > 16.
inline uint64_t hash_tail(const char* data, uint32_t length, uint64_t hash, HashKey key) {
    const auto add = [&](const char* from) {
        uint64_t part[2];
        std::memcpy(part, from, 16);
        hash = fold_multiply(part[0] ^ key.a ^ hash, part[1] ^ key.b);
    };
    for (uint32_t i = token_head_bytes; i + 16 < length; i += 16) add(data + i);
    add(data + length - 16);
    return hash;
}

// Whether two tokens of the same length > 16 are the same. A call of memcmp would cost more than
// most comparisons.
inline bool same_long_bytes(const char* x, const char* y, uint32_t length) {
    const auto same = [&](uint32_t at) {
        uint64_t left[2], right[2];
        std::memcpy(left, x + at, 16);
        std::memcpy(right, y + at, 16);
        return ((left[0] ^ right[0]) | (left[1] ^ right[1])) == 0;
    };
    for (uint32_t i = 0; i + 16 < length; i += 16) {
        if (!same(i)) return false;
    }
    return same(length - 16);
}

// Precondition: 16 bytes from `data` on may be read, whatever the length. O(length).
inline TokenKey make_token_key(const char* data, uint32_t length, HashKey key) {
    // 16 bytes from offset 16 - n on: n ones, then zeros; independent of byte order.
    alignas(32) static constexpr unsigned char ones_then_zeros[32] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    TokenKey token;
    uint64_t keep[2];
    std::memcpy(token.head, data, 16);
    std::memcpy(keep, ones_then_zeros + 16 - std::min(length, token_head_bytes), 16);
    token.head[0] &= keep[0];
    token.head[1] &= keep[1];
    token.data = data;
    token.length = length;
    token.hash = fold_multiply(token.head[0] ^ key.a, token.head[1] ^ key.b ^ length);
    if (length > token_head_bytes) [[unlikely]] {
        token.hash = hash_tail(data, length, token.hash, key);
    }
    return token;
}

}  // namespace wordodds
