// One document as its owner stores it; the engine never copies more than a window of it.
#pragma once

#include <cstdint>
#include <limits>

namespace wordodds {

// Code units of equal width, as in Python's own strings (PEP 393).
enum class TextKind : int32_t {
    ascii,   // 1 byte, all below 0x80
    latin1,  // 1 byte
    ucs2,    // 2 bytes, native order, no surrogate pairs
    ucs4,    // 4 bytes, native order
};

struct Document {
    const void* data;
    int64_t length;  // in code points; at most document_max_length
    TextKind kind;
};

// A feature occurs less than twice per code point (the space around the words of "a a a"), and counts
// within a row are 32 bits wide, with sign.
inline constexpr int64_t document_max_length = std::numeric_limits<int32_t>::max() / 2;

}  // namespace wordodds
