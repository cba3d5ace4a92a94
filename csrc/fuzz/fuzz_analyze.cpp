// The scanner against its twin: features of a document under any options, in any storage, on every
// instruction set.
#include "fuzz.hpp"
#include "options.hpp"

using namespace wordodds;

FUZZ(input) {
    const AnalyzerOptions options = fuzz::options_of(input, 6);
    const TextKind wanted = input.one_of(text_kinds);
    const std::u32string text = fuzz::text_of(input.rest());
    check_text(text, fuzz::kind_for(text, wanted), options);
}
