// Lower-case ASCII and mark its characters, 64 at a time; the same bits on every instruction set.
#include "ascii_lower.hpp"

#include <array>
#include <cstring>

#if WORDODDS_X86
#include <immintrin.h>
#endif

namespace wordodds {
namespace {

constexpr int64_t block_size = 64;

struct ByteClass {
    char lower;
    bool word;
    bool space;
    bool separator;
};

constexpr std::array<ByteClass, 256> byte_classes = [] {
    std::array<ByteClass, 256> classes{};
    for (int byte = 0; byte < 256; ++byte) {
        const bool upper = byte >= 'A' && byte <= 'Z';
        const bool word =
            upper || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
        const bool space = (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 32);
        classes[static_cast<size_t>(byte)] = {static_cast<char>(upper ? byte | 0x20 : byte), word,
                                              space, is_separator(static_cast<uint32_t>(byte))};
    }
    return classes;
}();

template <CharacterClass marks>
bool is_marked(ByteClass entry) {
    if constexpr (marks == CharacterClass::word) return entry.word;
    return marks == CharacterClass::not_space ? !entry.space : !entry.separator;
}

template <bool lowercase, CharacterClass marks>
uint64_t block_baseline(const char* source, char* bytes_out) {
    uint64_t mask = 0;
    for (int i = 0; i < block_size; ++i) {
        const ByteClass entry = byte_classes[static_cast<uint8_t>(source[i])];
        bytes_out[i] = lowercase ? entry.lower : source[i];
        mask |= static_cast<uint64_t>(is_marked<marks>(entry)) << i;
    }
    return mask;
}

// The tail goes through a zero-filled block: the source must not be read past its end. What marks
// zero bytes get is cut off.
template <bool lowercase, CharacterClass marks>
void tail(const char* source, int64_t n, char* bytes_out, uint64_t* mask_out) {
    if (n == 0) return;
    char padded[block_size] = {};
    std::memcpy(padded, source, static_cast<size_t>(n));
    *mask_out = block_baseline<lowercase, marks>(padded, bytes_out) & ((uint64_t{1} << n) - 1);
}

template <bool lowercase, CharacterClass marks>
void lower_baseline(const char* source, int64_t n, char* bytes_out, uint64_t* mask_out) {
    for (; n >= block_size; n -= block_size) {
        *mask_out++ = block_baseline<lowercase, marks>(source, bytes_out);
        source += block_size;
        bytes_out += block_size;
    }
    tail<lowercase, marks>(source, n, bytes_out, mask_out);
}

#if WORDODDS_X86

// A byte b lies in [first, last] where the signed b - first - 128 <= last - first - 128: one
// subtraction moves the range to the bottom of the signed numbers.
WORDODDS_TARGET_AVX2 inline __m256i in_range_avx2(__m256i bytes, char first, char last) {
    const __m256i moved = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(first - 128)));
    const auto limit = static_cast<char>(last - first - 128 + 1);
    return _mm256_cmpgt_epi8(_mm256_set1_epi8(limit), moved);
}

template <bool lowercase, CharacterClass marks>
WORDODDS_TARGET_AVX2 inline uint32_t half_block_avx2(const char* source, char* bytes_out) {
    __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
    const __m256i upper = in_range_avx2(bytes, 'A', 'Z');
    const __m256i lower = _mm256_or_si256(bytes, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes_out), lowercase ? lower : bytes);
    if constexpr (marks == CharacterClass::word) {
        const __m256i word = _mm256_or_si256(
            _mm256_or_si256(in_range_avx2(lower, 'a', 'z'), in_range_avx2(lower, '0', '9')),
            _mm256_cmpeq_epi8(lower, _mm256_set1_epi8('_')));
        return static_cast<uint32_t>(_mm256_movemask_epi8(word));
    } else if constexpr (marks == CharacterClass::not_space) {
        const __m256i space =
            _mm256_or_si256(in_range_avx2(bytes, 9, 13), in_range_avx2(bytes, 28, 32));
        return ~static_cast<uint32_t>(_mm256_movemask_epi8(space));
    } else {
        const __m256i separator =
            _mm256_or_si256(_mm256_or_si256(in_range_avx2(bytes, 9, 13),
                                            _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(' '))),
                            _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
        return ~static_cast<uint32_t>(_mm256_movemask_epi8(separator));
    }
}

template <bool lowercase, CharacterClass marks>
WORDODDS_TARGET_AVX2 void lower_avx2(const char* source, int64_t n, char* bytes_out,
                                     uint64_t* mask_out) {
    for (; n >= block_size; n -= block_size) {
        const uint64_t low = half_block_avx2<lowercase, marks>(source, bytes_out);
        const uint64_t high = half_block_avx2<lowercase, marks>(source + 32, bytes_out + 32);
        *mask_out++ = low | (high << 32);
        source += block_size;
        bytes_out += block_size;
    }
    tail<lowercase, marks>(source, n, bytes_out, mask_out);
}

WORDODDS_TARGET_AVX512 inline __mmask64 in_range_avx512(__m512i bytes, char first, char last) {
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(first)),
                                  _mm512_set1_epi8(static_cast<char>(last - first)));
}

template <bool lowercase, CharacterClass marks>
WORDODDS_TARGET_AVX512 inline uint64_t block_avx512(__m512i bytes, char* bytes_out) {
    const __mmask64 upper = in_range_avx512(bytes, 'A', 'Z');
    const __m512i lower = _mm512_mask_add_epi8(bytes, upper, bytes, _mm512_set1_epi8(0x20));
    _mm512_storeu_si512(bytes_out, lowercase ? lower : bytes);
    if constexpr (marks == CharacterClass::word) {
        return in_range_avx512(lower, 'a', 'z') | in_range_avx512(lower, '0', '9') |
               _mm512_cmpeq_epi8_mask(lower, _mm512_set1_epi8('_'));
    } else if constexpr (marks == CharacterClass::not_space) {
        return ~(in_range_avx512(bytes, 9, 13) | in_range_avx512(bytes, 28, 32));
    } else {
        return ~(in_range_avx512(bytes, 9, 13) |
                 _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' ')) |
                 _mm512_testn_epi8_mask(bytes, bytes));
    }
}

template <bool lowercase, CharacterClass marks>
WORDODDS_TARGET_AVX512 void lower_avx512(const char* source, int64_t n, char* bytes_out,
                                         uint64_t* mask_out) {
    for (; n >= block_size; n -= block_size) {
        *mask_out++ = block_avx512<lowercase, marks>(_mm512_loadu_si512(source), bytes_out);
        source += block_size;
        bytes_out += block_size;
    }
    if (n == 0) return;
    // A masked load does not touch the bytes it leaves out.
    const __mmask64 present = (uint64_t{1} << n) - 1;
    const __m512i last = _mm512_maskz_loadu_epi8(present, source);
    *mask_out = block_avx512<lowercase, marks>(last, bytes_out) & present;
}

#endif

template <bool lowercase, CharacterClass marks>
AsciiLower best_of([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return lower_avx512<lowercase, marks>;
    if (instruction_set == InstructionSet::avx2) return lower_avx2<lowercase, marks>;
#endif
    return lower_baseline<lowercase, marks>;
}

}  // namespace

AsciiLower ascii_lower_for(LowerOptions options, InstructionSet instruction_set) {
    const auto best = [&]<CharacterClass marks>() {
        return options.lowercase ? best_of<true, marks>(instruction_set)
                                 : best_of<false, marks>(instruction_set);
    };
    switch (options.marks) {
        case CharacterClass::word: return best.template operator()<CharacterClass::word>();
        case CharacterClass::not_space:
            return best.template operator()<CharacterClass::not_space>();
        case CharacterClass::not_separator: break;
    }
    return best.template operator()<CharacterClass::not_separator>();
}

}  // namespace wordodds
