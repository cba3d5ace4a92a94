#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reference/tally/terms.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/defaults.hpp"
#include "wordodds/tally/terms.hpp"

namespace wordodds {
namespace {

void check_tally(const TermTally& actual, const reference::Tally& expected) {
    CHECK_EQ(actual.n_documents(), expected.n_documents);
    CHECK_EQ(actual.undercount(), expected.undercount);
    const auto n = static_cast<size_t>(actual.vocabulary().size());
    CHECK_EQ(n, expected.terms.size());
    CHECK_EQ(actual.n_documents_with().size(), n);
    CHECK_EQ(actual.n_occurrences().size(), n);
    for (size_t i = 0; i < n; ++i) {
        const std::string term(actual.vocabulary().term(static_cast<int64_t>(i)));
        const auto found = expected.terms.find(term);
        CHECK(found != expected.terms.end(), term);
        CHECK_EQ(actual.n_documents_with()[i], found->second.n_documents, term);
        CHECK_EQ(actual.n_occurrences()[i], found->second.n_occurrences, term);
    }
}

// The order of the terms included.
void check_same(const TermTally& actual, const TermTally& expected) {
    CHECK_SAME(actual.vocabulary().arena(), expected.vocabulary().arena());
    CHECK_SAME(actual.vocabulary().offsets(), expected.vocabulary().offsets());
    CHECK_SAME(actual.n_documents_with(), expected.n_documents_with());
    CHECK_SAME(actual.n_occurrences(), expected.n_occurrences());
    CHECK_EQ(actual.n_documents(), expected.n_documents());
    CHECK_EQ(actual.undercount(), expected.undercount());
}

TermTally tallied(std::span<const Document> documents, HashKey key = some_key,
                  int64_t max_terms = no_max_terms) {
    TermTally tally(key);
    documents_tally(documents, default_words, max_terms, Run(), tally);
    return tally;
}

TermTally copied(const TermTally& tally) {
    return TermTally(tally.vocabulary(), tally.n_documents_with(), tally.n_occurrences(),
                     tally.n_documents(), tally.undercount());
}

TermTally sorted(const TermTally& tally, int32_t n_jobs = 1) {
    TermTally copy = copied(tally);
    copy.sort(Run(n_jobs));
    return copy;
}

// Documents of words w0, w1, ... of which the k-th is about k times as rare as the first.
Corpus zipf_corpus(uint64_t seed, int64_t n_documents, double n_distinct) {
    Random random(seed);
    Corpus corpus;
    for (int64_t i = 0; i < n_documents; ++i) {
        std::u32string text;
        for (int64_t n = below(random, 60); n > 0; --n) {
            const auto rank =
                static_cast<int64_t>(std::exp(uniform(random) * std::log(n_distinct)));
            text += U'w';
            for (const char c : std::to_string(rank)) text += static_cast<char32_t>(c);
            text += U' ';
        }
        corpus.add(text, text_kinds[random() % 5]);
    }
    return corpus;
}

TEST("a new tally is empty") {
    TermTally tally(some_key);
    check_tally(tally, {});
    documents_tally({}, default_words, no_max_terms, Run(5), tally);
    documents_tally({}, default_words, 3, Run(5), tally);
    check_tally(tally, {});
    tally.sort(Run());
    tally.prune(0);
    StopToken never;
    tally.merge(TermTally(HashKey{1, 2}), never);
    check_tally(tally, {});
}

TEST("tallies written out by hand") {
    Corpus corpus;
    corpus.add(U"zeta beta Zeta x", TextKind::ascii);
    corpus.add(U"", TextKind::ascii);
    corpus.add(U"alpha BETA alpha zeta alpha", TextKind::ucs4);
    TermTally tally = tallied(corpus.views());
    tally.sort(Run());
    CHECK_EQ(tally.vocabulary().term(0), "alpha");
    CHECK_EQ(tally.vocabulary().term(1), "beta");
    CHECK_EQ(tally.vocabulary().term(2), "zeta");
    CHECK_SAME(tally.n_documents_with(), (std::vector<int64_t>{1, 2, 2}));
    CHECK_SAME(tally.n_occurrences(), (std::vector<int64_t>{3, 2, 3}));
    CHECK_EQ(tally.n_documents(), 3);
    tally.prune(2);
    CHECK_EQ(tally.vocabulary().size(), 2);
    CHECK_EQ(tally.undercount(), 1);
    tally.prune(1);  // both are as frequent: neither may stay
    CHECK_EQ(tally.vocabulary().size(), 0);
    CHECK_EQ(tally.undercount(), 3);
    CHECK_EQ(tally.n_documents(), 3);
}

TEST("the same for any number of jobs, instruction set and limit") {
    // Above 5 * 2^17 code units: five jobs make five parts.
    const Corpus corpus = random_corpus(101, 160, 2000, 5000);
    CHECK(corpus.length() > 5 << 17, corpus.length());
    const reference::Features features = reference::features_of(corpus.views());
    const reference::Tally all = reference::tally_of(features);
    for (const int64_t max_terms : {no_max_terms, int64_t{40}, int64_t{2000}, int64_t{1} << 40}) {
        reference::Tally expected = all;
        const auto n_terms = static_cast<int64_t>(all.terms.size());
        if (max_terms != no_max_terms && n_terms > 2 * max_terms) expected.prune(max_terms);
        const TermTally one = tallied(corpus.views(), some_key, max_terms);
        check_tally(one, expected);
        for_each_execution([&](const Execution& execution) {
            TermTally tally(some_key);
            documents_tally(corpus.views(), default_words, max_terms, execution, tally);
            check_same(tally, one);
        });
        check_same(tallied(corpus.views(), HashKey{0, 0}, max_terms), one);
    }
}

TEST("n-grams are tallied like words") {
    const Corpus corpus = random_corpus(102, 40, 300, 300);
    const AnalyzerOptions options{AnalyzerKind::chars_in_words, true, 2, 2, 3, nullptr};
    const auto expected = reference::tally_of(reference::features_of(corpus.views(), options));
    for (const int32_t n_jobs : job_counts) {
        TermTally tally(some_key);
        documents_tally(corpus.views(), options, no_max_terms, Run(n_jobs), tally);
        check_tally(tally, expected);
    }
}

TEST("the tally of two corpora is the sum of theirs, whichever way they were cut") {
    const Corpus corpus = random_corpus(103, 50, 200, 300);
    const std::span<const Document> documents = corpus.views();
    const TermTally whole = sorted(tallied(documents));
    check_tally(whole, reference::tally_of(reference::features_of(documents)));
    StopToken never;
    for (const size_t cut : {0U, 1U, 7U, 25U, 49U, 50U}) {
        const TermTally left = tallied(documents.first(cut), HashKey{1, 2});
        const TermTally right = tallied(documents.subspan(cut), some_key);
        for (const bool swapped : {false, true}) {
            for (const bool is_sorted : {false, true}) {  // sorting drops the lookup tables
                const TermTally& first = swapped ? right : left;
                const TermTally& second = swapped ? left : right;
                TermTally sum = is_sorted ? sorted(first) : copied(first);
                sum.merge(is_sorted ? sorted(second) : second.copy(), never);
                CHECK_EQ(sum.vocabulary().key().a, first.vocabulary().key().a);
                sum.sort(Run());
                check_same(sum, whole);
            }
        }
        // The same by adding documents to a tally that has some, whether or not it was sorted
        // since.
        TermTally grown = sorted(left);
        documents_tally(documents.subspan(cut), default_words, no_max_terms, Run(2), grown);
        check_same(sorted(grown), whole);
    }
}

TEST("a copy is equal, can be looked up in, and stands by itself") {
    const Corpus corpus = random_corpus(104, 30, 200, 300);
    const TermTally tally = tallied(corpus.views());
    TermTally duplicate = tally.copy();
    check_same(duplicate, tally);
    documents_tally(corpus.views(), default_words, no_max_terms, Run(), duplicate);
    CHECK_EQ(duplicate.n_documents(), 2 * tally.n_documents());
    CHECK_SAME(duplicate.vocabulary().arena(), tally.vocabulary().arena());
    StopToken requested;
    requested.request();
    CHECK_THROWS(Stopped, duplicate.merge(tally, requested));
}

TEST("a tally merged with itself is doubled") {
    const Corpus corpus = random_corpus(104, 30, 200, 300);
    TermTally tally = tallied(corpus.views());
    tally.prune(100);
    CHECK(tally.undercount() > 0 && tally.vocabulary().size() > 0);
    const TermTally before = copied(tally);
    StopToken never;
    tally.merge(tally, never);
    CHECK_SAME(tally.vocabulary().arena(), before.vocabulary().arena());
    for (size_t i = 0; i < before.n_occurrences().size(); ++i) {
        CHECK_EQ(tally.n_documents_with()[i], 2 * before.n_documents_with()[i]);
        CHECK_EQ(tally.n_occurrences()[i], 2 * before.n_occurrences()[i]);
    }
    CHECK_EQ(tally.n_documents(), 2 * before.n_documents());
    CHECK_EQ(tally.undercount(), 2 * before.undercount());
}

TEST("prune keeps what is more frequent than the first that has no place") {
    const Corpus corpus = zipf_corpus(105, 80, 400);
    const TermTally all = tallied(corpus.views());
    const reference::Tally twin = reference::tally_of(reference::features_of(corpus.views()));
    for (int64_t max_terms = 0; max_terms <= all.vocabulary().size() + 1; ++max_terms) {
        TermTally pruned = copied(all);
        reference::Tally expected = twin;
        pruned.prune(max_terms);
        expected.prune(max_terms);
        check_tally(pruned, expected);
        CHECK(pruned.vocabulary().size() <= max_terms, max_terms);
        // The terms stay in their order.
        for (int64_t i = 0, at = 0; i < pruned.vocabulary().size(); ++i, ++at) {
            while (all.vocabulary().term(at) != pruned.vocabulary().term(i)) {
                CHECK(++at < all.vocabulary().size(), i, max_terms);
            }
        }
        // It grows on: those that are there get more, those that were dropped begin anew.
        if (max_terms % 16 == 0) {
            documents_tally(corpus.views(), default_words, no_max_terms, Run(), pruned);
            expected.add(reference::features_of(corpus.views()));
            check_tally(pruned, expected);
        }
    }
}

TEST("counted <= true <= counted + undercount, over many calls with a limit") {
    for (uint64_t seed = 110; seed < 114; ++seed) {
        const Corpus corpus = zipf_corpus(seed, 400, 3000);
        const reference::Features features = reference::features_of(corpus.views());
        const reference::Tally truth = reference::tally_of(features);
        for (const int64_t max_terms : {1, 5, 50, 300}) {
            TermTally tally(some_key);
            reference::Tally twin;
            for (size_t begin = 0; begin < features.size(); begin += 16) {
                const auto from = features.begin() + static_cast<std::ptrdiff_t>(begin);
                documents_tally(corpus.views().subspan(begin, 16), default_words, max_terms, Run(2),
                                tally);
                twin.add({from, from + 16});
                if (static_cast<int64_t>(twin.terms.size()) > 2 * max_terms) twin.prune(max_terms);
                CHECK(tally.vocabulary().size() <= 2 * max_terms, max_terms);
            }
            check_tally(tally, twin);
            CHECK_EQ(tally.n_documents(), truth.n_documents);
            CHECK(tally.undercount() > 0, max_terms);
            for (const auto& [term, numbers] : truth.terms) {
                const auto kept = twin.terms.find(term);
                const int64_t counted = kept == twin.terms.end() ? 0 : kept->second.n_documents;
                CHECK(counted <= numbers.n_documents, term, max_terms);
                CHECK(numbers.n_documents <= counted + tally.undercount(), term, max_terms);
                if (numbers.n_documents > tally.undercount()) CHECK(counted > 0, term, max_terms);
            }
        }
    }
}

TEST("sort gives byte order, and a stopped one leaves the tally as it was") {
    const Corpus corpus = random_corpus(106, 40, 300, 1000);
    const TermTally tally = tallied(corpus.views());
    const auto expected = reference::tally_of(reference::features_of(corpus.views()));
    for (const int32_t n_jobs : job_counts) {
        TermTally moving = copied(tally);
        Run stopped(n_jobs);
        stopped.stop().request();
        CHECK_THROWS(Stopped, moving.sort(stopped));
        check_same(moving, tally);
        moving.sort(Run(n_jobs));
        check_tally(moving, expected);
        int64_t i = 0;
        for (const auto& entry : expected.terms)
            CHECK_EQ(moving.vocabulary().term(i++), entry.first);
    }
}

TEST("a tally made again from its arrays is the same") {
    const Corpus corpus = random_corpus(107, 30, 200, 300);
    TermTally tally = sorted(tallied(corpus.views()));
    tally.prune(60);
    TermTally again = copied(tally);
    check_same(again, tally);
    documents_tally(corpus.views(), default_words, 100, Run(), tally);
    documents_tally(corpus.views(), default_words, 100, Run(), again);
    check_same(again, tally);
}

TEST("a request stops the tally") {
    const Corpus corpus = random_corpus(108, 160, 1000, 1000);
    for (const int64_t max_terms : {no_max_terms, int64_t{10}}) {
        for (const int32_t n_jobs : job_counts) {
            Run run(n_jobs);
            run.stop().request();
            TermTally tally(some_key);
            CHECK_THROWS(Stopped,
                         documents_tally(corpus.views(), default_words, max_terms, run, tally));
            check_tally(tally, {});
        }
    }
}

TEST("the token counts the documents") {
    const Corpus corpus = random_corpus(109, 160, 1000, 1000);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        TermTally tally(some_key);
        documents_tally(corpus.views(), default_words, no_max_terms, run, tally);
        CHECK_EQ(run.stop().done(), 160, n_jobs);
        documents_tally(corpus.views(), default_words, 10, run, tally);
        CHECK_EQ(run.stop().done(), 320, n_jobs);
    }
}

// Documents that are nearly all white space: the words from `first_word` to w9, then spaces.
struct Slice {
    int64_t first_word;
    int64_t length;  // code units in all
};
struct Blocks {
    std::vector<Slice> slices;
    std::vector<size_t> borders;  // of the blocks
    std::vector<size_t> wrong;    // borders that must give something else, or nothing is tested
};

reference::Tally tally_in_blocks(const reference::Features& features,
                                 const std::vector<size_t>& borders, int64_t max_terms) {
    reference::Tally tally;
    for (size_t i = 1; i < borders.size(); ++i) {
        tally.add({features.begin() + static_cast<std::ptrdiff_t>(borders[i - 1]),
                   features.begin() + static_cast<std::ptrdiff_t>(borders[i])});
        if (static_cast<int64_t>(tally.terms.size()) > 2 * max_terms) tally.prune(max_terms);
    }
    return tally;
}

TEST("blocks end where the next document would not fit, one too long stands alone") {
    constexpr int64_t block = int64_t{1} << 25;  // block_units in tally.cpp
    constexpr int64_t half = block / 2;
    constexpr int64_t max_terms = 4;
    const auto n_with_last = [](const reference::Tally& tally) {
        const auto last = tally.terms.find("w9");
        return last == tally.terms.end() ? 0 : last->second.n_documents;
    };
    std::string text;
    for (int word = 0; word < 10; ++word) text += "w" + std::to_string(word) + " ";
    text.resize(static_cast<size_t>(block) + 200, ' ');
    for (const Blocks& blocks :
         std::vector<Blocks>{{{{0, half}, {7, half}}, {0, 2}, {0, 1, 2}},
                             {{{0, half + 1}, {7, half}}, {0, 1, 2}, {0, 2}},
                             {{{0, block + 100}, {7, 100}}, {0, 1, 2}, {0, 2}},
                             {{{0, 100}, {7, block + 100}}, {0, 1, 2}, {0, 2}},
                             {{{0, 100}, {0, half}, {7, half - 100}}, {0, 3}, {0, 2, 3}},
                             {{{0, 100}, {0, half}, {7, half - 99}}, {0, 2, 3}, {0, 3}}}) {
        std::vector<Document> documents;
        reference::Features features;
        for (const auto& [first_word, length] : blocks.slices) {
            documents.push_back({text.data() + 3 * first_word, length, TextKind::ascii});
            std::vector<std::string>& words = features.emplace_back();
            for (int64_t i = first_word; i < 10; ++i) words.push_back("w" + std::to_string(i));
        }
        const auto expected = tally_in_blocks(features, blocks.borders, max_terms);
        const auto wrong = tally_in_blocks(features, blocks.wrong, max_terms);
        CHECK(n_with_last(wrong) != n_with_last(expected));
        for (const int32_t n_jobs : job_counts) {
            TermTally tally(some_key);
            const Run run(n_jobs, available_instruction_sets().back());
            documents_tally(documents, default_words, max_terms, run, tally);
            check_tally(tally, expected);
        }
    }
}

}  // namespace
}  // namespace wordodds
