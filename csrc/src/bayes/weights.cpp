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

// Calls body with `log_of(count, c, j)` = log(count + a[c][j]): the table where one pseudo-count
// serves all cells.
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

// The weights of the cells without any count: of_feature(j) + of_class[c]. Most cells of a tally
// are empty, and these sums fill them at the speed of memory.
template <class OfFeature>
struct EmptyCells {
    OfFeature of_feature;
    std::vector<double> of_class;
};
// Clang before 17 does not deduce the argument of an aggregate.
template <class OfFeature>
EmptyCells(OfFeature, std::vector<double>) -> EmptyCells<OfFeature>;

// Where empty cells differ in every class and feature, they are computed like the others.
struct NoEmptyCells {};

// One tile of features [first, first + n), all classes: tile[j * stride + c] = cell(count, c, first
// + j).
template <class Cell>
void fill_tile(const TallyView& tally, int64_t first, int64_t n, int64_t stride,
               const NoEmptyCells&, Cell&& cell, double* tile) {
    for (int64_t c = 0; c < tally.n_classes; ++c) {
        const double* const counts = tally.of_class(c) + first;
        for (int64_t j = 0; j < n; ++j) tile[j * stride + c] = cell(counts[j], c, first + j);
    }
}

template <class OfFeature, class Cell>
void fill_tile(const TallyView& tally, int64_t first, int64_t n, int64_t stride,
               const EmptyCells<OfFeature>& empty, Cell&& cell, double* tile) {
    const double* const of_class = empty.of_class.data();
    for (int64_t j = 0; j < n; ++j) {
        const double of_feature = empty.of_feature(first + j);
        double* const row = tile + j * stride;
        for (int64_t c = 0; c < tally.n_classes; ++c) row[c] = of_feature + of_class[c];
    }
    for (int64_t c = 0; c < tally.n_classes; ++c) {
        const double* const counts = tally.of_class(c) + first;
        // Which cells are not empty first, without a branch: no predictor guesses them.
        int64_t found[tile_columns];
        int64_t n_found = 0;
        for (int64_t j = 0; j < n; ++j) {
            found[n_found] = j;
            n_found += counts[j] != 0.0;
        }
        for (int64_t k = 0; k < n_found; ++k) {
            const int64_t j = found[k];
            tile[j * stride + c] = cell(counts[j], c, first + j);
        }
    }
}

// weights_out[j][c] = cell(count, c, j) for each count of the tally; the padding 0.
template <class Empty, class Cell>
void fill_weights(const TallyView& tally, int64_t stride, const Execution& execution,
                  std::span<double> weights_out, const Empty& empty, Cell&& cell) {
    const FixedChunks chunks{
        tally.n_cols,
        std::max<int64_t>(1, cells_per_chunk / std::max<int64_t>(1, tally.n_classes))};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        // A tile at a time: reading goes along a class, writing along a feature, and the tile is in
        // the cache.
        for (int64_t first = chunks.begin(chunk); first < chunks.end(chunk);
             first += tile_columns) {
            const int64_t n = std::min(tile_columns, chunks.end(chunk) - first);
            double* const tile = weights_out.data() + first * stride;
            fill_tile(tally, first, n, stride, empty, cell, tile);
            for (int64_t j = 0; j < n; ++j) {
                std::fill(tile + j * stride + tally.n_classes, tile + (j + 1) * stride, 0.0);
            }
        }
    });
}

// sum of term(j) over [first, end) in eight lanes, which need not wait for each other; in the same
// order everywhere.
template <class Term>
double sum_block(int64_t first, int64_t end, Term&& term) {
    double lanes[8] = {};
    int64_t j = first;
    for (; j + 8 <= end; j += 8) {
        for (int64_t lane = 0; lane < 8; ++lane) lanes[lane] += term(j + lane);
    }
    for (int64_t lane = 0; j < end; ++j, ++lane) lanes[lane] += term(j);
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// result[c] = sum_j term(tally[c][j], c, j). Summed in blocks, and their sums with Kahan's
// correction: a hundred thousand equal terms, one after the other, would all be rounded the same
// way.
template <class Term>
std::vector<double> sum_over_features(const TallyView& tally, const Execution& execution,
                                      Term&& term) {
    std::vector<double> sums(static_cast<size_t>(tally.n_classes));
    parallel_for(execution, tally.n_classes, [&](int64_t c, int32_t) {
        const double* const counts = tally.of_class(c);
        double sum = 0.0, lost = 0.0;
        for (int64_t first = 0; first < tally.n_cols; first += tile_columns) {
            if (first % cells_per_chunk == 0) execution.stop->check();
            const int64_t end = std::min(tally.n_cols, first + tile_columns);
            const double block =
                sum_block(first, end, [&](int64_t j) { return term(counts[j], c, j); });
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

// sum_j (base(count, j) + a[c][j]) for each class; one shared pseudo-count is multiplied, not added
// n_cols times.
template <class Base>
std::vector<double> smoothed_totals(const TallyView& tally, const PseudoCounts& pseudo_counts,
                                    const Execution& execution, Base&& base) {
    const bool one = pseudo_counts.is_one_number();
    std::vector<double> totals =
        sum_over_features(tally, execution, [&](double count, int64_t c, int64_t j) {
            return one ? base(count, j) : base(count, j) + pseudo_counts.of(c, j);
        });
    if (one && tally.n_cols > 0) {
        const double added = pseudo_counts.of(0, 0) * static_cast<double>(tally.n_cols);
        for (double& total : totals) total += added;
    }
    return totals;
}

}  // namespace

void tally_multinomial_weights(const TallyView& tally, const PseudoCounts& pseudo_counts,
                               int64_t stride, const Execution& execution,
                               std::span<double> weights_out) {
    std::vector<double> minus_log_total = smoothed_totals(
        tally, pseudo_counts, execution, [](double count, int64_t) { return count; });
    // A total of zero makes every estimate of the class zero; log 0 - log 0 would be NaN.
    for (double& total : minus_log_total) total = total > 0.0 ? -std::log(total) : 0.0;
    with_smoothed_log(pseudo_counts, [&](auto&& log_of) {
        const auto cell = [&](double count, int64_t c, int64_t j) {
            return log_of(count, c, j) + minus_log_total[static_cast<size_t>(c)];
        };
        if (pseudo_counts.class_step == 0) {
            const auto of_feature = [&](int64_t j) { return log_of(0.0, 0, j); };
            fill_weights(tally, stride, execution, weights_out,
                         EmptyCells{of_feature, minus_log_total}, cell);
        } else {
            fill_weights(tally, stride, execution, weights_out, NoEmptyCells{}, cell);
        }
    });
}

void tally_bernoulli_weights(const TallyView& tally, std::span<const double> class_counts,
                             const PseudoCounts& pseudo_counts, int64_t stride,
                             const Execution& execution, std::span<double> weights_out,
                             std::span<double> bias_out) {
    // Sums of weights may pass the class's own sum by a rounding.
    const auto without = [&](double count, int64_t c) {
        return std::max(0.0, class_counts[static_cast<size_t>(c)] - count);
    };
    const auto log_absent = [&](double count, int64_t c, int64_t j) {
        const double pseudo_count = pseudo_counts.of(c, j);
        const double total = class_counts[static_cast<size_t>(c)] + 2.0 * pseudo_count;
        if (total <= 0.0) return -infinity;
        const double absent = without(count, c) + pseudo_count;
        if (absent <= 0.0) return 0.0;
        // Near p = 0 log1p keeps the digits, near p = 1 the quotient does.
        const double p = (count + pseudo_count) / total;
        return p < 0.5 ? std::log1p(-p) : std::log(absent / total);
    };
    with_smoothed_log(pseudo_counts, [&](auto&& log_of) {
        const auto cell = [&](double count, int64_t c, int64_t j) {
            const double absent = log_of(without(count, c), c, j);
            const double present = log_of(count, c, j);
            if (absent > -infinity) return present - absent;
            return present > -infinity ? 0.0 : -infinity;
        };
        std::vector<double> bias;
        if (pseudo_counts.is_one_number()) {
            std::vector<double> empty_weights, empty_bias;
            for (int64_t c = 0; c < tally.n_classes; ++c) {
                empty_weights.push_back(cell(0.0, c, 0));
                empty_bias.push_back(log_absent(0.0, c, 0));
            }
            bias = sum_over_features(tally, execution, [&](double count, int64_t c, int64_t j) {
                return count == 0.0 ? empty_bias[static_cast<size_t>(c)] : log_absent(count, c, j);
            });
            const auto of_feature = [](int64_t) { return 0.0; };
            fill_weights(tally, stride, execution, weights_out,
                         EmptyCells{of_feature, empty_weights}, cell);
        } else {
            bias = sum_over_features(tally, execution, log_absent);
            fill_weights(tally, stride, execution, weights_out, NoEmptyCells{}, cell);
        }
        std::copy(bias.begin(), bias.end(), bias_out.begin());
    });
}

void tally_complement_weights(const TallyView& tally, std::span<const double> feature_totals,
                              const PseudoCounts& pseudo_counts, int64_t stride,
                              const Execution& execution, std::span<double> weights_out) {
    const auto elsewhere = [&](double count, int64_t j) {
        return std::max(0.0, feature_totals[static_cast<size_t>(j)] - count);
    };
    std::vector<double> log_total = smoothed_totals(tally, pseudo_counts, execution, elsewhere);
    for (double& total : log_total) total = total > 0.0 ? std::log(total) : 0.0;
    with_smoothed_log(pseudo_counts, [&](auto&& log_of) {
        // -log q, but for its infinite part.
        const auto minus_log = [&](double count, int64_t c, int64_t j) {
            const double logarithm = log_of(elsewhere(count, j), c, j);
            return logarithm > -infinity ? -logarithm : 0.0;
        };
        const auto cell = [&](double count, int64_t c, int64_t j) {
            return minus_log(count, c, j) + log_total[static_cast<size_t>(c)];
        };
        if (pseudo_counts.class_step == 0) {
            const auto of_feature = [&](int64_t j) { return minus_log(0.0, 0, j); };
            fill_weights(tally, stride, execution, weights_out, EmptyCells{of_feature, log_total},
                         cell);
        } else {
            fill_weights(tally, stride, execution, weights_out, NoEmptyCells{}, cell);
        }
    });
}

}  // namespace wordodds
