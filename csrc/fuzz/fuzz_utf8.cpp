// The UTF-8 check against its twin: for the bytes as one document at any alignment, and cut into
// documents that share a buffer, where the first invalid one is named and the others get their
// kind.
#include "fuzz.hpp"
#include "reference/text/utf8_check.hpp"
#include "tests/execution.hpp"
#include "wordodds/text/utf8_check.hpp"

using namespace wordodds;

namespace {

Utf8Check check_at(const std::string& text, size_t shift) {
    // To the byte, so that AddressSanitizer sees any read past the end.
    std::vector<char> memory(shift, '\x80');
    memory.insert(memory.end(), text.begin(), text.end());
    memory.shrink_to_fit();
    return utf8_check(memory.data() + shift, static_cast<int64_t>(text.size()));
}

}  // namespace

FUZZ(input) {
    const auto shift = static_cast<size_t>(input.below(32));
    const auto cut = static_cast<size_t>(1 + input.below(64));
    // A run of ASCII before the bytes: the SIMD loop then meets them at any place of a block.
    const std::string text = std::string(static_cast<size_t>(input.byte()), 'a') + input.rest();
    CHECK_EQ(check_at(text, shift), reference::utf8_check(text), text, shift);

    std::vector<Document> documents;
    int64_t first_invalid = -1;
    for (size_t at = 0; at < text.size(); at += cut) {
        const std::string part = text.substr(at, cut);
        documents.push_back({text.data() + at, static_cast<int64_t>(part.size()), TextKind::ucs4});
        if (first_invalid < 0 && reference::utf8_check(part) == Utf8Check::invalid) {
            first_invalid = static_cast<int64_t>(documents.size()) - 1;
        }
    }
    CHECK_EQ(documents_check_utf8(documents, Run()), first_invalid, text, cut);
    for (size_t i = 0; first_invalid < 0 && i < documents.size(); ++i) {
        const bool ascii = reference::utf8_check(text.substr(i * cut, cut)) == Utf8Check::ascii;
        CHECK_EQ(documents[i].kind, ascii ? TextKind::ascii : TextKind::utf8, text, i);
    }
}
