#include "wordodds/text/utf8_check.hpp"

#include <algorithm>
#include <cstring>

#include "utf8.hpp"

namespace wordodds {
namespace {

constexpr uint64_t high_bits = 0x8080808080808080u;
constexpr int64_t block_bytes = 64;
constexpr int64_t context_bytes =
    utf8_max_bytes - 1;  // a byte's role follows from this many before it
constexpr int64_t documents_per_chunk = 256;
constexpr int64_t window_bytes = int64_t{1} << 20;  // less than a millisecond

bool block_is_ascii(const uint8_t* block) {
    uint64_t words[block_bytes / 8];
    std::memcpy(words, block, block_bytes);
    uint64_t all = 0;
    for (const uint64_t word : words) all |= word;
    return (all & high_bits) == 0;
}

// For what is shorter than a block.
bool tail_is_ascii(const uint8_t* tail, int64_t n) {
    uint64_t all = 0;
    for (; n >= 8; tail += 8, n -= 8) {
        uint64_t word;
        std::memcpy(&word, tail, 8);
        all |= word;
    }
    for (int64_t i = 0; i < n; ++i) all |= tail[i];
    return (all & high_bits) == 0;
}

// Whether each byte of the block is what the three before it call for. No branches, no values wider
// than a byte, one sum for each kind of error: compilers make vector code of it. `block` has
// context_bytes before it.
bool block_is_valid(const uint8_t* block) {
    uint8_t misplaced = 0, never = 0, too_long = 0, surrogate = 0, too_large = 0;
    for (int64_t i = 0; i < block_bytes; ++i) {
        const uint8_t byte = block[i];
        const uint8_t before = block[i - 1];
        const bool continues = (byte & 0xC0) == 0x80;
        const bool must_continue =
            (before >= 0xC0) | (block[i - 2] >= 0xE0) | (block[i - 3] >= 0xF0);
        misplaced |= continues != must_continue;
        never |= ((byte & 0xFE) == 0xC0) | (byte >= 0xF5);
        too_long |= ((before == 0xE0) & (byte < 0xA0)) | ((before == 0xF0) & (byte < 0x90));
        surrogate |= (before == 0xED) & (byte >= 0xA0);
        too_large |= (before == 0xF4) & (byte >= 0x90);
    }
    return (misplaced | never | too_long | surrogate | too_large) == 0;
}

// A block that begins or ends outside of the text: NULs stand for what is not there. There is at
// least one behind the last byte, so that a character cut off is an error.
struct PaddedBlock {
    uint8_t bytes[context_bytes + block_bytes] = {};

    PaddedBlock(const uint8_t* text, int64_t begin, int64_t end) {
        const int64_t context = std::min(begin, context_bytes);
        const int64_t n = context + end - begin;
        if (n > 0) {
            std::memcpy(bytes + context_bytes - context, text + begin - context,
                        static_cast<size_t>(n));
        }
    }
    const uint8_t* block() const { return bytes + context_bytes; }
};

Utf8Check document_check(const Document& document, StopToken& stop) {
    const auto* const bytes = static_cast<const char*>(document.data);
    const int64_t n = document.length;
    Utf8Check result = Utf8Check::ascii;
    for (int64_t begin = 0; begin < n;) {
        if (begin > 0) stop.check();
        int64_t end = std::min(n, begin + window_bytes);
        // Not within a character. Where there is none to end, the next window finds the error.
        for (int64_t back = 0; back < context_bytes && end < n && !utf8_is_lead(bytes[end]);
             ++back) {
            --end;
        }
        result = std::max(result, utf8_check(bytes + begin, end - begin));
        if (result == Utf8Check::invalid) break;
        begin = end;
    }
    return result;
}

}  // namespace

Utf8Check utf8_check(const char* bytes, int64_t n) {
    const auto* const text = reinterpret_cast<const uint8_t*>(bytes);
    int64_t i = 0;
    while (i + block_bytes <= n && block_is_ascii(text + i)) i += block_bytes;
    if (i + block_bytes > n && tail_is_ascii(text + i, n - i)) return Utf8Check::ascii;

    if (i == 0 && n >= block_bytes) {
        if (!block_is_valid(PaddedBlock(text, 0, block_bytes).block())) return Utf8Check::invalid;
        i = block_bytes;
    }
    for (; i + block_bytes <= n; i += block_bytes) {
        // After an ASCII byte no character is open.
        if (text[i - 1] < 0x80 && block_is_ascii(text + i)) continue;
        if (!block_is_valid(text + i)) return Utf8Check::invalid;
    }
    return block_is_valid(PaddedBlock(text, i, n).block()) ? Utf8Check::utf8 : Utf8Check::invalid;
}

int64_t documents_check_utf8(std::span<Document> documents, const Execution& execution) {
    const FixedChunks chunks{static_cast<int64_t>(documents.size()), documents_per_chunk};
    const auto check_chunk = [&](int64_t chunk) -> int64_t {
        for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
            Document& document = documents[static_cast<size_t>(i)];
            const Utf8Check found = document_check(document, *execution.stop);
            if (found == Utf8Check::invalid) return i;
            document.kind = found == Utf8Check::ascii ? TextKind::ascii : TextKind::utf8;
        }
        return -1;
    };
    const auto first = [](int64_t earlier, int64_t later) {
        return earlier >= 0 ? earlier : later;
    };
    return parallel_reduce(execution, chunks.count(), int64_t{-1}, check_chunk, first);
}

}  // namespace wordodds
