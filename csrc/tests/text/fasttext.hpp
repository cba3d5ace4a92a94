// fastText models for tests, the twin's and the same as the engine's arrays, and text for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/text/fasttext.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/terms.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/fasttext.hpp"

namespace wordodds {

inline constexpr AnalyzerOptions separated_words{AnalyzerKind::separated, false};

// Arrays of exact size, so that AddressSanitizer sees any read past their end.
struct FastTextArrays {
    Packed packed;
    std::vector<TermSlot> slots;
    std::vector<FastTextWord> words;
    FastTextOptions options;
    std::vector<uint64_t> marks;
    std::vector<uint32_t> ranks;
    int64_t n_bucket_rows;

    explicit FastTextArrays(const reference::FastTextModel& model)
        : packed(terms_of(model)),
          slots(static_cast<size_t>(frozen_slots(static_cast<int64_t>(packed.offsets.size()) - 1))),
          options{static_cast<int32_t>(model.word_ngrams), static_cast<int32_t>(model.subword_min),
                  static_cast<int32_t>(model.subword_max), static_cast<int32_t>(model.n_buckets),
                  model.absent_counts},
          n_bucket_rows(model.n_buckets) {
        Vocabulary(some_key, packed.arena, packed.offsets).freeze(some_key, slots);
        for (size_t i = 0; i < model.words.size(); ++i) add_word(model, i);
        if (!model.has_all_buckets) mark(model);
    }

    FastTextRows view() const {
        const FrozenTerms terms{some_key, packed.arena, packed.offsets, slots};
        return {terms, words, options, marks, ranks, n_bucket_rows};
    }

   private:
    // Words by their numbers, then labels.
    static std::vector<std::string> terms_of(const reference::FastTextModel& model) {
        std::vector<std::string> terms(model.words.size());
        for (const auto& [word, number] : model.words) terms[static_cast<size_t>(number)] = word;
        terms.insert(terms.end(), model.labels.begin(), model.labels.end());
        return terms;
    }

    void add_word(const reference::FastTextModel& model, size_t i) {
        const auto begin = packed.arena.begin();
        const std::string word(begin + packed.offsets[i], begin + packed.offsets[i + 1]);
        const auto subwords = reference::subword_buckets(model, reference::decode_utf8(word));
        const int64_t n_features = 1 + reference::count_buckets(model, subwords);
        words.push_back({static_cast<uint32_t>(reference::fasttext_hash(word)),
                         static_cast<uint32_t>(n_features)});
    }

    void mark(const reference::FastTextModel& model) {
        marks.assign((static_cast<size_t>(model.n_buckets) + 63) / 64, 0);
        for (const int64_t bucket : model.buckets) {
            marks[static_cast<size_t>(bucket / 64)] |= uint64_t{1} << (bucket % 64);
        }
        for (size_t i = 0; i < marks.size(); ++i) {
            const auto end = model.buckets.lower_bound(static_cast<int64_t>(64 * i));
            ranks.push_back(static_cast<uint32_t>(std::distance(model.buckets.begin(), end)));
        }
        n_bucket_rows = static_cast<int64_t>(model.buckets.size());
    }
};

// Words of one character to three heads of a key, and what looks like a label, a prefix or an end.
inline Lexicon fasttext_lexicon(Random& random, TextKind kind) {
    Lexicon lexicon{U"__label__known",
                    U"__label__unknown",
                    U"__label__",
                    U"__label_",
                    U"_",
                    U"a",
                    U"__label__in_words",
                    U"label",
                    U"</s>x",
                    U"</s",
                    U"<",
                    U">",
                    U"<>",
                    U"Good",
                    U"a_word_that_is_longer_than_a_head",
                    U"a_word_that_is_longer_than_a_tail"};
    while (lexicon.size() < 50) {
        std::u32string word = random_text(random, 1 + below(random, 48), kind);
        if (random() % 2 == 0) word.resize(std::min<size_t>(word.size(), 6));
        std::erase_if(word, [](char32_t c) { return reference::is_separator(c); });
        if (!word.empty()) lexicon.push_back(word);
    }
    return lexicon;
}

struct FastTextShape {
    int64_t word_ngrams;
    int64_t subword_min, subword_max;
    int64_t n_buckets;
};

// A model that knows each second word of a lexicon. Marks: one bucket in `one_in` has a row, none
// with 0, all without marks with -1.
inline reference::FastTextModel random_model(Random& random, const Lexicon& lexicon,
                                             FastTextShape shape, bool knows_end, int64_t one_in,
                                             bool absent_counts) {
    reference::FastTextModel model{{},
                                   {"__label__known", "label"},
                                   shape.word_ngrams,
                                   shape.subword_min,
                                   shape.subword_max,
                                   shape.n_buckets,
                                   one_in < 0,
                                   {},
                                   absent_counts};
    const auto add = [&](const std::string& word) {
        if (model.labels.count(word) > 0) return;
        model.words.try_emplace(word, static_cast<int64_t>(model.words.size()));
    };
    add("__label__in_words");
    for (const std::u32string& word : lexicon) {
        if (knows_end && model.words.size() == 3) add("</s>");
        const std::string name = reference::encode(word);
        if (random() % 2 == 0 && !name.starts_with("__label__")) add(name);
    }
    for (int64_t bucket = 0; bucket < shape.n_buckets && one_in > 0; ++bucket) {
        if (below(random, one_in) == 0) model.buckets.insert(bucket);
    }
    return model;
}

inline constexpr std::pair<int64_t, int64_t> subword_ranges[] = {
    {0, 0}, {2, 4}, {1, 3}, {0, 2}, {3, 2}};

// body(model, rows, lexicon) for every length of n-grams and of subwords, with and without marks;
// the number of buckets changes from one to the next, and whether the end of a sentence is known.
template <class Body>
void for_each_model(Random& random, TextKind kind, Body body) {
    constexpr int64_t bucket_counts[] = {1, 7, 64, 65, 1000, 4096};
    for (const int64_t word_ngrams : {1, 2, 3, 5}) {
        for (const auto& [subword_min, subword_max] : subword_ranges) {
            for (const int64_t one_in : {-1, 0, 1, 3}) {
                const bool needs_buckets = word_ngrams > 1 || subword_max > 0;
                const int64_t n_buckets =
                    needs_buckets ? bucket_counts[random() % std::size(bucket_counts)] : 0;
                const FastTextShape shape{word_ngrams, subword_min, subword_max, n_buckets};
                const Lexicon lexicon = fasttext_lexicon(random, kind);
                const bool absent_counts = random() % 2 == 0;
                const auto model = random_model(random, lexicon, shape, random() % 2 == 0,
                                                n_buckets > 0 ? one_in : -1, absent_counts);
                const FastTextArrays arrays(model);
                const FastTextRows rows = arrays.view();
                rows.terms.check();
                rows.check();
                CHECK_EQ(rows.size(),
                         static_cast<int64_t>(model.words.size()) + rows.n_bucket_rows);
                body(model, rows, lexicon);
            }
        }
    }
}

// Words of the lexicon between separators of every sort. With an end, there is one somewhere in it.
inline std::u32string fasttext_text(Random& random, const Lexicon& lexicon, int64_t n_words,
                                    bool has_end) {
    static const std::u32string separators{U' ',  U' ',  U' ',  U' ',  U'\t',
                                           U'\n', U'\v', U'\f', U'\r', U'\0'};
    const auto separate = [&] {
        std::u32string some;
        for (int64_t n = 1 + below(random, 8) / 6; n > 0; --n) {
            some += separators[random() % separators.size()];
        }
        return some;
    };
    const int64_t end = has_end ? below(random, n_words + 1) : -1;
    std::u32string text = random() % 2 == 0 ? separate() : U"";
    for (int64_t i = 0; i <= n_words; ++i) {
        if (i == end) text += U"</s>" + separate();
        if (i < n_words) text += lexicon[random() % lexicon.size()] + separate();
    }
    if (random() % 2 == 0 && !text.empty()) text.pop_back();
    return text;
}

}  // namespace wordodds
