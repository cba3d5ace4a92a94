// UTF-8 as the scanner writes it: generalised, so that a lone surrogate is three bytes like its
// neighbours. Byte order then equals code point order, which is the order of Python's strings.
#pragma once

#include <cstdint>

namespace wordodds {

inline constexpr int64_t utf8_max_bytes = 4;

// Writes code_point to out and returns how many bytes it took, 1 to 4.
inline int64_t utf8_encode(uint32_t code_point, char* out) {
    const auto byte = [](uint32_t value) { return static_cast<char>(value); };
    const auto continuation = [&](uint32_t value) { return byte(0x80 | (value & 0x3F)); };
    if (code_point < 0x80) {
        out[0] = byte(code_point);
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = byte(0xC0 | (code_point >> 6));
        out[1] = continuation(code_point);
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = byte(0xE0 | (code_point >> 12));
        out[1] = continuation(code_point >> 6);
        out[2] = continuation(code_point);
        return 3;
    }
    out[0] = byte(0xF0 | (code_point >> 18));
    out[1] = continuation(code_point >> 12);
    out[2] = continuation(code_point >> 6);
    out[3] = continuation(code_point);
    return 4;
}

// How many bytes the character takes that starts with `lead`. Precondition: not a continuation
// byte.
inline int64_t utf8_length(char lead) {
    const auto byte = static_cast<uint8_t>(lead);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The code point of the character that starts at `bytes`. Precondition: all of it is there.
inline uint32_t utf8_decode(const char* bytes) {
    const auto continuation = [&](int64_t i) { return static_cast<uint8_t>(bytes[i]) & 0x3Fu; };
    const uint32_t lead = static_cast<uint8_t>(bytes[0]);
    if (lead < 0x80) return lead;
    if (lead < 0xE0) return (lead & 0x1F) << 6 | continuation(1);
    if (lead < 0xF0) return (lead & 0x0F) << 12 | continuation(1) << 6 | continuation(2);
    return (lead & 0x07) << 18 | continuation(1) << 12 | continuation(2) << 6 | continuation(3);
}

// Whether a byte begins a character.
inline bool utf8_is_lead(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) != 0x80; }

// How many characters begin within n bytes. O(n).
inline int64_t utf8_count(const char* bytes, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += utf8_is_lead(bytes[i]);
    return count;
}

}  // namespace wordodds
