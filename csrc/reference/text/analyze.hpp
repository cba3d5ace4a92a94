// Slow twin of text/analyze: scikit-learn's analyzers, line by line, over whole code points.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/text/tokenize.hpp"
#include "reference/text/word_break.hpp"
#include "wordodds/text/analyze.hpp"

namespace wordodds::reference {

using StopWords = std::set<std::u32string>;
using Stems = std::map<std::u32string, std::u32string>;

inline bool is_space(char32_t c) { return has(c, unicode_space); }

// The maximal runs of characters for which `belongs` holds.
template <class Belongs>
std::vector<std::u32string> runs(const std::u32string& text, Belongs belongs) {
    std::vector<std::u32string> found;
    bool inside = false;
    for (const char32_t c : text) {
        if (belongs(c) && !inside) found.emplace_back();
        inside = belongs(c);
        if (inside) found.back() += c;
    }
    return found;
}

// Words between fastText's separators, in the order of its own list.
inline bool is_separator(char32_t c) {
    static const std::u32string separators{U' ', U'\n', U'\r', U'\t', U'\v', U'\f', U'\0'};
    return separators.find(c) != std::u32string::npos;
}

inline std::vector<std::u32string> separate(const std::u32string& text) {
    return runs(text, [](char32_t c) { return !is_separator(c); });
}

// re.sub(r"\s\s+", " ", text)
inline std::u32string normalise_white_space(const std::u32string& text) {
    std::u32string out;
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        while (end < text.size() && is_space(text[end])) ++end;
        if (end - i >= 2) {
            out += U' ';
            i = end;
        } else {
            out += text[i++];
        }
    }
    return out;
}

// _word_ngrams: all n-grams of one length before the next length.
inline std::vector<std::u32string> word_ngrams(const std::vector<std::u32string>& words,
                                               size_t ngram_min, size_t ngram_max) {
    std::vector<std::u32string> features;
    for (size_t n = ngram_min; n <= ngram_max; ++n) {
        for (size_t i = 0; i + n <= words.size(); ++i) {
            std::u32string joined = words[i];
            for (size_t k = 1; k < n; ++k) joined += U' ' + words[i + k];
            features.push_back(joined);
        }
    }
    return features;
}

// _char_ngrams
inline std::vector<std::u32string> char_ngrams(const std::u32string& text, size_t ngram_min,
                                               size_t ngram_max) {
    std::vector<std::u32string> features;
    for (size_t n = ngram_min; n <= ngram_max; ++n) {
        for (size_t i = 0; i + n <= text.size(); ++i) features.push_back(text.substr(i, n));
    }
    return features;
}

// _char_wb_ngrams: as long as " word " holds more than one n-gram of a length, the next length; the
// first length that does not give more than one n-gram is the last.
inline std::vector<std::u32string> char_wb_ngrams(const std::u32string& text, size_t ngram_min,
                                                  size_t ngram_max) {
    std::vector<std::u32string> features;
    for (const std::u32string& word : runs(text, [](char32_t c) { return !is_space(c); })) {
        const std::u32string padded = U' ' + word + U' ';
        for (size_t n = ngram_min; n <= ngram_max; ++n) {
            size_t offset = 0;
            features.push_back(padded.substr(offset, n));
            while (offset + n < padded.size()) features.push_back(padded.substr(++offset, n));
            if (offset == 0) break;
        }
    }
    return features;
}

// Runs of \w that are long enough.
inline std::vector<std::u32string> word_runs(const std::u32string& text, size_t min_length) {
    std::vector<std::u32string> words = runs(text, is_word);
    std::erase_if(words, [&](const std::u32string& word) { return word.size() < min_length; });
    return words;
}

// re.findall(r"\w+|[^\w\s]", text), without words that are too short.
inline std::vector<std::u32string> words_and_marks(const std::u32string& text, size_t min_length) {
    std::vector<std::u32string> found;
    for (size_t begin = 0; begin < text.size();) {
        size_t end = begin + 1;
        if (is_word(text[begin])) {
            while (end < text.size() && is_word(text[end])) ++end;
            if (end - begin >= min_length) found.push_back(text.substr(begin, end - begin));
        } else if (!is_space(text[begin])) {
            found.push_back(text.substr(begin, 1));
        }
        begin = end;
    }
    return found;
}

// Words by Unicode's boundaries, of any length.
inline std::vector<std::u32string> unicode_words(const std::u32string& text) {
    const std::string bytes = encode(text);
    const std::vector<int64_t> found = find_words(text);
    std::vector<std::u32string> words;
    for (size_t i = 0; i < found.size(); i += 2) {
        words.push_back(decode_utf8(
            bytes.substr(static_cast<size_t>(found[i]), static_cast<size_t>(found[i + 1]))));
    }
    return words;
}

// `options.stop_words` and `options.stems` are not looked at: the twin knows no Vocabulary.
inline std::vector<std::u32string> analyze(const std::u32string& document,
                                           const AnalyzerOptions& options,
                                           const StopWords& stop_words = {},
                                           const Stems& stems = {}) {
    const std::u32string text =
        strip(options.lowercase ? lower(document) : document, options.accents);
    const auto ngram_min = static_cast<size_t>(options.ngram_min);
    const auto ngram_max = static_cast<size_t>(options.ngram_max);
    std::vector<std::u32string> words;
    switch (options.kind) {
        case AnalyzerKind::chars:
            return char_ngrams(normalise_white_space(text), ngram_min, ngram_max);
        case AnalyzerKind::chars_in_words: return char_wb_ngrams(text, ngram_min, ngram_max);
        case AnalyzerKind::word:
            words = word_runs(text, static_cast<size_t>(options.word_min_length));
            break;
        case AnalyzerKind::word_or_mark:
            words = words_and_marks(text, static_cast<size_t>(options.word_min_length));
            break;
        case AnalyzerKind::unicode_word: words = unicode_words(text); break;
        case AnalyzerKind::separated: words = separate(text); break;
    }
    std::erase_if(words, [&](const std::u32string& word) { return stop_words.count(word) > 0; });
    for (std::u32string& word : words) {
        const auto stem = stems.find(word);
        if (stem != stems.end()) word = stem->second;
    }
    if (options.kind == AnalyzerKind::separated) return words;
    return word_ngrams(words, ngram_min, ngram_max);
}

inline std::vector<std::string> encode_each(const std::vector<std::u32string>& features) {
    std::vector<std::string> encoded;
    for (const std::u32string& feature : features) encoded.push_back(encode(feature));
    return encoded;
}

}  // namespace wordodds::reference
