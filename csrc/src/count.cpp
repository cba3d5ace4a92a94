#include "wordodds/text/count.hpp"

#include <algorithm>
#include <memory>

#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/murmur.hpp"
#include "wordodds/text/row_builder.hpp"

namespace wordodds {
namespace {

// Below this a second thread costs more to start than it saves.
constexpr int64_t part_code_points_min = 1 << 17;

// Between making a key, which prefetches its slot, and looking it up lies a batch of others.
constexpr size_t batch_size = 64;

// One thread's way from a document to its row, by looking up each feature.
class LookupCounter {
   public:
    LookupCounter(const AnalyzerOptions& options, InstructionSet instruction_set)
        : analyzer_(options, instruction_set) {}

    // `identify` maps a TokenKey to a number or Vocabulary::not_found.
    template <class Identify>
    void count(const Document& document, const Vocabulary& vocabulary, StopToken& stop,
               Identify identify, CountedPart& part_out) {
        row_.clear();
        analyzer_.start(document);
        while (analyzer_.next(stop)) collect(vocabulary, identify);
        row_.append_row(key_bits_for(vocabulary.size()), part_out);
    }

   private:
    template <class Identify>
    void collect(const Vocabulary& vocabulary, Identify identify) {
        const auto features = analyzer_.features();
        uint32_t* const begin = row_.extend(static_cast<int64_t>(features.size()));
        uint32_t* out = begin;
        const HashKey key = vocabulary.key();
        for (size_t first = 0; first < features.size(); first += batch_size) {
            const size_t n = std::min(batch_size, features.size() - first);
            for (size_t i = 0; i < n; ++i) {
                const TokenSpan span = features[first + i];
                keys_[i] = make_token_key(analyzer_.bytes() + span.begin, span.length, key);
                vocabulary.prefetch(keys_[i].hash);
            }
            for (size_t i = 0; i < n; ++i) vocabulary.prefetch_term(keys_[i]);
            for (size_t i = 0; i < n; ++i) {
                *out = identify(keys_[i]);
                out += *out != Vocabulary::not_found;
            }
        }
        row_.keep(out - begin);
    }

    Analyzer analyzer_;
    RowBuilder row_;
    TokenKey keys_[batch_size];
};

// One thread's way from a document to its row, by hashing each feature.
class HashingCounter {
   public:
    HashingCounter(const AnalyzerOptions& options, HashingOptions hashing,
                   InstructionSet instruction_set)
        : analyzer_(options, instruction_set), hashing_(hashing) {}

    void count(const Document& document, StopToken& stop, CountedPart& part_out) {
        row_.clear();
        analyzer_.start(document);
        while (analyzer_.next(stop)) {
            const auto features = analyzer_.features();
            uint32_t* const out = row_.extend(static_cast<int64_t>(features.size()));
            for (size_t i = 0; i < features.size(); ++i) {
                const uint32_t hash =
                    murmur3_32(analyzer_.bytes() + features[i].begin, features[i].length);
                out[i] = hashed_signed_column(hash, hashing_);
            }
            row_.keep(static_cast<int64_t>(features.size()));
        }
        row_.append_signed_row(key_bits_for(2 * int64_t{hashing_.n_features}), part_out);
    }

   private:
    Analyzer analyzer_;
    HashingOptions hashing_;
    RowBuilder row_;
};

// Borders of at most n_parts stretches of documents of about equal length in all.
std::vector<size_t> split_by_length(std::span<const Document> documents, int64_t n_parts) {
    int64_t total = 0;
    for (const Document& document : documents) total += document.length;
    n_parts = std::clamp<int64_t>(n_parts, 1, total / part_code_points_min + 1);
    std::vector<size_t> borders{0};
    int64_t before = 0;
    for (size_t i = 0; i < documents.size(); ++i) {
        before += documents[i].length;
        const auto done = static_cast<int64_t>(borders.size());
        if (done < n_parts && before >= total / n_parts * done) borders.push_back(i + 1);
    }
    borders.push_back(documents.size());
    return borders;
}

// Calls count_part(documents of a stretch, its number, its part) for each stretch.
template <class CountPart>
CountedRows count_parts(std::span<const Document> documents, const std::vector<size_t>& borders,
                        const Execution& execution, CountPart count_part) {
    CountedRows rows;
    rows.parts.resize(borders.size() - 1);
    parallel_for(execution, static_cast<int64_t>(rows.parts.size()), [&](int64_t chunk, int32_t) {
        const auto p = static_cast<size_t>(chunk);
        count_part(documents.subspan(borders[p], borders[p + 1] - borders[p]), p, rows.parts[p]);
    });
    for (CountedPart& part : rows.parts) {
        part.first_row = rows.n_rows;
        rows.n_rows += part.row_ends.size();
        rows.nnz += part.terms.size();
    }
    return rows;
}

// Where stretches are independent: more of them than threads, so that a thread with easy text takes
// over from one with hard text.
std::vector<size_t> split_finely(std::span<const Document> documents, const Execution& execution) {
    constexpr int64_t parts_per_job = 4;
    return split_by_length(documents, execution.n_jobs == 1 ? 1 : parts_per_job * execution.n_jobs);
}

// Distinct words of a corpus grow with about the square root of its length; this starts a table
// that few corpora outgrow more than once.
int64_t expected_terms(std::span<const Document> documents) {
    int64_t total = 0;
    for (const Document& document : documents) total += document.length;
    return std::min<int64_t>(total / 256, 1 << 16);
}

}  // namespace

CountedRows documents_count_growing(std::span<const Document> documents,
                                    const AnalyzerOptions& options, const Execution& execution,
                                    Vocabulary& vocabulary_out) {
    // One vocabulary a part; the first becomes the result and takes in the others.
    const std::vector<size_t> borders = split_by_length(documents, execution.n_jobs);
    std::vector<std::unique_ptr<Vocabulary>> own(borders.size() - 1);
    CountedRows rows = count_parts(
        documents, borders, execution,
        [&](std::span<const Document> stretch, size_t p, CountedPart& part) {
            own[p] = std::make_unique<Vocabulary>(vocabulary_out.key(), expected_terms(stretch));
            Vocabulary& vocabulary = *own[p];
            LookupCounter counter(options, execution.instruction_set);
            for (const Document& document : stretch) {
                counter.count(
                    document, vocabulary, *execution.stop,
                    [&](const TokenKey& token) { return vocabulary.find_or_insert(token); }, part);
            }
        });
    vocabulary_out = std::move(*own[0]);
    for (size_t p = 1; p < rows.parts.size(); ++p) {
        rows.parts[p].ids = vocabulary_out.merge(*own[p], *execution.stop);
        own[p].reset();
    }
    rows.columns = vocabulary_out.sort(execution);
    return rows;
}

CountedRows documents_count_frozen(std::span<const Document> documents,
                                   const AnalyzerOptions& options, const Vocabulary& vocabulary,
                                   const Execution& execution) {
    vocabulary.prepare_lookups();
    return count_parts(documents, split_finely(documents, execution), execution,
                       [&](std::span<const Document> stretch, size_t, CountedPart& part) {
                           LookupCounter counter(options, execution.instruction_set);
                           for (const Document& document : stretch) {
                               counter.count(
                                   document, vocabulary, *execution.stop,
                                   [&](const TokenKey& token) { return vocabulary.find(token); },
                                   part);
                           }
                       });
}

CountedRows documents_count_hashed(std::span<const Document> documents,
                                   const AnalyzerOptions& options, HashingOptions hashing,
                                   const Execution& execution) {
    return count_parts(documents, split_finely(documents, execution), execution,
                       [&](std::span<const Document> stretch, size_t, CountedPart& part) {
                           HashingCounter counter(options, hashing, execution.instruction_set);
                           for (const Document& document : stretch) {
                               counter.count(document, *execution.stop, part);
                           }
                       });
}

}  // namespace wordodds
