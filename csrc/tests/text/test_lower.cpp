#include <algorithm>
#include <memory>

#include "reference/text/analyze.hpp"
#include "src/text/ascii_lower.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/defaults.hpp"
#include "wordodds/text/lower.hpp"

namespace wordodds {
namespace {

constexpr LowerOptions lower_options[] = {
    {true, Accents::keep, CharacterClass::word},
    {true, Accents::keep, CharacterClass::not_space},
    {false, Accents::keep, CharacterClass::word},
    {false, Accents::keep, CharacterClass::not_space},
    {true, Accents::strip, CharacterClass::word},
    {false, Accents::strip, CharacterClass::not_space},
    {true, Accents::strip_ascii, CharacterClass::not_space},
    {false, Accents::strip_ascii, CharacterClass::word},
    {false, Accents::keep, CharacterClass::not_separator},
    {true, Accents::keep, CharacterClass::not_separator},
    {true, Accents::strip, CharacterClass::not_separator},
    {false, Accents::strip_ascii, CharacterClass::not_separator},
};

bool is_marked(char32_t c, CharacterClass marks) {
    switch (marks) {
        case CharacterClass::word: return reference::is_word(c);
        case CharacterClass::not_space: return !reference::is_space(c);
        case CharacterClass::not_separator: break;
    }
    return !reference::is_separator(c);
}

// What lowering gives: the bytes, and for each byte whether it belongs to a marked character.
struct Lowered {
    std::string bytes;
    std::string marks;  // '1' or '0' per byte

    bool operator==(const Lowered&) const = default;
};

std::string mask_text(const uint64_t* mask, int64_t n) {
    std::string text;
    for (int64_t i = 0; i < n; ++i) text += (mask[i / 64] >> (i % 64)) & 1 ? '1' : '0';
    return text;
}

// One kernel over exact-size heap buffers: room as the header asks, not a byte more.
Lowered run_ascii(LowerOptions options, InstructionSet set, const std::string& text) {
    const auto n = static_cast<int64_t>(text.size());
    const int64_t n_words = (n + 63) / 64;
    const std::unique_ptr<char[]> source(new char[text.size()]);
    std::copy(text.begin(), text.end(), source.get());
    const auto bytes = std::make_unique<char[]>(static_cast<size_t>(n_words * 64));
    std::vector<uint64_t> mask(static_cast<size_t>(n_words), ~uint64_t{0});  // to be overwritten
    ascii_lower_for(options, set)(source.get(), n, bytes.get(), mask.data());
    for (int64_t i = n; i < 64 * n_words; ++i) {
        CHECK_EQ(bytes[static_cast<size_t>(i)], '\0', i, n);
        CHECK_EQ((mask[static_cast<size_t>(i / 64)] >> (i % 64)) & 1, 0u, i, n);
    }
    return {std::string(bytes.get(), text.size()), mask_text(mask.data(), n)};
}

// ASCII as everyone knows it; no table.
Lowered expected_ascii(const std::string& text, LowerOptions options) {
    static const std::string spaces = "\t\n\v\f\r\x1C\x1D\x1E\x1F ";  // Python's str.isspace
    static const std::string separators("\t\n\v\f\r \0", 7);          // of fastText
    Lowered lowered;
    for (const char c : text) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        const bool space = spaces.find(c) != std::string::npos;
        const bool separator = separators.find(c) != std::string::npos;
        lowered.bytes += upper && options.lowercase ? static_cast<char>(c + ('a' - 'A')) : c;
        const bool marked = options.marks == CharacterClass::word        ? word
                            : options.marks == CharacterClass::not_space ? !space
                                                                         : !separator;
        lowered.marks += marked ? '1' : '0';
    }
    return lowered;
}

void check_ascii(const std::string& text) {
    for (const LowerOptions options : lower_options) {
        const Lowered expected = expected_ascii(text, options);
        for (const InstructionSet set : available_instruction_sets()) {
            const Lowered actual = run_ascii(options, set, text);
            CHECK_EQ(actual.bytes, expected.bytes, text, instruction_set_name(set),
                     options.lowercase, options.marks);
            CHECK_EQ(actual.marks, expected.marks, text, instruction_set_name(set),
                     options.lowercase, options.marks);
        }
    }
}

TEST("every ASCII byte at every offset of a block, on every instruction set") {
    for (int byte = 0; byte < 128; ++byte) {
        for (size_t offset = 0; offset < 130; offset += offset < 66 ? 1 : 9) {
            std::string text(130, '.');
            text[offset] = static_cast<char>(byte);
            check_ascii(text);
        }
        check_ascii(std::string(1, static_cast<char>(byte)));
    }
}

TEST("ASCII of every length from 0 to 200, on every instruction set") {
    Random random(4);
    for (size_t n = 0; n <= 200; ++n) {
        for (int repeat = 0; repeat < 5; ++repeat) {
            std::string text(n, '\0');
            for (char& c : text) c = static_cast<char>(random() % 128);
            check_ascii(text);
        }
        check_ascii(std::string(n, 'Z'));
    }
}

// UTF-8 that passes as it is goes the way of ASCII, whatever its bytes.
TEST("bytes beyond ASCII pass as they are and never separate, on every instruction set") {
    const LowerOptions as_it_is{false, Accents::keep, CharacterClass::not_separator};
    Random random(3);
    for (size_t n = 1; n <= 200; ++n) {
        std::string text(n, '\0');
        for (char& c : text)
            c = static_cast<char>(random() % 3 == 0 ? random() % 33 : random() % 256);
        for (const InstructionSet set : available_instruction_sets()) {
            for (int byte = 128; byte < 256; byte += n % 50 == 0 ? 1 : 37) {
                text[n * 7 / 9] = static_cast<char>(byte);
                const Lowered expected = expected_ascii(text, as_it_is);
                const Lowered actual = run_ascii(as_it_is, set, text);
                CHECK_EQ(actual.bytes, text, instruction_set_name(set));
                CHECK_EQ(actual.marks, expected.marks, text, instruction_set_name(set));
            }
        }
    }
}

TEST("the scalar classes of ASCII agree with the Unicode tables") {
    for (uint32_t byte = 0; byte < 128; ++byte) {
        const std::string text(1, static_cast<char>(byte));
        const Lowered lowered = expected_ascii(text, default_lower);
        CHECK_EQ(reference::is_word(byte), lowered.marks == "1", byte);
        const Lowered spaced =
            expected_ascii(text, {true, Accents::keep, CharacterClass::not_space});
        CHECK_EQ(reference::is_space(byte), spaced.marks == "0", byte);
        const Lowered separated =
            expected_ascii(text, {true, Accents::keep, CharacterClass::not_separator});
        CHECK_EQ(is_separator(byte), separated.marks == "0", byte);
        CHECK_EQ(reference::is_separator(byte), separated.marks == "0", byte);
        CHECK_EQ(reference::encode(reference::lower(std::u32string(1, byte))), lowered.bytes, byte);
    }
}

Lowered run_lower(const Document& document, int64_t begin, int64_t end, InstructionSet set,
                  LowerOptions options = default_lower) {
    const auto room = static_cast<size_t>(lowered_bytes_max(end - begin, options));
    const std::unique_ptr<char[]> bytes(new char[64 + room]);
    const std::unique_ptr<uint8_t[]> scratch(new uint8_t[64 + room]);
    std::vector<uint64_t> mask((64 + room + 63) / 64, ~uint64_t{0});  // to be overwritten
    mask[0] = 0;
    // Not from the first block on: offsets must count.
    LoweredOut out{bytes.get(), mask.data(), scratch.get(), 64};
    lower_append(document, begin, end, options, set, out);
    if (out.size % 64 != 0) CHECK_EQ(mask[static_cast<size_t>(out.size / 64)] >> out.size % 64, 0u);
    CHECK_EQ(mask[0], 0u);
    return {std::string(bytes.get() + 64, static_cast<size_t>(out.size) - 64),
            mask_text(mask.data() + 1, out.size - 64)};
}

Lowered expected_of(const std::u32string& text, LowerOptions options = default_lower) {
    Lowered lowered;
    const std::u32string lowered_text = options.lowercase ? reference::lower(text) : text;
    for (const char32_t c : reference::strip(lowered_text, options.accents)) {
        reference::append_utf8(c, lowered.bytes);
        lowered.marks.resize(lowered.bytes.size(), is_marked(c, options.marks) ? '1' : '0');
    }
    return lowered;
}

void check_lower(const std::u32string& text, TextKind kind, LowerOptions options = default_lower) {
    const OwnedDocument document(text, kind);
    const Lowered expected = expected_of(text, options);
    for (const InstructionSet set : available_instruction_sets()) {
        const Lowered actual = run_lower(document.view(), 0, document.view().length, set, options);
        if (!(actual == expected)) {
            CHECK_EQ(actual.bytes, expected.bytes, reference::encode(text), kind,
                     options.lowercase);
            CHECK_EQ(actual.marks, expected.marks, reference::encode(text), kind, options.lowercase,
                     options.marks);
        }
    }
}

TEST("every code point, in every kind that can store it, under all options") {
    for (const TextKind kind : text_kinds) {
        constexpr char32_t block = 1024;
        for (char32_t first = 0; first < code_points_end(kind); first += block) {
            std::u32string text;
            const char32_t end = std::min<char32_t>(first + block, code_points_end(kind));
            for (char32_t c = first; c < end; ++c) text += c;
            for (const LowerOptions options : lower_options) check_lower(text, kind, options);
        }
    }
}

// The list of Python: "".join(chr(c) for c in range(0x110000) if chr(c).isspace()).
TEST("white space is what Python calls so") {
    const std::u32string spaces = {0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x1C,   0x1D,   0x1E,
                                   0x1F,   0x20,   0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002,
                                   0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A,
                                   0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
    for (char32_t c = 0; c < 0x110000; ++c) {
        const bool expected = std::find(spaces.begin(), spaces.end(), c) != spaces.end();
        CHECK_EQ(reference::is_space(c), expected, static_cast<uint32_t>(c));
    }
}

TEST("known code points, written out by hand") {
    struct Known {
        const char32_t* text;
        const char* bytes;
        const char* marks;  // of \w
    };
    const Known known[] = {
        {U"\u00C9", "\xC3\xA9", "11"},                // E acute
        {U"\u00D7", "\xC3\x97", "00"},                // multiplication sign
        {U"\u00DF", "\xC3\x9F", "11"},                // sharp s: has no lower case
        {U"\u1E9E", "\xC3\x9F", "11"},                // capital sharp s: 3 bytes to 2
        {U"\u0130", "i\xCC\x87", "100"},              // I with dot: i and a combining dot
        {U"\u212A", "k", "1"},                        // Kelvin sign
        {U"\u2126", "\xCF\x89", "11"},                // Ohm sign
        {U"\u0414", "\xD0\xB4", "11"},                // Cyrillic De
        {U"\u0301", "\xCC\x81", "00"},                // combining acute
        {U"\u4E2D", "\xE4\xB8\xAD", "111"},           // CJK
        {U"\u0661", "\xD9\xA1", "11"},                // Arabic digit
        {U"\u00B2", "\xC2\xB2", "11"},                // superscript two: isalnum
        {U"\u203F", "\xE2\x80\xBF", "000"},           // undertie: \w is no other connector
        {U"\U00010400", "\xF0\x90\x90\xA8", "1111"},  // Deseret
        {U"\U0001F600", "\xF0\x9F\x98\x80", "0000"},  // emoji
        {U"\u03A3", "\xCF\x83", "11"},                // a lone sigma is not final
        {U"A\u03A3", "a\xCF\x82", "111"},             // final after a letter
        {U"A\u03A3A",
         "a\xCF\x83"
         "a",
         "1111"},                                       // not final within a word
        {U"A\u03A3.", "a\xCF\x82.", "1110"},            // the full stop is ignorable
        {U"A\u03A3.A", "a\xCF\x83.a", "11101"},         // ... and looked past
        {U"A.\u03A3", "a.\xCF\x82", "1011"},            // before as well
        {U"A \u03A3", "a \xCF\x83", "1011"},            // the space is not
        {U"\u03A3\u03A3", "\xCF\x83\xCF\x82", "1111"},  // a sigma is a letter with case
    };
    for (const Known& entry : known) {
        const std::u32string text(entry.text);
        for (const TextKind kind : text_kinds) {
            if (kind_of(text) > kind) continue;
            const OwnedDocument document(text, kind);
            const Lowered actual =
                run_lower(document.view(), 0, document.view().length, InstructionSet::baseline);
            CHECK_EQ(actual.bytes, std::string(entry.bytes), kind);
            CHECK_EQ(actual.marks, std::string(entry.marks), entry.bytes, kind);
        }
    }
    // A lone surrogate: three bytes, like its neighbours, and no word.
    const OwnedDocument surrogate(std::u32string(1, char32_t{0xD800}), TextKind::ucs2);
    CHECK_EQ(run_lower(surrogate.view(), 0, 1, InstructionSet::baseline).bytes, "\xED\xA0\x80");
}

TEST("a capital sigma beside every code point") {
    for (char32_t c = 0; c < 0x110000; c += c < 0x3000 ? 1 : 61) {
        check_lower({U'A', c, U'\u03A3'}, TextKind::ucs4);
        check_lower({U'A', U'\u03A3', c, U'A'}, TextKind::ucs4);
        check_lower({c, U'\u03A3', c}, TextKind::ucs4, lower_options[c % std::size(lower_options)]);
    }
}

TEST("all short contexts of a sigma, cut into windows at every place") {
    // A cased letter, an ignorable, one that is neither, and a sigma itself.
    const std::u32string letters = U"A. \u03A3";
    constexpr size_t length = 6;
    for (size_t code = 0; code < size_t{1} << (2 * length); ++code) {
        std::u32string text;
        for (size_t i = 0; i < length; ++i) text += letters[(code >> (2 * i)) % 4];
        const OwnedDocument document(text, text_kinds[2 + code % 3]);
        const std::string expected = reference::encode(reference::lower(text));
        const int64_t n = document.view().length;
        for (int64_t cut = 0; cut <= n; ++cut) {
            if (cut != code_point_border(document.view(), cut)) continue;
            const auto set = InstructionSet::baseline;
            const std::string parts = run_lower(document.view(), 0, cut, set).bytes +
                                      run_lower(document.view(), cut, n, set).bytes;
            CHECK_EQ(parts, expected, cut);
        }
    }
}

TEST("random text of every kind, a stretch of it at a time") {
    Random random(5);
    for (int repeat = 0; repeat < 400; ++repeat) {
        const TextKind kind = text_kinds[repeat % 5];
        const std::u32string text = random_text(random, below(random, 300), kind);
        const OwnedDocument document(text, kind);
        const int64_t n = document.view().length;
        const int64_t cut = code_point_border(document.view(), below(random, n + 1));
        for (const LowerOptions options : lower_options) {
            check_lower(text, kind, options);
            const Lowered expected = expected_of(text, options);
            for (const InstructionSet set : available_instruction_sets()) {
                const Lowered first = run_lower(document.view(), 0, cut, set, options);
                const Lowered second = run_lower(document.view(), cut, n, set, options);
                CHECK_EQ(first.bytes + second.bytes, expected.bytes, cut, n);
                CHECK_EQ(first.marks + second.marks, expected.marks, cut, n, options.marks);
            }
        }
    }
}

}  // namespace
}  // namespace wordodds
