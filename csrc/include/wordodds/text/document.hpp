// One document as its owner stores it; the engine never copies more than a window of it.
#pragma once

#include <cstdint>
#include <limits>

namespace wordodds {

// Code units of equal width, as in Python's own strings (PEP 393), or UTF-8, as in Arrow's columns.
enum class TextKind : int32_t {
    ascii,   // 1 byte, all below 0x80
    latin1,  // 1 byte
    ucs2,    // 2 bytes, native order, no surrogate pairs
    ucs4,    // 4 bytes, native order
    utf8,    // 1 byte; valid UTF-8
};

struct Document {
    const void* data;
    int64_t length;  // in code units; at most document_max_length
    TextKind kind;
};

// The last border of a code point at or before `position`. Precondition: 0 <= position <= length.
inline int64_t code_point_border(const Document& document, int64_t position) {
    if (document.kind != TextKind::utf8 || position == document.length) return position;
    const auto* const bytes = static_cast<const uint8_t*>(document.data);
    while ((bytes[position] & 0xC0) == 0x80) --position;
    return position;
}

// A feature occurs less than twice per code point (the space around the words of "a a a"), and
// counts within a row are 32 bits wide, with sign.
inline constexpr int64_t document_max_length = std::numeric_limits<int32_t>::max() / 2;

}  // namespace wordodds
