#include "wordodds/text/count.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "wordodds/base/radix_sort.hpp"
#include "wordodds/text/tokenize.hpp"

namespace wordodds {
namespace {

// Below this a second thread costs more to start than it saves.
constexpr int64_t part_code_points_min = 1 << 17;

// Between making a key, which prefetches its slot, and looking it up lies a batch of others.
constexpr size_t batch_size = 64;

// One thread's scratch: turns a document into the sorted entries of its row.
class RowCounter {
   public:
    explicit RowCounter(InstructionSet instruction_set) : tokenizer_(instruction_set) {}

    // `identify` maps a TokenKey to a number or Vocabulary::not_found.
    template <class Identify>
    void count(const Document& document, const Vocabulary& vocabulary, StopToken& stop,
               Identify identify, CountedPart& part_out) {
        ids_.shrink(0);
        tokenizer_.start(document);
        while (tokenizer_.next()) {
            stop.check();
            collect(vocabulary, identify);
        }
        append_row(key_bits_for(vocabulary.size()), part_out);
    }

   private:
    template <class Identify>
    void collect(const Vocabulary& vocabulary, Identify identify) {
        const auto tokens = tokenizer_.tokens();
        uint32_t* const begin = ids_.extend(static_cast<int64_t>(tokens.size()));
        uint32_t* out = begin;
        const HashKey key = vocabulary.key();
        for (size_t first = 0; first < tokens.size(); first += batch_size) {
            const size_t n = std::min(batch_size, tokens.size() - first);
            for (size_t i = 0; i < n; ++i) {
                const TokenSpan span = tokens[first + i];
                keys_[i] = make_token_key(tokenizer_.bytes() + span.begin, span.length, key);
                vocabulary.prefetch(keys_[i].hash);
            }
            for (size_t i = 0; i < n; ++i) {
                *out = identify(keys_[i]);
                out += *out != Vocabulary::not_found;
            }
        }
        ids_.shrink(out - ids_.data());
    }

    // Sorted, equal numbers stand together: each run is one entry and its length the count.
    void append_row(int key_bits, CountedPart& part_out) {
        const int64_t n = ids_.size();
        scratch_.reserve(n);
        radix_sort(ids_.data(), scratch_.data(), n, key_bits, [](uint32_t id) { return id; });
        const int64_t row_begin = part_out.terms.size();
        uint32_t* const terms = part_out.terms.extend(n);
        uint32_t* const counts = part_out.counts.extend(n);
        int64_t n_entries = 0;
        int64_t run_begin = 0;
        for (int64_t i = 0; i < n; ++i) {
            terms[n_entries] = ids_[i];
            counts[n_entries] = static_cast<uint32_t>(i + 1 - run_begin);
            const bool run_ends = i + 1 == n || ids_[i + 1] != ids_[i];
            n_entries += run_ends;
            run_begin = run_ends ? i + 1 : run_begin;
        }
        part_out.terms.shrink(row_begin + n_entries);
        part_out.counts.shrink(row_begin + n_entries);
        part_out.row_ends.push_back(row_begin + n_entries);
    }

    Tokenizer tokenizer_;
    TokenKey keys_[batch_size];
    Buffer<uint32_t> ids_;
    Buffer<uint32_t> scratch_;
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

void finish(CountedRows& rows) {
    for (CountedPart& part : rows.parts) {
        part.first_row = rows.n_rows;
        rows.n_rows += part.row_ends.size();
        rows.nnz += part.terms.size();
    }
}

// Distinct words of a corpus grow with about the square root of its length; this starts a table
// that few corpora outgrow more than once.
int64_t expected_terms(std::span<const Document> documents) {
    int64_t total = 0;
    for (const Document& document : documents) total += document.length;
    return std::min<int64_t>(total / 256, 1 << 16);
}

}  // namespace

CountedRows documents_count_growing(std::span<const Document> documents, const Execution& execution,
                                    Vocabulary& vocabulary_out) {
    const std::vector<size_t> borders = split_by_length(documents, execution.n_jobs);
    const size_t n_parts = borders.size() - 1;
    CountedRows rows;
    rows.parts.resize(n_parts);
    // One vocabulary a part; the first becomes the result and takes in the others.
    std::vector<std::unique_ptr<Vocabulary>> own(n_parts);
    parallel_for(execution, static_cast<int64_t>(n_parts), [&](int64_t chunk, int32_t) {
        const auto p = static_cast<size_t>(chunk);
        const auto stretch = documents.subspan(borders[p], borders[p + 1] - borders[p]);
        own[p] = std::make_unique<Vocabulary>(vocabulary_out.key(), expected_terms(stretch));
        Vocabulary& vocabulary = *own[p];
        RowCounter counter(execution.instruction_set);
        for (const Document& document : stretch) {
            counter.count(document, vocabulary, *execution.stop,
                          [&](const TokenKey& token) { return vocabulary.find_or_insert(token); },
                          rows.parts[p]);
        }
    });
    vocabulary_out = std::move(*own[0]);
    for (size_t p = 1; p < n_parts; ++p) {
        rows.parts[p].ids = vocabulary_out.merge(*own[p], *execution.stop);
        own[p].reset();
    }
    rows.columns = vocabulary_out.sort(execution);
    finish(rows);
    return rows;
}

CountedRows documents_count_frozen(std::span<const Document> documents, const Vocabulary& vocabulary,
                                   const Execution& execution) {
    // More parts than threads, so that a thread with easy text takes over from one with hard text.
    constexpr int64_t parts_per_job = 4;
    const std::vector<size_t> borders = split_by_length(
        documents, execution.n_jobs == 1 ? 1 : parts_per_job * execution.n_jobs);
    const size_t n_parts = borders.size() - 1;
    CountedRows rows;
    rows.parts.resize(n_parts);
    parallel_for(execution, static_cast<int64_t>(n_parts), [&](int64_t chunk, int32_t) {
        const auto p = static_cast<size_t>(chunk);
        RowCounter counter(execution.instruction_set);
        for (size_t i = borders[p]; i < borders[p + 1]; ++i) {
            counter.count(documents[i], vocabulary, *execution.stop,
                          [&](const TokenKey& token) { return vocabulary.find(token); },
                          rows.parts[p]);
        }
    });
    finish(rows);
    return rows;
}

namespace {

// Writes one part; its rows start at entry `first` of the output.
template <class Index>
class PartWriter {
   public:
    PartWriter(const CountedRows& rows, const CountedPart& part, int64_t first,
               std::span<Index> indptr_out, std::span<Index> indices_out,
               std::span<int64_t> data_out)
        : rows_(rows),
          part_(part),
          first_(first),
          indptr_(indptr_out),
          indices_(indices_out),
          data_(data_out) {}

    void write(StopToken& stop) {
        constexpr int64_t rows_per_check = 4096;
        int64_t begin = 0;
        for (int64_t i = 0; i < part_.row_ends.size(); ++i) {
            if (i % rows_per_check == 0) stop.check();
            const int64_t end = part_.row_ends[i];
            indptr_[static_cast<size_t>(part_.first_row + i + 1)] = static_cast<Index>(first_ + end);
            if (part_.ids.empty()) {
                write_in_order(begin, end);
            } else {
                write_renumbered(begin, end);
            }
            begin = end;
        }
    }

   private:
    Index column(uint32_t id) const {
        return static_cast<Index>(rows_.columns.empty() ? id : rows_.columns[id]);
    }

    void write_in_order(int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            indices_[static_cast<size_t>(first_ + i)] = column(part_.terms[i]);
            data_[static_cast<size_t>(first_ + i)] = part_.counts[i];
        }
    }

    // The numbers over all parts rise in another order than the part's own.
    void write_renumbered(int64_t begin, int64_t end) {
        const int64_t n = end - begin;
        entries_.reserve(n);
        scratch_.reserve(n);
        for (int64_t i = 0; i < n; ++i) {
            entries_[i] = {part_.ids[part_.terms[begin + i]], part_.counts[begin + i]};
        }
        const int key_bits = key_bits_for(static_cast<int64_t>(rows_.columns.size()));
        radix_sort(entries_.data(), scratch_.data(), n, key_bits,
                   [](const Entry& entry) { return entry.id; });
        for (int64_t i = 0; i < n; ++i) {
            indices_[static_cast<size_t>(first_ + begin + i)] = column(entries_[i].id);
            data_[static_cast<size_t>(first_ + begin + i)] = entries_[i].count;
        }
    }

    struct Entry {
        uint32_t id;
        uint32_t count;
    };
    const CountedRows& rows_;
    const CountedPart& part_;
    int64_t first_;
    std::span<Index> indptr_;
    std::span<Index> indices_;
    std::span<int64_t> data_;
    Buffer<Entry> entries_;
    Buffer<Entry> scratch_;
};

}  // namespace

template <class Index>
void counted_rows_write(const CountedRows& rows, const Execution& execution,
                        std::span<Index> indptr_out, std::span<Index> indices_out,
                        std::span<int64_t> data_out) {
    indptr_out[0] = 0;
    std::vector<int64_t> first(rows.parts.size() + 1, 0);
    for (size_t p = 0; p < rows.parts.size(); ++p) first[p + 1] = first[p] + rows.parts[p].terms.size();
    parallel_for(execution, static_cast<int64_t>(rows.parts.size()), [&](int64_t chunk, int32_t) {
        const auto p = static_cast<size_t>(chunk);
        PartWriter<Index>(rows, rows.parts[p], first[p], indptr_out, indices_out, data_out)
            .write(*execution.stop);
    });
}

template void counted_rows_write<int32_t>(const CountedRows&, const Execution&, std::span<int32_t>,
                                          std::span<int32_t>, std::span<int64_t>);
template void counted_rows_write<int64_t>(const CountedRows&, const Execution&, std::span<int64_t>,
                                          std::span<int64_t>, std::span<int64_t>);

}  // namespace wordodds
