// Corpora for tests, and rows of counts checked against a twin's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/text/count.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "wordodds/text/count.hpp"
#include "wordodds/text/write_rows.hpp"

namespace wordodds {

inline constexpr HashKey some_key{0x9E3779B97F4A7C15u, 0xD1B54A32D192ED03u};

class Corpus {
   public:
    void add(const std::u32string& text, TextKind kind) {
        documents_.push_back(OwnedDocument(text, kind));
        views_.push_back(documents_.back().view());
    }
    std::span<const Document> views() const { return views_; }
    int64_t length() const {
        int64_t total = 0;
        for (const Document& document : views_) total += document.length;
        return total;
    }

   private:
    std::vector<OwnedDocument> documents_;
    std::vector<Document> views_;
};

// Documents of all kinds and very different lengths, empty ones among them.
inline Corpus random_corpus(uint64_t seed, int64_t n_documents, int64_t words_max,
                            int64_t n_distinct) {
    Random random(seed);
    std::vector<Lexicon> lexicons;
    for (const TextKind kind : text_kinds) {
        lexicons.push_back(random_lexicon(random, n_distinct, kind));
    }
    Corpus corpus;
    for (int64_t i = 0; i < n_documents; ++i) {
        const TextKind kind = text_kinds[random() % 5];
        const Lexicon& lexicon = lexicons[static_cast<size_t>(kind)];
        const double u = uniform(random);
        const auto n_words = static_cast<int64_t>(u * u * u * static_cast<double>(words_max));
        corpus.add(random() % 8 == 0 ? U"" : random_prose(random, n_words, lexicon), kind);
    }
    return corpus;
}

inline reference::Counts written(const CountedRows& rows, const Execution& execution) {
    std::vector<int64_t> indptr(static_cast<size_t>(rows.n_rows) + 1, -1);
    std::vector<int32_t> indices(static_cast<size_t>(rows.nnz), -1);
    std::vector<int64_t> data(static_cast<size_t>(rows.nnz), -1);
    counted_rows_write<int64_t>(rows, false, execution, indptr, indices, data);
    reference::Counts counts;
    counts.indptr.assign(indptr.begin(), indptr.end());
    counts.indices.assign(indices.begin(), indices.end());
    counts.data = data;
    return counts;
}

inline void check_rows(const CountedRows& rows, const Execution& execution,
                       const reference::Counts& expected) {
    CHECK_EQ(rows.n_rows + 1, static_cast<int64_t>(expected.indptr.size()));
    CHECK_EQ(rows.nnz, static_cast<int64_t>(expected.data.size()));
    const reference::Counts actual = written(rows, execution);
    CHECK_SAME(actual.indptr, expected.indptr, execution.n_jobs);
    CHECK_SAME(actual.indices, expected.indices, execution.n_jobs);
    CHECK_SAME(actual.data, expected.data, execution.n_jobs);
}

inline Vocabulary packed_vocabulary(const std::vector<std::string>& terms) {
    std::string arena;
    std::vector<int64_t> offsets{0};
    for (const std::string& term : terms) {
        arena += term;
        offsets.push_back(static_cast<int64_t>(arena.size()));
    }
    return Vocabulary(some_key, arena, offsets);
}

}  // namespace wordodds
