#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/terms.hpp"
#include "wordodds/text/vocabulary.hpp"

namespace wordodds {
namespace {

TEST("insert, find and grow as std::unordered_map does") {
    Random random(9);
    Vocabulary vocabulary(some_key);
    std::unordered_map<std::string, uint32_t> expected;
    std::vector<std::string> order;
    while (order.size() < 120'000) {
        const std::string term = random_term(random);
        const auto known = expected.find(term);
        CHECK_EQ(find(vocabulary, term),
                 known == expected.end() ? Vocabulary::not_found : known->second, term);
        const auto next = static_cast<uint32_t>(order.size());
        const bool is_new = expected.emplace(term, next).second;
        if (is_new) order.push_back(term);
        CHECK_EQ(insert(vocabulary, term), expected[term], term);
    }
    CHECK_EQ(vocabulary.size(), static_cast<int64_t>(order.size()));
    for (const auto& [term, id] : expected) CHECK_EQ(find(vocabulary, term), id, term);
    CHECK_SAME(terms_of(vocabulary), order);
    for (int i = 0; i < 10'000; ++i) {
        const std::string term = random_term(random) + "!";
        if (expected.count(term) == 0) CHECK_EQ(find(vocabulary, term), Vocabulary::not_found);
    }
}

TEST("terms that differ only in length, or in one byte, are different") {
    Vocabulary vocabulary(some_key);
    std::vector<std::string> terms;
    for (size_t length = 1; length <= 64; ++length) {
        terms.push_back(std::string(length, 'a'));
        terms.push_back(std::string(length, '\0'));
        terms.push_back(std::string(length - 1, 'a') + 'b');
        terms.push_back("0123456789abcdef" + std::string(length, 'c'));
        terms.push_back("0123456789abcdef" + std::string(length, 'c') + '\0');
    }
    for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(insert(vocabulary, terms[i]), i, terms[i]);
    for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(find(vocabulary, terms[i]), i, terms[i]);
}

TEST("the key of a token does not see what stands behind it") {
    for (uint32_t length = 0; length <= 40; ++length) {
        std::string x(64, 'x'), y(64, 'y');
        std::fill_n(x.begin(), length, 'a');
        std::fill_n(y.begin(), length, 'a');
        const TokenKey from_x = make_token_key(x.data(), length, some_key);
        const TokenKey from_y = make_token_key(y.data(), length, some_key);
        CHECK_EQ(from_x.hash, from_y.hash, length);
        CHECK_EQ(from_x.head[0], from_y.head[0], length);
        CHECK_EQ(from_x.head[1], from_y.head[1], length);
    }
}

// The key is known here, so a whole family of terms can be given the same hash: a head whose first
// 8 bytes equal key.a makes the product zero.
TEST("terms that all collide are still told apart") {
    std::string lead(8, '\0');
    std::memcpy(lead.data(), &some_key.a, 8);
    Vocabulary vocabulary(some_key);
    std::vector<std::string> terms;
    for (int i = 0; i < 1500; ++i) {  // the last 500 end in a zero byte, like others without
        terms.push_back(lead + std::to_string(i % 1000));
        if (i >= 1000) terms.back() += '\0';
    }
    CHECK_EQ(Padded(terms[0]).key(some_key).hash, Padded(terms[999]).key(some_key).hash);
    for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(insert(vocabulary, terms[i]), i);
    for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(find(vocabulary, terms[i]), i);
    CHECK_EQ(find(vocabulary, lead), Vocabulary::not_found);
}

TEST("other hash keys, the same results") {
    const std::vector<std::string> terms = distinct_terms(10, 5000);
    for (const HashKey key : {HashKey{0, 0}, HashKey{1, 2}, HashKey{~uint64_t{0}, 77}, some_key}) {
        Vocabulary vocabulary = vocabulary_of(terms, key);
        CHECK_SAME(terms_of(vocabulary), terms);
        vocabulary.sort(Run());
        std::vector<std::string> sorted = terms;
        std::sort(sorted.begin(), sorted.end());
        CHECK_SAME(terms_of(vocabulary), sorted);
    }
}

TEST("expected_terms changes nothing but speed") {
    const std::vector<std::string> terms = distinct_terms(11, 3000);
    for (const int64_t expected_terms : {0, 1, 511, 512, 513, 100'000}) {
        Vocabulary vocabulary(some_key, expected_terms);
        for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(insert(vocabulary, terms[i]), i);
        CHECK_SAME(terms_of(vocabulary), terms);
    }
}

TEST("merge inserts the other's terms in their order and returns their numbers") {
    const std::vector<std::string> all = distinct_terms(12, 30'000);
    Vocabulary left = vocabulary_of({all.begin(), all.begin() + 20'000});
    const std::vector<std::string> right_terms(all.begin() + 10'000, all.end());
    const Vocabulary right = vocabulary_of(right_terms);
    StopToken stop;
    const std::vector<uint32_t> ids = left.merge(right, stop);
    CHECK_SAME(terms_of(left), all);
    CHECK_EQ(ids.size(), right_terms.size());
    for (size_t i = 0; i < ids.size(); ++i) CHECK_EQ(ids[i], i + 10'000);
    for (size_t i = 0; i < all.size(); ++i) CHECK_EQ(find(left, all[i]), i);
    CHECK_SAME(terms_of(right), right_terms);

    Vocabulary empty(some_key);
    CHECK(left.merge(empty, stop).empty());
    empty.merge(left, stop);
    CHECK_SAME(terms_of(empty), all);
    stop.request();
    CHECK_THROWS(Stopped, empty.merge(right, stop));
}

TEST("locate gives the numbers of another vocabulary's terms") {
    const std::vector<std::string> terms = distinct_terms(21, 9000);
    const std::vector<std::string> ours(terms.begin(), terms.begin() + 6000);
    std::vector<std::string> theirs(terms.begin() + 3000, terms.end());
    theirs.push_back(terms.front());
    const Vocabulary here = vocabulary_of(ours);
    const Vocabulary there = vocabulary_of(theirs, HashKey{3, 4});
    std::vector<int64_t> found(theirs.size(), 7), expected;
    for (const std::string& term : theirs) {
        const auto at = std::find(ours.begin(), ours.end(), term);
        expected.push_back(at == ours.end() ? -1 : at - ours.begin());
    }
    StopToken stop;
    here.locate(there, stop, found);
    CHECK_SAME(found, expected);
    std::vector<int64_t> none(theirs.size(), 7);
    Vocabulary(some_key).locate(there, stop, none);
    CHECK_SAME(none, std::vector<int64_t>(theirs.size(), -1));
    here.locate(Vocabulary(some_key), stop, std::span<int64_t>{});
    stop.request();
    CHECK_THROWS(Stopped, here.locate(there, stop, found));
}

TEST("sort gives byte order, and find knows the new numbers") {
    const std::vector<std::string> terms = distinct_terms(13, 25'000);
    std::vector<std::string> sorted = terms;
    std::sort(sorted.begin(), sorted.end());  // std::string compares bytes as unsigned
    for (const int32_t n_jobs : job_counts) {
        Vocabulary vocabulary = vocabulary_of(terms);
        const std::vector<uint32_t> rank = vocabulary.sort(Run(n_jobs));
        CHECK_SAME(terms_of(vocabulary), sorted, n_jobs);
        CHECK_EQ(rank.size(), terms.size());
        for (size_t i = 0; i < terms.size(); ++i) {
            CHECK_EQ(vocabulary.term(rank[i]), terms[i], i, n_jobs);
            CHECK_EQ(find(vocabulary, terms[i]), rank[i], i, n_jobs);
        }
        // It goes on growing as before.
        CHECK_EQ(insert(vocabulary, std::string(70, 'q')), terms.size());
        CHECK_EQ(find(vocabulary, std::string(70, 'q')), terms.size());
    }
}

TEST("sort of nothing, of one, of what is sorted") {
    Vocabulary vocabulary(some_key);
    CHECK(vocabulary.sort(Run()).empty());
    insert(vocabulary, "b");
    CHECK_SAME(vocabulary.sort(Run()), (std::vector<uint32_t>{0}));
    insert(vocabulary, "c");
    CHECK_SAME(vocabulary.sort(Run(2)), (std::vector<uint32_t>{0, 1}));
    insert(vocabulary, "a");
    CHECK_SAME(vocabulary.sort(Run(2)), (std::vector<uint32_t>{1, 2, 0}));
}

TEST("a stopped sort leaves the vocabulary as it was") {
    const std::vector<std::string> terms = distinct_terms(14, 5000);
    for (const int32_t n_jobs : job_counts) {
        Vocabulary vocabulary = vocabulary_of(terms);
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, vocabulary.sort(run));
        CHECK_SAME(terms_of(vocabulary), terms, n_jobs);
        for (size_t i = 0; i < terms.size(); ++i) CHECK_EQ(find(vocabulary, terms[i]), i);
    }
}

TEST("a vocabulary from a packed arena") {
    for (const size_t n : {0U, 1U, 2U, 600U, 20'000U}) {
        const std::vector<std::string> terms = distinct_terms(15, n);
        const Packed packed(terms);
        const Vocabulary vocabulary(some_key, packed.arena, packed.offsets);
        CHECK_SAME(terms_of(vocabulary), terms);
        for (size_t i = 0; i < n; ++i) CHECK_EQ(find(vocabulary, terms[i]), i);
        CHECK_SAME(vocabulary.arena(), packed.arena);
        CHECK_SAME(vocabulary.offsets(), packed.offsets);
    }
}

TEST("an empty term is a term like any other") {
    const Packed packed({"b", "", "a"});
    Vocabulary vocabulary(some_key, packed.arena, packed.offsets);
    CHECK_EQ(find(vocabulary, ""), 1u);
    CHECK_SAME(vocabulary.sort(Run()), (std::vector<uint32_t>{2, 0, 1}));
    CHECK_EQ(find(vocabulary, ""), 0u);
}

TEST("bad offsets and repeated terms are refused") {
    const std::vector<char> arena{'a', 'b', 'c', 'a'};
    const auto make = [&](std::vector<int64_t> offsets) { Vocabulary(some_key, arena, offsets); };
    make({0, 1, 2, 4});
    constexpr int64_t huge = std::numeric_limits<int64_t>::max();
    for (const std::vector<int64_t>& offsets : std::vector<std::vector<int64_t>>{{},
                                                                                 {0},
                                                                                 {4},
                                                                                 {1, 4},
                                                                                 {-1, 4},
                                                                                 {0, 3},
                                                                                 {0, 5},
                                                                                 {0, 2, 1, 4},
                                                                                 {0, 5, 4},
                                                                                 {0, -1, 4},
                                                                                 {0, 1000, 4},
                                                                                 {0, huge, 4},
                                                                                 {0, huge},
                                                                                 {-huge, huge}}) {
        CHECK_THROWS(std::invalid_argument, make(offsets));
    }
    CHECK_THROWS(std::invalid_argument, make({0, 1, 3, 4}));  // "a", "bc", "a"
    CHECK_THROWS(std::invalid_argument, make({0, 0, 0, 4}));  // "" twice
}

TEST("a subset keeps the terms asked for, renumbered in their order") {
    for (const size_t n : {0U, 1U, 2U, 700U, 20'000U}) {
        std::vector<std::string> terms = distinct_terms(16, n);
        const bool has_empty = std::find(terms.begin(), terms.end(), "") != terms.end();
        if (n > 1 && !has_empty) terms[n / 2] = "";  // a term like any other
        const Vocabulary all = vocabulary_of(terms);
        for (const uint64_t keep_one_in : {0U, 1U, 2U, 10U}) {  // 0: none
            Random random(17);
            std::vector<uint8_t> keep;
            std::vector<std::string> expected;
            for (const std::string& term : terms) {
                const bool kept = keep_one_in > 0 && random() % keep_one_in == 0;
                keep.push_back(kept ? static_cast<uint8_t>(1 + random() % 255) : uint8_t{0});
                if (kept) expected.push_back(term);
            }
            // What the result held before is gone, its key too.
            Vocabulary some = vocabulary_of({"old", "terms"}, HashKey{1, 2});
            all.subset(keep, some);
            CHECK_SAME(terms_of(some), expected, n, keep_one_in);
            CHECK_EQ(some.key().a, all.key().a);
            CHECK_EQ(some.key().b, all.key().b);
            uint32_t next = 0;
            for (size_t i = 0; i < n; ++i) {
                CHECK_EQ(find(some, terms[i]), keep[i] ? next++ : Vocabulary::not_found, i);
                CHECK_EQ(find(all, terms[i]), i);
            }
            // It goes on growing and sorting as any other.
            CHECK_EQ(insert(some, std::string(70, 'q')), expected.size());
            expected.push_back(std::string(70, 'q'));
            std::sort(expected.begin(), expected.end());
            some.sort(Run());
            CHECK_SAME(terms_of(some), expected, n, keep_one_in);
        }
    }
}

TEST("a subset may replace the vocabulary that it was taken from") {
    Vocabulary vocabulary = vocabulary_of({"b", "", "a", "c"});
    const std::vector<uint8_t> keep{0, 1, 0, 1};
    vocabulary.subset(keep, vocabulary);
    CHECK_SAME(terms_of(vocabulary), (std::vector<std::string>{"", "c"}));
    CHECK_EQ(find(vocabulary, "c"), 1u);
    CHECK_EQ(find(vocabulary, "a"), Vocabulary::not_found);
}

// The last test of its file: a sanitizer that objects ends the process.
TEST("a vocabulary of the empty term alone can be sorted") {
    const Packed packed({""});
    Vocabulary vocabulary(some_key, packed.arena, packed.offsets);
    CHECK_SAME(vocabulary.sort(Run()), (std::vector<uint32_t>{0}));
    CHECK_EQ(find(vocabulary, ""), 0u);
}

}  // namespace
}  // namespace wordodds
