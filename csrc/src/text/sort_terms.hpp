// Terms in byte order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

// The numbers of the terms `arena[offsets[i], offsets[i + 1])`, all distinct, in the order of their
// bytes, which is the order of their code points. Radix sort from the first byte on; each term's
// bytes are read eight at a time and kept beside its number, so that few steps touch the arena.
// O(bytes that tell the terms apart). Threads take the terms by their first two bytes.
std::vector<uint32_t> sort_terms(std::span<const char> arena, std::span<const int64_t> offsets,
                                 const Execution& execution);

}  // namespace wordodds
