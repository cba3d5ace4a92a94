// Weights and scales of a few columns, and one step of dual ascent on them: what linear/ratio_ascent.hpp does
// to one row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "wordodds/base/lanes.hpp"
#include "wordodds/base/stop.hpp"
#include "wordodds/base/zeroed_array.hpp"
#include "wordodds/linear/dual_logistic.hpp"
#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds {

inline constexpr int64_t ratio_rows_between_checks = 64;
inline constexpr int64_t ratio_wide = 8;  // columns whose weights and scales share a cache line

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

template <class Index>
struct RatioEntries {
    const Index* indices;
    const double* data;
    int64_t n;
};

template <class Index>
RatioEntries<Index> ratio_entries(const CsrView<Index, double>& matrix,
                                  const std::vector<int64_t>& order, size_t place) {
    if (place >= order.size()) return {nullptr, nullptr, 0};
    const auto i = static_cast<size_t>(order[place]);
    const auto begin = static_cast<int64_t>(matrix.indptr[i]);
    return {matrix.indices.data() + begin, matrix.data.data() + begin,
            static_cast<int64_t>(matrix.indptr[i + 1]) - begin};
}

// The column that a row is a positive example of; any number outside of [0, n_columns): none.
inline int64_t ratio_own_column(int64_t n_columns, int32_t code) {
    return n_columns == 1 ? code - 1 : code;
}

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

    RatioColumns(int64_t n_features, int64_t first, int64_t n_real, double intercept_step)
        : first_(first),
          n_real_(n_real),
          intercept_step_(intercept_step),
          features_(static_cast<size_t>(n_features)) {}

    int64_t first() const { return first_; }
    int64_t n_real() const { return n_real_; }
    double* changes() { return changes_; }

    // d_jk, kept in the place of the weights until set_scales.
    float& count(int64_t feature, int64_t k) {
        return features_[static_cast<size_t>(feature)].weight[k];
    }
    double counted(size_t feature, int k) const { return double{features_[feature].weight[k]}; }

    // scale[k] = r_jk^2 + floor, and weights of zero. counts[j] = d_j, in_class(j, k) = d_jk.
    template <class InClass>
    void set_scales(const RatioScales& scales, std::span<const double> counts, InClass in_class,
                    StopToken& stop) {
        const double alpha = scales.alpha;
        const double smooth = alpha * static_cast<double>(features_.size());
        double total = 0.0, of_class[width] = {}, offset[width];
        for (size_t j = 0; j < features_.size(); ++j) {
            total += counts[j];
            for (int k = 0; k < width; ++k) of_class[k] += in_class(j, k);
        }
        for (int k = 0; k < width; ++k) {
            offset[k] = std::log(of_class[k] + smooth) - std::log(total - of_class[k] + smooth);
        }
        const double log_alpha = std::log(alpha);
        for (size_t j = 0; j < features_.size(); ++j) {
            if (j % 4096 == 0) stop.check();
            Feature& feature = features_[j];
            // Most features are in documents of few classes.
            const double log_absent = log_alpha - std::log(counts[j] + alpha);
            for (int k = 0; k < width; ++k) {
                const double in = in_class(j, k);
                const double rest = std::max(0.0, counts[j] - in);
                const double log_ratio =
                    in == 0.0 ? log_absent : std::log(in + alpha) - std::log(rest + alpha);
                const double ratio = log_ratio - offset[k];
                feature.scale[k] =
                    k < n_real_ ? static_cast<float>(ratio * ratio + scales.floor) : 0.0f;
                feature.weight[k] = 0.0f;
            }
        }
    }

    // Probabilities that nobody has asked for yet: those of the row's own column, relative to the first
    // one here, one, all others zero.
    static void set_unasked(int64_t own, Row& row_out) {
        for (int64_t k = 0; k < padded; ++k) {
            row_out.log_odds[k] = k == own ? -dual_unlikely : dual_unlikely;
        }
    }

    // rho_k = c (sum_j s_jk x_j^2 + step): how fast a row's score follows its own probability.
    template <class Index>
    WORDODDS_LANES void set_curvature(const RatioEntries<Index>& row, double cost,
                                      Row& row_out) const {
        double squares[padded] = {};
        for (int64_t e = 0; e < row.n; ++e) {
            fetch_ahead(row, e);
            const auto value = row.data[e];
            const float* const scale = feature(row, e).scale;
            for (int k = 0; k < width; ++k) squares[k] += value * value * double{scale[k]};
        }
        for (int64_t k = 0; k < padded; ++k) {
            // A row without any entry still has probabilities; they change no weight.
            row_out.rho[k] = std::max(cost * (squares[k] + intercept_step_), 1e-290);
            row_out.log_half_rho[k] = std::log(0.5 * row_out.rho[k]);
        }
    }

    // Makes the probabilities of a row right, given all others, and the weights with them. `next` is the
    // row that comes next, whose weights are fetched meanwhile.
    template <class Index>
    WORDODDS_LANES void ascend(const RatioEntries<Index>& entries, const RatioEntries<Index>& next,
                               double cost, Row& row) {
        Lanes u[n_units];
        gather(entries, u);
        double change[padded];
        for (int64_t unit = 0; unit < n_units; ++unit) {
            const int64_t k = unit * n_lanes;
            const Lanes rho = load_lanes(row.rho + k);
            const Lanes before = load_lanes(row.log_odds + k);
            const Lanes p = sigmoid_lanes(before);
            const Lanes after = solve_logistic(u[unit] + load_lanes(intercept_ + k) + rho * p, rho,
                                               load_lanes(row.log_half_rho + k), before);
            store_lanes(row.log_odds + k, after);
            const Lanes by = cost * (p - sigmoid_lanes(after));
            store_lanes(change + k, by);
            store_lanes(changes_ + k, load_lanes(changes_ + k) + magnitude(by));
            store_lanes(intercept_ + k, load_lanes(intercept_ + k) + intercept_step_ * by);
        }
        scatter(entries, next, change);
    }

    void write(int64_t stride, std::span<double> weights_out, std::span<double> intercept_out) const {
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
    static constexpr int64_t prefetch_ahead = 16;

    struct alignas(2 * width * sizeof(float)) Feature {
        float weight[width];
        float scale[width];
    };

    // u[k] = sum_j x_j w_jk.
    template <class Index>
    WORDODDS_LANES void gather(const RatioEntries<Index>& row, Lanes* u) const {
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

    // w_jk += x_j s_jk change[k]. What is fetched for `next` comes while these weights are written.
    template <class Index>
    WORDODDS_LANES void scatter(const RatioEntries<Index>& row, const RatioEntries<Index>& next,
                                const double* change) {
        const int64_t n_both = std::max(row.n, next.n);
        for (int64_t e = 0; e < n_both; ++e) {
            if (e < next.n) __builtin_prefetch(&feature(next, e), 1, 2);
            if (e >= row.n) continue;
            Feature& to = feature(row, e);
            const auto value = static_cast<float>(row.data[e]);
            for (int k = 0; k < width; ++k) {
                to.weight[k] += value * to.scale[k] * static_cast<float>(change[k]);
            }
        }
    }

    template <class Index>
    WORDODDS_LANES void fetch_ahead(const RatioEntries<Index>& row, int64_t e) const {
        if (e + prefetch_ahead < row.n) __builtin_prefetch(&feature(row, e + prefetch_ahead), 1, 2);
    }

    template <class Index>
    const Feature& feature(const RatioEntries<Index>& row, int64_t e) const {
        return features_[static_cast<size_t>(row.indices[e])];
    }
    template <class Index>
    Feature& feature(const RatioEntries<Index>& row, int64_t e) {
        return features_[static_cast<size_t>(row.indices[e])];
    }

    int64_t first_;
    int64_t n_real_;
    double intercept_step_;
    ZeroedArray<Feature> features_;
    double intercept_[padded] = {};
    double changes_[padded] = {};
};

}  // namespace wordodds
