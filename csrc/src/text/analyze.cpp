#include "wordodds/text/analyze.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "utf8.hpp"
#include "word_break.hpp"
#include "wordodds/text/vocabulary.hpp"
#include "wordodds/text/word_map.hpp"

namespace wordodds {
namespace {

constexpr int64_t batch_features = 4096;
constexpr uint32_t short_bytes = 16;

// Features are spans of 32 bits.
constexpr int64_t text_max_bytes = std::numeric_limits<uint32_t>::max() - Tokenizer::token_padding;
constexpr char text_too_long[] = "a document of more than 4 GiB; split it";

TokenizerOptions tokenizer_options(const AnalyzerOptions& options) {
    if (options.kind == AnalyzerKind::word) {
        return {{options.lowercase, options.accents, CharacterClass::word},
                options.word_min_length};
    }
    if (options.kind == AnalyzerKind::word_or_mark) {
        return {{options.lowercase, options.accents, CharacterClass::not_space},
                options.word_min_length,
                true};
    }
    const bool separated = options.kind == AnalyzerKind::separated;
    const auto marks = separated ? CharacterClass::not_separator : CharacterClass::not_space;
    return {{options.lowercase, options.accents, marks}, 1};
}

}  // namespace

Analyzer::Analyzer(const AnalyzerOptions& options, InstructionSet instruction_set)
    : options_(options),
      instruction_set_(instruction_set),
      tokenizer_(tokenizer_options(options), instruction_set) {}

void Analyzer::start(const Document& document) {
    document_ = document;
    tokenizer_.start(document);
    is_joined_ = false;
    is_read_ = false;
}

bool Analyzer::next(StopToken& stop) {
    if (!next_unnamed(stop)) return false;
    if (options_.name_space != 0) name_features();
    return true;
}

bool Analyzer::next_unnamed(StopToken& stop) {
    stop.check();
    switch (options_.kind) {
        case AnalyzerKind::word:
        case AnalyzerKind::word_or_mark:
        case AnalyzerKind::unicode_word:
            return options_.ngram_max == 1 ? next_words(stop) : next_joined(stop);
        case AnalyzerKind::separated: return next_words(stop);
        case AnalyzerKind::chars: return next_joined(stop);
        case AnalyzerKind::chars_in_words: return next_padded(stop);
    }
    return false;
}

bool Analyzer::next_words(StopToken& stop) {
    if (options_.kind == AnalyzerKind::unicode_word) {
        if (!next_unicode_words(stop)) return false;
    } else {
        if (!tokenizer_.next()) return false;
        bytes_ = tokenizer_.bytes();
        features_ = tokenizer_.tokens();
    }
    if (options_.stop_words != nullptr) drop_stop_words();
    if (options_.stems != nullptr) stem_words();
    return true;
}

// All words of the document at once: where one ends may depend on text that is far away.
bool Analyzer::next_unicode_words(StopToken& stop) {
    if (is_read_) return false;
    is_read_ = true;
    text_.shrink(0);
    words_.shrink(0);
    for_each_window(stop, [this](int64_t n_bytes) {
        if (text_.size() + n_bytes > text_max_bytes) throw std::invalid_argument(text_too_long);
        std::copy_n(window_.data(), n_bytes, text_.extend(n_bytes));
    });
    utf8_find_words(text_.data(), text_.size(), stop, words_);
    text_.reserve(text_.size() + Tokenizer::token_padding);
    bytes_ = text_.data();
    features_ = words_.span();
    return true;
}

void Analyzer::drop_stop_words() {
    const HashKey key = options_.stop_words->key();
    batch_.shrink(0);
    TokenSpan* out = batch_.extend(static_cast<int64_t>(features_.size()));
    for (const TokenSpan word : features_) {
        *out = word;
        const TokenKey token = make_token_key(bytes_ + word.begin, word.length, key);
        out += options_.stop_words->find(token) == Vocabulary::not_found;
    }
    batch_.shrink(out - batch_.data());
    features_ = batch_.span();
}

void Analyzer::stem_words() {
    const HashKey key = options_.stems->key();
    stemmed_.shrink(0);
    stems_.shrink(0);
    for (const TokenSpan word : features_) {
        const std::string_view stem =
            options_.stems->find(make_token_key(bytes_ + word.begin, word.length, key));
        const auto begin = static_cast<uint32_t>(stemmed_.size());
        const auto length = static_cast<int64_t>(stem.size());
        if (stemmed_.size() + length > text_max_bytes) throw std::invalid_argument(text_too_long);
        std::copy(stem.begin(), stem.end(), stemmed_.extend(length));
        stems_.push_back({begin, static_cast<uint32_t>(length)});
    }
    stemmed_.reserve(stemmed_.size() + Tokenizer::token_padding);
    bytes_ = stemmed_.data();
    features_ = stems_.span();
}

// N-grams of neighbouring units are slices of the joined text, whatever their length.
bool Analyzer::next_joined(StopToken& stop) {
    if (!is_joined_) {
        joined_.shrink(0);
        unit_begin_.shrink(0);
        unit_end_.shrink(0);
        if (options_.kind == AnalyzerKind::chars) {
            join_text(stop);
        } else {
            join_words(stop);
        }
        joined_.reserve(joined_.size() + Tokenizer::token_padding);
        is_joined_ = true;
        ngram_ = options_.ngram_min;
        position_ = 0;
    }
    const int64_t n_units = unit_begin_.size();
    batch_.shrink(0);
    while (ngram_ <= std::min<int64_t>(options_.ngram_max, n_units) &&
           batch_.size() < batch_features) {
        const int64_t n_starts = n_units - ngram_ + 1;
        const int64_t n = std::min(n_starts - position_, batch_features - batch_.size());
        TokenSpan* const out = batch_.extend(n);
        const uint32_t* const begin = unit_begin_.data() + position_;
        const uint32_t* const end = unit_end_.data() + position_ + ngram_ - 1;
        for (int64_t i = 0; i < n; ++i) out[i] = {begin[i], end[i] - begin[i]};
        position_ += n;
        if (position_ == n_starts) {
            ++ngram_;
            position_ = 0;
        }
    }
    bytes_ = joined_.data();
    features_ = batch_.span();
    return !features_.empty();
}

void Analyzer::append_joined(const char* bytes, int64_t n) {
    if (joined_.size() + n > text_max_bytes) throw std::invalid_argument(text_too_long);
    std::copy_n(bytes, n, joined_.extend(n));
}

void Analyzer::join_words(StopToken& stop) {
    while (next_words(stop)) {
        stop.check();
        for (const TokenSpan word : features_) {
            if (unit_begin_.size() > 0) append_joined(" ", 1);
            unit_begin_.push_back(static_cast<uint32_t>(joined_.size()));
            append_joined(bytes_ + word.begin, word.length);
            unit_end_.push_back(static_cast<uint32_t>(joined_.size()));
        }
    }
}

// Calls use(n_bytes) for each stretch of the document, lower-cased in window_, with white space in
// mask_.
template <class Use>
void Analyzer::for_each_window(StopToken& stop, Use use) {
    constexpr int64_t window = 8192;
    const LowerOptions lower{options_.lowercase, options_.accents, CharacterClass::not_space};
    const int64_t capacity = (lowered_bytes_max(window, lower) + 63) / 64 * 64;
    window_.reserve(capacity);
    mask_.reserve(capacity / 64);
    scratch_.reserve(capacity);
    for (int64_t begin = 0, end; begin < document_.length; begin = end) {
        stop.check();
        end = code_point_border(document_, std::min(begin + window, document_.length));
        LoweredOut out{window_.data(), mask_.data(), scratch_.data(), 0};
        lower_append(document_, begin, end, lower, instruction_set_, out);
        use(out.size);
    }
}

// The text with every run of two or more white space characters made one space, as re.sub(r"\s\s+",
// " ", text) does; each character is a unit.
void Analyzer::join_text(StopToken& stop) {
    int64_t n_spaces = 0;  // in the run that ends here
    char space[utf8_max_bytes];
    int64_t space_bytes = 0;
    const auto append_unit = [this](const char* bytes, int64_t n) {
        unit_begin_.push_back(static_cast<uint32_t>(joined_.size()));
        append_joined(bytes, n);
        unit_end_.push_back(static_cast<uint32_t>(joined_.size()));
    };
    const auto end_spaces = [&] {
        if (n_spaces == 1) append_unit(space, space_bytes);
        if (n_spaces > 1) append_unit(" ", 1);
        n_spaces = 0;
    };
    for_each_window(stop, [&](int64_t n_bytes) {
        for (int64_t i = 0; i < n_bytes;) {
            const char* const character = window_.data() + i;
            const int64_t n = utf8_length(*character);
            if (mask_[i >> 6] >> (i & 63) & 1) {
                end_spaces();
                append_unit(character, n);
            } else {
                ++n_spaces;
                space_bytes = n;
                std::copy_n(character, n, space);
            }
            i += n;
        }
    });
    end_spaces();
}

bool Analyzer::next_words_alone(StopToken& stop) {
    stop.check();
    return tokenizer_.next();
}

void Analyzer::open(TokenSpan word) {
    joined_.shrink(0);
    batch_.shrink(0);
    pad_word(word);
    give_padded();
    if (options_.name_space != 0) name_features();
}

bool Analyzer::next_padded(StopToken& stop) {
    if (!next_words_alone(stop)) return false;
    joined_.shrink(0);
    batch_.shrink(0);
    for (const TokenSpan word : words()) pad_word(word);
    give_padded();
    return true;
}

void Analyzer::give_padded() {
    joined_.reserve(joined_.size() + Tokenizer::token_padding);
    bytes_ = joined_.data();
    features_ = batch_.span();
}

// The n-grams of " word "; a word shorter than n counts once, as a whole.
void Analyzer::pad_word(TokenSpan word) {
    const auto start = static_cast<uint32_t>(joined_.size());
    append_joined(" ", 1);
    append_joined(tokenizer_.bytes() + word.begin, word.length);
    append_joined(" ", 1);
    const auto n_bytes = static_cast<uint32_t>(joined_.size()) - start;

    // Where each character starts, and where the last one ends.
    unit_begin_.shrink(0);
    uint32_t* out = unit_begin_.extend(n_bytes + 1);
    for (uint32_t i = 0; i < n_bytes; ++i) {
        *out = start + i;
        out += utf8_is_lead(joined_[start + i]);
    }
    *out = start + n_bytes;
    const int64_t n_chars = out - unit_begin_.data();

    for (int64_t n = options_.ngram_min; n <= options_.ngram_max; ++n) {
        const int64_t length = std::min(n, n_chars);
        const int64_t n_starts = n_chars - length + 1;
        TokenSpan* const ngrams = batch_.extend(n_starts);
        const uint32_t* const begin = unit_begin_.data();
        for (int64_t i = 0; i < n_starts; ++i) {
            ngrams[i] = {begin[i], begin[i + length] - begin[i]};
        }
        if (n_starts == 1) break;
    }
}

// Copies the batch, each feature with the name space before it.
void Analyzer::name_features() {
    int64_t n_bytes = 0;
    for (const TokenSpan span : features_) n_bytes += int64_t{span.length} + 1;
    if (n_bytes > text_max_bytes) throw std::invalid_argument(text_too_long);
    named_.shrink(0);
    names_.shrink(0);
    // Most features are short: 16 bytes are written of each, and the next one overwrites the rest.
    named_.reserve(n_bytes + Tokenizer::token_padding);
    TokenSpan* name = names_.extend(static_cast<int64_t>(features_.size()));
    uint32_t begin = 0;
    for (const TokenSpan span : features_) {
        char* const out = named_.data() + begin;
        *out = options_.name_space;
        std::memcpy(out + 1, bytes_ + span.begin, short_bytes);
        if (span.length > short_bytes) std::memcpy(out + 1, bytes_ + span.begin, span.length);
        *name++ = {begin, span.length + 1};
        begin += span.length + 1;
    }
    bytes_ = named_.data();
    features_ = names_.span();
}

std::vector<std::string> document_features(const Document& document, const AnalyzerViews& views,
                                           const Execution& execution) {
    std::vector<std::string> features;
    for (const AnalyzerOptions& options : views) {
        Analyzer analyzer(options, execution.instruction_set);
        analyzer.start(document);
        while (analyzer.next(*execution.stop)) {
            for (const TokenSpan span : analyzer.features()) {
                features.emplace_back(analyzer.bytes() + span.begin, span.length);
            }
        }
    }
    return features;
}

}  // namespace wordodds
