// Appending characters and their marks, one after the other.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "ascii_lower.hpp"
#include "utf8.hpp"
#include "wordodds/text/lower.hpp"
#include "wordodds/text/unicode.hpp"

namespace wordodds {

// Fills a LoweredOut from its scratch space: each byte's mark is a byte there, 0 or 1, until
// finish() packs them into bits: setting single bits as the bytes come would make each wait for the
// one before.
class MarkedWriter {
   public:
    static constexpr int64_t block_size = 64;

    explicit MarkedWriter(const LoweredOut& out)
        : bytes_(out.bytes), marks_(out.scratch), size_(out.size) {}

    void append(uint32_t code_point, bool marked) {
        const int64_t n = utf8_encode(code_point, bytes_ + size_);
        std::memset(marks_ + size_, marked, utf8_max_bytes);
        size_ += n;
    }

    // Always writes two bytes: no branch on the length, which changes with nearly every character.
    template <CharacterClass marks>
    void append_narrow(NarrowRecord record) {
        store_two(record, bytes_ + size_);
        store_two(narrow_marks<marks>(record), marks_ + size_);
        size_ += static_cast<int64_t>(record >> 48);
    }

    // 64 ASCII characters at once.
    void append_block(const char* ascii, AsciiLower ascii_lower) {
        uint64_t marks;
        ascii_lower(ascii, block_size, bytes_ + size_, &marks);
        for (int64_t i = 0; i < block_size; ++i) marks_[size_ + i] = marks >> i & 1;
        size_ += block_size;
    }

    void finish(LoweredOut& out) {
        std::memset(marks_ + size_, 0, block_size);  // bits behind the last byte are zero
        for (int64_t i = out.size; i < size_; i += block_size) {
            uint64_t word = 0;
            for (int64_t k = 0; k < block_size; k += 8) word |= packed(marks_ + i + k) << k;
            out.mask[i >> 6] = word;
        }
        out.size = size_;
    }

   private:
    template <CharacterClass marks>
    static uint64_t narrow_marks(NarrowRecord record) {
        if constexpr (marks == CharacterClass::word) return record >> 16;
        if constexpr (marks == CharacterClass::not_space) return record >> 32;
        return is_separator(record & 0xFF) ? 0 : 0x0101;  // the first byte tells
    }

    // The lowest byte first.
    static void store_two(uint64_t value, void* out) {
        auto two = static_cast<uint16_t>(value);
        if constexpr (std::endian::native == std::endian::big) two = __builtin_bswap16(two);
        std::memcpy(out, &two, 2);
    }

    // Eight bytes of 0 or 1 as eight bits, the first one lowest: the product moves byte i to bit 56
    // + i, and no two terms meet.
    static uint64_t packed(const uint8_t* marks) {
        uint64_t bytes;
        std::memcpy(&bytes, marks, 8);
        if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
        return (bytes * 0x0102040810204080u) >> 56;
    }

    char* bytes_;
    uint8_t* marks_;
    int64_t size_;
};

}  // namespace wordodds
