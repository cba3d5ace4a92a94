#include <algorithm>
#include <memory>

#include "reference/text/hashing.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/defaults.hpp"
#include "wordodds/text/count.hpp"
#include "wordodds/text/murmur.hpp"

namespace wordodds {
namespace {

// Over a heap buffer as long as the header asks, `shift` bytes off its alignment.
uint32_t murmur_of(const std::string& bytes, size_t shift = 0) {
    const size_t room = shift + std::max<size_t>(16, bytes.size() + 3);
    const std::unique_ptr<char[]> copy(new char[room]);
    std::fill_n(copy.get(), room, '\xFF');  // what stands behind must not matter
    std::copy(bytes.begin(), bytes.end(), copy.get() + shift);
    return murmur3_32(copy.get() + shift, static_cast<uint32_t>(bytes.size()));
}

TEST("MurmurHash3 of well-known strings") {
    CHECK_EQ(murmur_of(""), 0u);
    CHECK_EQ(murmur_of("hello"), 0x248BFA47u);
    CHECK_EQ(murmur_of("hello, world"), 0x149BBB7Fu);
    CHECK_EQ(murmur_of("The quick brown fox jumps over the lazy dog"), 0x2E4FF723u);
}

TEST("MurmurHash3 of every length from 0 to 40") {
    // sklearn.utils.murmurhash3_32(bytes((37 * i + 129) % 256 for i in range(n)), 0, positive=True)
    constexpr uint32_t known[] = {
        0x00000000, 0x69E10770, 0xD4C5772B, 0xC8F5AEEC, 0x0743ED04, 0x7B412576, 0x522D280F,
        0xDB2810F6, 0x95F67C6E, 0x30C4F1F8, 0xA0283ABB, 0xA4E5A6B8, 0xA4C6E09C, 0x569157BF,
        0x09491131, 0x11FCBC74, 0x2CBD8A30, 0xB2C4925F, 0x032D16DE, 0x975B3F7C, 0xE55B189A,
        0xABD6967D, 0x4E5A6A8E, 0xA5244005, 0xEB150380, 0x38F18559, 0xF6846A4D, 0x52AC946E,
        0x80B5E551, 0x401F4F8C, 0x7F0000CF, 0x63B650AD, 0x4C618CAD, 0x64B8B56B, 0x95BB74F1,
        0xB6A99169, 0xAE03D89D, 0xEFEED8EC, 0xD197F1C8, 0xE1302973, 0xB5E5364F};
    static_assert(std::size(known) == 41);
    std::string bytes;
    for (size_t n = 0; n <= 40; ++n) {
        for (size_t shift = 0; shift < 4; ++shift) {
            CHECK_EQ(murmur_of(bytes, shift), known[n], n, shift);
        }
        CHECK_EQ(reference::murmur3_32(bytes), known[n], n);
        bytes += static_cast<char>((37 * n + 129) % 256);
    }
}

TEST("MurmurHash3 of random bytes") {
    Random random(41);
    for (int repeat = 0; repeat < 5000; ++repeat) {
        std::string bytes(static_cast<size_t>(below(random, 100)), '\0');
        for (char& byte : bytes) byte = static_cast<char>(random() % 256);
        CHECK_EQ(murmur_of(bytes), reference::murmur3_32(bytes), bytes);
    }
}

TEST("columns and signs at the borders of the hash") {
    const auto column = [](uint32_t hash, int32_t n_features, bool sign) {
        return hashed_signed_column(hash, {n_features, sign});
    };
    constexpr int32_t huge = 0x7FFFFFFF;
    CHECK_EQ(column(0, 10, true), 0u);
    CHECK_EQ(column(13, 10, true), 6u);
    CHECK_EQ(column(0xFFFFFFFFu, 10, true), 3u);  // -1: column 1, negative
    CHECK_EQ(column(0xFFFFFFFFu, 10, false), 2u);
    CHECK_EQ(column(0x7FFFFFFFu, huge, true), 0u);           // 2^31 - 1 mod itself
    CHECK_EQ(column(0x7FFFFFFEu, huge, true), 0xFFFFFFFCu);  // the largest column
    CHECK_EQ(column(0x80000002u, huge, true), 0xFFFFFFFDu);  // ... with a sign
    // -2^31, whose magnitude 2^31 no signed number of 32 bits holds: 2147483648 mod 10 = 8.
    CHECK_EQ(column(0x80000000u, 10, true), 17u);
    CHECK_EQ(column(0x80000000u, huge, true), 3u);
    CHECK_EQ(column(0x80000000u, 1, true), 1u);
}

TEST("hashed counts that scikit-learn's HashingVectorizer gives") {
    Corpus corpus;
    corpus.add(U"one two three four five six", TextKind::ascii);
    corpus.add(U"", TextKind::ascii);
    corpus.add(U"alpha beta gamma alpha delta \u00C9 \u00E9t\u00E9", TextKind::latin1);
    // HashingVectorizer(n_features=7, norm=None, token_pattern=r"(?u)\b\w+\b", alternate_sign=...)
    AnalyzerOptions options;
    options.word_min_length = 1;
    reference::Counts expected;
    expected.indptr = {0, 4, 4, 8};
    expected.indices = {1, 2, 5, 6, 0, 3, 5, 6};
    const Run run;
    expected.data = {1, 0, 1, 2, -2, 1, 1, 1};
    check_rows(documents_count_hashed(corpus.views(), options, {7, true}, run), run, expected);
    expected.data = {1, 2, 1, 2, 2, 3, 1, 1};
    check_rows(documents_count_hashed(corpus.views(), options, {7, false}, run), run, expected);
}

TEST("hashed: small random corpora, all sorts of widths") {
    for (uint64_t seed = 0; seed < 12; ++seed) {
        const Corpus corpus = random_corpus(seed, static_cast<int64_t>(seed), 120, 50);
        const reference::Features features = reference::features_of(corpus.views());
        for (const int32_t n_features : {1, 2, 255, 256, 1 << 20, 0x7FFFFFFF}) {
            for (const bool sign : {true, false}) {
                const auto expected = reference::count_hashed(features, n_features, sign);
                for_each_execution([&](const Execution& execution) {
                    check_rows(documents_count_hashed(corpus.views(), default_words,
                                                      {n_features, sign}, execution),
                               execution, expected);
                });
            }
        }
    }
}

TEST("hashed: the same for any number of jobs and instruction set") {
    const Corpus corpus = random_corpus(42, 90, 1600, 5000);
    CHECK(corpus.length() > 2 << 17, corpus.length());
    for (const AnalyzerOptions& options :
         {default_words, AnalyzerOptions{AnalyzerKind::word, true, 2, 1, 2, nullptr},
          AnalyzerOptions{AnalyzerKind::chars_in_words, true, 2, 3, 3, nullptr}}) {
        const reference::Features features = reference::features_of(corpus.views(), options);
        for (const HashingOptions hashing : {HashingOptions{1 << 18, true}, {1000, false}}) {
            const auto expected =
                reference::count_hashed(features, hashing.n_features, hashing.alternate_sign);
            for_each_execution([&](const Execution& execution) {
                check_rows(documents_count_hashed(corpus.views(), options, hashing, execution),
                           execution, expected);
            });
        }
    }
    CHECK(documents_count_hashed(corpus.views(), default_words, {99, true}, Run(2)).parts.size() >
          2);
}

TEST("a poll stops the hashing within one long document") {
    const std::vector<char> text(16'000'000, '\xE9');
    const Document document{text.data(), static_cast<int64_t>(text.size()), TextKind::latin1};
    StopToken stop([](void*) { return true; }, nullptr);
    const Execution execution{1, InstructionSet::baseline, &stop};
    CHECK_THROWS(Stopped, documents_count_hashed(std::span(&document, 1), default_words, {8, true},
                                                 execution));
}

}  // namespace
}  // namespace wordodds
