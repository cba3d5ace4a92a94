// Reading a document's code points, whatever their encoding.
#pragma once

#include <cstdint>
#include <cstring>

#include "wordodds/text/document.hpp"
#include "wordodds/text/utf8.hpp"

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

    uint32_t take(int64_t& i) const { return static_cast<uint32_t>(data[i++]); }
    uint32_t take_back(int64_t& i) const { return static_cast<uint32_t>(data[--i]); }

    bool copy_ascii_block(int64_t i, char* out) const {
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
        const auto byte = [&](int64_t k) { return uint32_t{static_cast<uint8_t>(data[k])}; };
        const auto low = [&](int64_t k) { return byte(k) & 0x3F; };
        const uint32_t lead = byte(i);
        if (lead < 0x80) {
            i += 1;
            return lead;
        }
        if (lead < 0xE0) {
            i += 2;
            return ((lead & 0x1F) << 6) | low(i - 1);
        }
        if (lead < 0xF0) {
            i += 3;
            return ((lead & 0x0F) << 12) | (low(i - 2) << 6) | low(i - 1);
        }
        i += 4;
        return ((lead & 0x07) << 18) | (low(i - 3) << 12) | (low(i - 2) << 6) | low(i - 1);
    }

    uint32_t take_back(int64_t& i) const {
        do --i;
        while (!utf8_is_lead(data[i]));
        int64_t behind = i;
        return take(behind);
    }

    bool copy_ascii_block(int64_t i, char* out) const {
        std::memcpy(out, data + i, source_block_size);
        uint8_t all = 0;
        for (int64_t k = 0; k < source_block_size; ++k) all |= static_cast<uint8_t>(out[k]);
        return all < 0x80;
    }
};

}  // namespace wordodds
