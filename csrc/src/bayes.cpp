#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "wordodds/bayes/multinomial.hpp"

namespace wordodds {
namespace {

constexpr size_t rows_per_check = 4096;
constexpr int64_t logarithms_per_chunk = 1 << 18;
constexpr size_t entries_per_check = 1 << 20;
constexpr int64_t tile_columns = 64;

// Row numbers grouped by class, ascending within each; group c is [begin[c], begin[c + 1]).
struct RowsByClass {
    std::vector<size_t> begin;
    std::vector<int64_t> rows;
};

RowsByClass group_rows(std::span<const int32_t> labels, int64_t n_classes) {
    RowsByClass groups;
    groups.begin.assign(static_cast<size_t>(n_classes) + 1, 0);
    groups.rows.resize(labels.size());
    for (const int32_t label : labels) ++groups.begin[static_cast<size_t>(label) + 1];
    for (size_t c = 1; c < groups.begin.size(); ++c) groups.begin[c] += groups.begin[c - 1];
    std::vector<size_t> next(groups.begin.begin(), groups.begin.end() - 1);
    for (size_t row = 0; row < labels.size(); ++row) {
        groups.rows[next[static_cast<size_t>(labels[row])]++] = static_cast<int64_t>(row);
    }
    return groups;
}

// log(count + alpha), from a table for the small whole numbers that most counts are.
class SmoothedLog {
   public:
    explicit SmoothedLog(double alpha) : alpha_(alpha) {
        for (size_t count = 0; count < table_size; ++count) {
            table_[count] = std::log(static_cast<double>(count) + alpha);
        }
    }

    double operator()(double count) const {
        if (count < table_size) {
            const auto whole = static_cast<size_t>(count);
            if (static_cast<double>(whole) == count) return table_[whole];
        }
        return std::log(count + alpha_);
    }

   private:
    static constexpr size_t table_size = 256;
    double alpha_;
    std::array<double, table_size> table_;
};

}  // namespace

template <class Index, class Value>
void csr_tally_classes(const CsrView<Index, Value>& matrix, std::span<const int32_t> labels,
                       int64_t n_classes, const Execution& execution, std::span<double> tally_out) {
    const RowsByClass groups = group_rows(labels, n_classes);
    const auto n_cols = static_cast<size_t>(matrix.n_cols);
    parallel_for(execution, n_classes, [&](int64_t chunk, int32_t) {
        const auto c = static_cast<size_t>(chunk);
        double* const tally = tally_out.data() + c * n_cols;
        std::fill_n(tally, n_cols, 0.0);
        for (size_t g = groups.begin[c]; g < groups.begin[c + 1]; ++g) {
            if (g % rows_per_check == 0) execution.stop->check();
            const auto row = static_cast<size_t>(groups.rows[g]);
            const auto end = static_cast<size_t>(matrix.indptr[row + 1]);
            for (auto i = static_cast<size_t>(matrix.indptr[row]); i < end; ++i) {
                tally[matrix.indices[i]] += static_cast<double>(matrix.data[i]);
                if (i % entries_per_check == 0) execution.stop->check();
            }
        }
    });
}

void tally_log_weights(std::span<const double> tally, int64_t n_classes, int64_t n_cols,
                       double alpha, int64_t stride, const Execution& execution,
                       std::span<double> weights_out) {
    const auto columns = static_cast<size_t>(n_cols);
    std::vector<double> log_total(static_cast<size_t>(n_classes));
    parallel_for(execution, n_classes, [&](int64_t chunk, int32_t) {
        const auto c = static_cast<size_t>(chunk);
        double total = alpha * static_cast<double>(n_cols);
        for (size_t j = 0; j < columns; ++j) total += tally[c * columns + j];
        // A total of zero makes every estimate of the class zero; log 0 - log 0 would be NaN.
        log_total[c] = total > 0.0 ? std::log(total) : 0.0;
    });
    const SmoothedLog smoothed_log(alpha);
    const FixedChunks chunks{n_cols, std::max<int64_t>(1, logarithms_per_chunk / n_classes)};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        // A tile at a time: reading goes along a class, writing along a word, and the tile is in the cache.
        for (int64_t first = chunks.begin(chunk); first < chunks.end(chunk); first += tile_columns) {
            const auto n = static_cast<size_t>(std::min(tile_columns, chunks.end(chunk) - first));
            double* const tile = weights_out.data() + first * stride;
            for (int64_t c = 0; c < n_classes; ++c) {
                const double* const counts = tally.data() + c * n_cols + first;
                const double total = log_total[static_cast<size_t>(c)];
                for (size_t j = 0; j < n; ++j) {
                    tile[j * static_cast<size_t>(stride) + static_cast<size_t>(c)] =
                        smoothed_log(counts[j]) - total;
                }
            }
            for (size_t j = 0; j < n; ++j) {
                double* const row = tile + j * static_cast<size_t>(stride);
                std::fill(row + n_classes, row + stride, 0.0);
            }
        }
    });
}

#define INSTANTIATE(Index, Value)                                                               \
    template void csr_tally_classes<Index, Value>(const CsrView<Index, Value>&,                 \
                                                  std::span<const int32_t>, int64_t,            \
                                                  const Execution&, std::span<double>);
WORDODDS_FOR_EACH_INDEX_NUMBER(INSTANTIATE)
#undef INSTANTIATE

}  // namespace wordodds
