// The numbers of a word's features, kept for when the word comes again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "wordodds/base/buffer.hpp"
#include "wordodds/text/analyze.hpp"
#include "wordodds/text/identify.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {

// Where features follow from a word alone (Analyzer::is_by_word), most words have come before: one
// lookup of the word then takes the place of one for each of its n-grams. The numbers are the same,
// in the same order; a vocabulary that grows numbers new features by their first occurrence as
// before.
//
// Memory of each view of each thread: words_max words and ids_max numbers (some 30 MB), and those
// of one batch; beyond that all are forgotten. Long words are not kept, as they seldom come again.
class WordMemo {
   public:
    explicit WordMemo(HashKey key) : key_(key) { forget(); }

    // Appends the numbers of all features of the analyzer's words to ids_out, but for those that
    // are term_not_found. `identify` maps a TokenKey to a number, and always to the same one;
    // `table` offers prefetch(hash). O(bytes of the words + bytes of the features of new ones),
    // expected.
    template <class Table, class Identify>
    void append(Analyzer& analyzer, const Table& table, Identify identify,
                Buffer<uint32_t>& ids_out) {
        if (words_->size() > words_max || ids_.size() > ids_max) forget();
        constexpr size_t batch_size = 64;
        TokenKey keys[batch_size];
        uint32_t places[batch_size];
        const auto words = analyzer.words();
        const char* const bytes = analyzer.word_bytes();
        for (size_t first = 0; first < words.size(); first += batch_size) {
            const size_t n = std::min(batch_size, words.size() - first);
            for (size_t i = 0; i < n; ++i) {
                const TokenSpan word = words[first + i];
                keys[i] = make_token_key(bytes + word.begin, word.length, key_);
                words_->prefetch(keys[i].hash);
            }
            size_t done = 0;  // words of the batch whose numbers are in ids_out
            for (size_t i = 0; i < n; ++i) {
                if (keys[i].length > word_bytes_max) {
                    append_kept(places + done, i - done, ids_out);
                    analyzer.open(words[first + i]);
                    features_append(analyzer, key_, table, identify, ids_out);
                    done = i + 1;
                    continue;
                }
                places[i] = words_->find_or_insert(keys[i]);
                if (int64_t{places[i]} == ends_.size() - 1) {
                    analyzer.open(words[first + i]);
                    features_append(analyzer, key_, table, identify, ids_);
                    ends_.push_back(ids_.size());
                }
                __builtin_prefetch(ids_.data() + ends_[places[i]]);
            }
            append_kept(places + done, n - done, ids_out);
        }
    }

    static constexpr int64_t words_max = 1 << 17;

   private:
    static constexpr int64_t ids_max = 1 << 22;
    static constexpr uint32_t word_bytes_max = 64;

    // Appends the numbers of n words, by their places.
    void append_kept(const uint32_t* places, size_t n, Buffer<uint32_t>& ids_out) const {
        for (size_t i = 0; i < n; ++i) {
            const int64_t begin = ends_[places[i]];
            const int64_t n_ids = ends_[int64_t{places[i]} + 1] - begin;
            std::copy_n(ids_.data() + begin, n_ids, ids_out.extend(n_ids));
        }
    }

    void forget() {
        words_.emplace(key_);
        ids_.shrink(0);
        ends_.shrink(0);
        ends_.push_back(0);
    }

    HashKey key_;
    std::optional<Vocabulary> words_;
    Buffer<uint32_t> ids_;
    Buffer<int64_t> ends_;  // word i has the numbers ids_[ends_[i], ends_[i + 1])
};

}  // namespace wordodds
