#include "wordodds/text/count.hpp"

#include <memory>
#include <stdexcept>
#include <string_view>

#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/lookup_counter.hpp"
#include "wordodds/text/murmur.hpp"
#include "wordodds/text/row_builder.hpp"
#include "wordodds/text/split.hpp"

namespace wordodds {
namespace {

// One thread's way from a document to its row, by hashing each feature.
class HashingCounter {
   public:
    HashingCounter(const AnalyzerOptions& options, HashingOptions hashing,
                   InstructionSet instruction_set)
        : analyzer_(options, instruction_set), hashing_(hashing) {}

    void count(const Document& document, StopToken& stop, CountedPart& part_out) {
        row_.clear();
        analyzer_.start(document);
        const HashingOptions hashing = hashing_;  // a copy that writing `out` cannot change
        while (analyzer_.next(stop)) {
            const auto features = analyzer_.features();
            const char* const bytes = analyzer_.bytes();
            uint32_t* const out = row_.extend(static_cast<int64_t>(features.size()));
            for (size_t i = 0; i < features.size(); ++i) {
                const uint32_t hash = murmur3_32(bytes + features[i].begin, features[i].length);
                out[i] = hashed_signed_column(hash, hashing);
            }
            row_.keep(static_cast<int64_t>(features.size()));
        }
        row_.append_signed_row(key_bits_for(2 * int64_t{hashing_.n_features}), part_out);
        stop.advance();
    }

   private:
    Analyzer analyzer_;
    HashingOptions hashing_;
    RowBuilder row_;
};

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

}  // namespace

int64_t frozen_columns(const Vocabulary& vocabulary, int64_t n_unknown) {
    if (n_unknown > Vocabulary::max_terms - vocabulary.size()) {  // the sum might overflow
        throw std::invalid_argument("terms and columns for unknown ones: more than 2^31 - 1");
    }
    return vocabulary.size() + n_unknown;
}

uint32_t unknown_column(const TokenKey& token, const Vocabulary& vocabulary, int64_t n_unknown) {
    if (n_unknown == 0) return Vocabulary::not_found;
    const auto first = static_cast<uint32_t>(vocabulary.size());
    if (n_unknown == 1) return first;
    return first + hashed_column(token.data, token.length, static_cast<uint32_t>(n_unknown));
}

void vocabulary_hash_columns(const Vocabulary& vocabulary, int64_t n_columns,
                             std::span<int64_t> columns_out) {
    for (size_t i = 0; i < columns_out.size(); ++i) {
        const std::string_view term = vocabulary.term(static_cast<int64_t>(i));
        columns_out[i] = hashed_column(term.data(), static_cast<uint32_t>(term.size()),
                                       static_cast<uint32_t>(n_columns));
    }
}

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
                counter.count_growing(document, vocabulary, *execution.stop, part);
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
                                   int64_t n_unknown, const Execution& execution) {
    const int64_t n_columns = frozen_columns(vocabulary, n_unknown);
    vocabulary.prepare_lookups();
    const auto identify = [&](const TokenKey& token) {
        const uint32_t id = vocabulary.find(token);
        return id != Vocabulary::not_found ? id : unknown_column(token, vocabulary, n_unknown);
    };
    return count_parts(documents, split_finely(documents, execution), execution,
                       [&](std::span<const Document> stretch, size_t, CountedPart& part) {
                           LookupCounter counter(options, execution.instruction_set);
                           for (const Document& document : stretch) {
                               counter.count(
                                   document, vocabulary, *execution.stop, identify,
                                   [&] { return n_columns; }, part);
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
