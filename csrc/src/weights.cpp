#include "wordodds/bayes/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace wordodds {
namespace {

constexpr int64_t cells_per_chunk = 1 << 18;
constexpr int64_t tile_columns = 64;
constexpr double infinity = std::numeric_limits<double>::infinity();

// log(count + a), from a table for the small whole numbers that most counts are.
class SmoothedLog {
   public:
    explicit SmoothedLog(double pseudo_count) : pseudo_count_(pseudo_count) {
        for (size_t count = 0; count < table_size; ++count) {
            table_[count] = std::log(static_cast<double>(count) + pseudo_count);
        }
    }

    double operator()(double count) const {
        if (count >= 0.0 && count < table_size) {
            const auto whole = static_cast<size_t>(count);
            if (static_cast<double>(whole) == count) return table_[whole];
        }
        return std::log(count + pseudo_count_);
    }

   private:
    static constexpr size_t table_size = 1024;
    double pseudo_count_;
    std::array<double, table_size> table_;
};

// Calls with `log_of(count, c, j)` = log(count + a[c][j]): the table where one pseudo-count serves all cells.
template <class Body>
void with_smoothed_log(const PseudoCounts& pseudo_counts, Body&& body) {
    if (pseudo_counts.is_one_number()) {
        const SmoothedLog smoothed_log(pseudo_counts.of(0, 0));
        body([&smoothed_log](double count, int64_t, int64_t) { return smoothed_log(count); });
    } else {
        body([&pseudo_counts](double count, int64_t c, int64_t j) {
            return std::log(count + pseudo_counts.of(c, j));
        });
    }
}

// weights_out[j][c] = cell(count, c, j) for each count of the tally; the padding 0.
template <class Cell>
void fill_weights(const TallyView& tally, int64_t stride, const Execution& execution,
                  std::span<double> weights_out, Cell&& cell) {
    const FixedChunks chunks{tally.n_cols, std::max<int64_t>(1, cells_per_chunk / std::max<int64_t>(1, tally.n_classes))};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        // A tile at a time: reading goes along a class, writing along a feature, and the tile is in the cache.
        for (int64_t first = chunks.begin(chunk); first < chunks.end(chunk); first += tile_columns) {
            const int64_t n = std::min(tile_columns, chunks.end(chunk) - first);
            double* const tile = weights_out.data() + first * stride;
            for (int64_t c = 0; c < tally.n_classes; ++c) {
                const double* const counts = tally.of_class(c) + first;
                for (int64_t j = 0; j < n; ++j) tile[j * stride + c] = cell(counts[j], c, first + j);
            }
            for (int64_t j = 0; j < n; ++j) {
                std::fill(tile + j * stride + tally.n_classes, tile + (j + 1) * stride, 0.0);
            }
        }
    });
}

// result[c] = sum_j term(tally[c][j], c, j). Summed in blocks, and their sums with Kahan's correction: a hundred
// thousand equal terms, one after the other, would all be rounded the same way.
template <class Term>
std::vector<double> sum_over_features(const TallyView& tally, const Execution& execution, Term&& term) {
    std::vector<double> sums(static_cast<size_t>(tally.n_classes));
    parallel_for(execution, tally.n_classes, [&](int64_t c, int32_t) {
        const double* const counts = tally.of_class(c);
        double sum = 0.0, lost = 0.0;
        for (int64_t first = 0; first < tally.n_cols; first += tile_columns) {
            if (first % cells_per_chunk == 0) execution.stop->check();
            const int64_t end = std::min(tally.n_cols, first + tile_columns);
            double block = 0.0;
            for (int64_t j = first; j < end; ++j) block += term(counts[j], c, j);
            const double corrected = block - lost;
            const double next = sum + corrected;
            // Beside an infinity nothing is lost, and inf - inf would be NaN.
            lost = std::isinf(next) ? 0.0 : (next - sum) - corrected;
            sum = next;
        }
        sums[static_cast<size_t>(c)] = sum;
    });
    return sums;
}

// sum_j (base(count, j) + a[c][j]) for each class; one shared pseudo-count is multiplied, not added n_cols times.
template <class Base>
std::vector<double> smoothed_totals(const TallyView& tally, const PseudoCounts& pseudo_counts,
                                    const Execution& execution, Base&& base) {
    const bool one = pseudo_counts.is_one_number();
    std::vector<double> totals = sum_over_features(tally, execution, [&](double count, int64_t c, int64_t j) {
        return one ? base(count, j) : base(count, j) + pseudo_counts.of(c, j);
    });
    if (one && tally.n_cols > 0) {
        const double added = pseudo_counts.of(0, 0) * static_cast<double>(tally.n_cols);
        for (double& total : totals) total += added;
    }
    return totals;
}

}  // namespace

void tally_multinomial_weights(const TallyView& tally, const PseudoCounts& pseudo_counts, int64_t stride,
                               const Execution& execution, std::span<double> weights_out) {
    std::vector<double> log_total =
        smoothed_totals(tally, pseudo_counts, execution, [](double count, int64_t) { return count; });
    // A total of zero makes every estimate of the class zero; log 0 - log 0 would be NaN.
    for (double& total : log_total) total = total > 0.0 ? std::log(total) : 0.0;
    with_smoothed_log(pseudo_counts, [&](auto&& log_of) {
        fill_weights(tally, stride, execution, weights_out, [&](double count, int64_t c, int64_t j) {
            return log_of(count, c, j) - log_total[static_cast<size_t>(c)];
        });
    });
}

void tally_bernoulli_weights(const TallyView& tally, std::span<const double> class_counts,
                             const PseudoCounts& pseudo_counts, int64_t stride, const Execution& execution,
                             std::span<double> weights_out, std::span<double> bias_out) {
    // Sums of weights may pass the class's own sum by a rounding.
    const auto without = [&](double count, int64_t c) {
        return std::max(0.0, class_counts[static_cast<size_t>(c)] - count);
    };
    const std::vector<double> bias = sum_over_features(tally, execution, [&](double count, int64_t c, int64_t j) {
        const double pseudo_count = pseudo_counts.of(c, j);
        const double total = class_counts[static_cast<size_t>(c)] + 2.0 * pseudo_count;
        if (total <= 0.0) return -infinity;
        const double absent = without(count, c) + pseudo_count;
        if (absent <= 0.0) return 0.0;
        // Near p = 0 log1p keeps the digits, near p = 1 the quotient does.
        const double p = (count + pseudo_count) / total;
        return p < 0.5 ? std::log1p(-p) : std::log(absent / total);
    });
    std::copy(bias.begin(), bias.end(), bias_out.begin());
    with_smoothed_log(pseudo_counts, [&](auto&& log_of) {
        fill_weights(tally, stride, execution, weights_out, [&](double count, int64_t c, int64_t j) {
            const double absent = log_of(without(count, c), c, j);
            const double present = log_of(count, c, j);
            if (absent > -infinity) return present - absent;
            return present > -infinity ? 0.0 : -infinity;
        });
    });
}

void tally_complement_weights(const TallyView& tally, std::span<const double> feature_totals,
                              const PseudoCounts& pseudo_counts, int64_t stride, const Execution& execution,
                              std::span<double> weights_out) {
    const auto elsewhere = [&](double count, int64_t j) {
        return std::max(0.0, feature_totals[static_cast<size_t>(j)] - count);
    };
    std::vector<double> log_total = smoothed_totals(tally, pseudo_counts, execution, elsewhere);
    for (double& total : log_total) total = total > 0.0 ? std::log(total) : 0.0;
    with_smoothed_log(pseudo_counts, [&](auto&& log_of) {
        fill_weights(tally, stride, execution, weights_out, [&](double count, int64_t c, int64_t j) {
            const double logarithm = log_of(elsewhere(count, j), c, j);
            const double total = log_total[static_cast<size_t>(c)];
            return logarithm > -infinity ? total - logarithm : total;
        });
    });
}

}  // namespace wordodds
