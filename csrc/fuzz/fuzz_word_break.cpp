// Words by Unicode's boundaries against the rules of UAX #29 one after the other.
#include "fuzz.hpp"
#include "reference/text/word_break.hpp"
#include "src/text/word_break.hpp"

using namespace wordodds;

FUZZ(input) {
    const std::u32string text = fuzz::text_of(input.rest());
    const std::string encoded = reference::encode(text);
    const std::vector<char> bytes(encoded.begin(),
                                  encoded.end());  // to the byte, for AddressSanitizer
    Buffer<TokenSpan> words;
    StopToken stop;
    utf8_find_words(bytes.data(), static_cast<int64_t>(bytes.size()), stop, words);
    std::vector<int64_t> found;
    for (const TokenSpan word : words.span()) found.insert(found.end(), {word.begin, word.length});
    CHECK_SAME(found, reference::find_words(text), encoded);
}
