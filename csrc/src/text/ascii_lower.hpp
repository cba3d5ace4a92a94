// Lower-casing ASCII and marking its characters: the part of text/lower.hpp that has SIMD kernels.
#pragma once

#include <cstdint>

#include "wordodds/base/dispatch.hpp"
#include "wordodds/text/lower.hpp"

namespace wordodds {

// Bytes in one piece: n of ASCII, or of any UTF-8 that passes as it is with not_separator, and
// their mask (ceil(n / 64) words, overwritten; bits past n are zero). Writes up to 63 zero bytes
// behind bytes_out[n]. O(n). Accents do not matter to it.
using AsciiLower = void (*)(const char* source, int64_t n, char* bytes_out, uint64_t* mask_out);
AsciiLower ascii_lower_for(LowerOptions options, InstructionSet instruction_set);

}  // namespace wordodds
