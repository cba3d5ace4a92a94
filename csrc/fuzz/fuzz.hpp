// What every fuzz target starts from: bytes decoded into numbers and text. A failed CHECK ends the
// process, which libFuzzer takes for a crash and keeps the input of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "wordodds/base/dispatch.hpp"

namespace wordodds::fuzz {

// Reads from the front; past the end every byte is 0, so that any input decodes to something.
class Input {
   public:
    Input(const uint8_t* bytes, size_t n) : next_(bytes), end_(bytes + n) {}

    bool empty() const { return next_ == end_; }
    uint8_t byte() { return empty() ? uint8_t{0} : *next_++; }
    bool flag() { return byte() & 1; }
    // Any number below n <= 256.
    int64_t below(int64_t n) { return byte() % n; }
    // Bytes as they lie, for hostile numbers of any size.
    template <class T>
    T number() {
        T value{};
        uint8_t bytes[sizeof(T)];
        for (uint8_t& each : bytes) each = byte();
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
    template <class T, size_t n>
    const T& one_of(const T (&choices)[n]) {
        return choices[byte() % n];
    }
    std::string take(size_t n) {
        n = std::min(n, static_cast<size_t>(end_ - next_));
        const std::string taken(reinterpret_cast<const char*>(next_), n);
        next_ += n;
        return taken;
    }
    std::string rest() { return take(static_cast<size_t>(end_ - next_)); }

   private:
    const uint8_t* next_;
    const uint8_t* end_;
};

// Any bytes as code points: UTF-8 where it is UTF-8 (with lone surrogates as three bytes each), and
// every other byte as one of the characters that scanners trip over.
inline std::u32string text_of(const std::string& bytes) {
    static const std::u32string hard = {
        0x85,    0xA0,    0xAA,    0xAD,    0xB5,    0xC9,   0xDF,   0x130,  0x131,
        0x1C5,   0x301,   0x307,   0x391,   0x3A3,   0x3C2,  0x3C3,  0x5D0,  0x661,
        0x1E9E,  0x1680,  0x2019,  0x200D,  0x2028,  0x202F, 0x212A, 0x24C2, 0x3000,
        0x30A2,  0x4E2D,  0xAC01,  0xD800,  0xDFFF,  0xFEFF, 0xFF9E, 0xFFFF, 0x10000,
        0x10400, 0x1F1E6, 0x1F600, 0xE0001, 0x10FFFF};
    std::u32string text;
    for (size_t i = 0; i < bytes.size();) {
        const auto at = [&](size_t k) { return static_cast<uint8_t>(bytes[k]); };
        const uint8_t lead = at(i);
        const size_t n_more = lead < 0x80         ? 0
                              : lead / 0x20 == 6  ? 1
                              : lead / 0x10 == 14 ? 2
                              : lead / 8 == 30    ? 3
                                                  : 4;
        bool whole = n_more < 4 && i + n_more < bytes.size();
        for (size_t k = 1; whole && k <= n_more; ++k) whole = at(i + k) / 0x40 == 2;
        const std::u32string one =
            whole ? reference::decode_utf8(bytes.substr(i, 1 + n_more)) : U"";
        if (whole && one[0] <= 0x10FFFF) {
            text += one;
            i += 1 + n_more;
        } else {
            text += hard[lead % hard.size()];
            ++i;
        }
    }
    return text;
}

// The kind asked for if it can hold the text, else the narrowest that can.
inline TextKind kind_for(const std::u32string& text, TextKind wanted) {
    const auto fits = [&](char32_t c) { return c < code_points_end(wanted); };
    return std::all_of(text.begin(), text.end(), fits) ? wanted : kind_of(text);
}

inline void run(void (*body)(Input&), const uint8_t* bytes, size_t n) {
    try {
        Input input(bytes, n);
        body(input);
    } catch (const check::Failure& failure) {
        std::fprintf(stderr, "CHECK failed: %s\n", failure.message.c_str());
        std::abort();
    }
}

}  // namespace wordodds::fuzz

// FUZZ(input) { ... }: the body of a target.
#define FUZZ(input)                                                         \
    static void fuzz_body(::wordodds::fuzz::Input&);                        \
    extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t n) { \
        ::wordodds::fuzz::run(fuzz_body, bytes, n);                         \
        return 0;                                                           \
    }                                                                       \
    static void fuzz_body(::wordodds::fuzz::Input& input)
