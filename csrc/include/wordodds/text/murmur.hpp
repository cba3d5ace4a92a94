// MurmurHash3 of a feature: the hash whose columns scikit-learn's HashingVectorizer uses.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace wordodds {

// MurmurHash3_x86_32 with seed 0, by Austin Appleby, who placed it in the public domain: blocks of
// four bytes, read in little-endian order, then what is left of them.
class Murmur3 {
   public:
    void add(uint32_t block) { hash_ = added(block); }
    // For a block that is there or not without anybody knowing before: costs no branch.
    void add_if(bool present, uint32_t block) {
        const uint32_t hash = added(block);
        hash_ = present ? hash : hash_;
    }
    // `rest` holds the last n % 4 bytes, zero-filled.
    uint32_t finish(uint32_t rest, uint32_t n) const {
        uint32_t hash = hash_ ^ scrambled(rest) ^ n;  // a rest of zeros scrambles to zero
        hash = (hash ^ (hash >> 16)) * 0x85EBCA6Bu;
        hash = (hash ^ (hash >> 13)) * 0xC2B2AE35u;
        return hash ^ (hash >> 16);
    }

   private:
    static uint32_t scrambled(uint32_t block) {
        return std::rotl(block * 0xCC9E2D51u, 15) * 0x1B873593u;
    }
    uint32_t added(uint32_t block) const {
        return std::rotl(hash_ ^ scrambled(block), 13) * 5 + 0xE6546B64u;
    }

    uint32_t hash_ = 0;
};

inline uint32_t murmur3_block(const char* bytes) {
    uint32_t block;
    std::memcpy(&block, bytes, 4);
    if constexpr (std::endian::native == std::endian::big) block = __builtin_bswap32(block);
    return block;
}

// Precondition: 16 bytes from `bytes` on may be read, and 3 behind the last one, whatever n. O(n).
inline uint32_t murmur3_32(const char* bytes, uint32_t n) {
    Murmur3 murmur;
    const uint32_t n_blocks = n / 4;
    if (n <= 16) [[likely]] {
        // Lengths change from word to word: a loop over the blocks would mispredict its end each
        // time.
        for (uint32_t i = 0; i < 4; ++i) murmur.add_if(i < n_blocks, murmur3_block(bytes + 4 * i));
    } else {
        for (uint32_t i = 0; i < n_blocks; ++i) murmur.add(murmur3_block(bytes + 4 * i));
    }
    const uint32_t rest = n % 4 == 0 ? 0 : murmur3_block(bytes + 4 * n_blocks);
    return murmur.finish(rest & ((1u << 8 * (n % 4)) - 1), n);
}

// The column of a feature among n_columns >= 1 for unknown ones: not by the vocabulary's own hash,
// whose key differs from vocabulary to vocabulary. Reads what murmur3_32 reads.
inline uint32_t hashed_column(const char* bytes, uint32_t n, uint32_t n_columns) {
    return murmur3_32(bytes, n) % n_columns;
}

}  // namespace wordodds
