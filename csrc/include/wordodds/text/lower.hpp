// Lower-casing and stripping accents: a stretch of a document into UTF-8 bytes and a mask of the
// bytes that matter.
#pragma once

#include <cstdint>

#include "wordodds/base/dispatch.hpp"
#include "wordodds/text/document.hpp"

namespace wordodds {

// Which characters the mask marks.
enum class CharacterClass : int32_t {
    word,           // \w
    not_space,      // \S
    not_separator,  // what words are made of that fastText reads
};

// What fastText separates words by: six of ASCII's white space, and NUL.
constexpr bool is_separator(uint32_t code_point) {
    return code_point == 0 || (code_point >= 9 && code_point <= 13) || code_point == 32;
}

// What becomes of accents, as scikit-learn's strip_accents does it.
enum class Accents : int32_t {
    keep,
    strip,       // compatibility decomposition (NFKD) without combining characters
    strip_ascii  // the same, and of that only what is ASCII
};

struct LowerOptions {
    bool lowercase;        // else the text passes as it is
    Accents accents;       // after lower-casing
    CharacterClass marks;  // asked of the characters that come out
};

// Where the stretch goes. Bit i of word i / 64 in `mask` is set where byte i belongs to a marked
// character.
struct LoweredOut {
    char* bytes;
    uint64_t* mask;
    uint8_t* scratch;  // as long as bytes
    int64_t size;      // bytes written so far; the next goes to bytes[size]
};

// Appends strip(lower(document[begin, end))) to out, where lower is Python's str.lower over the
// WHOLE document: the form of a capital sigma looks at its neighbours outside the stretch.
// Preconditions: begin and end are borders of code points; out.size is a multiple of 64; out.bytes
// has room for lowered_bytes_max(end - begin) more, and the mask for as many bits; all are
// overwritten. O(end - begin), plus the run of ignorable characters around each capital sigma: each
// run is looked at twice at most, so a document takes O(length).
void lower_append(const Document& document, int64_t begin, int64_t end, LowerOptions options,
                  InstructionSet instruction_set, LoweredOut& out);

// Bytes that a stretch of n code units may become. A code point takes at most 4; only a
// compatibility decomposition makes several of one. The ASCII kernel fills whole blocks of 64.
int64_t lowered_bytes_max(int64_t n_units, LowerOptions options);

}  // namespace wordodds
