#include "wordodds/text/lower.hpp"

#include <cstring>

#include "wordodds/text/unicode.hpp"
#include "wordodds/text/utf8.hpp"

namespace wordodds {
namespace {

template <class Unit>
struct Units {
    const Unit* data;
    int64_t length;

    uint32_t operator[](int64_t i) const { return static_cast<uint32_t>(data[i]); }
};

// Final_Sigma of the Unicode standard, as str.lower applies it: a cased letter before (looking past
// ignorable characters) and none after.
template <class Unit>
uint32_t lower_sigma(const Units<Unit>& text, int64_t position) {
    const auto cased_beyond = [&](int64_t i, int64_t step) {
        for (i += step; i >= 0 && i < text.length; i += step) {
            const uint8_t flags = unicode_record(text[i]).flags;
            if (!(flags & unicode_ignorable)) return (flags & unicode_cased) != 0;
        }
        return false;
    };
    return cased_beyond(position, -1) && !cased_beyond(position, 1) ? final_sigma : small_sigma;
}

inline bool is_marked(uint8_t flags, CharacterClass marks) {
    return marks == CharacterClass::word ? (flags & unicode_word) != 0 : !(flags & unicode_space);
}

inline void set_bits(uint64_t* mask, int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) mask[i >> 6] |= uint64_t{1} << (i & 63);
}

inline void append(uint32_t code_point, bool marked, LoweredOut& out) {
    const int64_t n = utf8_encode(code_point, out.bytes + out.size);
    if (marked) set_bits(out.mask, out.size, n);
    out.size += n;
}

// Without a branch on the length or the mark: both change with nearly every character. The room
// behind the last byte takes the spare one.
inline void append_narrow(const NarrowRecord& record, bool marked, LoweredOut& out) {
    std::memcpy(out.bytes + out.size, record.bytes, 2);
    const uint64_t bits = marked ? (uint64_t{1} << record.length) - 1 : 0;
    const int64_t shift = out.size & 63;
    uint64_t* const word = out.mask + (out.size >> 6);
    *word |= bits << shift;
    if (shift == 63) word[1] |= bits >> 1;
    out.size += record.length;
}

template <CharacterClass marks, class Unit>
void copy_units(const Units<Unit>& text, int64_t begin, int64_t end, LoweredOut& out) {
    for (int64_t i = begin; i < end; ++i) {
        append(text[i], is_marked(unicode_record(text[i]).flags, marks), out);
    }
}

template <CharacterClass marks, class Unit>
void lower_units(const Units<Unit>& text, int64_t begin, int64_t end, LoweredOut& out) {
    for (int64_t i = begin; i < end; ++i) {
        const uint32_t code_point = text[i];
        if (code_point < unicode_narrow_end) {
            const NarrowRecord& narrow = unicode_narrow[code_point];
            if (!(narrow.flags & unicode_special)) [[likely]] {
                append_narrow(narrow, is_marked(narrow.flags, marks), out);
                continue;
            }
        }
        const UnicodeRecord& record = unicode_record(code_point);
        if (!(record.flags & unicode_special)) {
            const auto lowered =
                static_cast<uint32_t>(static_cast<int32_t>(code_point) + record.lower_delta);
            // The class is asked of the lower-case form: that is what a pattern sees.
            const uint8_t flags =
                record.lower_delta == 0 ? record.flags : unicode_record(lowered).flags;
            append(lowered, is_marked(flags, marks), out);
        } else if (code_point == capital_sigma) {
            append(lower_sigma(text, i), true, out);
        } else {  // capital I with dot, the only code point that becomes two
            append('i', true, out);
            append(combining_dot_above, marks == CharacterClass::not_space, out);
        }
    }
}

template <CharacterClass marks>
void append_wide(const Document& document, int64_t begin, int64_t end, bool lowercase,
                 LoweredOut& out) {
    const auto units = [&]<class Unit>(Unit) {
        const Units<Unit> text{static_cast<const Unit*>(document.data), document.length};
        if (lowercase) {
            lower_units<marks>(text, begin, end, out);
        } else {
            copy_units<marks>(text, begin, end, out);
        }
    };
    switch (document.kind) {
        case TextKind::ascii:
        case TextKind::latin1: return units(uint8_t{});
        case TextKind::ucs2: return units(uint16_t{});
        case TextKind::ucs4: return units(uint32_t{});
    }
}

}  // namespace

void lower_append(const Document& document, int64_t begin, int64_t end, LowerOptions options,
                  InstructionSet instruction_set, LoweredOut& out) {
    if (document.kind == TextKind::ascii) {
        const char* source = static_cast<const char*>(document.data) + begin;
        ascii_lower_for(options, instruction_set)(source, end - begin, out.bytes + out.size,
                                                  out.mask + out.size / 64);
        out.size += end - begin;
    } else if (options.marks == CharacterClass::word) {
        append_wide<CharacterClass::word>(document, begin, end, options.lowercase, out);
    } else {
        append_wide<CharacterClass::not_space>(document, begin, end, options.lowercase, out);
    }
}

}  // namespace wordodds
