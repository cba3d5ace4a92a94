#include <algorithm>
#include <chrono>
#include <thread>

#include "check.hpp"
#include "documents.hpp"
#include "execution.hpp"
#include "reference/count.hpp"
#include "wordodds/text/count.hpp"

namespace wordodds {
namespace {

constexpr HashKey some_key{0x9E3779B97F4A7C15u, 0xD1B54A32D192ED03u};

class Corpus {
   public:
    void add(const std::u32string& text, TextKind kind) {
        documents_.push_back(OwnedDocument(text, kind));
        views_.push_back(documents_.back().view());
    }
    std::span<const Document> views() const { return views_; }

   private:
    std::vector<OwnedDocument> documents_;
    std::vector<Document> views_;
};

// Documents of all kinds and very different lengths, empty ones among them.
Corpus random_corpus(uint64_t seed, int64_t n_documents, int64_t words_max, int64_t n_distinct) {
    Random random(seed);
    std::vector<Lexicon> lexicons;
    for (const TextKind kind : text_kinds) {
        lexicons.push_back(random_lexicon(random, n_distinct, kind));
    }
    Corpus corpus;
    for (int64_t i = 0; i < n_documents; ++i) {
        const TextKind kind = text_kinds[random() % 4];
        const Lexicon& lexicon = lexicons[static_cast<size_t>(kind)];
        const double u = uniform(random);
        const auto n_words = static_cast<int64_t>(u * u * u * static_cast<double>(words_max));
        corpus.add(random() % 8 == 0 ? U"" : random_prose(random, n_words, lexicon), kind);
    }
    return corpus;
}

template <class Index>
reference::Counts written(const CountedRows& rows, const Execution& execution) {
    std::vector<Index> indptr(static_cast<size_t>(rows.n_rows) + 1, Index{-1});
    std::vector<Index> indices(static_cast<size_t>(rows.nnz), Index{-1});
    std::vector<int64_t> data(static_cast<size_t>(rows.nnz), -1);
    counted_rows_write<Index>(rows, execution, indptr, indices, data);
    reference::Counts counts;
    counts.indptr.assign(indptr.begin(), indptr.end());
    counts.indices.assign(indices.begin(), indices.end());
    counts.data = data;
    return counts;
}

void check_rows(const CountedRows& rows, const Execution& execution,
                const reference::Counts& expected) {
    CHECK_EQ(rows.n_rows + 1, static_cast<int64_t>(expected.indptr.size()));
    CHECK_EQ(rows.nnz, static_cast<int64_t>(expected.data.size()));
    for (const auto& actual :
         {written<int32_t>(rows, execution), written<int64_t>(rows, execution)}) {
        CHECK_SAME(actual.indptr, expected.indptr, execution.n_jobs);
        CHECK_SAME(actual.indices, expected.indices, execution.n_jobs);
        CHECK_SAME(actual.data, expected.data, execution.n_jobs);
    }
}

void check_growing(std::span<const Document> documents, const Execution& execution,
                   const reference::Counts& expected, HashKey key = some_key) {
    Vocabulary vocabulary(key);
    const CountedRows rows = documents_count_growing(documents, execution, vocabulary);
    CHECK_EQ(vocabulary.size(), static_cast<int64_t>(expected.terms.size()));
    for (size_t i = 0; i < expected.terms.size(); ++i) {
        CHECK_EQ(vocabulary.term(static_cast<int64_t>(i)), expected.terms[i], i, execution.n_jobs);
    }
    check_rows(rows, execution, expected);
}

Vocabulary packed_vocabulary(const std::vector<std::string>& terms) {
    std::string arena;
    std::vector<int64_t> offsets{0};
    for (const std::string& term : terms) {
        arena += term;
        offsets.push_back(static_cast<int64_t>(arena.size()));
    }
    return Vocabulary(some_key, arena, offsets);
}

TEST("counts written out by hand") {
    Corpus corpus;
    corpus.add(U"zeta beta Zeta x", TextKind::ascii);
    corpus.add(U"", TextKind::ascii);
    corpus.add(U"alpha BETA alpha zeta alpha", TextKind::ucs4);
    Vocabulary vocabulary(some_key);
    const Run run;
    const CountedRows rows = documents_count_growing(corpus.views(), run, vocabulary);
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
    check_rows(documents_count_frozen(corpus.views(), frozen, run), run, expected);
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
    const Corpus corpus = random_corpus(21, 125, 2000, 5000);
    int64_t total = 0;
    for (const Document& document : corpus.views()) total += document.length;
    CHECK(total > 5 << 17, total);
    const reference::Counts expected = reference::count_growing(corpus.views());
    for_each_execution([&](const Execution& execution) {
        check_growing(corpus.views(), execution, expected);
    });
    check_growing(corpus.views(), Run(5), expected, HashKey{0, 0});
    check_growing(corpus.views(), Run(16), expected, HashKey{3, ~uint64_t{0}});

    Vocabulary vocabulary(some_key);
    const CountedRows rows = documents_count_growing(corpus.views(), Run(5), vocabulary);
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
        check_rows(documents_count_frozen(corpus.views(), vocabulary, execution), execution,
                   expected);
    });
    const CountedRows rows = documents_count_frozen(corpus.views(), vocabulary, Run(2));
    CHECK(rows.parts.size() > 2, rows.parts.size());
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
        check_rows(documents_count_frozen(corpus.views(), vocabulary, Run(n_jobs)), Run(n_jobs),
                   frozen);
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
        check_rows(documents_count_frozen({}, empty, execution), execution, reference::Counts{});
        const Corpus words = random_corpus(26, 5, 50, 20);
        check_rows(documents_count_frozen(words.views(), empty, execution), execution,
                   reference::count_frozen(words.views(), {}));
    });
}

TEST("a word that occurs 300,000 times") {
    Corpus corpus;
    std::u32string text;
    for (int i = 0; i < 300'000; ++i) text += U"ab ";
    corpus.add(text, TextKind::ascii);
    Vocabulary vocabulary(some_key);
    const Run run;
    const CountedRows rows = documents_count_growing(corpus.views(), run, vocabulary);
    const reference::Counts counts = written<int64_t>(rows, run);
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
                    documents_count_growing(documents, run, vocabulary);
                } else {
                    documents_count_frozen(documents, known, run);
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
    CHECK_THROWS(Stopped,
                 documents_count_frozen(std::span(&document, 1), vocabulary, execution));
}

TEST("a stopped writer throws") {
    const Corpus corpus = random_corpus(29, 40, 2000, 3000);
    for (const int32_t n_jobs : job_counts) {
        Vocabulary vocabulary(some_key);
        const CountedRows rows = documents_count_growing(corpus.views(), Run(n_jobs), vocabulary);
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, written<int32_t>(rows, run));
    }
}

}  // namespace
}  // namespace wordodds
