// Features that a frozen vocabulary does not hold, counted in columns behind its own.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/text/count.hpp"
#include "reference/text/murmur.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/defaults.hpp"
#include "tests/text/terms.hpp"
#include "wordodds/text/feature_counter.hpp"

namespace wordodds {
namespace {

// 0: dropped; 1: one column for all; powers of two and others; so many that few share one.
constexpr int64_t unknown_counts[] = {0, 1, 2, 3, 64, 1000, int64_t{1} << 30};

// Every other term of the corpus, in no order.
std::vector<std::string> half_of(const reference::Features& features) {
    std::vector<std::string> terms;
    const std::vector<std::string> all = reference::count_growing(features).terms;
    for (size_t i = 0; i < all.size(); i += 2) terms.push_back(all[i]);
    Random random(130);
    std::shuffle(terms.begin(), terms.end(), random);
    return terms;
}

void feed(const reference::Features& rows, FeatureCounter& counter) {
    for (const auto& row : rows) {
        for (const std::string& feature : row) {
            const std::vector<char> bytes(feature.begin(), feature.end());
            counter.add({bytes.data(), static_cast<int64_t>(bytes.size()), TextKind::utf8});
        }
        counter.end_view();
    }
}

TEST("unknown words written out by hand") {
    Corpus corpus;
    corpus.add(U"known one two one", TextKind::ascii);
    corpus.add(U"known", TextKind::ascii);
    corpus.add(U"three", TextKind::ascii);
    const Vocabulary vocabulary = packed_vocabulary({"unseen", "known"});
    reference::Counts expected;
    expected.indptr = {0, 2, 3, 4};
    expected.indices = {1, 2, 1, 2};
    expected.data = {1, 3, 1, 1};
    const Run run;
    check_rows(documents_count_frozen(corpus.views(), default_words, vocabulary, 1, run), run,
               expected);
}

TEST("the column of an unknown feature") {
    const Vocabulary vocabulary = packed_vocabulary(distinct_terms(131, 300));
    for (const std::string& term : distinct_terms(132, 2000)) {
        // What may be read and no more, for AddressSanitizer to watch: 16 bytes for the key, 3
        // behind the term for the column.
        std::vector<char> bytes(std::max<size_t>(term.size() + 3, token_head_bytes), '\xFF');
        std::copy(term.begin(), term.end(), bytes.begin());
        const auto key_with = [&](HashKey key) {
            return make_token_key(bytes.data(), static_cast<uint32_t>(term.size()), key);
        };
        const TokenKey token = key_with(some_key);
        CHECK_EQ(unknown_column(token, vocabulary, 0), Vocabulary::not_found, term);
        CHECK_EQ(unknown_column(token, vocabulary, 1), 300u, term);
        for (const int64_t n : unknown_counts) {
            if (n == 0) continue;
            const int64_t expected = 300 + int64_t{reference::murmur3_32(term)} % n;
            CHECK_EQ(int64_t{unknown_column(token, vocabulary, n)}, expected, term, n);
            // Whatever the vocabulary's own key.
            const TokenKey other = key_with(HashKey{1, 2});
            CHECK_EQ(int64_t{unknown_column(other, vocabulary, n)}, expected, term, n);
        }
    }
}

TEST("documents: the same for any number of jobs and instruction set") {
    const Corpus corpus = random_corpus(133, 60, 1600, 5000);
    CHECK(corpus.length() > 2 << 17, corpus.length());
    const reference::Features features = reference::features_of(corpus.views());
    for (const std::vector<std::string>& terms : {half_of(features), std::vector<std::string>{}}) {
        const Vocabulary vocabulary = packed_vocabulary(terms);
        for (const int64_t n_unknown : unknown_counts) {
            const auto expected = reference::count_frozen(features, terms, n_unknown);
            for_each_execution([&](const Execution& execution) {
                check_rows(documents_count_frozen(corpus.views(), default_words, vocabulary,
                                                  n_unknown, execution),
                           execution, expected);
            });
        }
    }
}

TEST("n-grams may be unknown as well") {
    const Corpus corpus = random_corpus(134, 40, 300, 300);
    const AnalyzerOptions options{AnalyzerKind::word, true, 1, 1, 2, nullptr};
    const reference::Features features = reference::features_of(corpus.views(), options);
    const std::vector<std::string> terms = half_of(features);
    Vocabulary vocabulary = vocabulary_of(terms);
    vocabulary.sort(Run());  // without its table: the count makes it
    const auto expected = reference::count_frozen(features, terms_of(vocabulary), 50);
    for (const int32_t n_jobs : job_counts) {
        const Run run(n_jobs);
        check_rows(documents_count_frozen(corpus.views(), options, vocabulary, 50, run), run,
                   expected);
    }
}

TEST("features found by the caller") {
    const Corpus corpus = random_corpus(135, 40, 300, 300);
    reference::Features features = reference::features_of(corpus.views());
    features.push_back({"", "", std::string(1, '\0'), std::string(17, 'x'), ""});
    for (const int64_t n_unknown : unknown_counts) {
        Vocabulary vocabulary = vocabulary_of(half_of(features));
        vocabulary.sort(Run());
        const auto expected = reference::count_frozen(features, terms_of(vocabulary), n_unknown);
        FeatureCounter counter(vocabulary, n_unknown);
        feed(features, counter);
        Vocabulary untouched = packed_vocabulary({"old"});
        const Run run;
        check_rows(counter.finish(run, untouched), run, expected);
        CHECK_EQ(untouched.size(), 1);
    }
}

TEST("more columns than numbers for them are refused") {
    const Vocabulary vocabulary = packed_vocabulary({"a", "b", "c"});
    Corpus corpus;
    corpus.add(U"words that are unknown", TextKind::ascii);
    const reference::Features features = reference::features_of(corpus.views());
    const Run run;
    const auto count = [&](int64_t n_unknown) {
        return documents_count_frozen(corpus.views(), default_words, vocabulary, n_unknown, run);
    };
    const int64_t most = Vocabulary::max_terms - 3;
    const auto expected = reference::count_frozen(features, {"a", "b", "c"}, most);
    check_rows(count(most), run, expected);
    FeatureCounter counter(vocabulary, most);
    feed(features, counter);
    Vocabulary untouched(some_key);
    check_rows(counter.finish(run, untouched), run, expected);
    for (const int64_t n_unknown :
         {most + 1, int64_t{1} << 31, int64_t{1} << 32, std::numeric_limits<int64_t>::max()}) {
        CHECK_THROWS(std::invalid_argument, count(n_unknown));
        CHECK_THROWS(std::invalid_argument, FeatureCounter(vocabulary, n_unknown));
    }
}

}  // namespace
}  // namespace wordodds
