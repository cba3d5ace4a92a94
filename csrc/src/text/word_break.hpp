// Words by the default word boundaries of Unicode (UAX #29), from tables generated at build time.
#pragma once

#include <cstdint>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/stop.hpp"
#include "wordodds/text/tokenize.hpp"

namespace wordodds {

// The property Word_Break; tools/generate_word_break.py numbers its values in the same order.
enum class WordBreak : uint8_t {
    other,
    cr,
    lf,
    newline,
    extend,
    zwj,
    format,
    regional_indicator,
    katakana,
    hebrew_letter,
    aletter,
    single_quote,
    double_quote,
    mid_num_let,
    mid_letter,
    mid_num,
    numeric,
    extend_num_let,
    wseg_space,
};
inline constexpr int32_t n_word_breaks = 19;

// A record of the tables: a WordBreak, and this bit for Extended_Pictographic.
inline constexpr uint8_t word_break_pictographic = 32;

extern const uint16_t word_break_stage1[];
extern const uint8_t word_break_stage2[];  // starts with the records of ASCII

// Precondition: code_point <= 0x10FFFF (surrogates included; they are `other`). O(1).
inline uint8_t word_break_record(uint32_t code_point) {
    const uint32_t block = word_break_stage1[code_point >> 7];
    return word_break_stage2[(block << 7) | (code_point & 127)];
}
inline WordBreak word_break_of(uint8_t record) {
    return static_cast<WordBreak>(record & (word_break_pictographic - 1));
}

// Appends, in their order, those segments between two word boundaries of the text that hold a
// letter or a digit: a character of \w other than '_'. So "can't", "3.14" and "a_b" are one word
// each, and so is every single Han character.
//
// bytes: n bytes of valid UTF-8, lone surrogates as three bytes each (utf8.hpp); n < 2^32. Nothing
// behind them is read. Spans are counted from `bytes`. The text counts as complete: a piece cut
// elsewhere than at a word boundary gives other words. O(n) whatever the text; on the calling
// thread. Throws Stopped.
void utf8_find_words(const char* bytes, int64_t n, StopToken& stop, Buffer<TokenSpan>& words_out);

}  // namespace wordodds
