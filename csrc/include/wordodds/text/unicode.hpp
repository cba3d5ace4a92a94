// Python's \w, \s and str.lower, one code point at a time, from tables generated at build time.
#pragma once

#include <cstdint>

namespace wordodds {

struct UnicodeRecord {
    uint8_t flags;
    int32_t lower_delta;  // code point of the lower-case form minus the code point
};

// Bits of UnicodeRecord::flags.
inline constexpr uint8_t unicode_word = 1;       // matches \w
inline constexpr uint8_t unicode_cased = 2;      // a letter with case, and not ignorable
inline constexpr uint8_t unicode_ignorable = 4;  // str.lower looks past it around a capital sigma
inline constexpr uint8_t unicode_special = 8;    // lower-casing takes context or gives two code points
inline constexpr uint8_t unicode_space = 16;     // matches \s

// The lower-case form of a code point below unicode_narrow_end, ready to be written: most letters of
// European, Greek, Cyrillic, Hebrew and Arabic text are there.
struct NarrowRecord {
    signed char bytes[2];  // UTF-8; both are the same if there is one
    uint8_t length;
    uint8_t flags;  // of the lower-case form; only unicode_special if the form does not fit here
};
inline constexpr uint32_t unicode_narrow_end = 0x800;

extern const NarrowRecord unicode_narrow[];
extern const char unicode_version[];
extern const uint16_t unicode_stage1[];
extern const uint8_t unicode_stage2[];
extern const UnicodeRecord unicode_records[];

// Precondition: code_point <= 0x10FFFF (surrogates included). O(1).
inline const UnicodeRecord& unicode_record(uint32_t code_point) {
    const uint32_t block = unicode_stage1[code_point >> 7];
    return unicode_records[unicode_stage2[(block << 7) | (code_point & 127)]];
}

inline constexpr uint32_t capital_sigma = 0x3A3;
inline constexpr uint32_t small_sigma = 0x3C3;
inline constexpr uint32_t final_sigma = 0x3C2;
inline constexpr uint32_t capital_i_with_dot = 0x130;
inline constexpr uint32_t combining_dot_above = 0x307;

}  // namespace wordodds
