// Lower-casing: a stretch of a document into UTF-8 bytes and a mask of word bytes.
#pragma once

#include <cstdint>

#include "wordodds/base/dispatch.hpp"
#include "wordodds/text/document.hpp"

namespace wordodds {

// Where the lower-cased stretch goes. Bit i of word i / 64 in `mask` is set where byte i belongs
// to a character that matches \w.
struct LoweredOut {
    char* bytes;
    uint64_t* mask;
    int64_t size;  // bytes written so far; the next goes to bytes[size]
};

// Appends lower(document[begin, end)) to out, where lower is Python's str.lower over the WHOLE
// document: the form of a capital sigma looks at its neighbours outside the stretch.
// Preconditions: out.size is a multiple of 64; out.bytes has room for lowered_bytes_max(end - begin)
// more; the mask bits of that room are zero. O(end - begin), plus the run of ignorable
// characters around each capital sigma: each run is looked at twice at most, so a document takes
// O(length).
void lower_append(const Document& document, int64_t begin, int64_t end,
                  InstructionSet instruction_set, LoweredOut& out);

// ASCII in one piece: lower-case n bytes and make their mask (ceil(n / 64) words, overwritten).
// Writes up to 63 zero bytes behind bytes_out[n]. O(n).
using AsciiLower = void (*)(const char* source, int64_t n, char* bytes_out, uint64_t* mask_out);
AsciiLower ascii_lower_for(InstructionSet instruction_set);

// Capital I with dot becomes 3 bytes, any other code point at most 4; the ASCII kernel fills whole
// blocks of 64.
constexpr int64_t lowered_bytes_max(int64_t n_code_points) { return 4 * n_code_points + 64; }

}  // namespace wordodds
