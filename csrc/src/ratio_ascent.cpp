#include "wordodds/linear/ratio_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "wordodds/base/lanes.hpp"
#include "wordodds/base/zeroed_array.hpp"
#include "wordodds/linear/dual_logistic.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_between_checks = 64;
constexpr int64_t prefetch_ahead = 16;
constexpr int64_t wide = 8;  // columns whose weights and scales share a cache line

// Steele, Lea and Flood's splitmix64: a new order for each epoch.
uint64_t next_random(uint64_t& state) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void shuffle(std::vector<int64_t>& order, uint64_t& state) {
    for (size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[next_random(state) % i]);
    }
}

// Documents with each feature, by the weights of their rows.
template <class Index>
std::vector<double> feature_counts(const CsrView<Index, double>& matrix, const RatioProblem& problem,
                                   StopToken& stop) {
    std::vector<double> counts(static_cast<size_t>(matrix.n_cols), 0.0);
    for (size_t i = 0; i < problem.codes.size(); ++i) {
        if (i % rows_between_checks == 0) stop.check();
        const auto end = static_cast<size_t>(matrix.indptr[i + 1]);
        for (auto at = static_cast<size_t>(matrix.indptr[i]); at < end; ++at) {
            if (matrix.data[at] != 0) {
                counts[static_cast<size_t>(matrix.indices[at])] += problem.counts[i];
            }
        }
    }
    return counts;
}

// The columns [first, first + width) of the problem, those behind the last one empty.
template <int width, class Index>
class Block {
   public:
    Block(const CsrView<Index, double>& matrix, const RatioProblem& problem,
          const std::vector<double>& counts, int64_t first, StopToken& stop)
        : matrix_(matrix),
          problem_(problem),
          counts_(counts),
          first_(first),
          n_real_(std::min<int64_t>(width, problem.n_columns - first)),
          stop_(stop),
          features_(static_cast<size_t>(matrix.n_cols)),
          rows_(problem.codes.size()),
          order_(problem.codes.size()) {
        std::iota(order_.begin(), order_.end(), int64_t{0});
        for (size_t i = 0; i < rows_.size(); ++i) {
            const int64_t own = own_column(i);
            for (int64_t k = 0; k < padded; ++k) {
                rows_[i].log_odds[k] = k == own ? -dual_unlikely : dual_unlikely;
            }
            if (own >= 0 && own < width) class_costs_[own] += problem_.costs[i];
        }
    }

    RatioFit fit(InstructionSet instruction_set, int64_t stride, std::span<double> weights_out,
                 std::span<double> intercept_out) {
        count_classes();
        set_scales();
        RatioFit fit{0, 0.0};
        uint64_t random = problem_.seed;
        do {
            shuffle(order_, random);
            std::fill_n(changes_, padded, 0.0);
            if (fit.epochs == 0) {
                with_lanes(instruction_set, Epoch<true>{*this});
            } else {
                with_lanes(instruction_set, Epoch<false>{*this});
            }
            ++fit.epochs;
            fit.change = 0.0;
            for (int64_t k = 0; k < n_real_; ++k) {
                if (class_costs_[k] > 0.0) {
                    fit.change = std::max(fit.change, changes_[k] / class_costs_[k]);
                }
            }
        } while (fit.change > problem_.tolerance && fit.epochs < problem_.epochs_max);
        for (size_t j = 0; j < features_.size(); ++j) {
            for (int64_t k = 0; k < n_real_; ++k) {
                weights_out[j * static_cast<size_t>(stride) + static_cast<size_t>(first_ + k)] =
                    double{features_[j].weight[k]};
            }
        }
        for (int64_t k = 0; k < n_real_; ++k) {
            intercept_out[static_cast<size_t>(first_ + k)] = intercept_[k];
        }
        return fit;
    }

   private:
    static constexpr int64_t padded = width < n_lanes ? n_lanes : width;
    static constexpr int64_t n_units = padded / n_lanes;

    struct alignas(2 * width * sizeof(float)) Feature {
        float weight[width];
        float scale[width];
    };
    struct Row {
        double log_odds[padded];
        double rho[padded];
        double log_half_rho[padded];
    };
    struct Entries {
        const Index* indices;
        const double* data;
        int64_t n;
    };

    template <bool is_first>
    struct Epoch {
        Block& block;
        WORDODDS_LANES void operator()() const { block.run<is_first>(); }
    };

    // The column that row i is a positive example of, relative to the block; any other number: none.
    int64_t own_column(size_t i) const {
        const int64_t code = problem_.codes[i];
        return (problem_.n_columns == 1 ? code - 1 : code) - first_;
    }

    Entries entries(size_t place) const {
        if (place >= order_.size()) return {nullptr, nullptr, 0};
        const auto i = static_cast<size_t>(order_[place]);
        const auto begin = static_cast<int64_t>(matrix_.indptr[i]);
        return {matrix_.indices.data() + begin, matrix_.data.data() + begin,
                static_cast<int64_t>(matrix_.indptr[i + 1]) - begin};
    }

    // weight[k] = d_jk for now.
    void count_classes() {
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (i % rows_between_checks == 0) stop_.check();
            const int64_t own = own_column(i);
            if (own < 0 || own >= n_real_) continue;
            const auto end = static_cast<size_t>(matrix_.indptr[i + 1]);
            for (auto at = static_cast<size_t>(matrix_.indptr[i]); at < end; ++at) {
                if (matrix_.data[at] == 0) continue;
                features_[static_cast<size_t>(matrix_.indices[at])].weight[own] +=
                    static_cast<float>(problem_.counts[i]);
            }
        }
    }

    // scale[k] = r_jk^2 + floor, and weights of zero.
    void set_scales() {
        const double alpha = problem_.alpha;
        const double smooth = alpha * static_cast<double>(features_.size());
        double total = 0.0, in_class[width] = {}, offset[width];
        for (size_t j = 0; j < features_.size(); ++j) {
            total += counts_[j];
            for (int k = 0; k < width; ++k) in_class[k] += double{features_[j].weight[k]};
        }
        for (int k = 0; k < width; ++k) {
            offset[k] = std::log(in_class[k] + smooth) - std::log(total - in_class[k] + smooth);
        }
        const double log_alpha = std::log(alpha);
        for (size_t j = 0; j < features_.size(); ++j) {
            if (j % 4096 == 0) stop_.check();
            Feature& feature = features_[j];
            // Most features are in documents of few classes.
            const double log_absent = log_alpha - std::log(counts_[j] + alpha);
            for (int k = 0; k < width; ++k) {
                const double in = double{feature.weight[k]};
                const double rest = std::max(0.0, counts_[j] - in);
                const double log_ratio =
                    in == 0.0 ? log_absent : std::log(in + alpha) - std::log(rest + alpha);
                const double ratio = log_ratio - offset[k];
                feature.scale[k] =
                    k < n_real_ ? static_cast<float>(ratio * ratio + problem_.floor) : 0.0f;
                feature.weight[k] = 0.0f;
            }
        }
    }

    template <bool is_first>
    WORDODDS_LANES void run() {
        for (size_t place = 0; place < order_.size(); ++place) {
            if (place % rows_between_checks == 0) stop_.check();
            const auto i = static_cast<size_t>(order_[place]);
            const double cost = problem_.costs[i];
            if (cost == 0.0) continue;
            const Entries entries = this->entries(place);
            Row& row = rows_[i];
            Lanes u[n_units];
            if constexpr (is_first) set_curvature(entries, cost, row);
            gather(entries, u);
            double change[padded];
            for (int64_t unit = 0; unit < n_units; ++unit) {
                const int64_t k = unit * n_lanes;
                const Lanes rho = load_lanes(row.rho + k);
                const Lanes before = load_lanes(row.log_odds + k);
                const Lanes p = sigmoid_lanes(before);
                const Lanes after =
                    solve_logistic(u[unit] + load_lanes(intercept_ + k) + rho * p, rho,
                                   load_lanes(row.log_half_rho + k), before);
                store_lanes(row.log_odds + k, after);
                const Lanes by = cost * (p - sigmoid_lanes(after));
                store_lanes(change + k, by);
                store_lanes(changes_ + k, load_lanes(changes_ + k) + magnitude(by));
                store_lanes(intercept_ + k,
                            load_lanes(intercept_ + k) + problem_.intercept_step * by);
            }
            scatter(entries, this->entries(place + 1), change);
        }
    }

    // u[k] = sum_j x_j w_jk.
    WORDODDS_LANES void gather(const Entries& row, Lanes* u) const {
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
    WORDODDS_LANES void scatter(const Entries& row, const Entries& next, const double* change) {
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

    // rho_k = c (sum_j s_jk x_j^2 + step): how fast a row's score follows its own probability.
    WORDODDS_LANES void set_curvature(const Entries& row, double cost, Row& row_out) const {
        double squares[padded] = {};
        for (int64_t e = 0; e < row.n; ++e) {
            fetch_ahead(row, e);
            const auto value = row.data[e];
            const float* const scale = feature(row, e).scale;
            for (int k = 0; k < width; ++k) squares[k] += value * value * double{scale[k]};
        }
        for (int64_t k = 0; k < padded; ++k) {
            // A row without any entry still has probabilities; they change no weight.
            row_out.rho[k] = std::max(cost * (squares[k] + problem_.intercept_step), 1e-290);
            row_out.log_half_rho[k] = std::log(0.5 * row_out.rho[k]);
        }
    }

    WORDODDS_LANES void fetch_ahead(const Entries& row, int64_t e) const {
        if (e + prefetch_ahead < row.n) __builtin_prefetch(&feature(row, e + prefetch_ahead), 1, 2);
    }

    const Feature& feature(const Entries& row, int64_t e) const {
        return features_[static_cast<size_t>(row.indices[e])];
    }
    Feature& feature(const Entries& row, int64_t e) {
        return features_[static_cast<size_t>(row.indices[e])];
    }

    const CsrView<Index, double>& matrix_;
    const RatioProblem& problem_;
    const std::vector<double>& counts_;
    const int64_t first_;
    const int64_t n_real_;
    StopToken& stop_;
    ZeroedArray<Feature> features_;
    std::vector<Row> rows_;
    std::vector<int64_t> order_;
    double intercept_[padded] = {};
    double changes_[padded] = {};
    double class_costs_[padded] = {};
};

}  // namespace

template <class Index>
RatioFit csr_fit_ratio_logistic(const CsrView<Index, double>& matrix, const RatioProblem& problem,
                                const Execution& execution, int64_t stride,
                                std::span<double> weights_out, std::span<double> intercept_out) {
    const std::vector<double> counts = feature_counts(matrix, problem, *execution.stop);
    const FixedChunks blocks{problem.n_columns, wide};
    const auto fit_block = [&]<int width>(int64_t first) {
        Block<width, Index> block(matrix, problem, counts, first, *execution.stop);
        return block.fit(execution.instruction_set, stride, weights_out, intercept_out);
    };
    const auto fit = [&](int64_t block) {
        const int64_t first = blocks.begin(block), n = blocks.end(block) - first;
        if (n == 1) return fit_block.template operator()<1>(first);
        if (n <= n_lanes) return fit_block.template operator()<n_lanes>(first);
        return fit_block.template operator()<wide>(first);
    };
    return parallel_reduce(execution, blocks.count(), RatioFit{0, 0.0}, fit,
                           [](RatioFit all, RatioFit one) {
                               return RatioFit{std::max(all.epochs, one.epochs),
                                               std::max(all.change, one.change)};
                           });
}

template RatioFit csr_fit_ratio_logistic<int32_t>(const CsrView<int32_t, double>&,
                                                  const RatioProblem&, const Execution&, int64_t,
                                                  std::span<double>, std::span<double>);
template RatioFit csr_fit_ratio_logistic<int64_t>(const CsrView<int64_t, double>&,
                                                  const RatioProblem&, const Execution&, int64_t,
                                                  std::span<double>, std::span<double>);

}  // namespace wordodds
