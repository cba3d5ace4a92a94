#include "wordodds/score/documents.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "rows.hpp"
#include "wordodds/base/buffer.hpp"
#include "wordodds/text/fasttext.hpp"
#include "wordodds/text/murmur.hpp"
#include "wordodds/text/row_builder.hpp"
#include "wordodds/text/split.hpp"
#include "wordodds/text/view_reader.hpp"

namespace wordodds {
namespace {

// One thread's way from a document to its scores.
template <class Weight>
class DocumentScorer {
   public:
    // `is_long`: whether there is text enough to remember words, see ViewReader.
    DocumentScorer(const AnalyzerViews& views, const FeatureRows& rows,
                   std::span<const TermWeighting> weighting, const DocumentWeights<Weight>& weights,
                   bool is_long, InstructionSet instruction_set)
        : rows_(rows),
          weighting_(weighting),
          weights_(weights),
          kernels_(row_kernels_for<Weight>(instruction_set)),
          is_signed_(rows.terms == nullptr && rows.hashing.alternate_sign) {
        std::fill_n(sums_.extend(weights.stride), weights.stride, 0.0);
        std::fill_n(total_.extend(weights.stride), weights.stride, 0.0);
        for (const AnalyzerOptions& view : views)
            readers_.emplace_back(view, is_long, instruction_set);
        if (rows.fasttext) bag_.emplace(*rows.fasttext);
    }

    // Returns how many features the document has, known ones where there is a vocabulary.
    int64_t score(const Document& document, StopToken& stop, double* scores_out) {
        if (bag_) return score_bag(document, stop, scores_out);
        if (readers_.size() > 1) return score_views(document, stop, scores_out);
        const double scale = add_view(document, 0, stop);
        write_scores(sums_.data(), scale, scores_out);
        return ids_.size();
    }

   private:
    int64_t score_views(const Document& document, StopToken& stop, double* scores_out) {
        std::fill_n(total_.data(), total_.size(), 0.0);
        int64_t n_features = 0;
        for (size_t view = 0; view < readers_.size(); ++view) {
            const double scale = add_view(document, view, stop);
            for (int64_t c = 0; c < weights_.stride; ++c) total_[c] += scale * sums_[c];
            n_features += ids_.size();
        }
        write_scores(total_.data(), 1.0, scores_out);
        return n_features;
    }

    // Writes the sums of a view's rows, before its norm; returns what they are to be multiplied by.
    double add_view(const Document& document, size_t view, StopToken& stop) {
        ids_.shrink(0);
        if (rows_.terms) {
            look_up(document, readers_[view], stop);
        } else {
            hash(document, view, stop);
        }
        Rows<Weight> rows = rows_of(ids_.span());
        double scale = 1.0;
        const TermWeighting& weighting = weighting_[view];
        if (!each_occurrence_adds(weighting)) {
            const double norm = weigh(weighting);
            if (norm != 0.0) scale = 1.0 / norm;
            rows.values = values_.data();
            rows.n = values_.size();
        }
        kernels_.add(rows, sums_.data());
        return scale;
    }

    // The mean over the features. Rows are added a stretch at a time, so that scratch memory does
    // not grow with the document; where a stretch ends depends on the document alone.
    int64_t score_bag(const Document& document, StopToken& stop, double* scores_out) {
        std::fill_n(total_.data(), total_.size(), 0.0);
        bag_->start();
        Analyzer& analyzer = readers_[0].analyzer();
        analyzer.start(document);
        bool goes_on = true;
        while (goes_on && analyzer.next(stop)) {
            goes_on = bag_->add(analyzer.bytes(), analyzer.features(), stop);
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

    int64_t n_views() const { return static_cast<int64_t>(readers_.size()); }

    bool each_occurrence_adds(const TermWeighting& weighting) const {
        return !weighting.binary && !weighting.sublinear && weighting.norm == RowNorm::none &&
               !is_signed_;
    }

    // Numbers are rows, or 2 * row + negative where hashes have signs.
    void look_up(const Document& document, ViewReader& reader, StopToken& stop) {
        const FrozenTerms& terms = *rows_.terms;
        const TermTable table = terms.table();
        const auto n_unknown = static_cast<uint32_t>(rows_.n_unknown);
        const auto n_terms = static_cast<uint32_t>(terms.size());
        const auto identify = [&](const TokenKey& token) {
            const uint32_t id = table.find(token);
            if (n_unknown == 0 || id != term_not_found) return id;
            return n_terms + hashed_column(token.data, token.length, n_unknown);
        };
        reader.read(document, terms.key, table, identify, stop, ids_);
    }

    void hash(const Document& document, size_t view, StopToken& stop) {
        Analyzer& analyzer = readers_[view].analyzer();
        const HashingOptions hashing = rows_.hashing;  // which writing `out` cannot change
        const auto first =
            2 * static_cast<uint32_t>(view) * static_cast<uint32_t>(hashing.n_features);
        analyzer.start(document);
        while (analyzer.next(stop)) {
            const auto features = analyzer.features();
            uint32_t* out = ids_.extend(static_cast<int64_t>(features.size()));
            for (const TokenSpan span : features) {
                const uint32_t id =
                    first + hashed_signed_column(
                                murmur3_32(analyzer.bytes() + span.begin, span.length), hashing);
                *out++ = is_signed_ ? id : id >> 1;
            }
        }
    }

    // Counts and weighs: afterwards ids_ holds distinct rows in front and values_ their tf. Returns
    // the norm, 0 without one.
    double weigh(const TermWeighting& weighting) {
        const int64_t n = count_runs();
        values_.shrink(0);
        double* const values = values_.extend(n);
        int64_t n_entries = 0;
        for (int64_t i = 0; i < n; ++i) {
            // Signs may cancel. Written always, kept if it counts: no branch to mispredict.
            values[n_entries] = tf(weighting, counts_[i]);
            ids_[n_entries] = ids_[i];
            n_entries += values[n_entries] != 0.0;
        }
        values_.shrink(n_entries);
        return norm_of_entries(weighting);
    }

    // Each run of equal numbers becomes one row in ids_ with its length, or the sum of its signs,
    // in counts_. Returns how many there are.
    int64_t count_runs() {
        const int key_bits = key_bits_for(rows_.size(n_views()) << is_signed_);
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

    static double tf(const TermWeighting& weighting, int64_t count) {
        if (weighting.binary) return 1.0;
        const auto value = static_cast<double>(count);
        if (!weighting.sublinear || count == 1) return value;  // of which the logarithm is 0
        return std::log(value) + 1.0;
    }

    double norm_of_entries(const TermWeighting& weighting) const {
        if (weighting.norm == RowNorm::none) return 0.0;
        double sum = 0.0;
        for (int64_t i = 0; i < values_.size(); ++i) {
            double value = values_[i];
            if (!weighting.norm_weights.empty()) value *= weighting.norm_weights[ids_[i]];
            sum += weighting.norm == RowNorm::l1 ? std::abs(value) : value * value;
        }
        return weighting.norm == RowNorm::l2 ? std::sqrt(sum) : sum;
    }

    std::vector<ViewReader> readers_;
    FeatureRows rows_;
    std::span<const TermWeighting> weighting_;
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
void documents_score_classes(std::span<const Document> documents, const AnalyzerViews& views,
                             const FeatureRows& rows, std::span<const TermWeighting> weighting,
                             const DocumentWeights<Weight>& weights, const Execution& execution,
                             std::span<double> scores_out, std::span<int64_t> n_features_out) {
    const std::vector<size_t> borders = split_finely(documents, execution);
    const size_t n_columns = weights.bias.size();
    const auto n_chunks = static_cast<int64_t>(borders.size()) - 1;
    const bool is_long = is_worth_remembering(documents);
    // One a worker, as they remember words.
    std::vector<std::optional<DocumentScorer<Weight>>> scorers(
        static_cast<size_t>(std::min<int64_t>(execution.n_jobs, n_chunks)));
    parallel_for(execution, n_chunks, [&](int64_t chunk, int32_t worker) {
        const auto part = static_cast<size_t>(chunk);
        auto& scorer = scorers[static_cast<size_t>(worker)];
        if (!scorer) {
            scorer.emplace(views, rows, weighting, weights, is_long, execution.instruction_set);
        }
        for (size_t i = borders[part]; i < borders[part + 1]; ++i) {
            const int64_t n_features =
                scorer->score(documents[i], *execution.stop, scores_out.data() + i * n_columns);
            if (!n_features_out.empty()) n_features_out[i] = n_features;
            execution.stop->advance();
        }
    });
}

#define WORDODDS_INSTANTIATE(Weight)                                                          \
    template void documents_score_classes(std::span<const Document>, const AnalyzerViews&,    \
                                          const FeatureRows&, std::span<const TermWeighting>, \
                                          const DocumentWeights<Weight>&, const Execution&,   \
                                          std::span<double>, std::span<int64_t>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
