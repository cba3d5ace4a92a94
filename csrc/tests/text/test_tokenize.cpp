#include <algorithm>

#include "reference/text/analyze.hpp"
#include "reference/text/tokenize.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/defaults.hpp"
#include "wordodds/text/tokenize.hpp"

namespace wordodds {
namespace {

// The scanner's window in code points (tokenize.cpp keeps it private): texts are laid around it.
constexpr int64_t window = 8192;

std::vector<std::string> words_of(Tokenizer& tokenizer, const Document& document) {
    std::vector<std::string> words;
    unsigned read_behind = 0;
    tokenizer.start(document);
    while (tokenizer.next()) {
        for (const TokenSpan token : tokenizer.tokens()) {
            words.emplace_back(tokenizer.bytes() + token.begin, token.length);
            const char* const behind = tokenizer.bytes() + token.begin + token.length;
            // The header promises that these may be read; AddressSanitizer watches.
            const volatile char* const last = behind + Tokenizer::token_padding - 1;
            read_behind += static_cast<uint8_t>(*last);
        }
    }
    CHECK(!tokenizer.next(), read_behind);
    return words;
}

// What fastText reads.
constexpr TokenizerOptions separated_tokens{{false, Accents::keep, CharacterClass::not_separator},
                                            1};

// Words of min_length or more, and every mark.
constexpr TokenizerOptions words_and_marks(int64_t min_length) {
    return {{true, Accents::keep, CharacterClass::not_space}, min_length, true};
}

std::vector<std::string> expected_words_and_marks(const std::u32string& text, int64_t min_length) {
    return reference::encode_each(
        reference::words_and_marks(reference::lower(text), static_cast<size_t>(min_length)));
}

void check_words(const std::u32string& text, TextKind kind) {
    const OwnedDocument document(text, kind);
    const std::vector<std::string> expected = reference::tokenize(text);
    const std::vector<std::string> separated = reference::encode_each(reference::separate(text));
    const std::vector<std::string> with_marks = expected_words_and_marks(text, 2);
    for (const InstructionSet set : available_instruction_sets()) {
        // ASCII alone has more than one kernel, but for text that passes as it is.
        if (kind == TextKind::ascii || set == InstructionSet::baseline) {
            Tokenizer tokenizer(default_tokens, set);
            CHECK_SAME(words_of(tokenizer, document.view()), expected, kind, text.size());
            Tokenizer splitter(words_and_marks(2), set);
            CHECK_SAME(words_of(splitter, document.view()), with_marks, kind, text.size());
        }
        Tokenizer separator(separated_tokens, set);
        CHECK_SAME(words_of(separator, document.view()), separated, kind, text.size());
    }
}

std::u32string repeated(const std::u32string& pattern, int64_t length) {
    std::u32string text;
    while (static_cast<int64_t>(text.size()) < length) text += pattern;
    text.resize(static_cast<size_t>(length));
    return text;
}

TEST("words written out by hand") {
    const std::u32string text =
        U"The quick_brown FOX: a b2 \u00C9t\u00E9, x \u03A3\u039F\u03A6\u039F\u03A3; don't \u0130I";
    const std::vector<std::string> expected = {
        "the", "quick_brown",       "fox",
        "b2",  "\xC3\xA9t\xC3\xA9", "\xCF\x83\xCE\xBF\xCF\x86\xCE\xBF\xCF\x82",
        "don"};
    Tokenizer tokenizer(default_tokens, InstructionSet::baseline);
    const OwnedDocument document(text, TextKind::ucs2);
    CHECK_SAME(words_of(tokenizer, document.view()), expected);
}

TEST("words between fastText's separators, written out by hand") {
    std::u32string text = U"Don't\u00A0STOP\u2003\x1C \t.a\v\fb\r\n\u00C9\u0130\u3000#\u03A3 ";
    *std::find(text.begin(), text.end(), U'#') = U'\0';
    const std::vector<std::string> expected = {"Don't\xC2\xA0STOP\xE2\x80\x83\x1C", ".a", "b",
                                               "\xC3\x89\xC4\xB0\xE3\x80\x80", "\xCE\xA3"};
    for (const TextKind kind : {TextKind::ucs2, TextKind::ucs4, TextKind::utf8}) {
        Tokenizer tokenizer(separated_tokens, InstructionSet::baseline);
        const OwnedDocument document(text, kind);
        CHECK_SAME(words_of(tokenizer, document.view()), expected, kind);
    }
}

TEST("words and marks written out by hand") {
    const std::u32string text =
        U"Don't, a_1... \u00C9\u2019\u0130!\u3000\u4E2D\u3002 \U0001F600x\U0001F600";
    const std::vector<std::string> expected = {"don",
                                               "'",
                                               "t",
                                               ",",
                                               "a_1",
                                               ".",
                                               ".",
                                               ".",
                                               "\xC3\xA9",
                                               "\xE2\x80\x99",
                                               "i",
                                               "\xCC\x87",
                                               "!",
                                               "\xE4\xB8\xAD",
                                               "\xE3\x80\x82",
                                               "\xF0\x9F\x98\x80",
                                               "x",
                                               "\xF0\x9F\x98\x80"};
    const std::vector<std::string> longer = {"don",
                                             "'",
                                             ",",
                                             "a_1",
                                             ".",
                                             ".",
                                             ".",
                                             "\xE2\x80\x99",
                                             "\xCC\x87",
                                             "!",
                                             "\xE3\x80\x82",
                                             "\xF0\x9F\x98\x80",
                                             "\xF0\x9F\x98\x80"};
    for (const TextKind kind : {TextKind::ucs4, TextKind::utf8}) {
        const OwnedDocument document(text, kind);
        Tokenizer any(words_and_marks(1), InstructionSet::baseline);
        CHECK_SAME(words_of(any, document.view()), expected, kind);
        for (const int64_t min_length : {2, 3}) {
            Tokenizer tokenizer(words_and_marks(min_length), InstructionSet::baseline);
            CHECK_SAME(words_of(tokenizer, document.view()), longer, kind, min_length);
        }
    }
}

TEST("empty text, NUL, one character, separators only") {
    for (const TextKind kind : text_kinds) {
        check_words(U"", kind);
        check_words(std::u32string(1, U'\0'), kind);
        check_words({U'a', U'b', U'\0', U'c', U'd', U'\0'}, kind);
        check_words(U"a", kind);
        check_words(U"ab", kind);
        check_words(U"a b c", kind);
        check_words(std::u32string(3 * window, U' '), kind);
        check_words(std::u32string(3 * window, U'\0'), kind);
    }
    check_words(U"\u4E2D", TextKind::ucs2);  // three bytes, but one character: no word
    check_words(U"\u4E2D\u4E2D", TextKind::ucs2);
    check_words(U"\U00010400 \U00010400\U00010401", TextKind::ucs4);
}

TEST("random short documents of every kind") {
    Random random(6);
    for (int repeat = 0; repeat < 3000; ++repeat) {
        const TextKind kind = text_kinds[repeat % 5];
        check_words(random_text(random, below(random, 200), kind), kind);
    }
}

TEST("random documents of several windows, of every kind") {
    Random random(7);
    for (int repeat = 0; repeat < 12; ++repeat) {
        const TextKind kind = text_kinds[repeat % 5];
        check_words(random_text(random, below(random, 5 * window), kind), kind);
    }
}

TEST("one tokenizer serves document after document") {
    Random random(8);
    Tokenizer tokenizer(default_tokens, available_instruction_sets().back());
    for (int repeat = 0; repeat < 100; ++repeat) {
        const TextKind kind = text_kinds[random() % 5];
        const int64_t length = below(random, repeat % 10 == 0 ? 3 * window : 100);
        const OwnedDocument document(random_text(random, length, kind), kind);
        if (repeat % 7 == 0) {  // abandoned half way: the next start() must not see the rest
            tokenizer.start(document.view());
            tokenizer.next();
            continue;
        }
        CHECK_SAME(words_of(tokenizer, document.view()),
                   reference::tokenize(reference::decode(document.view())), repeat);
    }
}

TEST("a document ends on, before and behind the border of a window or block") {
    for (const TextKind kind : text_kinds) {
        for (const int64_t end : {int64_t{64}, int64_t{128}, window, 2 * window}) {
            for (int64_t length = end - 2; length <= end + 2; ++length) {
                check_words(repeated(U"ab cde ", length), kind);
                check_words(repeated(U"x", length), kind);
                check_words(repeated(U"x", length - 1) + U" ", kind);
                check_words(repeated(U" ", length - 2) + U"yz", kind);
            }
        }
    }
}

TEST("words across the border of a window, at every place") {
    const std::u32string words[] = {U"Ab", U"Abcdefghijklmnopqrstuvwxyz0123456789_",
                                    U"\u00C9\u00E9\u00C9", U"\u4E2D\u0391\u4E2D\u0391",
                                    U"\U00010400\u03A3a\u03A3"};
    for (const std::u32string& word : words) {
        const TextKind kind = kind_of(word);
        const auto n = static_cast<int64_t>(word.size());
        for (int64_t start = window - n - 1; start <= window + 1; ++start) {
            // From blanks: the window's bytes end anywhere in a block of 64.
            check_words(std::u32string(static_cast<size_t>(start), U' ') + word + U" tail", kind);
            check_words(std::u32string(static_cast<size_t>(start), U' ') + word, kind);
        }
    }
}

// In the narrowest kind and in UTF-8, whose windows are of bytes; words of every least length.
void check_marks(const std::u32string& text) {
    for (const TextKind kind : {kind_of(text), TextKind::utf8}) {
        const OwnedDocument document(text, kind);
        for (const int64_t min_length : {1, 2, 3}) {
            const auto expected = expected_words_and_marks(text, min_length);
            for (const InstructionSet set : available_instruction_sets()) {
                if (kind != TextKind::ascii && set != InstructionSet::baseline) continue;
                Tokenizer tokenizer(words_and_marks(min_length), set);
                CHECK_SAME(words_of(tokenizer, document.view()), expected, kind, text.size(),
                           min_length);
            }
        }
    }
}

// Marks of one byte to four: !, the section sign, an ideographic full stop, a face.
const std::u32string marks[] = {U"!", U"\u00A7", U"\u3002", U"\U0001F600"};

TEST("words and marks across the border of a window, at every place") {
    for (const std::u32string& mark : marks) {
        for (const std::u32string& run : {mark, mark + mark, U"Ab" + mark, mark + U"Ab",
                                          U"a" + mark + U"Bcd" + mark + U"\u00C9",
                                          mark + U"\u00C9\u4E2D" + mark + mark + U"\U00010400"}) {
            // Far enough that in UTF-8 each byte comes to lie on either side.
            const int64_t n = static_cast<int64_t>(reference::encode(run).size());
            for (int64_t start = window - n - 1; start <= window + 1; ++start) {
                const auto lead = static_cast<size_t>(start);
                check_marks(std::u32string(lead, U' ') + run + U" tail");
                check_marks(std::u32string(lead, U' ') + run);
                // The whole window is one run: of a word, of marks, or of both by turns.
                check_marks(std::u32string(lead, U'x') + run + U"y tail");
                check_marks(std::u32string(lead, U'-') + run + U"-y tail");
                check_marks(repeated(U"ab-", start) + run);
            }
        }
    }
}

TEST("one mark exactly at the border of a window, with and without a word on each side") {
    for (const std::u32string& mark : marks) {
        // Where the mark ends, begins, or both, counted in characters and in bytes.
        const int64_t n = static_cast<int64_t>(reference::encode(mark).size());
        for (const int64_t border : {window, 2 * window}) {
            for (const int64_t start : {border - n, border - 1, border, border + 1}) {
                const auto lead = static_cast<size_t>(start - 1);
                for (const char32_t before : {U' ', U'x', U'-'}) {
                    for (const char32_t after : {U' ', U'x', U'-'}) {
                        check_marks(std::u32string(lead, U' ') + before + mark + after);
                        check_marks(std::u32string(lead + 1, before) + mark +
                                    std::u32string(static_cast<size_t>(window), after));
                    }
                }
            }
        }
    }
}

TEST("runs of several windows without white space, of words and marks") {
    Random random(9);
    for (const std::u32string& mark : marks) {
        for (const std::u32string& pattern :
             {mark, U"Ab" + mark, mark + mark + U"\u00C9x\u4E2D", repeated(U"x", 100) + mark,
              repeated(U"x", window) + mark, repeated(U"x", 2 * window + 3) + mark + mark}) {
            for (const int64_t length : {window, 2 * window - 1, 5 * window + 17}) {
                const std::u32string run = repeated(pattern, length);
                check_marks(run);
                check_marks(U"ab " + run + U" c-d " + run);
            }
        }
    }
    for (int repeat = 0; repeat < 5; ++repeat) {
        std::u32string run;
        while (static_cast<int64_t>(run.size()) < 4 * window) {
            const int64_t draw = below(random, 20);
            run += draw == 0   ? repeated(U"x\u00C9", below(random, 2 * window))
                   : draw < 10 ? repeated(U"Ab\u4E2D", below(random, 5))
                               : marks[random() % std::size(marks)];
        }
        check_marks(run);
    }
}

TEST("windows do not grow with a run of many words and marks") {
    // They would, if the whole run were carried over and not its last word alone.
    const OwnedDocument document(repeated(U"ab-", 1 << 20), TextKind::ascii);
    Tokenizer tokenizer(words_and_marks(1), InstructionSet::baseline);
    tokenizer.start(document.view());
    while (tokenizer.next()) {
        CHECK(static_cast<int64_t>(tokenizer.tokens().size()) <= window, tokenizer.tokens().size());
    }
}

TEST("words across many windows") {
    for (const std::u32string& pattern :
         {std::u32string(U"Ab"), std::u32string(U"\u00C9x"), std::u32string(U"\u4E2Da\u03A3"),
          std::u32string(U"\U00010400\u4E2D\u00E9z")}) {
        for (const int64_t length : {window, 2 * window - 1, 5 * window + 17}) {
            const std::u32string word = repeated(pattern, length);
            check_words(word, kind_of(pattern));
            check_words(U"ab " + word + U" cd " + word, kind_of(pattern));
        }
    }
}

TEST("a word of a megabyte") {
    check_words(U"start " + repeated(U"aBcDeF1", 1 << 20) + U" end", TextKind::ascii);
    check_words(U"start " + repeated(U"a\u4E2D\U00010400", 400'000) + U" end", TextKind::ucs4);
}

TEST("a sigma whose context lies in another window") {
    const std::u32string ignorables[] = {U".", U"\u00AD", U"'\u0301"};
    for (const std::u32string& ignorable : ignorables) {
        for (const int64_t gap : {int64_t{1}, int64_t{40}, window, 2 * window + 5}) {
            const std::u32string between = repeated(ignorable, gap);
            for (int64_t lead = window - 2; lead <= window; ++lead) {
                const std::u32string before(static_cast<size_t>(lead), U' ');
                for (const std::u32string& context :
                     {U"A" + between + U"\u03A3x", U"AB" + between + U"B\u03A3" + between + U"A",
                      U"B\u03A3" + between, U"B\u03A3" + between + U" A",
                      between + U"\u03A3\u03A3" + between + U"\u03A3A"}) {
                    check_words(before + context, TextKind::ucs2);
                }
            }
        }
    }
}

TEST("300,000 sigmas between ignorable characters take linear time") {
    // Each run of ignorables is looked at twice; a quadratic scan would take minutes.
    check_words(repeated(U"\u03A3.", 600'000), TextKind::ucs2);
    std::u32string text = repeated(U".", 200'000);
    text += repeated(U"a\u03A3", 200'000) + repeated(U".", 200'000);
    const OwnedDocument document(text, TextKind::ucs2);
    Tokenizer tokenizer(default_tokens, InstructionSet::baseline);
    CHECK_EQ(words_of(tokenizer, document.view()).size(), 1u);
}

}  // namespace
}  // namespace wordodds
