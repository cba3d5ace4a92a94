#include "wordodds/score/documents.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "rows.hpp"
#include "wordodds/base/buffer.hpp"
#include "wordodds/text/fasttext.hpp"
#include "wordodds/text/identify.hpp"
#include "wordodds/text/murmur.hpp"
#include "wordodds/text/row_builder.hpp"
#include "wordodds/text/split.hpp"

namespace wordodds {
namespace {

// One thread's way from a document to its scores.
template <class Weight>
class DocumentScorer {
   public:
    DocumentScorer(const AnalyzerOptions& options, const FeatureRows& rows,
                   const TermWeighting& weighting, const DocumentWeights<Weight>& weights,
                   InstructionSet instruction_set)
        : analyzer_(options, instruction_set),
          rows_(rows),
          weighting_(weighting),
          weights_(weights),
          kernels_(row_kernels_for<Weight>(instruction_set)),
          is_signed_(rows.terms == nullptr && rows.hashing.alternate_sign) {
        std::fill_n(sums_.extend(weights.stride), weights.stride, 0.0);
        std::fill_n(total_.extend(weights.stride), weights.stride, 0.0);
        if (rows.fasttext) bag_.emplace(*rows.fasttext);
    }

    // Returns how many features the document has, known ones where there is a vocabulary.
    int64_t score(const Document& document, StopToken& stop, double* scores_out) {
        analyzer_.start(document);
        return bag_ ? score_bag(stop, scores_out) : score_features(stop, scores_out);
    }

   private:
    int64_t score_features(StopToken& stop, double* scores_out) {
        ids_.shrink(0);
        while (analyzer_.next(stop)) {
            if (rows_.terms) {
                look_up();
            } else {
                hash();
            }
        }
        const int64_t n_features = ids_.size();
        Rows<Weight> rows = rows_of(ids_.span());
        double scale = 1.0;
        if (!each_occurrence_adds()) {
            const double norm = weigh();
            if (norm != 0.0) scale = 1.0 / norm;
            rows.values = values_.data();
            rows.n = values_.size();
        }
        kernels_.add(rows, sums_.data());
        write_scores(sums_.data(), scale, scores_out);
        return n_features;
    }

    // The mean over the features. Rows are added a stretch at a time, so that scratch memory does
    // not grow with the document; where a stretch ends depends on the document alone.
    int64_t score_bag(StopToken& stop, double* scores_out) {
        std::fill_n(total_.data(), total_.size(), 0.0);
        bag_->start();
        bool goes_on = true;
        while (goes_on && analyzer_.next(stop)) {
            goes_on = bag_->add(analyzer_.bytes(), analyzer_.features(), stop);
            add_stretch();
        }
        bag_->finish(stop);
        add_stretch();
        const int64_t n = bag_->n_features();
        write_scores(total_.data(), n == 0 ? 1.0 : 1.0 / static_cast<double>(n), scores_out);
        return n;
    }

    void add_stretch() {
        kernels_.add(rows_of(bag_->ids()), sums_.data());
        for (int64_t c = 0; c < weights_.stride; ++c) total_[c] += sums_[c];
        bag_->take();
    }

    Rows<Weight> rows_of(std::span<const uint32_t> ids) const {
        return {ids.data(), nullptr, static_cast<int64_t>(ids.size()), weights_.weights.data(),
                weights_.stride};
    }

    void write_scores(double* sums, double scale, double* scores_out) const {
        const auto n_columns = static_cast<int64_t>(weights_.bias.size());
        if (weights_.factor.empty()) {
            for (int64_t c = 0; c < n_columns; ++c) {
                scores_out[c] = weights_.bias[static_cast<size_t>(c)] + scale * sums[c];
            }
            return;
        }
        for (int64_t k = 0; k < weights_.rank; ++k) sums[k] *= scale;
        std::copy(weights_.bias.begin(), weights_.bias.end(), scores_out);
        kernels_.apply({weights_.factor.data(), weights_.rank, n_columns}, sums, scores_out);
    }

    bool each_occurrence_adds() const {
        return !weighting_.binary && !weighting_.sublinear && weighting_.norm == RowNorm::none &&
               !is_signed_;
    }

    // Numbers are rows, or 2 * row + negative where hashes have signs.
    void look_up() {
        const FrozenTerms& terms = *rows_.terms;
        const TermTable table = terms.table();
        const auto n_unknown = static_cast<uint32_t>(rows_.n_unknown);
        const auto n_terms = static_cast<uint32_t>(terms.size());
        const auto identify = [&](const TokenKey& token) {
            const uint32_t id = table.find(token);
            if (n_unknown == 0 || id != term_not_found) return id;
            return n_terms + hashed_column(token.data, token.length, n_unknown);
        };
        append([&](uint32_t* out) {
            return features_identify(analyzer_, terms.key, table, identify, out);
        });
    }

    void hash() {
        append([&](uint32_t* out) {
            const HashingOptions hashing = rows_.hashing;  // which writing `out` cannot change
            for (const TokenSpan span : analyzer_.features()) {
                const uint32_t id = hashed_signed_column(
                    murmur3_32(analyzer_.bytes() + span.begin, span.length), hashing);
                *out++ = is_signed_ ? id : id >> 1;
            }
            return static_cast<int64_t>(analyzer_.features().size());
        });
    }

    template <class Write>
    void append(Write write) {
        const int64_t before = ids_.size();
        uint32_t* const out = ids_.extend(static_cast<int64_t>(analyzer_.features().size()));
        ids_.shrink(before + write(out));
    }

    // Counts and weighs: afterwards ids_ holds distinct rows in front and values_ their tf. Returns
    // the norm, 0 without one.
    double weigh() {
        const int64_t n = count_runs();
        values_.shrink(0);
        double* const values = values_.extend(n);
        int64_t n_entries = 0;
        for (int64_t i = 0; i < n; ++i) {
            // Signs may cancel. Written always, kept if it counts: no branch to mispredict.
            values[n_entries] = tf(counts_[i]);
            ids_[n_entries] = ids_[i];
            n_entries += values[n_entries] != 0.0;
        }
        values_.shrink(n_entries);
        return norm_of_entries();
    }

    // Each run of equal numbers becomes one row in ids_ with its length, or the sum of its signs,
    // in counts_. Returns how many there are.
    int64_t count_runs() {
        const int key_bits = key_bits_for(rows_.size() << is_signed_);
        counts_.shrink(0);
        int64_t* const counts = counts_.extend(ids_.size());
        const auto runs = [&](auto row_of, auto value_of) {
            return sum_runs(ids_, scratch_, key_bits, row_of, value_of, ids_.data(), counts);
        };
        // Apart, so that the loop asks nothing that is the same for all numbers.
        if (!is_signed_) {
            return runs([](uint32_t id) { return id; }, [](uint32_t) { return 1; });
        }
        return runs([](uint32_t id) { return id >> 1; },
                    [](uint32_t id) { return 1 - 2 * static_cast<int32_t>(id & 1); });
    }

    double tf(int64_t count) const {
        if (weighting_.binary) return 1.0;
        const auto value = static_cast<double>(count);
        if (!weighting_.sublinear || count == 1) return value;  // of which the logarithm is 0
        return std::log(value) + 1.0;
    }

    double norm_of_entries() const {
        if (weighting_.norm == RowNorm::none) return 0.0;
        double sum = 0.0;
        for (int64_t i = 0; i < values_.size(); ++i) {
            double value = values_[i];
            if (!weighting_.norm_weights.empty()) value *= weighting_.norm_weights[ids_[i]];
            sum += weighting_.norm == RowNorm::l1 ? std::abs(value) : value * value;
        }
        return weighting_.norm == RowNorm::l2 ? std::sqrt(sum) : sum;
    }

    Analyzer analyzer_;
    FeatureRows rows_;
    TermWeighting weighting_;
    DocumentWeights<Weight> weights_;
    RowKernels<Weight> kernels_;
    bool is_signed_;
    Buffer<uint32_t> ids_;
    Buffer<uint32_t> scratch_;
    Buffer<int64_t> counts_;
    Buffer<double> values_;
    Buffer<double> sums_;
    std::optional<FastTextBag> bag_;
    Buffer<double> total_;
};

}  // namespace

template <class Weight>
void documents_score_classes(std::span<const Document> documents, const AnalyzerOptions& options,
                             const FeatureRows& rows, const TermWeighting& weighting,
                             const DocumentWeights<Weight>& weights, const Execution& execution,
                             std::span<double> scores_out, std::span<int64_t> n_features_out) {
    const std::vector<size_t> borders = split_finely(documents, execution);
    const size_t n_columns = weights.bias.size();
    parallel_for(execution, static_cast<int64_t>(borders.size()) - 1, [&](int64_t chunk, int32_t) {
        const auto part = static_cast<size_t>(chunk);
        DocumentScorer<Weight> scorer(options, rows, weighting, weights, execution.instruction_set);
        for (size_t i = borders[part]; i < borders[part + 1]; ++i) {
            const int64_t n_features =
                scorer.score(documents[i], *execution.stop, scores_out.data() + i * n_columns);
            if (!n_features_out.empty()) n_features_out[i] = n_features;
            execution.stop->advance();
        }
    });
}

#define WORDODDS_INSTANTIATE(Weight)                                                         \
    template void documents_score_classes(std::span<const Document>, const AnalyzerOptions&, \
                                          const FeatureRows&, const TermWeighting&,          \
                                          const DocumentWeights<Weight>&, const Execution&,  \
                                          std::span<double>, std::span<int64_t>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
