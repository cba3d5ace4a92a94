#include "wordodds/bayes/moments.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "rows_by_class.hpp"

namespace wordodds {
namespace {

constexpr size_t rows_per_check = 4096;
constexpr size_t entries_per_check = 1 << 18;
constexpr int64_t tile_columns = 128;
constexpr size_t batch_rows = 16;  // of 128 columns: 16 KiB, half of a first-level cache

// The rows of each class, and what they weigh.
struct WeighedRows {
    RowsByClass groups;
    std::vector<double> weights;  // of each entry of groups.rows
};

WeighedRows weigh_rows(std::span<const int32_t> labels, std::span<const double> row_weights,
                       int64_t n_classes, StopToken& stop) {
    WeighedRows weighed{group_rows(labels, row_weights, n_classes, stop), {}};
    weighed.weights.assign(weighed.groups.rows.size(), 1.0);
    if (row_weights.empty()) return weighed;
    for (size_t g = 0; g < weighed.weights.size(); ++g) {
        weighed.weights[g] = row_weights[static_cast<size_t>(weighed.groups.rows[g])];
    }
    return weighed;
}

void sum_weights(const WeighedRows& rows, std::span<double> weight_out) {
    for (size_t c = 0; c < weight_out.size(); ++c) {
        weight_out[c] = 0.0;
        for (size_t g = rows.groups.begin[c]; g < rows.groups.begin[c + 1]; ++g) {
            weight_out[c] += rows.weights[g];
        }
    }
}

// The entries of one column in one class so far.
struct Cell {
    double weight;
    double mean;
    double m2;
    double padding;  // two cells to a cache line, none across two

    void add(double value, double value_weight) {
        if (weight == 0.0) {
            weight = value_weight;
            mean = value;
            return;
        }
        weight += value_weight;
        const double delta = value - mean;
        if (delta == 0.0) return;
        mean += delta * (value_weight / weight);
        m2 += value_weight * delta * (value - mean);
        m2 = std::max(m2, std::numeric_limits<double>::denorm_min());
    }

    // Chan's formula for a batch of zeros.
    void add_zeros(double zeros_weight) {
        if (weight == 0.0 || mean == 0.0 || !(zeros_weight > 0.0)) return;
        const double share = weight / (weight + zeros_weight);
        m2 += (mean * (zeros_weight * share)) * mean;
        m2 = std::max(m2, std::numeric_limits<double>::denorm_min());
        mean *= share;
    }
};

// One stretch of columns of the rows of one class.
template <class Value>
class DenseTile {
   public:
    DenseTile(const DenseRows<Value>& matrix, const WeighedRows& rows, size_t c, int64_t first,
              int64_t n_columns)
        : data_(matrix.data.data() + first),
          n_cols_(matrix.n_cols),
          rows_(rows.groups.of_class(c).data()),
          weights_(rows.weights.data() + rows.groups.begin[c]),
          n_rows_(rows.groups.of_class(c).size()),
          n_columns_(static_cast<size_t>(n_columns)) {}

    void moments(const Execution& execution, double* mean, double* m2) const {
        std::fill_n(mean, n_columns_, 0.0);
        std::fill_n(m2, n_columns_, 0.0);
        double weight = 0.0;
        for (size_t first = 0; first < n_rows_; first += batch_rows) {
            if (first % rows_per_check == 0) execution.stop->check();
            weight += join(first, std::min(n_rows_, first + batch_rows), weight, mean, m2);
        }
        keep_least_spread(execution, weight, mean, m2);
    }

   private:
    const Value* row(size_t g) const { return data_ + rows_[g] * n_cols_; }

    // Adds the rows [first, last) to rows of weight `before`; returns their weight.
    double join(size_t first, size_t last, double before, double* mean, double* m2) const {
        double batch_mean[tile_columns] = {};
        double batch_m2[tile_columns] = {};
        double weight = 0.0;
        // Away from the first row, so that the mean of equal values is exactly their value.
        const Value* const origin = row(first);
        for (size_t g = first; g < last; ++g) {
            const Value* const x = row(g);
            const double w = weights_[g];
            weight += w;
            for (size_t j = 0; j < n_columns_; ++j) {
                batch_mean[j] += w * (static_cast<double>(x[j]) - static_cast<double>(origin[j]));
            }
        }
        for (size_t j = 0; j < n_columns_; ++j) {
            batch_mean[j] = static_cast<double>(origin[j]) + batch_mean[j] / weight;
        }
        for (size_t g = first; g < last; ++g) {
            const Value* const x = row(g);
            const double w = weights_[g];
            for (size_t j = 0; j < n_columns_; ++j) {
                const double deviation = static_cast<double>(x[j]) - batch_mean[j];
                batch_m2[j] += w * deviation * deviation;
            }
        }
        if (first == 0) {
            std::copy_n(batch_mean, n_columns_, mean);
            std::copy_n(batch_m2, n_columns_, m2);
            return weight;
        }
        const double share = weight / (before + weight);
        const double cross = before * share;
        for (size_t j = 0; j < n_columns_; ++j) {
            const double delta = batch_mean[j] - mean[j];
            mean[j] += delta * share;
            m2[j] += batch_m2[j] + delta * cross * delta;
        }
        return weight;
    }

    // Looks once more at the few columns whose squares may have vanished.
    void keep_least_spread(const Execution& execution, double weight, const double* mean,
                           double* m2) const {
        const double least = least_spread(weight);
        std::vector<size_t> suspects;
        for (size_t j = 0; j < n_columns_; ++j) {
            if (m2[j] < least) suspects.push_back(j);
        }
        if (suspects.empty()) return;
        for (size_t g = 0; g < n_rows_; ++g) {
            if (g % rows_per_check == 0) execution.stop->check();
            const Value* const x = row(g);
            for (const size_t j : suspects) {
                if (static_cast<double>(x[j]) != mean[j]) m2[j] = least;
            }
        }
    }

    const Value* data_;
    int64_t n_cols_;
    const int64_t* rows_;
    const double* weights_;
    size_t n_rows_;
    size_t n_columns_;
};

}  // namespace

template <class Value>
void csr_class_moments(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                       std::span<const double> row_weights, int64_t n_classes,
                       const Execution& execution, const ClassMoments& moments_out) {
    const WeighedRows rows = weigh_rows(labels, row_weights, n_classes, *execution.stop);
    sum_weights(rows, moments_out.weight);
    const auto n_cols = static_cast<size_t>(matrix.n_cols);
    std::vector<std::vector<Cell>> scratch(
        static_cast<size_t>(std::min<int64_t>(execution.n_jobs, n_classes)));
    parallel_for(execution, n_classes, [&](int64_t chunk, int32_t worker) {
        const auto c = static_cast<size_t>(chunk);
        std::vector<Cell>& cells = scratch[static_cast<size_t>(worker)];
        cells.assign(n_cols, Cell{});
        for (size_t g = rows.groups.begin[c]; g < rows.groups.begin[c + 1]; ++g) {
            if (g % rows_per_check == 0) execution.stop->check();
            const auto row = static_cast<size_t>(rows.groups.rows[g]);
            const double weight = rows.weights[g];
            const auto end = static_cast<size_t>(matrix.indptr[row + 1]);
            for (auto i = static_cast<size_t>(matrix.indptr[row]); i < end; ++i) {
                cells[static_cast<size_t>(matrix.indices[i])].add(
                    static_cast<double>(matrix.data[i]), weight);
                if (i % entries_per_check == 0) execution.stop->check();
            }
        }
        const double weight = moments_out.weight[c];
        const double least = least_spread(weight);
        for (size_t j = 0; j < n_cols; ++j) {
            // Both weights are sums in row order: of the same rows they are the same number.
            cells[j].add_zeros(weight - cells[j].weight);
            moments_out.mean[c * n_cols + j] = cells[j].mean;
            moments_out.m2[c * n_cols + j] =
                cells[j].m2 == 0.0 ? 0.0 : std::max(cells[j].m2, least);
        }
    });
}

template <class Value>
void dense_class_moments(const DenseRows<Value>& matrix, std::span<const int32_t> labels,
                         std::span<const double> row_weights, int64_t n_classes,
                         const Execution& execution, const ClassMoments& moments_out) {
    const WeighedRows rows = weigh_rows(labels, row_weights, n_classes, *execution.stop);
    sum_weights(rows, moments_out.weight);
    const FixedChunks tiles{matrix.n_cols, tile_columns};
    parallel_for(execution, n_classes * tiles.count(), [&](int64_t chunk, int32_t) {
        const int64_t c = chunk / tiles.count();
        const int64_t tile = chunk % tiles.count();
        const int64_t first = tiles.begin(tile);
        const DenseTile<Value> columns(matrix, rows, static_cast<size_t>(c), first,
                                       tiles.end(tile) - first);
        columns.moments(execution, moments_out.mean.data() + c * matrix.n_cols + first,
                        moments_out.m2.data() + c * matrix.n_cols + first);
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                            \
    template void csr_class_moments<Value>(const CsrView<Value>&, std::span<const int32_t>,    \
                                           std::span<const double>, int64_t, const Execution&, \
                                           const ClassMoments&);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

#define WORDODDS_INSTANTIATE(Value)                                                              \
    template void dense_class_moments<Value>(const DenseRows<Value>&, std::span<const int32_t>,  \
                                             std::span<const double>, int64_t, const Execution&, \
                                             const ClassMoments&);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
