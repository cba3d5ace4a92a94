// Documents for tests: text in each of the storage kinds, on the heap to the byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "reference/text/tokenize.hpp"
#include "wordodds/text/document.hpp"

namespace wordodds {

using Random = std::mt19937_64;

// Not std::uniform_int_distribution, whose numbers differ between standard libraries.
inline int64_t below(Random& random, int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

inline constexpr TextKind text_kinds[] = {TextKind::ascii, TextKind::latin1, TextKind::ucs2,
                                          TextKind::ucs4, TextKind::utf8};

// The memory behind a Document. Exactly as long as the text, so that AddressSanitizer sees any
// read past its end.
class OwnedDocument {
   public:
    OwnedDocument(const std::u32string& text, TextKind kind)
        : width_(kind == TextKind::ucs4   ? 4
                 : kind == TextKind::ucs2 ? 2
                                          : 1) {
        if (kind == TextKind::utf8) {
            own(reference::encode(text));
            return;
        }
        bytes_.reset(new char[text.size() * width_]);
        document_ = {bytes_.get(), static_cast<int64_t>(text.size()), kind};
        for (size_t i = 0; i < text.size(); ++i) {
            const auto unit4 = static_cast<uint32_t>(text[i]);
            const auto unit2 = static_cast<uint16_t>(text[i]);
            const auto unit1 = static_cast<uint8_t>(text[i]);
            const void* const unit = width_ == 4   ? static_cast<const void*>(&unit4)
                                     : width_ == 2 ? static_cast<const void*>(&unit2)
                                                   : static_cast<const void*>(&unit1);
            std::memcpy(bytes_.get() + i * width_, unit, width_);
        }
    }

    const Document& view() const { return document_; }

   private:
    void own(const std::string& utf8) {
        bytes_.reset(new char[utf8.size()]);
        std::copy(utf8.begin(), utf8.end(), bytes_.get());
        document_ = {bytes_.get(), static_cast<int64_t>(utf8.size()), TextKind::utf8};
    }

    size_t width_;
    std::unique_ptr<char[]> bytes_;
    Document document_;
};

inline char32_t code_points_end(TextKind kind) {
    switch (kind) {
        case TextKind::ascii: return 0x80;
        case TextKind::latin1: return 0x100;
        case TextKind::ucs2: return 0x10000;
        case TextKind::ucs4:
        case TextKind::utf8: break;
    }
    return 0x110000;
}

// The narrowest kind that holds the text.
inline TextKind kind_of(const std::u32string& text) {
    for (const TextKind kind : text_kinds) {
        const auto fits = [&](char32_t c) { return c < code_points_end(kind); };
        if (std::all_of(text.begin(), text.end(), fits)) return kind;
    }
    return TextKind::ucs4;
}

// Mostly letters and separators; now and then what scanners trip over: NUL, DEL, soft hyphen,
// sharp s, capital sigma, the dotted I, the Kelvin sign, combining marks, lone surrogates, letters
// beyond the basic plane, characters that str.lower ignores, the last code point.
inline std::u32string random_text(Random& random, int64_t length, TextKind kind) {
    static const std::u32string common = U"etaoinshrdluETAOINS    .,'_09";
    static const std::u32string hard = {
        U'\0',  U'\x7F', U'\n',  0x85,    0xA0,    0xAA,    0xAD,    0xB5,    0xC9,    0xDF,
        0xFF,   0x130,   0x131,  0x178,   0x1C5,   0x300,   0x307,   0x391,   0x3A3,   0x3A3,
        0x3A3,  0x3C2,   0x3C3,  0x410,   0x5D0,   0x661,   0x7FF,   0x800,   0x10A0,  0x13A0,
        0x1E9E, 0x2019,  0x200D, 0x2028,  0x212A,  0x2126,  0x4E2D,  0xAB70,  0xD800,  0xDFFF,
        0xFEFF, 0xFF21,  0xFFFF, 0x10000, 0x10400, 0x1D400, 0x1F600, 0xE0001, 0x10FFFF};
    const auto end = static_cast<int64_t>(code_points_end(kind));
    std::u32string text;
    while (static_cast<int64_t>(text.size()) < length) {
        const int64_t draw = below(random, 10);
        const std::u32string& from = draw < 6 ? common : hard;
        const char32_t c =
            draw == 9 ? static_cast<char32_t>(below(random, end)) : from[random() % from.size()];
        if (c < code_points_end(kind)) text += c;
    }
    return text;
}

using Lexicon = std::vector<std::u32string>;

inline Lexicon random_lexicon(Random& random, int64_t n_words, TextKind kind) {
    Lexicon words;
    for (int64_t i = 0; i < n_words; ++i) {
        words.push_back(random_text(random, 1 + below(random, 24), kind) + U' ');
    }
    return words;
}

// Words of a lexicon, the first ones often: what a corpus looks like.
inline std::u32string random_prose(Random& random, int64_t n_words, const Lexicon& lexicon) {
    std::u32string text;
    for (int64_t i = 0; i < n_words; ++i) {
        const double u = uniform(random);
        text += lexicon[static_cast<size_t>(u * u * static_cast<double>(lexicon.size()))];
    }
    return text;
}

}  // namespace wordodds
