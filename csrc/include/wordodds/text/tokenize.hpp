// Words of a document: the maximal runs of marked characters of its lower-case form. With \w marked
// and words of two characters or more that is re.findall(r"(?u)\b\w\w+\b", text.lower()); with
// \S marked, and words of any length, it is text.lower().split(). With \S marked and marks split
// off it is re.findall(r"\w+|[^\w\s]", text.lower()).
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/dispatch.hpp"
#include "wordodds/text/document.hpp"
#include "wordodds/text/lower.hpp"

namespace wordodds {

struct TokenSpan {
    uint32_t begin;  // into the bytes of the Tokenizer or Analyzer that found it
    uint32_t length;
};

struct TokenizerOptions {
    LowerOptions lower;
    int64_t min_length;  // code points; shorter words are dropped
    bool splits_marks =
        false;  // whether runs fall into words (\w+) and single characters of other kinds
};

// Reads a document window by window, so that scratch memory grows with the longest word and never
// with the document. One object serves one thread and any number of documents.
//
//     tokenizer.start(document);
//     while (tokenizer.next()) use(tokenizer.bytes(), tokenizer.tokens());
//
// Each next() costs at most about a millisecond (longer only for words above a megabyte), so that
// the caller can poll for interruption in between. A document takes O(length) in all.
class Tokenizer {
   public:
    Tokenizer(TokenizerOptions options, InstructionSet instruction_set)
        : options_(options), instruction_set_(instruction_set) {}

    // The document must outlive the last next(). Precondition: length <= document_max_length.
    void start(const Document& document);

    // Moves to the next window; false when there is none. Spans and bytes of the one before expire.
    // Throws std::invalid_argument when a word does not end within token_max_bytes.
    bool next();

    // UTF-8; at least token_padding bytes behind the last token may be read.
    const char* bytes() const { return bytes_.data(); }
    std::span<const TokenSpan> tokens() const { return tokens_.span(); }

    static constexpr int64_t token_padding = 64;
    static constexpr int64_t token_max_bytes = int64_t{1} << 30;

   private:
    void make_room(int64_t n_units);
    void find_tokens(bool last_window);
    bool is_long_enough(uint32_t begin, uint32_t length) const;
    int64_t split_marks(uint32_t begin, uint32_t end);

    TokenizerOptions options_;
    InstructionSet instruction_set_;
    Document document_{};
    int64_t position_ = 0;  // code units of the document consumed so far
    int64_t size_ = 0;      // bytes in the window
    int64_t carry_ = 0;     // bytes at its end that belong to a word not yet complete
    Buffer<char> bytes_;
    Buffer<uint64_t> mask_;
    Buffer<uint8_t> scratch_;
    Buffer<uint32_t> borders_;
    Buffer<TokenSpan> tokens_;
};

}  // namespace wordodds
