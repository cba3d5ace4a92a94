// The vocabulary's table: dropped, made again, grown.
#include <algorithm>
#include <cstring>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/defaults.hpp"
#include "tests/text/terms.hpp"
#include "wordodds/text/count.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {
namespace {

void check_finds(const Vocabulary& vocabulary, const std::vector<std::string>& terms) {
    CHECK_EQ(vocabulary.size(), static_cast<int64_t>(terms.size()));
    for (size_t i = 0; i < terms.size(); ++i) {
        CHECK_EQ(find(vocabulary, terms[i]), i, terms[i], terms.size());
    }
}

// Short and long ones mixed, of a few lengths, many with the same first 8 or 16 bytes.
std::string mixed_term(uint64_t i) {
    const std::string number = std::to_string(i);
    switch (i % 5) {
        case 0: return number;
        case 1: return "sameeigh" + number;
        case 2: return "the same sixteen" + number;
        case 3: return "the same sixteen" + std::string(40 - number.size(), '.') + number;
        default: return number + std::string(17, '-');
    }
}

TEST("each term is found before and after every growth of the table") {
    Vocabulary vocabulary(some_key);
    std::vector<std::string> terms;
    size_t n_slots = 1024;  // slots_min; grows beyond seven tenths
    while (n_slots < 1 << 18) {
        terms.push_back(mixed_term(terms.size()));
        CHECK_EQ(insert(vocabulary, terms.back()), terms.size() - 1);
        const bool last = terms.size() == n_slots * 7 / 10;
        const bool first = terms.size() == n_slots * 7 / 10 + 1;
        if (last || first) check_finds(vocabulary, terms);
        if (first) n_slots *= 2;
    }
    CHECK_EQ(find(vocabulary, mixed_term(terms.size())), Vocabulary::not_found);
}

TEST("found and inserted after a sort, again and again") {
    Vocabulary vocabulary(some_key);
    std::vector<std::string> terms;
    for (uint64_t turn = 0; turn < 6; ++turn) {
        for (uint64_t i = 0; i < uint64_t{300} << turn; ++i) {
            terms.push_back(mixed_term(1'000'000 * turn + i));
            CHECK_EQ(insert(vocabulary, terms.back()), terms.size() - 1, turn);
        }
        vocabulary.sort(Run(2));
        std::sort(terms.begin(), terms.end());
        vocabulary.prepare_lookups();
        vocabulary.prepare_lookups();  // a second time changes nothing
        check_finds(vocabulary, terms);
        for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(insert(vocabulary, terms[i]), i, turn);
        CHECK_EQ(find(vocabulary, "not there"), Vocabulary::not_found);
        CHECK_EQ(find(vocabulary, "the same sixteen, not there"), Vocabulary::not_found);
    }
}

TEST("a subset grows on, and leaves its source alone") {
    std::vector<std::string> terms, kept;
    for (uint64_t i = 0; i < 5000; ++i) terms.push_back(mixed_term(i));
    const Vocabulary all = vocabulary_of(terms);
    std::vector<uint8_t> keep(terms.size());
    for (size_t i = 0; i < terms.size(); ++i) {
        keep[i] = i % 3 == 0;
        if (keep[i]) kept.push_back(terms[i]);
    }
    Vocabulary some(HashKey{1, 2});
    all.subset(keep, some);
    check_finds(some, kept);
    for (uint64_t i = 0; i < 20'000; ++i) {
        kept.push_back(mixed_term(10'000 + i));
        CHECK_EQ(insert(some, kept.back()), kept.size() - 1);
    }
    check_finds(some, kept);
    check_finds(all, terms);
    for (size_t i = 0; i < 5000; ++i) {
        if (!keep[i]) CHECK_EQ(find(some, terms[i]), Vocabulary::not_found, terms[i]);
    }
}

TEST("merge between vocabularies of different keys, the other one with or without a table") {
    std::vector<std::string> all;
    for (uint64_t i = 0; i < 12'000; ++i) all.push_back(mixed_term(i));
    std::sort(all.begin(), all.end());
    const std::vector<std::string> left(all.begin(), all.begin() + 8000);
    const std::vector<std::string> right(all.begin() + 4000, all.end());
    for (const bool is_sorted : {false, true}) {
        Vocabulary sum = vocabulary_of(left, HashKey{1, 2});
        Vocabulary other = vocabulary_of(right, HashKey{3, ~uint64_t{0}});
        if (is_sorted) {
            sum.sort(Run());
            other.sort(Run());
            sum.prepare_lookups();
        }
        StopToken stop;
        const std::vector<uint32_t> ids = sum.merge(other, stop);
        CHECK_EQ(ids.size(), right.size());
        for (size_t i = 0; i < ids.size(); ++i) CHECK_EQ(ids[i], i + 4000, is_sorted);
        CHECK_EQ(sum.key().a, 1u);
        check_finds(sum, all);
        check_finds(other, right);
    }
}

TEST("eight threads make the table at once") {
    constexpr size_t n_threads = 8;
    std::vector<std::string> terms;
    for (uint64_t i = 0; i < 3000; ++i) terms.push_back(mixed_term(i));
    std::sort(terms.begin(), terms.end());
    for (int turn = 0; turn < 10; ++turn) {
        Vocabulary vocabulary = vocabulary_of(terms);
        vocabulary.sort(Run());
        std::latch ready(n_threads);
        std::vector<size_t> n_found(n_threads);
        std::vector<std::thread> threads;
        for (size_t t = 0; t < n_threads; ++t) {
            threads.emplace_back([&, t] {
                ready.arrive_and_wait();
                vocabulary.prepare_lookups();
                for (size_t i = 0; i < terms.size(); ++i) {
                    n_found[t] += vocabulary.find(Padded(terms[i]).key(some_key)) == i;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const size_t n : n_found) CHECK_EQ(n, terms.size(), turn);
    }
}

TEST("terms of one length that differ in a single byte") {
    for (size_t length = 1; length <= 80; ++length) {
        std::vector<std::string> terms{std::string(length, 'a')};
        for (size_t at = 0; at < length; ++at) {
            for (const char c : {'\0', 'b', '\xFF'}) {
                terms.push_back(terms[0]);
                terms.back()[at] = c;
            }
        }
        Vocabulary vocabulary = vocabulary_of(terms);
        check_finds(vocabulary, terms);
        const Packed packed(terms);
        check_finds(Vocabulary(HashKey{0, 0}, packed.arena, packed.offsets), terms);
        // The same terms in other places: the table leads to where they are now.
        std::sort(terms.begin(), terms.end());
        vocabulary.sort(Run());
        check_finds(vocabulary, terms);
    }
}

TEST("a term that comes twice is refused, near or far, short or long") {
    std::vector<std::string> terms;
    for (uint64_t i = 0; i < 4000; ++i) terms.push_back(mixed_term(i));
    for (const size_t first : {0U, 1U, 2U, 3U, 4U, 31U, 32U, 2003U, 3000U}) {
        for (const size_t distance : {1U, 2U, 30U, 31U, 32U, 33U, 64U, 900U}) {
            std::vector<std::string> twice = terms;
            twice[first + distance] = twice[first];
            const Packed packed(twice);
            CHECK_THROWS(std::invalid_argument, Vocabulary(some_key, packed.arena, packed.offsets));
        }
    }
    const Packed packed(terms);
    check_finds(Vocabulary(some_key, packed.arena, packed.offsets), terms);
}

// As terms that start with the key's first half do, these all have the hash zero; here some are
// longer than a slot and some are not, whose bytes must not pass for a place in the arena.
TEST("short and long terms of the same hash, counted") {
    HashKey key{0, 77};
    std::memcpy(&key.a, "abcdefgh", 8);
    const std::u32string high = U"\u00FF\u00FF\u00FF";
    std::u32string text;
    std::vector<std::string> words;
    for (char32_t i = 0; i < 26; ++i) {
        const char32_t letter = U'a' + i;
        for (const std::u32string& word :
             {U"abcdefgh" + high + letter,
              U"abcdefgh" + high + letter + letter + U"abcdefgh" + high + letter + letter}) {
            text += word + U' ';
            words.push_back(reference::encode(word));
            CHECK_EQ(Padded(words.back()).key(key).hash, 0u, words.back());
        }
    }
    Corpus corpus;
    corpus.add(text + text, TextKind::latin1);
    corpus.add(text, TextKind::utf8);
    const reference::Counts expected = reference::count_growing(corpus.views());
    Vocabulary vocabulary(key);
    const Run run;
    const CountedRows rows =
        documents_count_growing(corpus.views(), default_words, run, vocabulary);
    CHECK_SAME(terms_of(vocabulary), expected.terms);
    check_rows(rows, run, expected);
    const CountedRows known =
        documents_count_frozen(corpus.views(), default_words, vocabulary, 0, run);
    check_rows(known, run, reference::count_frozen(corpus.views(), expected.terms));
}

}  // namespace
}  // namespace wordodds
