#include "wordodds/text/fasttext.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace wordodds {
namespace {

constexpr uint64_t ngram_factor = 116049371u;

// Hashes of words take part with their sign.
uint64_t extended(uint32_t hash) { return static_cast<uint64_t>(static_cast<int32_t>(hash)); }

uint32_t find_sentence_end(const FrozenTerms& terms) {
    // A key reads 16 bytes, whatever the length.
    static constexpr char bytes[16] = {'<', '/', 's', '>'};
    const auto length = static_cast<uint32_t>(fasttext_sentence_end.size());
    return terms.table().find(make_token_key(bytes, length, terms.key));
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

void FastTextRows::check() const {
    require(static_cast<int64_t>(words.size()) <= terms.size(), "more words than terms");
    require(options.word_ngrams >= 1 && options.subword_min >= 0 && options.subword_max >= 0 &&
                options.n_buckets >= 0,
            "n-grams and buckets must not be negative");
    require(options.n_buckets > 0 || (options.word_ngrams == 1 && options.subword_max == 0),
            "n-grams need buckets");
    require(
        n_bucket_rows >= 0 && n_bucket_rows < term_not_found - static_cast<int64_t>(words.size()),
        "rows are numbered in 32 bits");
    require(marks.size() == ranks.size(), "marks and ranks of buckets differ in length");
    if (marks.empty()) {
        require(n_bucket_rows == options.n_buckets, "each bucket must have a row");
        return;
    }
    const auto n_buckets = static_cast<uint64_t>(options.n_buckets);
    require(marks.size() == (n_buckets + 63) / 64, "buckets and their marks differ in number");
    uint64_t n_rows = 0;
    for (size_t i = 0; i < marks.size(); ++i) {
        require(ranks[i] == n_rows, "ranks must count the marks of buckets");
        n_rows += static_cast<uint64_t>(std::popcount(marks[i]));
    }
    require(n_rows == static_cast<uint64_t>(n_bucket_rows), "as many marks as rows of buckets");
}

FastTextBag::FastTextBag(const FastTextRows& rows)
    : rows_(rows),
      n_words_(static_cast<uint32_t>(rows.words.size())),
      bucket_of_(static_cast<uint32_t>(std::max(rows.options.n_buckets, 1))),
      end_id_(find_sentence_end(rows.terms)) {
    before_.extend(std::max(rows.options.word_ngrams, 2));
}

void FastTextBag::start() {
    ids_.shrink(0);
    at_ = {};
    ended_ = false;
}

bool FastTextBag::add(const char* bytes, std::span<const TokenSpan> words, StopToken& stop) {
    constexpr size_t batch_size = 64;
    const TermTable table = rows_.terms.table();
    const FastTextWord* const known = rows_.words.data();
    TokenKey keys[batch_size];
    uint32_t ids[batch_size];
    for (size_t first = 0; first < words.size() && !ended_; first += batch_size) {
        const size_t n = std::min(batch_size, words.size() - first);
        // Each of the three looks at memory that the one before has asked for.
        for (size_t i = 0; i < n; ++i) {
            const TokenSpan word = words[first + i];
            keys[i] = make_token_key(bytes + word.begin, word.length, rows_.terms.key);
            table.prefetch(keys[i].hash);
        }
        for (size_t i = 0; i < n; ++i) {
            ids[i] = table.find(keys[i]);
            __builtin_prefetch(known + (ids[i] < n_words_ ? ids[i] : 0));
        }
        Place at = at_;  // in registers, while words are known
        uint32_t* out = extend_for(static_cast<int64_t>(n));
        for (size_t i = 0; i < n; ++i) {
            if (ids[i] < n_words_) [[likely]] {
                out = put_known(ids[i], known[ids[i]], at, out);
                ended_ = ids[i] == end_id_;
            } else if (ids[i] == term_not_found) {
                at_ = at;
                ids_.shrink(out - ids_.data());
                add_unknown({keys[i].data, keys[i].length}, stop);
                at = at_;
                out = extend_for(static_cast<int64_t>(n - i));
            } else {
                ended_ = ids[i] == end_id_;  // a label may be called so
            }
            if (ended_) break;
        }
        at_ = at;
        ids_.shrink(out - ids_.data());
    }
    return !ended_;
}

void FastTextBag::finish(StopToken& stop) {
    if (ended_) return;
    if (end_id_ < n_words_) {
        uint32_t* const out = extend_for(1);
        ids_.shrink(put_known(end_id_, rows_.words[end_id_], at_, out) - ids_.data());
    } else if (end_id_ == term_not_found) {
        add_unknown(fasttext_sentence_end, stop);
    }
    ended_ = true;
}

// Room for the rows of so many known words, and of the n-grams that end with them.
inline uint32_t* FastTextBag::extend_for(int64_t n_words) {
    return ids_.extend(n_words * rows_.options.word_ngrams);
}

inline uint32_t* FastTextBag::put_known(uint32_t id, FastTextWord word, Place& at, uint32_t* out) {
    *out++ = id;
    at.n_features += word.n_features;
    return put_ngrams(word.hash, at, out);
}

// The n-grams that end with the word: hash(w1 ... wn) = hash(w1 ... wn-1) * factor + hash(wn).
inline uint32_t* FastTextBag::put_ngrams(uint32_t hash, Place& at, uint32_t* out) {
    const uint64_t word = extended(hash);
    // Longer ones first: each is made of what the next shorter one was before.
    for (int64_t n = at.n_before; n > 1; --n) {
        const uint64_t ngram = before_[n - 1] * ngram_factor + word;
        out = put_bucket(bucket_of_(ngram), at, out);
        before_[n] = ngram;
    }
    if (at.n_before > 0) {
        const uint64_t pair = at.word_before * ngram_factor + word;
        out = put_bucket(bucket_of_(pair), at, out);
        before_[1] = pair;
    }
    at.word_before = word;
    at.n_before = std::min<int64_t>(at.n_before + 1, rows_.options.word_ngrams - 1);
    return out;
}

inline uint32_t* FastTextBag::put_bucket(uint32_t bucket, Place& at, uint32_t* out) {
    uint32_t row = bucket;
    if (!rows_.marks.empty()) {
        const uint64_t marks = rows_.marks[bucket >> 6];
        const uint64_t mark = uint64_t{1} << (bucket & 63);
        if (!(marks & mark)) {
            at.n_features += rows_.options.absent_counts;
            return out;
        }
        row = rows_.ranks[bucket >> 6] + static_cast<uint32_t>(std::popcount(marks & (mark - 1)));
    }
    *out++ = n_words_ + row;
    ++at.n_features;
    return out;
}

void FastTextBag::add_unknown(std::string_view word, StopToken& stop) {
    if (word.starts_with(fasttext_label_prefix)) return;
    ended_ = word == fasttext_sentence_end;
    if (rows_.options.subword_max > 0 && !ended_) add_subwords(word, stop);
    if (rows_.options.word_ngrams > 1) {
        uint32_t* const out = extend_for(1);
        ids_.shrink(put_ngrams(fasttext_hash(word), at_, out) - ids_.data());
    }
}

void FastTextBag::add_subwords(std::string_view word, StopToken& stop) {
    const auto n = static_cast<int64_t>(word.size());
    padded_.shrink(0);
    char* const padded = padded_.extend(n + 2);
    padded[0] = '<';
    std::memcpy(padded + 1, word.data(), word.size());
    padded[n + 1] = '>';
    constexpr int64_t poll_every = 1 << 14;
    int64_t until_poll = poll_every;
    uint32_t* out = ids_.data() + ids_.size();
    fasttext_for_each_subword(
        {padded, word.size() + 2}, rows_.options,
        [&](uint32_t hash) { out = put_bucket(bucket_of_(hash), at_, out); },
        [&] {
            ids_.shrink(out - ids_.data());
            out = ids_.extend(rows_.options.subword_max);  // at most so many begin here
            if (--until_poll > 0) return;
            stop.check();
            until_poll = poll_every;
        });
    ids_.shrink(out - ids_.data());
}

void fasttext_hash_terms(std::span<const char> arena, std::span<const int64_t> offsets,
                         std::span<uint32_t> hashes_out) {
    for (size_t i = 0; i < hashes_out.size(); ++i) {
        hashes_out[i] = fasttext_hash(
            {arena.data() + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])});
    }
}

void fasttext_find_subwords(std::span<const char> arena, std::span<const int64_t> offsets,
                            const FastTextOptions& options, StopToken& stop,
                            Buffer<uint32_t>& buckets_out, Buffer<int64_t>& ends_out) {
    const Remainder bucket_of(static_cast<uint32_t>(options.n_buckets));
    std::string padded;
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        stop.check();
        const std::string_view word(arena.data() + offsets[i],
                                    static_cast<size_t>(offsets[i + 1] - offsets[i]));
        if (word != fasttext_sentence_end) {
            padded.assign(1, '<').append(word).append(1, '>');
            fasttext_for_each_subword(
                padded, options, [&](uint32_t hash) { buckets_out.push_back(bucket_of(hash)); },
                [] {});
        }
        ends_out.push_back(buckets_out.size());
    }
}

}  // namespace wordodds
