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
    HashingCounter(const AnalyzerViews& views, HashingOptions hashing,
                   InstructionSet instruction_set)
        : hashing_(hashing),
          key_bits_(key_bits_for(2 * hashed_columns(hashing, static_cast<int64_t>(views.size())))) {
        for (const AnalyzerOptions& view : views) analyzers_.emplace_back(view, instruction_set);
    }

    void count(const Document& document, StopToken& stop, CountedPart& part_out) {
        uint32_t first = 0;  // number of the view's first column
        for (Analyzer& analyzer : analyzers_) {
            count_view(analyzer, document, first, stop);
            row_.append_signed_entries(key_bits_, part_out);
            first += 2 * static_cast<uint32_t>(hashing_.n_features);
        }
        stop.advance();
    }

   private:
    void count_view(Analyzer& analyzer, const Document& document, uint32_t first, StopToken& stop) {
        row_.clear();
        analyzer.start(document);
        const HashingOptions hashing = hashing_;  // a copy that writing `out` cannot change
        while (analyzer.next(stop)) {
            const auto features = analyzer.features();
            const char* const bytes = analyzer.bytes();
            uint32_t* const out = row_.ids().extend(static_cast<int64_t>(features.size()));
            for (size_t i = 0; i < features.size(); ++i) {
                const uint32_t hash = murmur3_32(bytes + features[i].begin, features[i].length);
                out[i] = first + hashed_signed_column(hash, hashing);
            }
        }
    }

    std::vector<Analyzer> analyzers_;
    HashingOptions hashing_;
    int key_bits_;
    RowBuilder row_;
};

// Calls count_part(documents of a stretch, its number, the worker, its part) for each stretch.
template <class CountPart>
CountedRows count_parts(std::span<const Document> documents, const AnalyzerViews& views,
                        const std::vector<size_t>& borders, const Execution& execution,
                        CountPart count_part) {
    CountedRows rows;
    rows.n_views = static_cast<int64_t>(views.size());
    rows.parts.resize(borders.size() - 1);
    parallel_for(execution, static_cast<int64_t>(rows.parts.size()),
                 [&](int64_t chunk, int32_t worker) {
                     const auto p = static_cast<size_t>(chunk);
                     count_part(documents.subspan(borders[p], borders[p + 1] - borders[p]), p,
                                worker, rows.parts[p]);
                 });
    for (CountedPart& part : rows.parts) {
        part.first_row = rows.n_rows;
        rows.n_rows += part.ends.size() / rows.n_views;
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

int64_t hashed_columns(HashingOptions hashing, int64_t n_views) {
    const int64_t n_columns = int64_t{hashing.n_features} * n_views;
    if (n_columns > Vocabulary::max_terms) {
        throw std::invalid_argument("hashed columns of all views: more than 2^31 - 1");
    }
    return n_columns;
}

CountedRows documents_count_growing(std::span<const Document> documents, const AnalyzerViews& views,
                                    const Execution& execution, Vocabulary& vocabulary_out) {
    // One vocabulary a part; the first becomes the result and takes in the others.
    const std::vector<size_t> borders = split_by_length(documents, execution.n_jobs);
    std::vector<std::unique_ptr<Vocabulary>> own(borders.size() - 1);
    CountedRows rows = count_parts(
        documents, views, borders, execution,
        [&](std::span<const Document> stretch, size_t p, int32_t, CountedPart& part) {
            own[p] = std::make_unique<Vocabulary>(vocabulary_out.key(), expected_terms(stretch));
            Vocabulary& vocabulary = *own[p];
            LookupCounter counter(views, is_worth_remembering(stretch), execution.instruction_set);
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

CountedRows documents_count_frozen(std::span<const Document> documents, const AnalyzerViews& views,
                                   const Vocabulary& vocabulary, int64_t n_unknown,
                                   const Execution& execution) {
    const int64_t n_columns = frozen_columns(vocabulary, n_unknown);
    vocabulary.prepare_lookups();
    const auto identify = [&](const TokenKey& token) {
        const uint32_t id = vocabulary.find(token);
        return id != Vocabulary::not_found ? id : unknown_column(token, vocabulary, n_unknown);
    };
    // One a worker, as they remember words.
    std::vector<std::unique_ptr<LookupCounter>> counters(static_cast<size_t>(execution.n_jobs));
    const bool is_long = is_worth_remembering(documents);
    return count_parts(
        documents, views, split_finely(documents, execution), execution,
        [&](std::span<const Document> stretch, size_t, int32_t worker, CountedPart& part) {
            auto& counter = counters[static_cast<size_t>(worker)];
            if (!counter) {
                counter =
                    std::make_unique<LookupCounter>(views, is_long, execution.instruction_set);
            }
            for (const Document& document : stretch) {
                counter->count(
                    document, vocabulary, *execution.stop, identify, [&] { return n_columns; },
                    part);
            }
        });
}

CountedRows documents_count_hashed(std::span<const Document> documents, const AnalyzerViews& views,
                                   HashingOptions hashing, const Execution& execution) {
    hashed_columns(hashing, static_cast<int64_t>(views.size()));
    return count_parts(documents, views, split_finely(documents, execution), execution,
                       [&](std::span<const Document> stretch, size_t, int32_t, CountedPart& part) {
                           HashingCounter counter(views, hashing, execution.instruction_set);
                           for (const Document& document : stretch) {
                               counter.count(document, *execution.stop, part);
                           }
                       });
}

}  // namespace wordodds
