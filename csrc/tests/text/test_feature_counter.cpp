// FeatureCounter: features found by the caller.
#include <algorithm>

#include "reference/text/hashing.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "wordodds/text/feature_counter.hpp"

namespace wordodds {
namespace {

using Texts = std::vector<std::u32string>;

// Rows of features that no analyzer would find: empty ones, white space, NUL, lone surrogates,
// upper case; empty rows; features that come again within a row and across rows.
std::vector<Texts> random_rows(uint64_t seed, int64_t n_rows, int64_t features_max) {
    Random random(seed);
    Texts lexicon{U"",
                  U" ",
                  U"a",
                  U"A",
                  std::u32string(1, U'\0'),
                  {U'a', U'\0'},
                  std::u32string(1, char32_t{0xD800}),
                  std::u32string(1, char32_t{0x10FFFF}),
                  std::u32string(16, U'x'),
                  std::u32string(17, U'x'),
                  std::u32string(300, U'\u4E2D')};
    for (int i = 0; i < 800; ++i) {
        lexicon.push_back(random_text(random, below(random, 40), text_kinds[random() % 5]));
    }
    std::vector<Texts> rows;
    for (int64_t row = 0; row < n_rows; ++row) {
        Texts& features = rows.emplace_back();
        const int64_t n = row % 7 == 0 ? 0 : below(random, features_max + 1);
        for (int64_t i = 0; i < n; ++i) {
            const double u = uniform(random);
            const double place = u * u * static_cast<double>(lexicon.size());
            features.push_back(lexicon[static_cast<size_t>(place)]);
        }
    }
    return rows;
}

reference::Features encoded(const std::vector<Texts>& rows) {
    reference::Features features;
    for (const Texts& row : rows) features.push_back(reference::encode_each(row));
    return features;
}

// Each feature in some kind that holds it: the counter must not care which.
void feed(const std::vector<Texts>& rows, FeatureCounter& counter) {
    Random random(50);
    for (const Texts& row : rows) {
        for (const std::u32string& feature : row) {
            const auto narrowest = static_cast<int64_t>(kind_of(feature));
            const auto kind = static_cast<TextKind>(narrowest + below(random, 5 - narrowest));
            const OwnedDocument document(feature, kind);  // gone before the next is added
            counter.add(document.view());
        }
        counter.end_view();
    }
}

void check_terms(const Vocabulary& vocabulary, const std::vector<std::string>& expected) {
    CHECK_EQ(vocabulary.size(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
        CHECK_EQ(vocabulary.term(static_cast<int64_t>(i)), expected[i], i);
    }
}

TEST("features written out by hand") {
    const std::vector<Texts> rows{{U"zeta", U"beta", U"zeta", U""}, {}, {U"", U"alpha", U"Zeta"}};
    const Run run;
    FeatureCounter counter(some_key);
    feed(rows, counter);
    Vocabulary vocabulary(some_key);
    const CountedRows counted = counter.finish(run, vocabulary);
    check_terms(vocabulary, {"", "Zeta", "alpha", "beta", "zeta"});
    reference::Counts expected;
    expected.indptr = {0, 3, 3, 6};
    expected.indices = {4, 3, 0, 0, 2, 1};  // in the order of first occurrence
    expected.data = {2, 1, 1, 1, 1, 1};
    check_rows(counted, run, expected);
}

TEST("growing") {
    for (uint64_t seed = 51; seed < 56; ++seed) {
        const std::vector<Texts> rows = random_rows(seed, 150, 200);
        const reference::Counts expected = reference::count_growing(encoded(rows));
        for (const int32_t n_jobs : job_counts) {
            const Run run(n_jobs);
            // Whatever the key, and whatever vocabulary_out held.
            FeatureCounter counter(n_jobs == 2 ? HashKey{0, 0} : some_key);
            Vocabulary vocabulary = packed_vocabulary({"old", "terms"});
            feed(rows, counter);
            const CountedRows counted = counter.finish(run, vocabulary);
            check_terms(vocabulary, expected.terms);
            check_rows(counted, run, expected);
        }
    }
}

TEST("frozen") {
    for (uint64_t seed = 56; seed < 60; ++seed) {
        const std::vector<Texts> rows = random_rows(seed, 150, 200);
        const reference::Features features = encoded(rows);
        std::vector<std::string> terms = reference::count_growing(features).terms;
        for (size_t i = 1; i < terms.size(); i += 2) terms[i] += "~unseen~";
        Random random(seed);
        std::shuffle(terms.begin(), terms.end(), random);
        const Vocabulary vocabulary = packed_vocabulary(terms);
        const reference::Counts expected = reference::count_frozen(features, terms);
        for (const int32_t n_jobs : job_counts) {
            const Run run(n_jobs);
            FeatureCounter counter(vocabulary, 0);
            feed(rows, counter);
            Vocabulary untouched = packed_vocabulary({"old"});
            check_rows(counter.finish(run, untouched), run, expected);
            check_terms(untouched, {"old"});
            check_terms(vocabulary, terms);
        }
    }
}

TEST("hashed") {
    const std::vector<Texts> rows = random_rows(60, 150, 200);
    for (const int32_t n_features : {1, 100, 1 << 20, 0x7FFFFFFF}) {
        for (const bool sign : {true, false}) {
            const auto expected = reference::count_hashed(encoded(rows), n_features, sign);
            for (const int32_t n_jobs : job_counts) {
                const Run run(n_jobs);
                FeatureCounter counter(HashingOptions{n_features, sign});
                feed(rows, counter);
                Vocabulary untouched = packed_vocabulary({"old"});
                check_rows(counter.finish(run, untouched), run, expected);
                check_terms(untouched, {"old"});
            }
        }
    }
}

TEST("no rows, empty rows, nothing but the empty feature, nothing known") {
    const Vocabulary nothing(some_key);
    const std::vector<std::vector<Texts>> cases{
        {}, {{}}, {{}, {}, {}}, {{U""}}, {{}, {U"", U""}, {}}};
    for (const std::vector<Texts>& rows : cases) {
        const reference::Features features = encoded(rows);
        const Run run;
        Vocabulary vocabulary(some_key);
        FeatureCounter growing(some_key);
        feed(rows, growing);
        check_rows(growing.finish(run, vocabulary), run, reference::count_growing(features));
        check_terms(vocabulary, reference::count_growing(features).terms);
        FeatureCounter frozen(nothing, 0);
        feed(rows, frozen);
        check_rows(frozen.finish(run, vocabulary), run, reference::count_frozen(features, {}));
        FeatureCounter hashed(HashingOptions{5, true});
        feed(rows, hashed);
        check_rows(hashed.finish(run, vocabulary), run, reference::count_hashed(features, 5, true));
    }
}

TEST("the features of an analyzer, fed one by one, give the rows of documents_count") {
    const Corpus corpus = random_corpus(61, 40, 700, 1500);
    const AnalyzerOptions options{AnalyzerKind::word, true, 1, 1, 2, nullptr};
    std::vector<Texts> rows;
    for (const Document& document : corpus.views()) {
        rows.push_back(reference::analyze(reference::decode(document), options));
    }
    const Run run(5);
    Vocabulary from_documents(some_key);
    const CountedRows expected =
        documents_count_growing(corpus.views(), options, run, from_documents);
    FeatureCounter counter(some_key);
    feed(rows, counter);
    Vocabulary from_features(some_key);
    const CountedRows actual = counter.finish(run, from_features);
    CHECK_SAME(from_features.arena(), from_documents.arena());
    CHECK_SAME(from_features.offsets(), from_documents.offsets());
    check_rows(actual, run, written(expected, run));
}

TEST("a stopped finish throws") {
    const std::vector<Texts> rows = random_rows(62, 20, 100);
    FeatureCounter counter(some_key);
    feed(rows, counter);
    Run run;
    run.stop().request();
    Vocabulary vocabulary(some_key);
    CHECK_THROWS(Stopped, counter.finish(run, vocabulary));
}

}  // namespace
}  // namespace wordodds
