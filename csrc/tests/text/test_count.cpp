#include <algorithm>
#include <chrono>
#include <thread>

#include "reference/text/count.hpp"
#include "reference/text/hashing.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/text/corpus.hpp"
#include "tests/text/defaults.hpp"
#include "wordodds/text/count.hpp"

namespace wordodds {
namespace {

void check_growing(std::span<const Document> documents, const Execution& execution,
                   const reference::Counts& expected, HashKey key = some_key,
                   const AnalyzerOptions& options = default_words) {
    Vocabulary vocabulary(key);
    const CountedRows rows = documents_count_growing(documents, options, execution, vocabulary);
    CHECK_EQ(vocabulary.size(), static_cast<int64_t>(expected.terms.size()));
    for (size_t i = 0; i < expected.terms.size(); ++i) {
        CHECK_EQ(vocabulary.term(static_cast<int64_t>(i)), expected.terms[i], i, execution.n_jobs);
    }
    check_rows(rows, execution, expected);
}

TEST("counts written out by hand") {
    Corpus corpus;
    corpus.add(U"zeta beta Zeta x", TextKind::ascii);
    corpus.add(U"", TextKind::ascii);
    corpus.add(U"alpha BETA alpha zeta alpha", TextKind::ucs4);
    Vocabulary vocabulary(some_key);
    const Run run;
    const CountedRows rows =
        documents_count_growing(corpus.views(), default_words, run, vocabulary);
    CHECK_EQ(vocabulary.size(), 3);
    CHECK_EQ(vocabulary.term(0), "alpha");
    CHECK_EQ(vocabulary.term(1), "beta");
    CHECK_EQ(vocabulary.term(2), "zeta");
    reference::Counts expected;
    expected.indptr = {0, 2, 2, 5};
    expected.indices = {2, 1, 2, 1, 0};  // in the order zeta, beta, alpha of first occurrence
    expected.data = {2, 1, 1, 1, 3};
    check_rows(rows, run, expected);

    const Vocabulary frozen = packed_vocabulary({"beta", "unseen", "zeta"});
    expected.indptr = {0, 2, 2, 4};
    expected.indices = {0, 2, 0, 2};
    expected.data = {1, 2, 1, 1};
    check_rows(documents_count_frozen(corpus.views(), default_words, frozen, 0, run), run,
               expected);
}

TEST("growing: small random corpora") {
    for (uint64_t seed = 0; seed < 24; ++seed) {
        const auto n_documents = static_cast<int64_t>(seed % 12);
        const Corpus corpus = random_corpus(seed, n_documents, 120, 50);
        const reference::Counts expected = reference::count_growing(corpus.views());
        for_each_execution([&](const Execution& execution) {
            check_growing(corpus.views(), execution, expected);
        });
    }
}

TEST("growing: the same for any number of jobs, instruction set and hash key") {
    // Above 5 * 2^17 code points: five jobs make five parts.
    const Corpus corpus = random_corpus(21, 160, 2000, 5000);
    CHECK(corpus.length() > 5 << 17, corpus.length());
    const reference::Counts expected = reference::count_growing(corpus.views());
    for_each_execution(
        [&](const Execution& execution) { check_growing(corpus.views(), execution, expected); });
    check_growing(corpus.views(), Run(5), expected, HashKey{0, 0});
    check_growing(corpus.views(), Run(16), expected, HashKey{3, ~uint64_t{0}});

    Vocabulary vocabulary(some_key);
    const CountedRows rows =
        documents_count_growing(corpus.views(), default_words, Run(5), vocabulary);
    CHECK(rows.parts.size() == 5, rows.parts.size());  // or the above has tested nothing
}

TEST("frozen: the same for any number of jobs and instruction set") {
    const Corpus corpus = random_corpus(22, 60, 1600, 5000);
    // Half of the words that occur, some that do not, in no order.
    std::vector<std::string> terms;
    for (const std::string& term : reference::count_growing(corpus.views()).terms) {
        terms.push_back(terms.size() % 2 == 0 ? term : term + "~");
    }
    Random random(23);
    std::shuffle(terms.begin(), terms.end(), random);
    const Vocabulary vocabulary = packed_vocabulary(terms);
    const reference::Counts expected = reference::count_frozen(corpus.views(), terms);
    for_each_execution([&](const Execution& execution) {
        check_rows(documents_count_frozen(corpus.views(), default_words, vocabulary, 0, execution),
                   execution, expected);
    });
    const CountedRows rows =
        documents_count_frozen(corpus.views(), default_words, vocabulary, 0, Run(2));
    CHECK(rows.parts.size() > 2, rows.parts.size());
}

TEST("n-grams and stop words: the same for any number of jobs and instruction set") {
    const Corpus corpus = random_corpus(30, 80, 1400, 1000);
    CHECK(corpus.length() > 1 << 17, corpus.length());
    const std::vector<std::string> common = reference::count_growing(corpus.views()).terms;
    const Vocabulary stops = packed_vocabulary({common[0], common[common.size() / 2], "the"});
    const reference::StopWords twin_stops = [&] {
        reference::StopWords words;
        for (const Document& document : corpus.views()) {
            for (const std::u32string& word : reference::analyze(reference::decode(document), {})) {
                const std::string bytes = reference::encode(word);
                for (int64_t i = 0; i < stops.size(); ++i) {
                    if (stops.term(i) == bytes) words.insert(word);
                }
            }
        }
        return words;
    }();
    CHECK_EQ(twin_stops.size(), 2u);
    for (const AnalyzerOptions& options :
         {AnalyzerOptions{AnalyzerKind::word, true, 1, 1, 2, &stops},
          AnalyzerOptions{AnalyzerKind::chars, false, 2, 2, 3, nullptr},
          AnalyzerOptions{AnalyzerKind::chars_in_words, true, 2, 3, 4, nullptr}}) {
        const reference::Features features = reference::features_of(
            corpus.views(), options, options.stop_words ? twin_stops : reference::StopWords{});
        const reference::Counts growing = reference::count_growing(features);
        std::vector<std::string> terms;
        for (size_t i = 0; i < growing.terms.size(); i += 3) terms.push_back(growing.terms[i]);
        std::reverse(terms.begin(), terms.end());
        const Vocabulary vocabulary = packed_vocabulary(terms);
        const reference::Counts frozen = reference::count_frozen(features, terms);
        const auto best = available_instruction_sets().back();
        for (const int32_t n_jobs : job_counts) {
            const Run run(n_jobs, n_jobs == 2 ? InstructionSet::baseline : best);
            check_growing(corpus.views(), run, growing, some_key, options);
            check_rows(documents_count_frozen(corpus.views(), options, vocabulary, 0, run), run,
                       frozen);
        }
    }
}

TEST("a part without a word among parts with words") {
    Random random(24);
    Corpus corpus;
    const Lexicon lexicon = random_lexicon(random, 500, TextKind::latin1);
    const auto long_text = [&] { return random_prose(random, 10'000, lexicon); };
    corpus.add(std::u32string(150'000, U' '), TextKind::ascii);
    corpus.add(long_text(), TextKind::latin1);
    corpus.add(std::u32string(150'000, U'.'), TextKind::ucs2);
    corpus.add(U"", TextKind::ascii);
    corpus.add(long_text(), TextKind::latin1);
    corpus.add(std::u32string(150'000, U' '), TextKind::ascii);
    const reference::Counts expected = reference::count_growing(corpus.views());
    const reference::Counts frozen = reference::count_frozen(corpus.views(), expected.terms);
    const Vocabulary vocabulary = packed_vocabulary(expected.terms);
    for (const int32_t n_jobs : {1, 2, 5, 16}) {
        check_growing(corpus.views(), Run(n_jobs), expected);
        check_rows(
            documents_count_frozen(corpus.views(), default_words, vocabulary, 0, Run(n_jobs)),
            Run(n_jobs), frozen);
    }
}

TEST("one huge document, and one among many small ones") {
    Random random(25);
    Corpus corpus;
    for (int i = 0; i < 50; ++i) corpus.add(U"small text of few words", TextKind::ascii);
    const Lexicon lexicon = random_lexicon(random, 3000, TextKind::ascii);
    corpus.add(random_prose(random, 25'000, lexicon), TextKind::ascii);
    for (int i = 0; i < 50; ++i) corpus.add(U"words of small text", TextKind::ascii);
    for (const auto& documents : {corpus.views(), corpus.views().subspan(50, 1)}) {
        const reference::Counts expected = reference::count_growing(documents);
        for (const int32_t n_jobs : job_counts) check_growing(documents, Run(n_jobs), expected);
    }
}

TEST("no documents, only empty ones, only separators, an empty vocabulary") {
    Corpus corpus;
    for (int i = 0; i < 3; ++i) corpus.add(U"", text_kinds[i]);
    corpus.add(U"a . b", TextKind::ascii);
    for_each_execution([&](const Execution& execution) {
        check_growing({}, execution, reference::Counts{});
        check_growing(corpus.views(), execution, reference::count_growing(corpus.views()));
        const Vocabulary empty(some_key);
        check_rows(documents_count_frozen({}, default_words, empty, 0, execution), execution,
                   reference::Counts{});
        const Corpus words = random_corpus(26, 5, 50, 20);
        check_rows(documents_count_frozen(words.views(), default_words, empty, 0, execution),
                   execution, reference::count_frozen(words.views(), {}));
    });
}

TEST("a word that occurs 300,000 times") {
    Corpus corpus;
    std::u32string text;
    for (int i = 0; i < 300'000; ++i) text += U"ab ";
    corpus.add(text, TextKind::ascii);
    Vocabulary vocabulary(some_key);
    const Run run;
    const CountedRows rows =
        documents_count_growing(corpus.views(), default_words, run, vocabulary);
    const reference::Counts counts = written(rows, run);
    CHECK_SAME(counts.data, (std::vector<int64_t>{300'000}));
}

// The same few documents over and over: many seconds of work in little memory.
std::vector<Document> endless(const Corpus& corpus) {
    std::vector<Document> documents;
    while (documents.size() < 400'000) {
        documents.insert(documents.end(), corpus.views().begin(), corpus.views().end());
    }
    return documents;
}

TEST("a request in the middle stops the count, and soon") {
    const Corpus corpus = random_corpus(27, 40, 2000, 3000);
    const std::vector<Document> documents = endless(corpus);
    const Vocabulary known = packed_vocabulary(reference::count_growing(corpus.views()).terms);
    for (const int32_t n_jobs : job_counts) {
        for (const bool growing : {true, false}) {
            Run run(n_jobs);
            Vocabulary vocabulary(some_key);
            std::thread other([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                run.stop().request();
            });
            bool stopped = false;
            const auto start = std::chrono::steady_clock::now();
            try {
                if (growing) {
                    documents_count_growing(documents, default_words, run, vocabulary);
                } else {
                    documents_count_frozen(documents, default_words, known, 0, run);
                }
            } catch (const Stopped&) {
                stopped = true;
            }
            const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
            other.join();
            CHECK(stopped, n_jobs, growing);
            CHECK(elapsed.count() < 2.0, elapsed.count(), n_jobs, growing);
            CHECK_EQ(vocabulary.size(), 0, n_jobs);
        }
    }
}

TEST("a poll stops the count within one long document") {
    // One chunk, checked before it starts; what notices an interval later is the check per window.
    const std::vector<char> text(16'000'000, '\xE9');
    const Document document{text.data(), static_cast<int64_t>(text.size()), TextKind::latin1};
    const Vocabulary vocabulary(some_key);
    StopToken stop([](void*) { return true; }, nullptr);
    const Execution execution{1, InstructionSet::baseline, &stop};
    CHECK_THROWS(Stopped, documents_count_frozen(std::span(&document, 1), default_words, vocabulary,
                                                 0, execution));
}

TEST("the token counts the documents, whichever way they are counted") {
    const Corpus corpus = random_corpus(36, 60, 2400, 3000);
    CHECK(corpus.length() > 2 << 17, corpus.length());
    for (const int32_t n_jobs : job_counts) {
        Run growing(n_jobs), frozen(n_jobs), hashed(n_jobs);
        Vocabulary vocabulary(some_key);
        documents_count_growing(corpus.views(), default_words, growing, vocabulary);
        documents_count_frozen(corpus.views(), default_words, vocabulary, 0, frozen);
        documents_count_hashed(corpus.views(), default_words, {1000, true}, hashed);
        CHECK_EQ(growing.stop().done(), 60, n_jobs);
        CHECK_EQ(frozen.stop().done(), 60, n_jobs);
        CHECK_EQ(hashed.stop().done(), 60, n_jobs);
        documents_count_hashed(corpus.views().first(7), default_words, {1000, true}, hashed);
        CHECK_EQ(hashed.stop().done(), 67, n_jobs);
    }
}

template <class Value>
void check_written(const CountedRows& rows, bool binary, int32_t n_jobs,
                   const reference::Counts& expected) {
    std::vector<int64_t> indptr(expected.indptr.size(), -7);
    std::vector<int32_t> indices(expected.indices.size(), -7);
    std::vector<Value> data(expected.data.size(), Value{-7});
    counted_rows_write<Value>(rows, binary, Run(n_jobs), indptr, indices, data);
    CHECK_EQ(indptr.size(), expected.indptr.size());
    for (size_t i = 0; i < indptr.size(); ++i) CHECK_EQ(int64_t{indptr[i]}, expected.indptr[i], i);
    for (size_t i = 0; i < indices.size(); ++i) {
        CHECK_EQ(int64_t{indices[i]}, expected.indices[i], i, n_jobs);
        const auto value = static_cast<Value>(binary ? 1 : expected.data[i]);
        CHECK_EQ(data[i], value, i, n_jobs, binary);
    }
}

// Every Value for which the writer exists.
void check_written_types(const CountedRows& rows, int32_t n_jobs,
                         const reference::Counts& expected) {
    for (const bool binary : {false, true}) {
        check_written<float>(rows, binary, n_jobs, expected);
        check_written<double>(rows, binary, n_jobs, expected);
        check_written<int64_t>(rows, binary, n_jobs, expected);
    }
}

TEST("rows are written for every value type, as counts and as ones") {
    const Corpus corpus = random_corpus(28, 60, 2400, 3000);
    CHECK(corpus.length() > 2 << 17, corpus.length());
    const reference::Features features = reference::features_of(corpus.views());
    const reference::Counts growing = reference::count_growing(features);
    const reference::Counts frozen = reference::count_frozen(features, growing.terms);
    const reference::Counts hashed = reference::count_hashed(features, 1000, true);
    CHECK(std::count(hashed.data.begin(), hashed.data.end(), 0) > 0);
    CHECK(std::any_of(hashed.data.begin(), hashed.data.end(), [](int64_t x) { return x < 0; }));
    const Vocabulary known = packed_vocabulary(growing.terms);
    for (const int32_t n_jobs : job_counts) {
        const Run run(n_jobs);
        Vocabulary vocabulary(some_key);
        const CountedRows grown =
            documents_count_growing(corpus.views(), default_words, run, vocabulary);
        CHECK_EQ(grown.parts.size() > 1, n_jobs > 1);
        check_written_types(grown, n_jobs, growing);
        check_written<float>(grown, false, 3, growing);  // other threads than counted
        check_written_types(documents_count_frozen(corpus.views(), default_words, known, 0, run),
                            n_jobs, frozen);
        check_written_types(
            documents_count_hashed(corpus.views(), default_words, {1000, true}, run), n_jobs,
            hashed);
    }
    check_written_types(CountedRows{}, 1, reference::Counts{});
}

TEST("a stopped writer throws") {
    const Corpus corpus = random_corpus(29, 40, 2000, 3000);
    for (const int32_t n_jobs : job_counts) {
        Vocabulary vocabulary(some_key);
        const CountedRows rows =
            documents_count_growing(corpus.views(), default_words, Run(n_jobs), vocabulary);
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, written(rows, run));
    }
}

}  // namespace
}  // namespace wordodds
