#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "reference/text/word_break.hpp"
#include "src/text/word_break.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"

namespace wordodds {
namespace {

using Strings = std::vector<std::string>;

// The kernel's distance between two looks at the stop token (word_break.cpp keeps it private).
constexpr int64_t bytes_per_check = 65536;

// Begin and length of each word, one after the other. The kernel must leave alone what the buffer
// held before.
std::vector<int64_t> words_of(const std::string& text) {
    // To the byte, so that AddressSanitizer sees any read past the end.
    const std::vector<char> bytes(text.begin(), text.end());
    Buffer<TokenSpan> words;
    words.push_back({7, 9});
    StopToken stop;
    utf8_find_words(bytes.data(), static_cast<int64_t>(bytes.size()), stop, words);
    CHECK(words[0].begin == 7 && words[0].length == 9);
    std::vector<int64_t> found;
    for (const TokenSpan word : words.span().subspan(1)) {
        found.insert(found.end(), {word.begin, word.length});
    }
    return found;
}

Strings split(const std::u32string& text) {
    const std::string bytes = reference::encode(text);
    const std::vector<int64_t> found = words_of(bytes);
    Strings words;
    for (size_t i = 0; i < found.size(); i += 2) {
        words.push_back(
            bytes.substr(static_cast<size_t>(found[i]), static_cast<size_t>(found[i + 1])));
    }
    return words;
}

Strings encoded(std::initializer_list<std::u32string> words) {
    Strings all;
    for (const std::u32string& word : words) all.push_back(reference::encode(word));
    return all;
}

void check_words(const std::u32string& text) {
    const std::string bytes = reference::encode(text);
    CHECK_SAME(words_of(bytes), reference::find_words(text), bytes, text.size());
}

std::u32string repeated(const std::u32string& pattern, int64_t length) {
    std::u32string text;
    while (static_cast<int64_t>(text.size()) < length) text += pattern;
    return text;
}

// At least one of every value. The doubles differ in what else counts: letter or digit or not,
// Extended_Pictographic, how many bytes.
struct Representative {
    char32_t code_point;
    WordBreak value;
    bool pictographic = false;
};
constexpr Representative representatives[] = {
    {U'a', WordBreak::aletter},
    {0x5D0, WordBreak::hebrew_letter},
    {U'1', WordBreak::numeric},
    {0x30A2, WordBreak::katakana},
    {U'_', WordBreak::extend_num_let},
    {U'\'', WordBreak::single_quote},
    {U'"', WordBreak::double_quote},
    {U'.', WordBreak::mid_num_let},
    {U':', WordBreak::mid_letter},
    {U',', WordBreak::mid_num},
    {0x301, WordBreak::extend},
    {0x200D, WordBreak::zwj},
    {0x1F1E6, WordBreak::regional_indicator},
    {0x1F600, WordBreak::other, true},
    {U'\n', WordBreak::lf},
    // n_in_fives up to here.
    {U'\r', WordBreak::cr},
    {0x85, WordBreak::newline},
    {0xAD, WordBreak::format},
    {U' ', WordBreak::wseg_space},
    {U'$', WordBreak::other},
    {0x2C2, WordBreak::aletter},  // a symbol: no letter for \w
    {0x24C2, WordBreak::aletter, true},
    {0x10400, WordBreak::aletter},
    {0x661, WordBreak::numeric},
    {0x202F, WordBreak::extend_num_let},
    {0xFF9E, WordBreak::extend},  // a letter for \w
    {0x4E2D, WordBreak::other},   // Han
    {0xE01, WordBreak::other},    // Thai
    {0xD800, WordBreak::other},   // a lone surrogate
    {0x10FFFF, WordBreak::other},
};
constexpr size_t n_representatives = std::size(representatives);
constexpr size_t n_in_fives = 15;  // those that also come in strings of five

void check_all_strings(size_t length, size_t n_letters) {
    std::vector<size_t> digits(length, 0);
    std::u32string text(length, representatives[0].code_point);
    for (size_t k = 0; k < length;) {
        check_words(text);
        // Count up, the first digit fastest.
        for (k = 0; k < length; ++k) {
            digits[k] = (digits[k] + 1) % n_letters;
            text[k] = representatives[digits[k]].code_point;
            if (digits[k] != 0) break;
        }
    }
}

std::u32string random_string(Random& random, int64_t length) {
    std::u32string text;
    for (int64_t i = 0; i < length; ++i) {
        text += representatives[random() % n_representatives].code_point;
    }
    return text;
}

TEST("the tables know the properties of the representatives") {
    for (const Representative& r : representatives) {
        const uint8_t record = word_break_record(r.code_point);
        CHECK_EQ(word_break_of(record), r.value, static_cast<uint32_t>(r.code_point));
        CHECK_EQ((record & word_break_pictographic) != 0, r.pictographic,
                 static_cast<uint32_t>(r.code_point));
    }
    for (uint32_t surrogate = 0xD800; surrogate < 0xE000; ++surrogate) {
        CHECK_EQ(word_break_record(surrogate), 0, surrogate);
    }
    for (uint32_t c = 0; c < 128; ++c) CHECK_EQ(word_break_stage2[c], word_break_record(c), c);
}

TEST("words written out by hand") {
    CHECK_SAME(split(U""), Strings{});
    CHECK_SAME(split(U"The quick (\"brown\") fox can't jump 32.3 feet, right?"),
               (Strings{"The", "quick", "brown", "fox", "can't", "jump", "32.3", "feet", "right"}));
    CHECK_SAME(split(U"3.14 1,000.5 1.x e.g. a.b, x: y"),
               (Strings{"3.14", "1,000.5", "1", "x", "e.g", "a.b", "x", "y"}));
    CHECK_SAME(split(U"a_b _ __ _a_ 1_000 x-ray $100 c++ a'' 'b'"),
               (Strings{"a_b", "_a_", "1_000", "x", "ray", "100", "c", "a", "b"}));
    CHECK_SAME(split(U"one\r\ntwo\r\rthree\n\u0301four"), (Strings{"one", "two", "three", "four"}));
    CHECK_SAME(split(U"can\u2019t \u00C9t\u00E9 e\u0301te\u0301 na\u00ADive"),
               encoded({U"can\u2019t", U"\u00C9t\u00E9", U"e\u0301te\u0301", U"na\u00ADive"}));
    const std::u32string hindi = U"\u0939\u093F\u0928\u094D\u0926\u0940";
    CHECK_SAME(split(hindi + U" " + hindi), encoded({hindi, hindi}));
    CHECK_SAME(split(U"\u4E2D\u6587\u3002"), encoded({U"\u4E2D", U"\u6587"}));
    CHECK_SAME(split(U"\u30A2\u30A4\u3042\u3044"),
               encoded({U"\u30A2\u30A4", U"\u3042", U"\u3044"}));
    // Hebrew: a double quote within a word, a single quote also at its end.
    CHECK_SAME(split(U"\u05D0\"\u05D1 \u05D0\"a \u05D0' \u05D0'\u05D1"),
               encoded({U"\u05D0\"\u05D1", U"\u05D0", U"a", U"\u05D0'", U"\u05D0'\u05D1"}));
    // Flags and a family are segments without letters; they part the words around them.
    CHECK_SAME(split(U"a\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7z"), (Strings{"a", "z"}));
    CHECK_SAME(split(U"x\U0001F468\u200D\U0001F469\u200D\U0001F467y"), (Strings{"x", "y"}));
    // A joiner belongs to the word before it and takes the pictograph along.
    CHECK_SAME(split(U"x\u200D\U0001F469y"), encoded({U"x\u200D\U0001F469", U"y"}));
    CHECK_SAME(split(U"a.\u200D\u24C2b 1.\u200D\u24C2b"),
               encoded({U"a.\u200D\u24C2b", U"1", U".\u200D\u24C2b"}));
}

TEST("all strings of up to four representatives, and of five of the most telling") {
    for (size_t length = 0; length <= 4; ++length) check_all_strings(length, n_representatives);
    check_all_strings(5, n_in_fives);
}

TEST("random strings of representatives, and of any characters") {
    Random random(41);
    for (int repeat = 0; repeat < 20'000; ++repeat) {
        check_words(random_string(random, below(random, 60)));
        check_words(random_text(random, below(random, 60), text_kinds[repeat % 4]));
    }
}

TEST("texts across the place where the stop token is looked at") {
    Random random(42);
    for (const std::u32string& filler : {std::u32string(U"x"), std::u32string(U". ")}) {
        for (int repeat = 0; repeat < 40; ++repeat) {
            const int64_t length = bytes_per_check - below(random, 40);
            check_words(repeated(filler, length) + random_string(random, 30));
        }
    }
}

TEST("long runs that nothing but their end decides take linear time") {
    // If every run were looked over once per character of it, this would take minutes.
    constexpr int64_t length = 1 << 20;
    const auto n_words = [](const std::u32string& text) {
        return words_of(reference::encode(text)).size() / 2;
    };
    const std::u32string marks = repeated(U"\u0301\u200D\u00AD", length);
    CHECK_EQ(n_words(repeated(U"a\u0301", length)), 1u);
    CHECK_EQ(n_words(U"a" + marks + U"a"), 1u);
    CHECK_EQ(n_words(repeated(U"a.", length)), 1u);
    CHECK_EQ(n_words(repeated(U"1,", length)), 1u);
    CHECK_EQ(n_words(repeated(U"\u05D0\"", length)), 1u);
    CHECK_EQ(n_words(repeated(U"\u200D", length)), 0u);
    CHECK_EQ(n_words(repeated(U"\U0001F1E6", length)), 0u);
    CHECK_EQ(n_words(U"a:" + marks + U"b"), 1u);
    CHECK_EQ(n_words(U"a:" + marks + U"1"), 2u);
    CHECK_EQ(n_words(repeated(U"a:" + repeated(U"\u0301", 1000) + U"!", length)),
             static_cast<size_t>((length + 1002) / 1003));
}

TEST("a request stops it, and so does a poll on the way") {
    const std::string text(64'000'000, '.');
    Buffer<TokenSpan> words;
    StopToken requested;
    requested.request();
    CHECK_THROWS(Stopped, utf8_find_words(text.data(), 10, requested, words));
    // Nothing is polled before an interval has passed: what notices is a check half way.
    StopToken polled([](void*) { return true; }, nullptr);
    const auto n = static_cast<int64_t>(text.size());
    CHECK_THROWS(Stopped, utf8_find_words(text.data(), n, polled, words));
}

}  // namespace
}  // namespace wordodds
