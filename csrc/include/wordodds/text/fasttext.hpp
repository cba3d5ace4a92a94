// What fastText makes of a line of text: rows of a matrix, and how many features they stand for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/stop.hpp"
#include "wordodds/text/term_table.hpp"
#include "wordodds/text/tokenize.hpp"

namespace wordodds {

inline constexpr std::string_view fasttext_sentence_end = "</s>";
// A model file does not tell which prefix its labels had in training: fastText then assumes this
// one.
inline constexpr std::string_view fasttext_label_prefix = "__label__";

inline constexpr uint32_t fasttext_hash_start = 2166136261u;

// FNV-1a with the sign of each byte extended, which all fastText models have been trained with.
// O(1).
inline uint32_t fasttext_hash_byte(uint32_t hash, char byte) {
    return (hash ^ static_cast<uint32_t>(static_cast<int8_t>(byte))) * 16777619u;
}

inline uint32_t fasttext_hash(std::string_view bytes) {
    uint32_t hash = fasttext_hash_start;
    for (const char byte : bytes) hash = fasttext_hash_byte(hash, byte);
    return hash;
}

// n mod a divisor that is used often: a product in the place of a division.
class Remainder {
   public:
    // Precondition: divisor >= 1.
    explicit Remainder(uint32_t divisor) : divisor_(divisor), inverse_(~uint64_t{0} / divisor) {}

    uint32_t operator()(uint64_t n) const {
#if defined(__SIZEOF_INT128__)
        __extension__ using uint128 = unsigned __int128;
        // At most one below the quotient, as inverse_ > 2^64 / divisor - 1 - 1 / divisor.
        const auto quotient = static_cast<uint64_t>((static_cast<uint128>(n) * inverse_) >> 64);
        const uint64_t rest = n - quotient * divisor_;
        return static_cast<uint32_t>(rest >= divisor_ ? rest - divisor_ : rest);
#else
        return static_cast<uint32_t>(n % divisor_);
#endif
    }

   private:
    uint64_t divisor_;
    uint64_t inverse_;
};

struct FastTextOptions {
    int32_t word_ngrams;  // words of the longest n-grams; 1: single words alone
    int32_t subword_min;  // characters of the shortest and longest subwords of a word in < and >;
    int32_t subword_max;  // 0: words have none
    int32_t n_buckets;    // what n-grams and subwords are hashed to; 0: there are none
    bool absent_counts;   // whether one whose bucket has no row counts as a feature all the same
};

// A word of the model, whose row is the sum over the word itself and its subwords.
struct FastTextWord {
    uint32_t hash;
    uint32_t n_features;  // of which it is the sum
};

// Which rows of weights belong to a text: first those of words, then those of buckets. Owns
// nothing.
struct FastTextRows {
    FrozenTerms terms;  // words, then labels, which a text may hold and no row has
    std::span<const FastTextWord> words;  // at most as many as terms
    FastTextOptions options;
    std::span<const uint64_t> marks;  // bit b: bucket b has a row; empty: each of them has one
    std::span<const uint32_t> ranks;  // rows of buckets before those of marks[i]; as long as marks
    int64_t n_bucket_rows;

    int64_t size() const { return static_cast<int64_t>(words.size()) + n_bucket_rows; }

    // Throws std::invalid_argument unless every text gets rows below size(), whatever wrote these:
    // they may come from a file. Precondition: terms have passed check(). O(marks).
    void check() const;
};

// Collects the rows of one text after the other, in O(length * number of n-gram lengths):
//
//     bag.start();
//     while (analyzer.next(stop) && bag.add(analyzer.bytes(), analyzer.features(), stop))
//     use(bag.ids()); bag.finish();
//
// Words come from an Analyzer of kind `separated`. One object serves one thread.
class FastTextBag {
   public:
    // `rows` has passed check() and outlives the bag.
    explicit FastTextBag(const FastTextRows& rows);

    void start();

    // Takes the next words of the text. False: one of them was the end of the sentence, and what
    // follows does not count. Tokenizer::token_padding bytes behind the last word may be read.
    bool add(const char* bytes, std::span<const TokenSpan> words, StopToken& stop);

    // The text is at its end, which is a word too.
    void finish(StopToken& stop);

    // Rows since start() or the last take().
    std::span<const uint32_t> ids() const { return ids_.span(); }
    void take() { ids_.shrink(0); }
    // Features since start(), those without a row included where these count.
    int64_t n_features() const { return at_.n_features; }

   private:
    // How far a text has been read.
    struct Place {
        int64_t n_features = 0;
        int64_t n_before = 0;  // words that the next one makes n-grams with
        uint64_t word_before = 0;
    };

    // Those that put write to where there is room, and return where it goes on.
    uint32_t* extend_for(int64_t n_words);
    uint32_t* put_known(uint32_t id, FastTextWord word, Place& at, uint32_t* out);
    uint32_t* put_ngrams(uint32_t hash, Place& at, uint32_t* out);
    uint32_t* put_bucket(uint32_t bucket, Place& at, uint32_t* out);
    void add_unknown(std::string_view word, StopToken& stop);
    void add_subwords(std::string_view word, StopToken& stop);

    const FastTextRows& rows_;
    uint32_t n_words_;
    Remainder bucket_of_;
    uint32_t end_id_;
    Buffer<uint32_t> ids_;
    Buffer<uint64_t> before_;  // [n]: hash of the n + 1 words before the next one, from n = 1 on
    Place at_;
    bool ended_ = false;
    Buffer<char> padded_;
};

// Calls use(hash) for each subword of a word that stands in < and >: its stretches of subword_min
// to subword_max characters, but for < and > alone. Calls poll() once a character. O(length *
// subword_max).
template <class Use, class Poll>
void fasttext_for_each_subword(std::string_view padded, const FastTextOptions& options, Use use,
                               Poll poll) {
    const auto is_within = [](char byte) { return (byte & 0xC0) == 0x80; };
    for (size_t begin = 0; begin < padded.size(); ++begin) {
        if (is_within(padded[begin])) continue;
        poll();
        uint32_t hash = fasttext_hash_start;
        size_t end = begin;
        for (int32_t n = 1; n <= options.subword_max && end < padded.size(); ++n) {
            do hash = fasttext_hash_byte(hash, padded[end++]);
            while (end < padded.size() && is_within(padded[end]));
            const bool is_border = n == 1 && (begin == 0 || end == padded.size());
            if (n >= options.subword_min && !is_border) use(hash);
        }
    }
}

// hashes_out[i] = fasttext_hash of term i. Length: hashes_out offsets.size() - 1. Precondition:
// offsets rise within the arena. O(arena).
void fasttext_hash_terms(std::span<const char> arena, std::span<const int64_t> offsets,
                         std::span<uint32_t> hashes_out);

// Appends the buckets of the subwords of each term to buckets_out, and to ends_out how many there
// are so far. The end of the sentence has none. Precondition: n_buckets >= 1. O(arena *
// subword_max).
void fasttext_find_subwords(std::span<const char> arena, std::span<const int64_t> offsets,
                            const FastTextOptions& options, StopToken& stop,
                            Buffer<uint32_t>& buckets_out, Buffer<int64_t>& ends_out);

}  // namespace wordodds
