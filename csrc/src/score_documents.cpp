#include <cmath>
#include <cstddef>

#include "wordodds/base/buffer.hpp"
#include "wordodds/base/radix_sort.hpp"
#include "wordodds/score/documents.hpp"
#include "wordodds/text/identify.hpp"
#include "wordodds/text/murmur.hpp"
#include "wordodds/text/split.hpp"

namespace wordodds {
namespace {

constexpr int64_t prefetch_ahead = 16;
constexpr int lanes = 4;        // columns come in groups of so many
constexpr int groups_max = 8;  // groups of accumulators that fit the registers
constexpr int64_t line_doubles = 8;

// Rows of weights to be added up. With values[i] beside row i, or else one for each.
struct Rows {
    const uint32_t* ids;
    const double* values;
    int64_t n;
    const double* weights;
    int64_t stride;
};

// sums[c] = sum_i values[i] * weights[ids[i]][first + c] for n_groups groups of columns. Inlined into
// each target region below and compiled for it there.
template <int n_groups, bool weighted>
[[gnu::always_inline]] inline void add_groups(const Rows& rows, int64_t first, double* sums_out) {
    constexpr int width = n_groups * lanes;
    double sums[width] = {};
    for (int64_t i = 0; i < rows.n; ++i) {
        if (i + prefetch_ahead < rows.n) {
            // Which weights come next only the text knows: no hardware prefetcher guesses them.
            const double* const ahead =
                rows.weights + rows.ids[i + prefetch_ahead] * rows.stride + first;
            for (int64_t c = 0; c < width; c += line_doubles) __builtin_prefetch(ahead + c);
            __builtin_prefetch(ahead + width - 1);
        }
        const double* const row = rows.weights + rows.ids[i] * rows.stride + first;
        for (int c = 0; c < width; ++c) sums[c] += weighted ? rows.values[i] * row[c] : row[c];
    }
    for (int c = 0; c < width; ++c) sums_out[c] = sums[c];
}

template <bool weighted>
[[gnu::always_inline]] inline void add_rows(const Rows& rows, double* sums_out) {
    if (rows.stride == 1) {
        double sum = 0.0;
        for (int64_t i = 0; i < rows.n; ++i) {
            if (i + prefetch_ahead < rows.n) {
                __builtin_prefetch(rows.weights + rows.ids[i + prefetch_ahead]);
            }
            const double weight = rows.weights[rows.ids[i]];
            sum += weighted ? rows.values[i] * weight : weight;
        }
        *sums_out = sum;
        return;
    }
    for (int64_t first = 0; first < rows.stride; first += groups_max * lanes) {
        switch (std::min<int64_t>(groups_max, (rows.stride - first) / lanes)) {
            case 1: add_groups<1, weighted>(rows, first, sums_out + first); break;
            case 2: add_groups<2, weighted>(rows, first, sums_out + first); break;
            case 3: add_groups<3, weighted>(rows, first, sums_out + first); break;
            case 4: add_groups<4, weighted>(rows, first, sums_out + first); break;
            case 5: add_groups<5, weighted>(rows, first, sums_out + first); break;
            case 6: add_groups<6, weighted>(rows, first, sums_out + first); break;
            case 7: add_groups<7, weighted>(rows, first, sums_out + first); break;
            default: add_groups<8, weighted>(rows, first, sums_out + first);
        }
    }
}

[[gnu::always_inline]] inline void add_rows(const Rows& rows, double* sums_out) {
    if (rows.values) {
        add_rows<true>(rows, sums_out);
    } else {
        add_rows<false>(rows, sums_out);
    }
}

void add_rows_baseline(const Rows& rows, double* sums_out) { add_rows(rows, sums_out); }
#if WORDODDS_X86
WORDODDS_TARGET_AVX2 void add_rows_avx2(const Rows& rows, double* sums_out) {
    add_rows(rows, sums_out);
}
WORDODDS_TARGET_AVX512 void add_rows_avx512(const Rows& rows, double* sums_out) {
    add_rows(rows, sums_out);
}
#endif

auto add_rows_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return add_rows_avx512;
    if (instruction_set == InstructionSet::avx2) return add_rows_avx2;
#endif
    return add_rows_baseline;
}

// One thread's way from a document to its scores.
class DocumentScorer {
   public:
    DocumentScorer(const AnalyzerOptions& options, const FeatureRows& rows,
                   const TermWeighting& weighting, const ClassWeights& weights,
                   InstructionSet instruction_set)
        : analyzer_(options, instruction_set),
          rows_(rows),
          weighting_(weighting),
          weights_(weights),
          add_rows_(add_rows_for(instruction_set)),
          is_signed_(rows.terms == nullptr && rows.hashing.alternate_sign) {
        sums_.extend(weights.stride);
    }

    void score(const Document& document, StopToken& stop, double* scores_out) {
        ids_.shrink(0);
        analyzer_.start(document);
        while (analyzer_.next(stop)) {
            if (rows_.terms) {
                look_up();
            } else {
                hash();
            }
        }
        Rows rows{ids_.data(), nullptr, ids_.size(), weights_.weights.data(), weights_.stride};
        double scale = 1.0;
        if (!each_occurrence_adds()) {
            const double norm = weigh();
            if (norm != 0.0) scale = 1.0 / norm;
            rows.values = values_.data();
            rows.n = values_.size();
        }
        add_rows_(rows, sums_.data());
        for (size_t c = 0; c < weights_.bias.size(); ++c) {
            scores_out[c] = weights_.bias[c] + scale * sums_[static_cast<int64_t>(c)];
        }
    }

   private:
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
            return n_terms + murmur3_32(token.data, token.length) % n_unknown;
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

    // Counts and weighs: afterwards ids_ holds distinct rows in front and values_ their tf. Returns the
    // norm, 0 without one.
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

    // Sorts the numbers: equal ones stand together, and each run becomes one row in ids_ with its length,
    // or the sum of its signs, in counts_. Returns how many there are.
    int64_t count_runs() {
        const int64_t n = ids_.size();
        scratch_.reserve(n);
        radix_sort(ids_.data(), scratch_.data(), n, key_bits_for(rows_.size() << is_signed_),
                   [](uint32_t id) { return id; });
        counts_.shrink(0);
        int64_t* const counts = counts_.extend(n);
        int64_t n_runs = 0, count = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t row = ids_[i] >> is_signed_;
            count += is_signed_ && (ids_[i] & 1) ? -1 : 1;
            const bool run_ends = i + 1 == n || ids_[i + 1] >> is_signed_ != row;
            ids_[n_runs] = row;
            counts[n_runs] = count;
            n_runs += run_ends;
            count = run_ends ? 0 : count;
        }
        return n_runs;
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
    ClassWeights weights_;
    void (*add_rows_)(const Rows&, double*);
    bool is_signed_;
    Buffer<uint32_t> ids_;
    Buffer<uint32_t> scratch_;
    Buffer<int64_t> counts_;
    Buffer<double> values_;
    Buffer<double> sums_;
};

}  // namespace

void documents_score_classes(std::span<const Document> documents, const AnalyzerOptions& options,
                             const FeatureRows& rows, const TermWeighting& weighting,
                             const ClassWeights& weights, const Execution& execution,
                             std::span<double> scores_out) {
    // More stretches than threads: one with easy text takes over from one with hard text.
    constexpr int64_t parts_per_job = 4;
    const auto borders =
        split_by_length(documents, execution.n_jobs == 1 ? 1 : parts_per_job * execution.n_jobs);
    const size_t n_columns = weights.bias.size();
    parallel_for(execution, static_cast<int64_t>(borders.size()) - 1, [&](int64_t chunk, int32_t) {
        const auto part = static_cast<size_t>(chunk);
        DocumentScorer scorer(options, rows, weighting, weights, execution.instruction_set);
        for (size_t i = borders[part]; i < borders[part + 1]; ++i) {
            scorer.score(documents[i], *execution.stop, scores_out.data() + i * n_columns);
            execution.stop->advance();
        }
    });
}

}  // namespace wordodds
