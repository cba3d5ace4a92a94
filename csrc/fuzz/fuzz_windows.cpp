// The scanner against its twin where a text lies across the border of a window: a filler first, of
// 8,192 characters but for a few. Apart from fuzz_analyze, as each input takes as long as a hundred
// short ones.
#include "fuzz.hpp"
#include "options.hpp"

using namespace wordodds;

FUZZ(input) {
    static const std::u32string fillers[] = {U"x", U" ", U"abcdefgh ", U"\u00E9", U"A\u03A3"};
    const AnalyzerOptions options = fuzz::options_of(input, 2);
    const TextKind wanted = input.one_of(text_kinds);
    const std::u32string& filler = input.one_of(fillers);
    const auto length = static_cast<size_t>(window - input.below(16));
    std::u32string text;
    while (text.size() < length) text += filler;
    text.resize(length);
    text += fuzz::text_of(input.rest());
    check_text(text, fuzz::kind_for(text, wanted), options);
}
