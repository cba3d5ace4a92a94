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
    // A byte before every feature, which tells the features of several views apart; 0: none.
    char name_space = 0;
};

// The name space of a view in a shared vocabulary. Precondition: view < 127, so that terms stay
// UTF-8.
constexpr char view_name_space(size_t view) { return static_cast<char>(view + 1); }

// How documents are read: in one way, or in several side by side (views), whose features come one
// view after the other. For a vocabulary that they share, view v has the name space
// view_name_space(v); a single view needs none, nor do views that are hashed. Does not own them.
class AnalyzerViews {
   public:
    AnalyzerViews(const AnalyzerOptions& only) : views_(&only, 1) {}  // implicit: most have one
    AnalyzerViews(std::span<const AnalyzerOptions> views) : views_(views) {}

    size_t size() const { return views_.size(); }
    const AnalyzerOptions& operator[](size_t view) const { return views_[view]; }
    auto begin() const { return views_.begin(); }
    auto end() const { return views_.end(); }

   private:
    std::span<const AnalyzerOptions> views_;
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

    // Whether the features of a document are those of its words, one word after the other, and
    // follow from the word alone. They can then be read word by word, and kept for the next time:
    //
    //     while (analyzer.next_words_alone())
    //         for (word : analyzer.words()) { analyzer.open(word); use(analyzer.features()); }
    bool is_by_word() const { return options_.kind == AnalyzerKind::chars_in_words; }

    // Moves to the next words; false when there is none. Those before expire. Precondition:
    // is_by_word().
    bool next_words_alone(StopToken& stop);
    std::span<const TokenSpan> words() const { return tokenizer_.tokens(); }
    const char* word_bytes() const { return tokenizer_.bytes(); }

    // Makes the features of one of words() the batch.
    void open(TokenSpan word);

   private:
    bool next_unnamed(StopToken& stop);
    bool next_words(StopToken& stop);
    bool next_joined(StopToken& stop);
    bool next_padded(StopToken& stop);
    void give_padded();
    bool next_unicode_words(StopToken& stop);
    void drop_stop_words();
    void stem_words();
    template <class Use>
    void for_each_window(StopToken& stop, Use use);
    void join_words(StopToken& stop);
    void join_text(StopToken& stop);
    void append_joined(const char* bytes, int64_t n);
    void pad_word(TokenSpan word);
    void name_features();

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
    Buffer<char> named_;
    Buffer<TokenSpan> names_;
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
std::vector<std::string> document_features(const Document& document, const AnalyzerViews& views,
                                           const Execution& execution);

}  // namespace wordodds
