// Slow twin of text/fasttext: a line as fastText reads it, over whole code points, with maps and
// sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/text/analyze.hpp"

namespace wordodds::reference {

struct FastTextModel {
    std::map<std::string, int64_t> words;  // and their numbers, from 0 on
    std::set<std::string> labels;
    int64_t word_ngrams;
    int64_t subword_min;
    int64_t subword_max;
    int64_t n_buckets;
    bool has_all_buckets;       // else
    std::set<int64_t> buckets;  // those with a row
    bool absent_counts;
};

// The features of a line, each as often as it occurs.
struct FastTextLine {
    std::vector<int64_t> words;           // known ones, by number
    std::vector<int64_t> known_subwords;  // buckets of the subwords of those
    std::vector<int64_t> buckets;         // of other words' subwords, and of n-grams
};

inline const std::u32string sentence_end = U"</s>";

// FNV-1a of the bytes as signed numbers, modulo 2^32.
inline int64_t fasttext_hash(const std::string& bytes) {
    constexpr uint64_t modulus = uint64_t{1} << 32;
    uint64_t hash = 2166136261;
    for (const char byte : bytes) {
        const auto value = static_cast<uint64_t>(static_cast<uint8_t>(byte));
        const uint64_t with_sign = value < 128 ? value : modulus - 256 + value;
        hash = (hash ^ with_sign) * 16777619 % modulus;
    }
    return static_cast<int64_t>(hash);
}

// The hash of a word as a number of 32 bits with sign, modulo 2^64.
inline uint64_t with_sign(int64_t hash) {
    return static_cast<uint64_t>(hash < int64_t{1} << 31 ? hash : hash - (int64_t{1} << 32));
}

inline std::vector<int64_t> subword_buckets(const FastTextModel& model,
                                            const std::u32string& word) {
    std::vector<int64_t> buckets;
    if (word == sentence_end) return buckets;
    const std::u32string padded = U'<' + word + U'>';
    for (size_t begin = 0; begin < padded.size(); ++begin) {
        for (int64_t length = 1; length <= model.subword_max; ++length) {
            const size_t end = begin + static_cast<size_t>(length);
            if (length < model.subword_min || end > padded.size()) continue;
            const bool is_first_alone = begin == 0 && length == 1;
            const bool is_last_alone = end == padded.size() && length == 1;
            if (is_first_alone || is_last_alone) continue;
            const std::string piece = encode(padded.substr(begin, end - begin));
            buckets.push_back(fasttext_hash(piece) % model.n_buckets);
        }
    }
    return buckets;
}

// Buckets of all n-grams of two to word_ngrams words.
inline std::vector<int64_t> ngram_buckets(const FastTextModel& model,
                                          const std::vector<std::u32string>& words) {
    std::vector<int64_t> buckets;
    for (size_t n = 2; static_cast<int64_t>(n) <= model.word_ngrams; ++n) {
        for (size_t first = 0; first + n <= words.size(); ++first) {
            uint64_t hash = 0;
            for (size_t i = first; i < first + n; ++i) {
                hash = hash * 116049371 + with_sign(fasttext_hash(encode(words[i])));
            }
            buckets.push_back(static_cast<int64_t>(hash % static_cast<uint64_t>(model.n_buckets)));
        }
    }
    return buckets;
}

inline void append(std::vector<int64_t>& to, const std::vector<int64_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

inline FastTextLine read_line(const FastTextModel& model, const std::u32string& text) {
    std::vector<std::u32string> read = separate(text);
    read.push_back(sentence_end);
    read.erase(std::find(read.begin(), read.end(), sentence_end) + 1, read.end());

    FastTextLine line;
    std::vector<std::u32string> counted;
    for (const std::u32string& word : read) {
        const std::string name = encode(word);
        const auto known = model.words.find(name);
        if (known != model.words.end()) {
            line.words.push_back(known->second);
            append(line.known_subwords, subword_buckets(model, word));
        } else if (model.labels.count(name) > 0 || name.rfind("__label__", 0) == 0) {
            continue;
        } else {
            append(line.buckets, subword_buckets(model, word));
        }
        counted.push_back(word);
    }
    append(line.buckets, ngram_buckets(model, counted));
    return line;
}

inline bool has_row(const FastTextModel& model, int64_t bucket) {
    return model.has_all_buckets || model.buckets.count(bucket) > 0;
}

inline int64_t row_of_bucket(const FastTextModel& model, int64_t bucket) {
    const auto n_words = static_cast<int64_t>(model.words.size());
    if (model.has_all_buckets) return n_words + bucket;
    return n_words + std::distance(model.buckets.begin(), model.buckets.find(bucket));
}

// How many of the buckets count as features.
inline int64_t count_buckets(const FastTextModel& model, const std::vector<int64_t>& buckets) {
    return std::count_if(buckets.begin(), buckets.end(), [&](int64_t bucket) {
        return model.absent_counts || has_row(model, bucket);
    });
}

inline int64_t count_features(const FastTextModel& model, const FastTextLine& line) {
    return static_cast<int64_t>(line.words.size()) + count_buckets(model, line.known_subwords) +
           count_buckets(model, line.buckets);
}

// The rows of a line in ascending order, with that of a known word for it and its subwords.
inline std::vector<int64_t> rows_of(const FastTextModel& model, const FastTextLine& line) {
    std::vector<int64_t> rows = line.words;
    for (const int64_t bucket : line.buckets) {
        if (has_row(model, bucket)) rows.push_back(row_of_bucket(model, bucket));
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

// The sum of the weights of a line's features, where each word and each bucket has weights of its
// own.
inline std::vector<long double> sum_features(const FastTextModel& model, const FastTextLine& line,
                                             const std::vector<std::vector<double>>& word_weights,
                                             const std::vector<std::vector<double>>& bucket_weights,
                                             size_t n_columns) {
    std::vector<long double> sums(n_columns, 0);
    const auto add = [&](const std::vector<double>& weights) {
        for (size_t k = 0; k < n_columns; ++k) sums[k] += weights[k];
    };
    for (const int64_t word : line.words) add(word_weights[static_cast<size_t>(word)]);
    for (const auto& buckets : {line.known_subwords, line.buckets}) {
        for (const int64_t bucket : buckets) {
            if (has_row(model, bucket)) add(bucket_weights[static_cast<size_t>(bucket)]);
        }
    }
    return sums;
}

}  // namespace wordodds::reference
