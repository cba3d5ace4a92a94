#include "wordodds/text/lower.hpp"

#include <algorithm>

#include "ascii_lower.hpp"
#include "marked_writer.hpp"
#include "source.hpp"
#include "wordodds/text/unicode.hpp"

namespace wordodds {
namespace {

// Final_Sigma of the Unicode standard, as str.lower applies it: a cased letter before (looking past
// ignorable characters) and none after.
template <class Source>
uint32_t lower_sigma(const Source& text, int64_t begin, int64_t end) {
    const auto is_cased = [](uint8_t flags) { return (flags & unicode_cased) != 0; };
    bool cased_before = false;
    while (begin > 0) {
        const uint8_t flags = unicode_record(text.take_back(begin)).flags;
        if (flags & unicode_ignorable) continue;
        cased_before = is_cased(flags);
        break;
    }
    if (!cased_before) return small_sigma;
    while (end < text.length) {
        const uint8_t flags = unicode_record(text.take(end)).flags;
        if (flags & unicode_ignorable) continue;
        return is_cased(flags) ? small_sigma : final_sigma;
    }
    return final_sigma;
}

// The two ways to read a code point: as its lower-case form, or as it is.
template <bool lowercase>
struct Reading {
    static NarrowRecord narrow(uint32_t code_point) {
        return lowercase ? unicode_narrow_lower[code_point] : unicode_narrow[code_point];
    }

    // Calls append with each code point of the form of the one at [begin, end).
    template <class Source, class Append>
    static void wide(const Source& text, int64_t begin, int64_t end, uint32_t code_point,
                     Append append) {
        if constexpr (!lowercase) return append(code_point);
        const UnicodeRecord& record = unicode_record(code_point);
        if (!(record.flags & unicode_special)) {
            append(static_cast<uint32_t>(static_cast<int32_t>(code_point) + record.lower_delta));
        } else if (code_point == capital_sigma) {
            append(lower_sigma(text, begin, end));
        } else {  // capital I with dot, the only code point that becomes two
            append(uint32_t{'i'});
            append(combining_dot_above);
        }
    }
};

// Calls append with each code point that is left of one when its accent is stripped.
template <class Append>
void strip_accent(uint32_t code_point, Append append) {
    if (code_point - hangul_first < hangul_count) {
        const uint32_t index = code_point - hangul_first;
        append(hangul_lead + index / hangul_per_lead);
        append(hangul_vowel + index % hangul_per_lead / hangul_per_vowel);
        if (index % hangul_per_vowel != 0) append(hangul_tail + index % hangul_per_vowel);
        return;
    }
    const uint32_t record = unicode_strip_record(code_point);
    if (record == 0) return append(code_point);
    for (uint32_t i = unicode_strip_offsets[record]; i < unicode_strip_offsets[record + 1]; ++i) {
        append(unicode_strip_pool[i]);
    }
}

template <CharacterClass marks>
bool is_marked(uint32_t code_point) {
    if constexpr (marks == CharacterClass::not_separator) return !is_separator(code_point);
    const uint8_t flags = unicode_record(code_point).flags;
    return marks == CharacterClass::word ? (flags & unicode_word) != 0 : !(flags & unicode_space);
}

// Appends narrow characters up to the first other one or the end; returns where it stopped.
// Not inlined: the loop needs all registers to itself.
template <CharacterClass marks, bool lowercase, class Source>
[[gnu::noinline]] int64_t append_narrow_run(const Source& text, int64_t begin, int64_t end,
                                            uint32_t narrow_end, MarkedWriter& writer) {
    // Copies, in registers: what is written through a char pointer might else change the originals.
    const Source source = text;
    MarkedWriter local = writer;
    int64_t i = begin;
    while (i < end) {
        int64_t behind = i;
        const uint32_t code_point = source.take(behind);
        if (code_point >= narrow_end) break;
        const NarrowRecord narrow = Reading<lowercase>::narrow(code_point);
        if (narrow == 0) [[unlikely]]
            break;
        local.append_narrow<marks>(narrow);
        i = behind;
    }
    writer = local;
    return i;
}

template <CharacterClass marks, bool lowercase, class Source>
void append_units(const Source& text, int64_t begin, int64_t end, Accents accents,
                  AsciiLower ascii_lower, LoweredOut& out) {
    MarkedWriter writer(out);
    // The class is asked of what comes out: that is what a pattern sees.
    const auto append = [&](uint32_t code_point) {
        writer.append(code_point, is_marked<marks>(code_point));
    };
    const auto append_stripped = [&](uint32_t code_point) {
        strip_accent(code_point, [&](uint32_t kept) {
            if (accents == Accents::strip || kept < 0x80) append(kept);
        });
    };
    // Below it, a table holds what comes out, ready to be written.
    const uint32_t narrow_end = accents == Accents::keep ? unicode_narrow_end : 0x80;
    for (int64_t i = begin; i < end;) {
        char block[MarkedWriter::block_size];
        if (end - i >= MarkedWriter::block_size && text.copy_ascii_block(i, block)) {
            writer.append_block(block, ascii_lower);
            i += MarkedWriter::block_size;
            continue;
        }
        // One by one over a block that has other characters too.
        for (const int64_t block_end = std::min(end, i + MarkedWriter::block_size);
             i < block_end;) {
            i = append_narrow_run<marks, lowercase>(text, i, block_end, narrow_end, writer);
            if (i >= block_end) break;
            const int64_t start = i;
            const uint32_t code_point = text.take(i);
            if (accents == Accents::keep) {
                Reading<lowercase>::wide(text, start, i, code_point, append);
            } else {
                Reading<lowercase>::wide(text, start, i, code_point, append_stripped);
            }
        }
    }
    writer.finish(out);
}

template <CharacterClass marks, bool lowercase>
void append_document(const Document& document, int64_t begin, int64_t end, Accents accents,
                     AsciiLower ascii_lower, LoweredOut& out) {
    const auto append = [&](const auto& text) {
        append_units<marks, lowercase>(text, begin, end, accents, ascii_lower, out);
    };
    switch (document.kind) {
        case TextKind::ascii:
        case TextKind::latin1: return append(FixedWidth<uint8_t>(document));
        case TextKind::ucs2: return append(FixedWidth<uint16_t>(document));
        case TextKind::ucs4: return append(FixedWidth<uint32_t>(document));
        case TextKind::utf8: return append(Utf8(document));
    }
}

}  // namespace

void lower_append(const Document& document, int64_t begin, int64_t end, LowerOptions options,
                  InstructionSet instruction_set, LoweredOut& out) {
    const AsciiLower ascii_lower = ascii_lower_for(options, instruction_set);
    // Of UTF-8 that passes as it is, bytes beyond ASCII are never separators.
    const bool passes = options.marks == CharacterClass::not_separator && !options.lowercase &&
                        options.accents == Accents::keep;
    if (document.kind == TextKind::ascii || (document.kind == TextKind::utf8 && passes)) {
        const char* source = static_cast<const char*>(document.data) + begin;
        ascii_lower(source, end - begin, out.bytes + out.size, out.mask + out.size / 64);
        out.size += end - begin;
        return;
    }
    const auto append = [&]<CharacterClass marks>() {
        const auto append_as =
            options.lowercase ? append_document<marks, true> : append_document<marks, false>;
        append_as(document, begin, end, options.accents, ascii_lower, out);
    };
    switch (options.marks) {
        case CharacterClass::word: return append.template operator()<CharacterClass::word>();
        case CharacterClass::not_space:
            return append.template operator()<CharacterClass::not_space>();
        case CharacterClass::not_separator: break;
    }
    append.template operator()<CharacterClass::not_separator>();
}

int64_t lowered_bytes_max(int64_t n_units, LowerOptions options) {
    const int64_t per_unit = options.accents == Accents::strip ? unicode_strip_bytes_max : 4;
    return per_unit * n_units + 2 * MarkedWriter::block_size;
}

}  // namespace wordodds
