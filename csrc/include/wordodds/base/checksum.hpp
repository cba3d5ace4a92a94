// A checksum that notices damage: fast enough to be asked on every load.
#pragma once

#include <cstdint>
#include <span>

namespace wordodds {

// XXH64 with seed 0, by Yann Collet: four lanes of eight bytes, each step a bijection of its lane,
// so that damage to one byte always changes a lane. Against accidents, not against forgers.
// O(length).
uint64_t checksum(std::span<const char> bytes);

}  // namespace wordodds
