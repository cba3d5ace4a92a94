// Reading a document's code points, whatever their encoding.
#pragma once

#include <cstdint>
#include <cstring>

#include "utf8.hpp"
#include "wordodds/text/document.hpp"

namespace wordodds {

// Both sources offer
//     take(i)       the code point at unit i; moves i behind it
//     take_back(i)  the code point that ends before unit i; moves i to its start
//     copy_ascii_block(i, out)  whether the 64 units from i on are ASCII; copies them as bytes
// without checks: positions are borders of code points within the document.

inline constexpr int64_t source_block_size = 64;

template <class Unit>
struct FixedWidth {
    const Unit* data;
    int64_t length;

    explicit FixedWidth(const Document& document)
        : data(static_cast<const Unit*>(document.data)), length(document.length) {}

    uint32_t operator[](int64_t i) const { return static_cast<uint32_t>(data[i]); }
    uint32_t take(int64_t& i) const { return static_cast<uint32_t>(data[i++]); }
    uint32_t take_back(int64_t& i) const { return static_cast<uint32_t>(data[--i]); }

    bool copy_ascii_block(int64_t i, char* out) const {
        // Four samples find out soon about text in another alphabet.
        if (((*this)[i] | (*this)[i + 21] | (*this)[i + 42] | (*this)[i + 63]) >= 0x80)
            return false;
        uint32_t all = 0;
        for (int64_t k = 0; k < source_block_size; ++k) {
            all |= static_cast<uint32_t>(data[i + k]);
            out[k] = static_cast<char>(data[i + k]);
        }
        return all < 0x80;
    }
};

struct Utf8 {
    const char* data;
    int64_t length;

    explicit Utf8(const Document& document)
        : data(static_cast<const char*>(document.data)), length(document.length) {}

    uint32_t take(int64_t& i) const {
        const uint32_t code_point = utf8_decode(data + i);
        i += utf8_length(data[i]);
        return code_point;
    }

    uint32_t take_back(int64_t& i) const {
        do --i;
        while (!utf8_is_lead(data[i]));
        return utf8_decode(data + i);
    }

    bool copy_ascii_block(int64_t i, char* out) const {
        if ((data[i] | data[i + 21] | data[i + 42] | data[i + 63]) & 0x80) return false;
        std::memcpy(out, data + i, source_block_size);
        uint8_t all = 0;
        for (int64_t k = 0; k < source_block_size; ++k) all |= static_cast<uint8_t>(out[k]);
        return all < 0x80;
    }
};

}  // namespace wordodds
