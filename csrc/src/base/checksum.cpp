#include "wordodds/base/checksum.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace wordodds {
namespace {

constexpr uint64_t prime_1 = 0x9E3779B185EBCA87u;
constexpr uint64_t prime_2 = 0xC2B2AE3D27D4EB4Fu;
constexpr uint64_t prime_3 = 0x165667B19E3779F9u;
constexpr uint64_t prime_4 = 0x85EBCA77C2B2AE63u;
constexpr uint64_t prime_5 = 0x27D4EB2F165667C5u;
constexpr size_t block_bytes = 32;

// The next bytes as a little-endian number.
uint64_t take_8(const char* bytes) {
    uint64_t number;
    std::memcpy(&number, bytes, 8);
    if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap64(number);
    return number;
}

uint64_t take_4(const char* bytes) {
    uint32_t number;
    std::memcpy(&number, bytes, 4);
    if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap32(number);
    return number;
}

uint64_t round_of(uint64_t lane, uint64_t input) {
    return std::rotl(lane + input * prime_2, 31) * prime_1;
}

uint64_t merged(uint64_t hash, uint64_t lane) {
    return (hash ^ round_of(0, lane)) * prime_1 + prime_4;
}

// The whole blocks; leaves `bytes` behind them.
uint64_t hash_blocks(std::span<const char>& bytes) {
    uint64_t a = prime_1 + prime_2, b = prime_2, c = 0, d = 0 - prime_1;
    while (bytes.size() >= block_bytes) {
        a = round_of(a, take_8(bytes.data()));
        b = round_of(b, take_8(bytes.data() + 8));
        c = round_of(c, take_8(bytes.data() + 16));
        d = round_of(d, take_8(bytes.data() + 24));
        bytes = bytes.subspan(block_bytes);
    }
    const uint64_t hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    return merged(merged(merged(merged(hash, a), b), c), d);
}

}  // namespace

uint64_t checksum(std::span<const char> bytes) {
    const auto length = static_cast<uint64_t>(bytes.size());
    uint64_t hash = (length >= block_bytes ? hash_blocks(bytes) : prime_5) + length;
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        hash = std::rotl(hash ^ round_of(0, take_8(bytes.data())), 27) * prime_1 + prime_4;
    }
    if (bytes.size() >= 4) {
        hash = std::rotl(hash ^ (take_4(bytes.data()) * prime_1), 23) * prime_2 + prime_3;
        bytes = bytes.subspan(4);
    }
    for (const char byte : bytes) {
        hash = std::rotl(hash ^ (static_cast<uint8_t>(byte) * prime_5), 11) * prime_1;
    }
    hash = (hash ^ (hash >> 33)) * prime_2;
    hash = (hash ^ (hash >> 29)) * prime_3;
    return hash ^ (hash >> 32);
}

}  // namespace wordodds
