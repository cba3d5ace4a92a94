// Slow twin of text/lower and text/tokenize: the whole document at once, as Python would say it,
//     re.findall(r"(?u)\b\w\w+\b", text.lower())
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "wordodds/text/document.hpp"
#include "wordodds/text/lower.hpp"
#include "wordodds/text/unicode.hpp"

namespace wordodds::reference {

// The lead byte tells by its ones how many bytes follow; each adds six bits.
inline std::u32string decode_utf8(const std::string& bytes) {
    std::u32string text;
    for (const char byte : bytes) {
        const auto value = static_cast<uint8_t>(byte);
        if (value >= 0x80 && value < 0xC0) {
            text.back() = static_cast<char32_t>(text.back() * 64 + value % 64);
        } else {
            text += static_cast<char32_t>(value < 0x80   ? value
                                          : value < 0xE0 ? value % 32
                                          : value < 0xF0 ? value % 16
                                                         : value % 8);
        }
    }
    return text;
}

inline std::u32string decode(const Document& document) {
    const auto n = static_cast<size_t>(document.length);
    if (document.kind == TextKind::utf8) {
        return decode_utf8(std::string(static_cast<const char*>(document.data), n));
    }
    std::u32string text(n, U'\0');
    for (size_t i = 0; i < n; ++i) {
        switch (document.kind) {
            case TextKind::ascii:
            case TextKind::latin1: text[i] = static_cast<const uint8_t*>(document.data)[i]; break;
            case TextKind::ucs2: text[i] = static_cast<const uint16_t*>(document.data)[i]; break;
            case TextKind::ucs4: text[i] = static_cast<const uint32_t*>(document.data)[i]; break;
            case TextKind::utf8: break;
        }
    }
    return text;
}

inline bool has(char32_t c, uint8_t flag) { return (unicode_record(c).flags & flag) != 0; }
inline bool is_word(char32_t c) { return has(c, unicode_word); }

// Final_Sigma: the nearest character before that is not ignorable is cased, the nearest after is
// not.
inline bool is_final_sigma(const std::u32string& text, size_t position) {
    const auto counts = [](char32_t c) { return !has(c, unicode_ignorable); };
    const auto here = text.begin() + static_cast<std::ptrdiff_t>(position);
    const auto before = std::find_if(std::make_reverse_iterator(here), text.rend(), counts);
    const auto after = std::find_if(here + 1, text.end(), counts);
    return before != text.rend() && has(*before, unicode_cased) &&
           !(after != text.end() && has(*after, unicode_cased));
}

inline std::u32string lower(const std::u32string& text) {
    std::u32string lowered;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == U'\u03A3') {
            lowered += is_final_sigma(text, i) ? U'\u03C2' : U'\u03C3';
        } else if (text[i] == U'\u0130') {
            lowered += U"i\u0307";
        } else {
            const int64_t delta = unicode_record(text[i]).lower_delta;
            lowered += static_cast<char32_t>(static_cast<int64_t>(text[i]) + delta);
        }
    }
    return lowered;
}

// scikit-learn's strip_accents_unicode and strip_accents_ascii. What a single code point decomposes
// into is the tables' word; that they say what Python says is tested from Python.
inline std::u32string strip(const std::u32string& text, Accents accents) {
    std::u32string stripped;
    for (const char32_t c : text) {
        std::u32string parts;
        if (c >= U'\uAC00' && c <= U'\uD7A3') {
            const uint32_t syllable = c - 0xAC00u;
            parts += static_cast<char32_t>(0x1100 + syllable / (21 * 28));
            parts += static_cast<char32_t>(0x1161 + syllable / 28 % 21);
            if (syllable % 28 > 0) parts += static_cast<char32_t>(0x11A7 + syllable % 28);
        } else if (const uint32_t record = unicode_strip_record(c); record != 0) {
            const uint32_t end = unicode_strip_offsets[record + 1];
            for (uint32_t i = unicode_strip_offsets[record]; i < end; ++i) {
                parts += static_cast<char32_t>(unicode_strip_pool[i]);
            }
        } else {
            parts += c;
        }
        for (const char32_t part : parts) {
            if (accents == Accents::strip || part < 0x80) stripped += part;
        }
    }
    return accents == Accents::keep ? text : stripped;
}

// Bits `shift` and up of c; the lead byte carries the length as ones, the others six bits each.
inline void append_utf8(char32_t c, std::string& out) {
    const int n_more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    const uint32_t lead_marks[] = {0x00, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(lead_marks[n_more] + (c >> (6 * n_more)));
    for (int shift = 6 * (n_more - 1); shift >= 0; shift -= 6) {
        out += static_cast<char>(0x80 + (c >> shift) % 64);
    }
}

inline std::string encode(const std::u32string& text) {
    std::string out;
    for (const char32_t c : text) append_utf8(c, out);
    return out;
}

inline std::vector<std::string> tokenize(const std::u32string& text) {
    std::vector<std::string> words;
    std::u32string run;
    const auto end_run = [&] {
        if (run.size() >= 2) words.push_back(encode(run));
        run.clear();
    };
    for (const char32_t c : lower(text)) {
        if (is_word(c)) {
            run += c;
        } else {
            end_run();
        }
    }
    end_run();
    return words;
}

}  // namespace wordodds::reference
