// Python's \w, \s, str.lower and unicodedata.normalize, one code point at a time, from tables
// generated at build time.
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
inline constexpr uint8_t unicode_special = 8;    // lower-casing takes context or gives two
inline constexpr uint8_t unicode_space = 16;     // matches \s

// A code point below unicode_narrow_end, or its lower-case form, ready to be written: most letters
// of European, Greek, Cyrillic, Hebrew and Arabic text are there. All in one word, which takes one
// load:
//     bits  0-15  its bytes in UTF-8, the first one lowest; both are the same if there is one
//     bits 16-31  for each byte, 1 if the form matches \w
//     bits 32-47  for each byte, 1 if it matches \S
//     bits 48-55  how many bytes there are; 0: the form does not fit here
using NarrowRecord = uint64_t;
inline constexpr uint32_t unicode_narrow_end = 0x800;

extern const NarrowRecord unicode_narrow[];
extern const NarrowRecord unicode_narrow_lower[];
extern const char unicode_version[];
extern const uint16_t unicode_stage1[];
extern const uint8_t unicode_stage2[];
extern const UnicodeRecord unicode_records[];

// Precondition: code_point <= 0x10FFFF (surrogates included). O(1).
inline const UnicodeRecord& unicode_record(uint32_t code_point) {
    const uint32_t block = unicode_stage1[code_point >> 7];
    return unicode_records[unicode_stage2[(block << 7) | (code_point & 127)]];
}

// What is left of a code point when its accent is stripped: its compatibility decomposition without
// combining characters. Record 0: the code point itself; record r: unicode_strip_pool from
// unicode_strip_offsets[r] to [r + 1], which may be nothing. Korean syllables are not there: they
// decompose by arithmetic.
extern const uint8_t unicode_strip_stage1[];
extern const uint16_t unicode_strip_stage2[];
extern const uint32_t unicode_strip_offsets[];
extern const uint32_t unicode_strip_pool[];
extern const int64_t unicode_strip_bytes_max;  // of what one code point becomes, in UTF-8

// Precondition: code_point <= 0x10FFFF. O(1).
inline uint32_t unicode_strip_record(uint32_t code_point) {
    const uint32_t block = unicode_strip_stage1[code_point >> 7];
    return unicode_strip_stage2[(block << 7) | (code_point & 127)];
}

// Syllable i is lead i / 588, vowel i % 588 / 28 and, unless i % 28 is 0, tail i % 28.
inline constexpr uint32_t hangul_first = 0xAC00;
inline constexpr uint32_t hangul_count = 11172;
inline constexpr uint32_t hangul_per_lead = 588;
inline constexpr uint32_t hangul_per_vowel = 28;
inline constexpr uint32_t hangul_lead = 0x1100;
inline constexpr uint32_t hangul_vowel = 0x1161;
inline constexpr uint32_t hangul_tail = 0x11A7;

inline constexpr uint32_t capital_sigma = 0x3A3;
inline constexpr uint32_t small_sigma = 0x3C3;
inline constexpr uint32_t final_sigma = 0x3C2;
inline constexpr uint32_t capital_i_with_dot = 0x130;
inline constexpr uint32_t combining_dot_above = 0x307;

}  // namespace wordodds
