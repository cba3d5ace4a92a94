// Slow twin of text/word_break: for every position, the rules of UAX #29 one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/text/tokenize.hpp"
#include "src/text/word_break.hpp"

namespace wordodds::reference {

class WordBoundaries {
   public:
    explicit WordBoundaries(const std::u32string& text) : text_(text) {}

    // Whether there is a boundary before text[i]; 0 <= i <= length.
    bool at(int64_t i) const {
        if (i == 0 || i == size()) return true;  // WB1, WB2 (the empty text gives no words anyway)
        using enum WordBreak;
        {
            const WordBreak left = value(i - 1);
            const WordBreak right = value(i);
            if (left == cr && right == lf) return false;                  // WB3
            if (is_line_end(left)) return true;                           // WB3a
            if (is_line_end(right)) return true;                          // WB3b
            if (left == zwj && is_pictographic(i)) return false;          // WB3c
            if (left == wseg_space && right == wseg_space) return false;  // WB3d
            if (is_ignored(right)) return false;                          // WB4
        }
        // From here on by WB4 each character stands for itself and all ignored ones behind it.
        const int64_t left_at = base_before(i);
        const WordBreak left = value(left_at);
        const WordBreak before_left = value(base_before(left_at));
        const WordBreak right = value(i);
        const WordBreak behind_right = value(base_behind(i));
        // WB5
        if (is_letter(left) && is_letter(right)) return false;
        // WB6
        if (is_letter(left) && is_mid_letter(right) && is_letter(behind_right)) return false;
        // WB7
        if (is_letter(before_left) && is_mid_letter(left) && is_letter(right)) return false;
        // WB7a
        if (left == hebrew_letter && right == single_quote) return false;
        // WB7b
        if (left == hebrew_letter && right == double_quote && behind_right == hebrew_letter) {
            return false;
        }
        // WB7c
        if (before_left == hebrew_letter && left == double_quote && right == hebrew_letter) {
            return false;
        }
        // WB8
        if (left == numeric && right == numeric) return false;
        // WB9
        if (is_letter(left) && right == numeric) return false;
        // WB10
        if (left == numeric && is_letter(right)) return false;
        // WB11
        if (before_left == numeric && is_mid_num(left) && right == numeric) return false;
        // WB12
        if (left == numeric && is_mid_num(right) && behind_right == numeric) return false;
        // WB13
        if (left == katakana && right == katakana) return false;
        // WB13a
        if (is_extendable(left) && right == extend_num_let) return false;
        if (left == extend_num_let && right == extend_num_let) return false;
        // WB13b
        if (left == extend_num_let && is_extendable(right)) return false;
        // WB15, WB16
        if (right == regional_indicator && n_indicators_before(i) % 2 == 1) return false;
        // WB999
        return true;
    }

   private:
    static bool is_line_end(WordBreak v) {
        return v == WordBreak::newline || v == WordBreak::cr || v == WordBreak::lf;
    }
    static bool is_ignored(WordBreak v) {
        return v == WordBreak::extend || v == WordBreak::format || v == WordBreak::zwj;
    }
    // The macros AHLetter and MidNumLetQ of the rules, and what they are used with.
    static bool is_letter(WordBreak v) {
        return v == WordBreak::aletter || v == WordBreak::hebrew_letter;
    }
    static bool is_mid_num_let_quote(WordBreak v) {
        return v == WordBreak::mid_num_let || v == WordBreak::single_quote;
    }
    static bool is_mid_letter(WordBreak v) {
        return v == WordBreak::mid_letter || is_mid_num_let_quote(v);
    }
    static bool is_mid_num(WordBreak v) {
        return v == WordBreak::mid_num || is_mid_num_let_quote(v);
    }
    static bool is_extendable(WordBreak v) {
        return is_letter(v) || v == WordBreak::numeric || v == WordBreak::katakana;
    }

    int64_t size() const { return static_cast<int64_t>(text_.size()); }
    uint8_t record(int64_t i) const { return word_break_record(text_[static_cast<size_t>(i)]); }
    bool is_pictographic(int64_t i) const { return (record(i) & word_break_pictographic) != 0; }
    // `other`, which no rule names, outside of the text.
    WordBreak value(int64_t i) const {
        return i < 0 || i >= size() ? WordBreak::other : word_break_of(record(i));
    }

    // Where the character stands that, with the ignored ones behind it, ends before i; -1 if there
    // is none. Ignored ones at the start of the text or of a line have none before them: there the
    // first of them is that character.
    int64_t base_before(int64_t i) const {
        if (i <= 0) return -1;
        int64_t base = i - 1;
        while (is_ignored(value(base)) && base > 0 && !is_line_end(value(base - 1))) --base;
        return base;
    }
    int64_t base_behind(int64_t i) const {
        int64_t base = i + 1;
        while (is_ignored(value(base))) ++base;
        return base;
    }
    int64_t n_indicators_before(int64_t i) const {
        int64_t n = 0;
        for (int64_t k = base_before(i); value(k) == WordBreak::regional_indicator; ++n) {
            k = base_before(k);
        }
        return n;
    }

    const std::u32string& text_;
};

// Begin and length in bytes of each word, one after the other.
inline std::vector<int64_t> find_words(const std::u32string& text) {
    const WordBoundaries boundaries(text);
    std::vector<int64_t> found;
    int64_t begin = 0;
    std::u32string segment;
    for (size_t i = 0; i < text.size(); ++i) {
        segment += text[i];
        if (!boundaries.at(static_cast<int64_t>(i) + 1)) continue;
        const auto length = static_cast<int64_t>(encode(segment).size());
        const auto counts = [](char32_t c) { return is_word(c) && c != U'_'; };
        if (std::any_of(segment.begin(), segment.end(), counts)) {
            found.insert(found.end(), {begin, length});
        }
        begin += length;
        segment.clear();
    }
    return found;
}

}  // namespace wordodds::reference
