#include "wordodds/linear/count_ratios.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "wordodds/base/zeroed_array.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_between_checks = 256;
constexpr int64_t columns_in_block = 8;
constexpr size_t features_between_checks = 4096;

// Documents with each feature.
template <class Index>
std::vector<double> feature_counts(const CsrView<Index, double>& matrix, const LabelWeights& labels,
                                   StopToken& stop) {
    std::vector<double> counts(static_cast<size_t>(matrix.n_cols), 0.0);
    for (int64_t row = 0; row < matrix.n_rows; ++row) {
        if (row % rows_between_checks == 0) stop.check();
        const auto i = static_cast<size_t>(row);
        double weight = 0.0;
        for (auto e = static_cast<size_t>(labels.indptr[i]);
             e < static_cast<size_t>(labels.indptr[i + 1]); ++e) {
            weight += labels.weights[e];
        }
        if (weight == 0.0) continue;
        const auto end = static_cast<size_t>(matrix.indptr[i + 1]);
        for (auto at = static_cast<size_t>(matrix.indptr[i]); at < end; ++at) {
            if (matrix.data[at] != 0) counts[static_cast<size_t>(matrix.indices[at])] += weight;
        }
    }
    return counts;
}

// counts_out[j * n + k - first] = d_jk of the n columns from `first` on.
template <class Index>
void count_classes(const CsrView<Index, double>& matrix, const LabelWeights& labels,
                   int64_t n_columns, int64_t first, int64_t n, StopToken& stop,
                   ZeroedArray<double>& counts_out) {
    for (int64_t row = 0; row < matrix.n_rows; ++row) {
        if (row % rows_between_checks == 0) stop.check();
        const auto i = static_cast<size_t>(row);
        for (auto e = static_cast<size_t>(labels.indptr[i]);
             e < static_cast<size_t>(labels.indptr[i + 1]); ++e) {
            const int64_t k = column_of_class(n_columns, labels.codes[e]) - first;
            if (k < 0 || k >= n) continue;
            const auto end = static_cast<size_t>(matrix.indptr[i + 1]);
            for (auto at = static_cast<size_t>(matrix.indptr[i]); at < end; ++at) {
                if (matrix.data[at] == 0) continue;
                const int64_t j = static_cast<int64_t>(matrix.indices[at]);
                counts_out[static_cast<size_t>(j * n + k)] += labels.weights[e];
            }
        }
    }
}

// The ratios of the n columns from `first` on; in_class(j, k) = d_jk of column first + k.
template <class InClass>
void set_ratios(std::span<const double> counts, int64_t n_columns, int64_t first, int64_t n_block,
                double alpha, StopToken& stop, InClass in_class, std::span<float> ratios_out) {
    const auto n_features = counts.size(), n = static_cast<size_t>(n_block);
    const double smooth = alpha * static_cast<double>(n_features);
    double total = 0.0, offsets[columns_in_block] = {};
    for (size_t j = 0; j < n_features; ++j) {
        if (j % features_between_checks == 0) stop.check();
        total += counts[j];
        for (size_t k = 0; k < n; ++k) offsets[k] += in_class(j, k);
    }
    for (double& of_class : offsets) {
        const double rest = std::max(0.0, total - of_class);
        of_class = std::log(of_class + smooth) - std::log(rest + smooth);
    }
    const double log_alpha = std::log(alpha);
    for (size_t j = 0; j < n_features; ++j) {
        if (j % features_between_checks == 0) stop.check();
        // Most features are in documents of few classes.
        const double log_absent = log_alpha - std::log(counts[j] + alpha);
        float* const out = ratios_out.data() + static_cast<int64_t>(j) * n_columns + first;
        for (size_t k = 0; k < n; ++k) {
            const double in = in_class(j, k);
            const double rest = std::max(0.0, counts[j] - in);
            const double log_ratio =
                in == 0.0 ? log_absent : std::log(in + alpha) - std::log(rest + alpha);
            out[k] = static_cast<float>(log_ratio - offsets[k]);
        }
    }
}

}  // namespace

template <class Index>
void csr_count_ratios(const CsrView<Index, double>& matrix, const LabelWeights& labels,
                      int64_t n_columns, double alpha, const Execution& execution,
                      std::span<float> ratios_out) {
    const std::vector<double> counts = feature_counts(matrix, labels, *execution.stop);
    const FixedChunks blocks{n_columns, columns_in_block};
    parallel_for(execution, blocks.count(), [&](int64_t block, int32_t) {
        const int64_t first = blocks.begin(block), n = blocks.end(block) - first;
        ZeroedArray<double> own(static_cast<size_t>(matrix.n_cols * n));
        count_classes(matrix, labels, n_columns, first, n, *execution.stop, own);
        const auto in_class = [&](size_t j, size_t k) { return own[j * static_cast<size_t>(n) + k]; };
        set_ratios(counts, n_columns, first, n, alpha, *execution.stop, in_class, ratios_out);
    });
}

void count_ratios(std::span<const double> counts, std::span<const double> class_counts,
                  int64_t n_columns, double alpha, const Execution& execution,
                  std::span<float> ratios_out) {
    const FixedChunks blocks{n_columns, columns_in_block};
    parallel_for(execution, blocks.count(), [&](int64_t block, int32_t) {
        const int64_t first = blocks.begin(block), n = blocks.end(block) - first;
        const auto in_class = [&](size_t j, size_t k) {
            return class_counts[(static_cast<size_t>(first) + k) * counts.size() + j];
        };
        set_ratios(counts, n_columns, first, n, alpha, *execution.stop, in_class, ratios_out);
    });
}

#define WORDODDS_INSTANTIATE(Index)                                                              \
    template void csr_count_ratios<Index>(const CsrView<Index, double>&, const LabelWeights&,     \
                                          int64_t, double, const Execution&, std::span<float>);
WORDODDS_INSTANTIATE(int32_t)
WORDODDS_INSTANTIATE(int64_t)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
