#include "wordodds/text/tokenize.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "utf8.hpp"
#include "wordodds/text/unicode.hpp"

namespace wordodds {
namespace {

// Small enough that bytes, mask and token list of a window stay in the first-level cache.
constexpr int64_t window_units = 8192;

constexpr int64_t mask_words(int64_t n_bytes) { return (n_bytes + 63) / 64; }
constexpr int64_t round_up_to_block(int64_t n_bytes) { return mask_words(n_bytes) * 64; }

// The positions where a run of set bits begins or ends, in turn; a run that reaches the last bit
// has no end. Returns how many.
int64_t find_borders(const uint64_t* mask, int64_t n_words, uint32_t* borders_out) {
    uint32_t* out = borders_out;
    uint64_t before = 0;
    for (int64_t i = 0; i < n_words; ++i) {
        const uint64_t word = mask[i];
        uint64_t changes = word ^ ((word << 1) | before);
        before = word >> 63;
        const auto base = static_cast<uint32_t>(i * 64);
        for (; changes != 0; changes &= changes - 1) {
            *out++ = base + static_cast<uint32_t>(std::countr_zero(changes));
        }
    }
    return out - borders_out;
}

}  // namespace

void Tokenizer::start(const Document& document) {
    document_ = document;
    position_ = 0;
    size_ = 0;
    carry_ = 0;
}

bool Tokenizer::next() {
    if (position_ == document_.length) return false;
    // Windows that grow with what is carried over keep the moving of a long word linear; a quarter
    // of it, as a code point may take four bytes, keeps every position within 32 bits.
    const int64_t n = std::max(window_units, carry_ / 4);
    const int64_t end = code_point_border(document_, std::min(document_.length, position_ + n));
    make_room(end - position_);
    LoweredOut out{bytes_.data(), mask_.data(), scratch_.data(), size_};
    lower_append(document_, position_, end, options_.lower, instruction_set_, out);
    size_ = out.size;
    position_ = end;
    find_tokens(position_ == document_.length);
    return true;
}

// Moves the unfinished word to the front, so that it ends on a block of 64 where new text begins.
void Tokenizer::make_room(int64_t n_units) {
    if (carry_ >= token_max_bytes) {
        throw std::invalid_argument("a word of more than 1 GiB; split the document");
    }
    const int64_t start = round_up_to_block(carry_);
    const int64_t capacity = round_up_to_block(start + lowered_bytes_max(n_units, options_.lower));
    bytes_.reserve(std::max(size_, capacity) + token_padding);
    mask_.reserve(mask_words(capacity));
    if (document_.kind != TextKind::ascii) scratch_.reserve(capacity);
    std::memmove(bytes_.data() + start - carry_, bytes_.data() + size_ - carry_,
                 static_cast<size_t>(carry_));
    std::fill_n(mask_.data(), mask_words(start), uint64_t{0});
    for (int64_t i = start - carry_; i < start; ++i) mask_[i >> 6] |= uint64_t{1} << (i & 63);
    size_ = start;
}

void Tokenizer::find_tokens(bool last_window) {
    const int64_t n_words = mask_words(size_);
    borders_.reserve(size_ + 2);
    int64_t n_borders = find_borders(mask_.data(), n_words, borders_.data());
    const bool open = n_borders % 2 == 1;  // only a size that fills its last block leaves one
    if (open) borders_[n_borders++] = static_cast<uint32_t>(size_);

    carry_ = 0;
    if (!last_window && n_borders > 0 && borders_[n_borders - 1] == size_) {
        carry_ = size_ - borders_[n_borders - 2];
        n_borders -= 2;
    }
    tokens_.shrink(0);
    if (options_.splits_marks) {
        // Of a run that goes on in the next window the last word alone is unfinished.
        if (carry_ > 0) n_borders += 2;
        int64_t unfinished = 0;
        for (int64_t i = 0; i < n_borders; i += 2) {
            unfinished = split_marks(borders_[i], borders_[i + 1]);
        }
        carry_ = carry_ > 0 ? unfinished : 0;
        if (carry_ > 0 && tokens_.size() > 0) {
            const TokenSpan last = tokens_[tokens_.size() - 1];
            if (last.begin + carry_ == size_) tokens_.shrink(tokens_.size() - 1);
        }
        return;
    }
    TokenSpan* const begin = tokens_.extend(n_borders / 2);
    TokenSpan* out = begin;
    for (int64_t i = 0; i < n_borders; i += 2) {
        const uint32_t length = borders_[i + 1] - borders_[i];
        *out = {borders_[i], length};
        // Written always, kept if long enough: no branch to mispredict.
        out += is_long_enough(borders_[i], length);
    }
    tokens_.shrink(out - begin);
}

// Appends the words and the marks of the run [begin, end); returns the bytes of the word that it
// ends with, long enough or not, 0 for a mark.
int64_t Tokenizer::split_marks(uint32_t begin, uint32_t end) {
    uint32_t word = begin;  // where the word began that ends here, if there is one
    for (uint32_t at = begin; at < end;) {
        const char* const character = bytes_.data() + at;
        const auto n = static_cast<uint32_t>(utf8_length(*character));
        if ((unicode_record(utf8_decode(character)).flags & unicode_word) == 0) {
            if (at > word && is_long_enough(word, at - word)) tokens_.push_back({word, at - word});
            tokens_.push_back({at, n});
            word = at + n;
        }
        at += n;
    }
    if (end > word && is_long_enough(word, end - word)) tokens_.push_back({word, end - word});
    return end - word;
}

inline bool Tokenizer::is_long_enough(uint32_t begin, uint32_t length) const {
    if (document_.kind == TextKind::ascii) return length >= options_.min_length;
    if (options_.min_length <= 1) return true;
    if (options_.min_length == 2) return length > utf8_length(bytes_[begin]);
    return utf8_count(bytes_.data() + begin, length) >= options_.min_length;
}

}  // namespace wordodds
