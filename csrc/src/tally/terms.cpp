#include "wordodds/tally/terms.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include "wordodds/text/lookup_counter.hpp"
#include "wordodds/text/split.hpp"

namespace wordodds {
namespace {

constexpr int64_t block_units = int64_t{1} << 25;

void extend_with_zeros(Buffer<int64_t>& numbers, int64_t size) {
    const int64_t n = size - numbers.size();
    if (n > 0) std::fill_n(numbers.extend(n), n, int64_t{0});
}

template <class T>
Buffer<T> selected(const Buffer<T>& values, const std::vector<uint8_t>& keep) {
    Buffer<T> kept;
    for (size_t i = 0; i < keep.size(); ++i) {
        if (keep[i]) kept.push_back(values[static_cast<int64_t>(i)]);
    }
    return kept;
}

Buffer<int64_t> permuted(const Buffer<int64_t>& values, const std::vector<uint32_t>& rank) {
    Buffer<int64_t> moved;
    moved.extend(values.size());
    for (size_t i = 0; i < rank.size(); ++i) moved[rank[i]] = values[static_cast<int64_t>(i)];
    return moved;
}

// The documents of one block, each thread a stretch, into a tally of its own.
TermTally tally_block(std::span<const Document> documents, const AnalyzerViews& views, HashKey key,
                      const Execution& execution) {
    const std::vector<size_t> borders = split_by_length(documents, execution.n_jobs);
    std::vector<std::unique_ptr<TermTally>> tallies(borders.size() - 1);
    parallel_for(execution, static_cast<int64_t>(tallies.size()), [&](int64_t chunk, int32_t) {
        const auto p = static_cast<size_t>(chunk);
        tallies[p] = std::make_unique<TermTally>(key);
        const auto stretch = documents.subspan(borders[p], borders[p + 1] - borders[p]);
        LookupCounter counter(views, is_worth_remembering(stretch), execution.instruction_set);
        CountedPart row{};
        for (const Document& document : stretch) {
            counter.count_growing(document, tallies[p]->vocabulary_to_grow(), *execution.stop, row);
            tallies[p]->add_row(row.terms.span(), row.counts.span());
            row.terms.shrink(0);
            row.counts.shrink(0);
            row.ends.shrink(0);
        }
    });
    for (size_t p = 1; p < tallies.size(); ++p) {
        tallies[0]->merge(*tallies[p], *execution.stop);
        tallies[p].reset();
    }
    return std::move(*tallies[0]);
}

// Most calls add one block to nothing.
void add_tally(TermTally block, const Execution& execution, TermTally& tally_out) {
    if (tally_out.n_documents() == 0) {
        tally_out = std::move(block);
    } else {
        tally_out.merge(block, *execution.stop);
    }
}

// Where the block that starts at `begin` ends.
size_t block_end(std::span<const Document> documents, size_t begin) {
    int64_t length = 0;
    size_t end = begin;
    while (end < documents.size() &&
           (end == begin || length + documents[end].length <= block_units)) {
        length += documents[end++].length;
    }
    return end;
}

}  // namespace

TermTally::TermTally(const Vocabulary& vocabulary, std::span<const int64_t> n_documents_with,
                     std::span<const int64_t> n_occurrences, int64_t n_documents,
                     int64_t undercount)
    : vocabulary_(vocabulary.key(), vocabulary.arena(), vocabulary.offsets()),
      n_documents_(n_documents),
      undercount_(undercount) {
    const auto n = static_cast<int64_t>(n_documents_with.size());
    std::copy(n_documents_with.begin(), n_documents_with.end(), n_documents_with_.extend(n));
    std::copy(n_occurrences.begin(), n_occurrences.end(), n_occurrences_.extend(n));
}

void TermTally::add_row(std::span<const uint32_t> terms, std::span<const int32_t> counts) {
    extend_with_zeros(n_documents_with_, vocabulary_.size());
    extend_with_zeros(n_occurrences_, vocabulary_.size());
    for (size_t i = 0; i < terms.size(); ++i) {
        n_documents_with_[terms[i]] += 1;
        n_occurrences_[terms[i]] += counts[i];
    }
    ++n_documents_;
}

void TermTally::merge(const TermTally& other, StopToken& stop) {
    vocabulary_.prepare_lookups();
    const std::vector<uint32_t> ids = vocabulary_.merge(other.vocabulary_, stop);
    extend_with_zeros(n_documents_with_, vocabulary_.size());
    extend_with_zeros(n_occurrences_, vocabulary_.size());
    for (size_t i = 0; i < ids.size(); ++i) {
        n_documents_with_[ids[i]] += other.n_documents_with_[static_cast<int64_t>(i)];
        n_occurrences_[ids[i]] += other.n_occurrences_[static_cast<int64_t>(i)];
    }
    n_documents_ += other.n_documents_;
    undercount_ += other.undercount_;
}

TermTally TermTally::copy() const {
    TermTally duplicate(vocabulary_.key());
    duplicate.vocabulary_ = vocabulary_.copy();
    const auto duplicated = [](const Buffer<int64_t>& numbers) {
        Buffer<int64_t> copied;
        std::copy_n(numbers.data(), numbers.size(), copied.extend(numbers.size()));
        return copied;
    };
    duplicate.n_documents_with_ = duplicated(n_documents_with_);
    duplicate.n_occurrences_ = duplicated(n_occurrences_);
    duplicate.n_documents_ = n_documents_;
    duplicate.undercount_ = undercount_;
    return duplicate;
}

void TermTally::prune(int64_t max_terms) {
    const int64_t n_terms = vocabulary_.size();
    if (n_terms <= max_terms) return;
    std::vector<int64_t> frequencies(n_documents_with().begin(), n_documents_with().end());
    // The first that has no place; whoever is not more frequent goes with it.
    const auto first_out = frequencies.begin() + max_terms;
    std::nth_element(frequencies.begin(), first_out, frequencies.end(), std::greater<>());
    const int64_t limit = *first_out;
    std::vector<uint8_t> keep(static_cast<size_t>(n_terms));
    for (size_t i = 0; i < keep.size(); ++i) {
        keep[i] = n_documents_with_[static_cast<int64_t>(i)] > limit;
    }
    Vocabulary kept(vocabulary_.key());
    vocabulary_.subset(keep, kept);
    vocabulary_ = std::move(kept);
    n_documents_with_ = selected(n_documents_with_, keep);
    n_occurrences_ = selected(n_occurrences_, keep);
    undercount_ += limit;
}

void TermTally::sort(const Execution& execution) {
    const std::vector<uint32_t> rank = vocabulary_.sort(execution);
    n_documents_with_ = permuted(n_documents_with_, rank);
    n_occurrences_ = permuted(n_occurrences_, rank);
}

void documents_tally(std::span<const Document> documents, const AnalyzerViews& views,
                     int64_t max_terms, const Execution& execution, TermTally& tally_out) {
    if (max_terms == no_max_terms) {
        add_tally(tally_block(documents, views, tally_out.vocabulary().key(), execution), execution,
                  tally_out);
        return;
    }
    for (size_t begin = 0, end; begin < documents.size(); begin = end) {
        end = block_end(documents, begin);
        add_tally(tally_block(documents.subspan(begin, end - begin), views,
                              tally_out.vocabulary().key(), execution),
                  execution, tally_out);
        if (tally_out.vocabulary().size() > 2 * max_terms) tally_out.prune(max_terms);
    }
}

}  // namespace wordodds
