#include "wordodds/score/sparse_linear.hpp"

#include <algorithm>

namespace wordodds {
namespace {

constexpr int64_t scores_per_chunk = 1 << 16;
constexpr int64_t work_per_check = 1 << 18;
constexpr int64_t prefetch_ahead = 8;

// The parts of a score that all classes share.
struct RowSums {
    double feature_base = 0.0;  // sum_j x[j] * feature_base[j]
    double values = 0.0;        // sum_j x[j]
};

template <class Value>
class RowScorer {
   public:
    RowScorer(const CsrView<Value>& matrix, const SparseClassWeights& weights, StopToken& stop)
        : matrix_(matrix), weights_(weights), stop_(stop) {}

    void score(int64_t row, std::span<double> scores) {
        const int64_t begin = matrix_.indptr[static_cast<size_t>(row)];
        const int64_t end = matrix_.indptr[static_cast<size_t>(row) + 1];
        const RowSums sums = sum(begin, end);
        std::copy(weights_.bias.begin(), weights_.bias.end(), scores.begin());
        // Zero times an infinite weight would be NaN.
        if (sums.feature_base != 0.0) add(sums.feature_base, weights_.class_scale, scores);
        if (sums.values != 0.0) add(sums.values, weights_.class_base, scores);
        add_excess(begin, end, scores.data());
        did(static_cast<int64_t>(scores.size()));
    }

   private:
    void did(int64_t work) {
        work_ += work;
        if (work_ < work_per_check) return;
        work_ = 0;
        stop_.check();
    }

    RowSums sum(int64_t begin, int64_t end) {
        RowSums sums;
        for (int64_t i = begin; i < end; ++i) {
            did(1);
            const auto at = static_cast<size_t>(i);
            __builtin_prefetch(weights_.indptr.data() + matrix_.indices[at]);  // for add_excess
            const auto value = static_cast<double>(matrix_.data[at]);
            if (value == 0.0) continue;
            sums.feature_base +=
                value * weights_.feature_base[static_cast<size_t>(matrix_.indices[at])];
            sums.values += value;
        }
        return sums;
    }

    static void add(double factor, std::span<const double> terms, std::span<double> scores) {
        for (size_t c = 0; c < scores.size(); ++c) scores[c] += factor * terms[c];
    }

    void add_excess(int64_t begin, int64_t end, double* scores) {
        const int64_t* const indptr = weights_.indptr.data();
        const int32_t* const classes = weights_.classes.data();
        const double* const excess = weights_.excess.data();
        const int32_t* const indices = matrix_.indices.data();
        for (int64_t i = begin; i < end; ++i) {
            // Which excess comes next only the indices know: no hardware prefetcher guesses it.
            if (i + prefetch_ahead < end) {
                const int64_t ahead = indptr[indices[i + prefetch_ahead]];
                __builtin_prefetch(classes + ahead);
                __builtin_prefetch(excess + ahead);
            }
            did(1);
            const auto value = static_cast<double>(matrix_.data[static_cast<size_t>(i)]);
            if (value == 0.0) continue;
            const int64_t last = indptr[indices[i] + 1];
            for (int64_t k = indptr[indices[i]]; k < last; ++k) {
                scores[classes[k]] += value * excess[k];
            }
            did(last - indptr[indices[i]]);
        }
    }

    const CsrView<Value>& matrix_;
    const SparseClassWeights& weights_;
    StopToken& stop_;
    int64_t work_ = 0;
};

}  // namespace

template <class Value>
void csr_score_sparse_classes(const CsrView<Value>& matrix, const SparseClassWeights& weights,
                              const Execution& execution, std::span<double> scores_out) {
    const size_t n_classes = weights.bias.size();
    const auto width = static_cast<int64_t>(std::max<size_t>(n_classes, 1));
    const FixedChunks chunks{matrix.n_rows, std::clamp<int64_t>(scores_per_chunk / width, 1, 256)};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        RowScorer<Value> scorer(matrix, weights, *execution.stop);
        for (int64_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
            scorer.score(row, scores_out.subspan(static_cast<size_t>(row) * n_classes, n_classes));
        }
    });
}

#define WORDODDS_INSTANTIATE(Value)                \
    template void csr_score_sparse_classes<Value>( \
        const CsrView<Value>&, const SparseClassWeights&, const Execution&, std::span<double>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
