// Weights and ratios of a few columns, and one step of dual ascent on them: what
// linear/ratio_ascent.hpp does to one row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "dual_logistic.hpp"
#include "wordodds/base/lanes.hpp"
#include "wordodds/base/stop.hpp"
#include "wordodds/base/zeroed_array.hpp"
#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds {

inline constexpr int64_t ratio_rows_between_checks = 64;
inline constexpr int64_t ratio_features_between_checks = 4096;
inline constexpr int64_t ratio_wide = 8;  // columns whose weights and ratios share a cache line

// Steele, Lea and Flood's splitmix64: a new order for each epoch.
inline uint64_t next_random(uint64_t& state) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

inline void shuffle(std::vector<int64_t>& order, uint64_t& state) {
    for (size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[next_random(state) % i]);
    }
}

struct RatioEntries {
    const int32_t* indices;
    const double* data;
    int64_t n;
};

inline RatioEntries ratio_entries(const CsrView<double>& matrix, std::span<const int64_t> order,
                                  size_t place) {
    if (place >= order.size()) return {nullptr, nullptr, 0};
    const auto i = static_cast<size_t>(order[place]);
    const auto begin = static_cast<int64_t>(matrix.indptr[i]);
    return {matrix.indices.data() + begin, matrix.data.data() + begin,
            static_cast<int64_t>(matrix.indptr[i + 1]) - begin};
}

// Rows come in random order, so that the processor cannot foresee where the next one begins.
WORDODDS_LANES void fetch_entries(const RatioEntries& row) {
    constexpr int64_t line = 64;
    constexpr auto n_indices = line / static_cast<int64_t>(sizeof(int32_t));
    constexpr auto n_values = line / static_cast<int64_t>(sizeof(double));
    for (int64_t e = 0; e < row.n; e += n_indices) __builtin_prefetch(row.indices + e, 0, 2);
    for (int64_t e = 0; e < row.n; e += n_values) __builtin_prefetch(row.data + e, 0, 2);
}

// A number for each of some columns, in one register where there is one so wide.
template <int width>
struct ColumnFloats;
template <>
struct ColumnFloats<1> {
    typedef float Type __attribute__((vector_size(4), may_alias));
};
template <>
struct ColumnFloats<4> {
    typedef float Type __attribute__((vector_size(16), may_alias));
};
template <>
struct ColumnFloats<8> {
    typedef float Type __attribute__((vector_size(32), may_alias));
};

// The columns [first, first + n_real) of a problem, those up to `width` empty.
template <int width>
class RatioColumns {
   public:
    static constexpr int64_t padded = width < n_lanes ? n_lanes : width;

    struct Row {
        double log_odds[padded];
        double rho[padded];
        double log_half_rho[padded];
    };

    RatioColumns(int64_t n_features, int64_t first, int64_t n_real, const RatioPrior& prior,
                 double spread)
        : first_(first),
          n_real_(n_real),
          floor_(static_cast<float>(prior.floor)),
          intercept_step_(prior.intercept_step),
          spread_(spread),
          features_(static_cast<size_t>(n_features)) {
        std::fill_n(is_real_, n_real, 1.0);
    }

    int64_t first() const { return first_; }
    int64_t n_real() const { return n_real_; }
    double* gaps() { return gaps_; }

    // ratios[j * n_columns + k] = r_jk of all columns of the problem.
    void set_ratios(std::span<const float> ratios, int64_t n_columns, StopToken& stop) {
        for (size_t j = 0; j < features_.size(); ++j) {
            if (j % ratio_features_between_checks == 0) stop.check();
            const float* const from = ratios.data() + static_cast<int64_t>(j) * n_columns + first_;
            std::copy_n(from, n_real_, features_[j].ratio);
        }
    }

    // Weights lean * r_jk and intercepts of zero: those of the prior.
    void start(double lean, StopToken& stop) {
        for (size_t j = 0; j < features_.size(); ++j) {
            if (j % ratio_features_between_checks == 0) stop.check();
            Feature& feature = features_[j];
            for (int k = 0; k < width; ++k) {
                feature.weight[k] = static_cast<float>(lean) * feature.ratio[k];
            }
        }
        std::fill_n(intercept_, padded, 0.0);
    }

    // Dual variables of zero: probabilities equal to the targets, as far as log-odds can say.
    static void set_unasked(const double* targets, Row& row_out) {
        for (int64_t k = 0; k < padded; ++k) {
            row_out.log_odds[k] = bounded_log_odds(targets[k]);
        }
    }

    static double bounded_log_odds(double p) {
        if (p <= 0.0) return dual_unlikely;
        if (p >= 1.0) return -dual_unlikely;
        return std::clamp(std::log(p) - std::log1p(-p), dual_unlikely, -dual_unlikely);
    }

    // rho_k = c (sum_j s_jk x_j^2 + step): how fast a row's score follows its own probability.
    WORDODDS_LANES void set_curvature(const RatioEntries& row, double cost, Row& row_out) const {
        double squares[padded] = {};
        for (int64_t e = 0; e < row.n; ++e) {
            fetch_ahead(row, e);
            const auto value = row.data[e];
            const float* const ratio = feature(row, e).ratio;
            for (int k = 0; k < width; ++k) {
                squares[k] += value * value * double{ratio[k] * ratio[k] + floor_};
            }
        }
        for (int64_t k = 0; k < padded; ++k) {
            // A row without any entry still has probabilities; they change no weight.
            row_out.rho[k] = std::max(spread_ * cost * (squares[k] + intercept_step_), 1e-290);
            row_out.log_half_rho[k] = std::log(0.5 * row_out.rho[k]);
        }
    }

    // What the gap of a column is divided by.
    void set_gap_scale(int64_t k, double scale) { gap_unit_[k] = scale > 0.0 ? 1.0 / scale : 0.0; }

    // Makes the probabilities of a row right, given all others, and the weights with them. `next`
    // is the row that comes next, whose weights are fetched meanwhile. Returns what the row added
    // to the gap, in the column where that is most.
    WORDODDS_LANES double ascend(const RatioEntries& entries, const RatioEntries& next, double cost,
                                 Row& row) {
        Lanes u[n_units];
        gather(entries, u);
        Lanes change[n_units];
        Lanes most = lanes_of(0.0);
        for (int64_t unit = 0; unit < n_units; ++unit) {
            const int64_t k = unit * n_lanes;
            const Lanes rho = load_lanes(row.rho + k);
            const Lanes before = load_lanes(row.log_odds + k);
            const Lanes score = u[unit] + load_lanes(intercept_ + k);
            const Lanes p = sigmoid_lanes(before);
            const Lanes after =
                solve_logistic(score + rho * p, rho, load_lanes(row.log_half_rho + k), before);
            store_lanes(row.log_odds + k, after);
            const Lanes real = cost * load_lanes(is_real_ + k);
            const Lanes by = real * (p - sigmoid_lanes(after));
            change[unit] = spread_ * by;
            most = larger(most, add_gap(k, real * (p - sigmoid_lanes(score)) * (before - score)));
            store_lanes(intercept_ + k,
                        load_lanes(intercept_ + k) + spread_ * intercept_step_ * by);
        }
        scatter(entries, next, change);
        return largest_of(most);
    }

    // The same sum and the same answer, at the weights as they are.
    WORDODDS_LANES double measure(const RatioEntries& entries, double cost, const Row& row) {
        Lanes u[n_units];
        gather(entries, u);
        Lanes most = lanes_of(0.0);
        for (int64_t unit = 0; unit < n_units; ++unit) {
            const int64_t k = unit * n_lanes;
            const Lanes known = load_lanes(row.log_odds + k);
            const Lanes score = u[unit] + load_lanes(intercept_ + k);
            const Lanes wrong = sigmoid_lanes(known) - sigmoid_lanes(score);
            const Lanes real = cost * load_lanes(is_real_ + k);
            most = larger(most, add_gap(k, real * wrong * (known - score)));
        }
        return largest_of(most);
    }

    // scores_out[k] = b_k + sum_j x_j w_jk of the real columns.
    WORDODDS_LANES void score(const RatioEntries& entries, double* scores_out) const {
        Lanes u[n_units];
        gather(entries, u);
        double sums[padded];
        for (int64_t unit = 0; unit < n_units; ++unit) {
            store_lanes(sums + unit * n_lanes, u[unit] + load_lanes(intercept_ + unit * n_lanes));
        }
        std::copy_n(sums, n_real_, scores_out);
    }

    // The weights and intercepts of another block of the same shape, or of a sum of such.
    void read(std::span<const float> weights, std::span<const double> intercept,
              int64_t n_columns) {
        for (size_t j = 0; j < features_.size(); ++j) {
            std::copy_n(weights.data() + static_cast<int64_t>(j) * n_columns + first_, n_real_,
                        features_[j].weight);
        }
        std::copy_n(intercept.data() + first_, n_real_, intercept_);
    }

    void write(int64_t stride, std::span<double> weights_out,
               std::span<double> intercept_out) const {
        for (size_t j = 0; j < features_.size(); ++j) {
            for (int64_t k = 0; k < n_real_; ++k) {
                weights_out[j * static_cast<size_t>(stride) + static_cast<size_t>(first_ + k)] =
                    double{features_[j].weight[k]};
            }
        }
        for (int64_t k = 0; k < n_real_; ++k) {
            intercept_out[static_cast<size_t>(first_ + k)] = intercept_[k];
        }
    }

   private:
    static constexpr int64_t n_units = padded / n_lanes;
    static constexpr int64_t prefetch_ahead = 32;

    using Floats = typename ColumnFloats<width>::Type;

    struct alignas(2 * width * sizeof(float)) Feature {
        float weight[width];
        float ratio[width];
    };

    // Adds what a row has of the gaps of some columns; returns it in their units.
    WORDODDS_LANES Lanes add_gap(int64_t k, Lanes gap) {
        store_lanes(gaps_ + k, load_lanes(gaps_ + k) + gap);
        return gap * load_lanes(gap_unit_ + k);
    }

    // u[k] = sum_j x_j w_jk.
    WORDODDS_LANES void gather(const RatioEntries& row, Lanes* u) const {
        if constexpr (width == 1) {
            double sum = 0.0;
            for (int64_t e = 0; e < row.n; ++e) {
                fetch_ahead(row, e);
                sum += row.data[e] * double{feature(row, e).weight[0]};
            }
            u[0] = Lanes{sum, 0.0, 0.0, 0.0};
        } else {
            for (int64_t unit = 0; unit < n_units; ++unit) u[unit] = lanes_of(0.0);
            for (int64_t e = 0; e < row.n; ++e) {
                fetch_ahead(row, e);
                const auto value = row.data[e];
                const float* const from = feature(row, e).weight;
                for (int64_t unit = 0; unit < n_units; ++unit) {
                    u[unit] += value * load_lanes(from + unit * n_lanes);
                }
            }
        }
    }

    // w_jk += x_j s_jk change[k], s_jk = r_jk^2 + floor. What is fetched for `next` comes while
    // these weights are written.
    WORDODDS_LANES void scatter(const RatioEntries& row, const RatioEntries& next,
                                const Lanes* change) {
        Floats by;
        for (int64_t k = 0; k < width; ++k) {
            by[k] = static_cast<float>(change[k / n_lanes][k % n_lanes]);
        }
        const int64_t n_both = std::min(row.n, next.n);
        for (int64_t e = 0; e < n_both; ++e) {
            __builtin_prefetch(&feature(next, e), 1, 2);
            add_to(feature(row, e), row.data[e], by);
        }
        for (int64_t e = n_both; e < row.n; ++e) add_to(feature(row, e), row.data[e], by);
        for (int64_t e = n_both; e < next.n; ++e) __builtin_prefetch(&feature(next, e), 1, 2);
    }

    WORDODDS_LANES void add_to(Feature& to, double value, Floats by) const {
        const auto x = static_cast<float>(value);
        const auto ratio = *reinterpret_cast<const Floats*>(to.ratio);
        auto& weight = *reinterpret_cast<Floats*>(to.weight);
        weight = weight + x * (ratio * ratio + floor_) * by;
    }

    WORDODDS_LANES void fetch_ahead(const RatioEntries& row, int64_t e) const {
        if (e + prefetch_ahead < row.n) __builtin_prefetch(&feature(row, e + prefetch_ahead), 0, 3);
    }

    const Feature& feature(const RatioEntries& row, int64_t e) const {
        return features_[static_cast<size_t>(row.indices[e])];
    }
    Feature& feature(const RatioEntries& row, int64_t e) {
        return features_[static_cast<size_t>(row.indices[e])];
    }

    int64_t first_;
    int64_t n_real_;
    float floor_;
    double intercept_step_;
    double spread_;  // by how much steps are shortened for others that are taken at the same time
    ZeroedArray<Feature> features_;
    double is_real_[padded] = {};  // 1 or, in the padding, 0
    double intercept_[padded] = {};
    double gap_unit_[padded] = {};
    double gaps_[padded] =
        {};  // sum_i c_i (p_i - sigmoid(score)) (log-odds - score) of the rows so far
};

// Calls use.template operator()<width>() with the narrowest width for n columns.
template <class Use>
auto with_width(int64_t n, Use use) {
    if (n == 1) return use.template operator()<1>();
    if (n <= n_lanes) return use.template operator()<n_lanes>();
    return use.template operator()<ratio_wide>();
}

}  // namespace wordodds
