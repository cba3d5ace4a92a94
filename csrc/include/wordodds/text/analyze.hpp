// From a document to its features: words, word n-grams or character n-grams, each a slice of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/parallel.hpp"
#include "wordodds/base/stop.hpp"
#include "wordodds/text/tokenize.hpp"

namespace wordodds {

class Vocabulary;
class WordMap;

enum class AnalyzerKind : int32_t {
    word,            // n-grams of words, joined by single spaces; words are runs of \w
    word_or_mark,    // as `word`; any other character that is not white space is a word too
    chars,           // n-grams of characters; runs of white space count as one space
    chars_in_words,  // n-grams of characters of each word with a space before and after it
    unicode_word,    // as `word`, with words by Unicode's word boundaries
    separated,  // single words between fastText's separators; text/fasttext.hpp makes more of them
};

struct AnalyzerOptions {
    AnalyzerKind kind = AnalyzerKind::word;
    bool lowercase = true;
    int32_t word_min_length = 2;  // code points; for runs of \w
    int32_t ngram_min = 1;        // >= 1
    int32_t ngram_max = 1;        // >= ngram_min
    // Words to leave out, if the kind has words; may be null. Its lookups must be prepared.
    const Vocabulary* stop_words = nullptr;
    Accents accents = Accents::keep;
    const WordMap* stems = nullptr;  // what stands for the words that are left; may be null
};

// Gives the features of one document after the other, in the order of scikit-learn's analyzers:
// words and `chars` with all n-grams of one length before the next length; `chars_in_words` word by
// word. That order decides which feature is seen first.
//
//     analyzer.start(document);
//     while (analyzer.next(stop)) use(analyzer.bytes(), analyzer.features());
//
// Single words of kinds `word` and word_or_mark and chars_in_words pass window by window. The
// others hold the whole text of one document. O(length * number of n-gram lengths).
class Analyzer {
   public:
    Analyzer(const AnalyzerOptions& options, InstructionSet instruction_set);

    // The document must outlive the last next().
    void start(const Document& document);

    // Moves to the next batch of features; false when there is none. The one before expires.
    // Throws std::invalid_argument if the text of one document, where it is held whole, takes 4
    // GiB.
    bool next(StopToken& stop);

    // At least Tokenizer::token_padding bytes behind the last feature may be read.
    const char* bytes() const { return bytes_; }
    std::span<const TokenSpan> features() const { return features_; }

   private:
    bool next_words(StopToken& stop);
    bool next_joined(StopToken& stop);
    bool next_padded(StopToken& stop);
    bool next_unicode_words(StopToken& stop);
    void drop_stop_words();
    void stem_words();
    template <class Use>
    void for_each_window(StopToken& stop, Use use);
    void join_words(StopToken& stop);
    void join_text(StopToken& stop);
    void append_joined(const char* bytes, int64_t n);
    void pad_word(TokenSpan word);

    AnalyzerOptions options_;
    InstructionSet instruction_set_;
    Tokenizer tokenizer_;
    Document document_{};
    const char* bytes_ = nullptr;
    std::span<const TokenSpan> features_;

    Buffer<TokenSpan> batch_;
    Buffer<char> text_;  // the whole document, for Unicode's word boundaries
    Buffer<TokenSpan> words_;
    Buffer<char> stemmed_;
    Buffer<TokenSpan> stems_;
    Buffer<char> window_;
    Buffer<uint64_t> mask_;
    Buffer<uint8_t> scratch_;
    Buffer<char> joined_;
    // Unit i of the joined text (a word, or a character) is [unit_begin_[i], unit_end_[i]).
    Buffer<uint32_t> unit_begin_;
    Buffer<uint32_t> unit_end_;
    bool is_joined_ = false;
    bool is_read_ = false;  // of unicode_word: the words of the document were given
    int32_t ngram_ = 0;     // length of the n-grams that come next
    int64_t position_ = 0;  // unit where the next one starts
};

// All features of one document, for those who want to look at them; counting never makes such a
// list.
std::vector<std::string> document_features(const Document& document, const AnalyzerOptions& options,
                                           const Execution& execution);

}  // namespace wordodds
