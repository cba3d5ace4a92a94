// Lower-case ASCII and mark its word bytes, 64 at a time; the same bits on every instruction set.
#include <array>
#include <cstring>

#include "wordodds/text/lower.hpp"

#if WORDODDS_X86
#include <immintrin.h>
#endif

namespace wordodds {
namespace {

constexpr int64_t block_size = 64;

struct ByteClass {
    char lower;
    bool word;
};

constexpr std::array<ByteClass, 256> byte_classes = [] {
    std::array<ByteClass, 256> classes{};
    for (int byte = 0; byte < 256; ++byte) {
        const bool upper = byte >= 'A' && byte <= 'Z';
        const bool word = upper || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
                          byte == '_';
        classes[static_cast<size_t>(byte)] = {static_cast<char>(upper ? byte | 0x20 : byte), word};
    }
    return classes;
}();

uint64_t block_baseline(const char* source, char* bytes_out) {
    uint64_t mask = 0;
    for (int i = 0; i < block_size; ++i) {
        const ByteClass entry = byte_classes[static_cast<uint8_t>(source[i])];
        bytes_out[i] = entry.lower;
        mask |= static_cast<uint64_t>(entry.word) << i;
    }
    return mask;
}

// The tail goes through a zero-filled block: the source must not be read past its end.
template <class Block>
inline void tail(Block block, const char* source, int64_t n, char* bytes_out, uint64_t* mask_out) {
    if (n == 0) return;
    char padded[block_size] = {};
    std::memcpy(padded, source, static_cast<size_t>(n));
    *mask_out = block(padded, bytes_out);
}

void lower_baseline(const char* source, int64_t n, char* bytes_out, uint64_t* mask_out) {
    for (; n >= block_size; n -= block_size) {
        *mask_out++ = block_baseline(source, bytes_out);
        source += block_size;
        bytes_out += block_size;
    }
    tail(block_baseline, source, n, bytes_out, mask_out);
}

#if WORDODDS_X86

// A byte b lies in [first, last] where the signed b - first - 128 <= last - first - 128: one
// subtraction moves the range to the bottom of the signed numbers.
WORDODDS_TARGET_AVX2 inline __m256i in_range_avx2(__m256i bytes, char first, char last) {
    const __m256i moved = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(first - 128)));
    const auto limit = static_cast<char>(last - first - 128 + 1);
    return _mm256_cmpgt_epi8(_mm256_set1_epi8(limit), moved);
}

WORDODDS_TARGET_AVX2 inline uint32_t half_block_avx2(const char* source, char* bytes_out) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
    const __m256i upper = in_range_avx2(bytes, 'A', 'Z');
    const __m256i lower =
        _mm256_or_si256(bytes, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes_out), lower);
    const __m256i word = _mm256_or_si256(
        _mm256_or_si256(in_range_avx2(lower, 'a', 'z'), in_range_avx2(lower, '0', '9')),
        _mm256_cmpeq_epi8(lower, _mm256_set1_epi8('_')));
    return static_cast<uint32_t>(_mm256_movemask_epi8(word));
}

WORDODDS_TARGET_AVX2 inline uint64_t block_avx2(const char* source, char* bytes_out) {
    const uint64_t low = half_block_avx2(source, bytes_out);
    const uint64_t high = half_block_avx2(source + 32, bytes_out + 32);
    return low | (high << 32);
}

WORDODDS_TARGET_AVX2 void lower_avx2(const char* source, int64_t n, char* bytes_out,
                                     uint64_t* mask_out) {
    for (; n >= block_size; n -= block_size) {
        *mask_out++ = block_avx2(source, bytes_out);
        source += block_size;
        bytes_out += block_size;
    }
    tail(block_baseline, source, n, bytes_out, mask_out);
}

WORDODDS_TARGET_AVX512 inline uint64_t block_avx512(__m512i bytes, char* bytes_out) {
    const auto in_range = [](__m512i value, char first, char last) WORDODDS_TARGET_AVX512 {
        return _mm512_cmple_epu8_mask(_mm512_sub_epi8(value, _mm512_set1_epi8(first)),
                                      _mm512_set1_epi8(static_cast<char>(last - first)));
    };
    const __mmask64 upper = in_range(bytes, 'A', 'Z');
    const __m512i lower = _mm512_mask_add_epi8(bytes, upper, bytes, _mm512_set1_epi8(0x20));
    _mm512_storeu_si512(bytes_out, lower);
    return in_range(lower, 'a', 'z') | in_range(lower, '0', '9') |
           _mm512_cmpeq_epi8_mask(lower, _mm512_set1_epi8('_'));
}

WORDODDS_TARGET_AVX512 void lower_avx512(const char* source, int64_t n, char* bytes_out,
                                         uint64_t* mask_out) {
    for (; n >= block_size; n -= block_size) {
        *mask_out++ = block_avx512(_mm512_loadu_si512(source), bytes_out);
        source += block_size;
        bytes_out += block_size;
    }
    if (n == 0) return;
    // A masked load does not touch the bytes it leaves out.
    const __mmask64 present = (uint64_t{1} << n) - 1;
    *mask_out = block_avx512(_mm512_maskz_loadu_epi8(present, source), bytes_out);
}

#endif

}  // namespace

AsciiLower ascii_lower_for(InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return lower_avx512;
    if (instruction_set == InstructionSet::avx2) return lower_avx2;
#else
    (void)instruction_set;
#endif
    return lower_baseline;
}

}  // namespace wordodds
