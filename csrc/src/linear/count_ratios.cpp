#include "wordodds/linear/count_ratios.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "wordodds/base/zeroed_array.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_between_checks = 256;
constexpr int64_t columns_in_block = 8;   // counts of a feature fill a cache line
constexpr int64_t columns_in_group = 32;  // whose counts are held at once
constexpr int64_t features_in_chunk = 4096;

// Documents with each feature.
void count_features(const CsrView<double>& matrix, const LabelWeights& labels, StopToken& stop,
                    std::span<double> counts_out) {
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
            if (matrix.data[at] != 0) counts_out[static_cast<size_t>(matrix.indices[at])] += weight;
        }
    }
}

// d_jk of up to columns_in_block columns from `first` on.
class BlockCounts {
   public:
    BlockCounts(int64_t n_features, int64_t first, int64_t n)
        : first_(first), n_(n), counts_(static_cast<size_t>(n_features * n)) {}

    double operator()(size_t j, int64_t k) const {
        return counts_[j * static_cast<size_t>(n_) + static_cast<size_t>(k)];
    }

    void count(const CsrView<double>& matrix, const LabelWeights& labels, int64_t n_columns,
               StopToken& stop) {
        for (int64_t row = 0; row < matrix.n_rows; ++row) {
            if (row % rows_between_checks == 0) stop.check();
            const auto i = static_cast<size_t>(row);
            for (auto e = static_cast<size_t>(labels.indptr[i]);
                 e < static_cast<size_t>(labels.indptr[i + 1]); ++e) {
                const int64_t k = column_of_class(n_columns, labels.codes[e]) - first_;
                if (k >= 0 && k < n_) add(matrix, i, k, labels.weights[e]);
            }
        }
    }

   private:
    void add(const CsrView<double>& matrix, size_t i, int64_t k, double weight) {
        constexpr size_t ahead = 16;
        double* const counts = counts_.begin() + k;
        const auto at = [&](size_t e) {
            return counts + static_cast<int64_t>(matrix.indices[e]) * n_;
        };
        const auto end = static_cast<size_t>(matrix.indptr[i + 1]);
        for (auto e = static_cast<size_t>(matrix.indptr[i]); e < end; ++e) {
            if (e + ahead < end) __builtin_prefetch(at(e + ahead), 1, 3);
            if (matrix.data[e] != 0) *at(e) += weight;
        }
    }

    int64_t first_;
    int64_t n_;
    ZeroedArray<double> counts_;
};

// log(n + alpha), kept for small whole numbers: most features are in few documents.
class LogCounts {
   public:
    explicit LogCounts(double alpha) : alpha_(alpha) {
        for (int n = 0; n < n_kept; ++n) kept_[n] = std::log(n + alpha);
    }
    double operator()(double n) const {
        if (n < n_kept && n == static_cast<int>(n)) return kept_[static_cast<int>(n)];
        return std::log(n + alpha_);
    }

   private:
    static constexpr int n_kept = 256;
    double alpha_;
    double kept_[n_kept];
};

// The ratios of the n <= columns_in_group columns from `first` on; in_class(j, k) = d_jk of column
// first + k.
template <class InClass>
void set_ratios(std::span<const double> counts, int64_t n_columns, int64_t first, int64_t n,
                double alpha, const Execution& execution, InClass in_class,
                std::span<float> ratios_out) {
    using Sums = std::array<double, columns_in_group + 1>;  // by column, and of all rows
    const FixedChunks chunks{static_cast<int64_t>(counts.size()), features_in_chunk};
    const auto features = [&](int64_t chunk, auto visit) {
        for (auto j = static_cast<size_t>(chunks.begin(chunk));
             j < static_cast<size_t>(chunks.end(chunk)); ++j) {
            visit(j);
        }
    };
    Sums offsets = parallel_reduce(
        execution, chunks.count(), Sums{},
        [&](int64_t chunk) {
            Sums sums{};
            features(chunk, [&](size_t j) {
                for (int64_t k = 0; k < n; ++k) sums[static_cast<size_t>(k)] += in_class(j, k);
                sums.back() += counts[j];
            });
            return sums;
        },
        [](Sums all, const Sums& some) {
            std::transform(all.begin(), all.end(), some.begin(), all.begin(), std::plus<>());
            return all;
        });
    const double smooth = alpha * static_cast<double>(counts.size());
    for (double& of_class : offsets) {
        const double rest = std::max(0.0, offsets.back() - of_class);
        of_class = std::log(of_class + smooth) - std::log(rest + smooth);
    }
    const LogCounts log_count(alpha);
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        features(chunk, [&](size_t j) {
            // Most features are in documents of few classes.
            const double log_absent = log_count(0.0) - log_count(counts[j]);
            float* const out = ratios_out.data() + static_cast<int64_t>(j) * n_columns + first;
            for (int64_t k = 0; k < n; ++k) {
                const double in = in_class(j, k);
                const double rest = std::max(0.0, counts[j] - in);
                const double log_ratio = in == 0.0 ? log_absent : log_count(in) - log_count(rest);
                out[k] = static_cast<float>(log_ratio - offsets[static_cast<size_t>(k)]);
            }
        });
    });
}

}  // namespace

void csr_count_ratios(const CsrView<double>& matrix, const LabelWeights& labels, int64_t n_columns,
                      double alpha, const Execution& execution, std::span<float> ratios_out) {
    std::vector<double> counts(static_cast<size_t>(matrix.n_cols), 0.0);
    const FixedChunks groups{n_columns, columns_in_group};
    for (int64_t group = 0; group < groups.count(); ++group) {
        const int64_t first = groups.begin(group), n = groups.end(group) - first;
        const FixedChunks blocks{n, columns_in_block};
        std::vector<BlockCounts> own;
        for (int64_t block = 0; block < blocks.count(); ++block) {
            const int64_t begin = blocks.begin(block);
            own.emplace_back(matrix.n_cols, first + begin, blocks.end(block) - begin);
        }
        // What all classes have together is one more block of the first group.
        parallel_for(execution, blocks.count() + (group == 0), [&](int64_t block, int32_t) {
            if (block == blocks.count()) {
                count_features(matrix, labels, *execution.stop, counts);
            } else {
                own[static_cast<size_t>(block)].count(matrix, labels, n_columns, *execution.stop);
            }
        });
        const auto in_class = [&](size_t j, int64_t k) {
            return own[static_cast<size_t>(k / columns_in_block)](j, k % columns_in_block);
        };
        set_ratios(counts, n_columns, first, n, alpha, execution, in_class, ratios_out);
    }
}

void count_ratios(std::span<const double> counts, std::span<const double> class_counts,
                  int64_t n_columns, double alpha, const Execution& execution,
                  std::span<float> ratios_out) {
    const FixedChunks groups{n_columns, columns_in_group};
    for (int64_t group = 0; group < groups.count(); ++group) {
        const int64_t first = groups.begin(group), n = groups.end(group) - first;
        const auto in_class = [&](size_t j, int64_t k) {
            return class_counts[static_cast<size_t>(first + k) * counts.size() + j];
        };
        set_ratios(counts, n_columns, first, n, alpha, execution, in_class, ratios_out);
    }
}

}  // namespace wordodds
