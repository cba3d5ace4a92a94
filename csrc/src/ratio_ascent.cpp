#include "wordodds/linear/ratio_ascent.hpp"

#include <variant>

#include "ratio_columns.hpp"

namespace wordodds {
namespace {

// Documents with each feature, by the weights of their rows.
template <class Index>
std::vector<double> feature_counts(const CsrView<Index, double>& matrix, const RatioProblem& problem,
                                   StopToken& stop) {
    std::vector<double> counts(static_cast<size_t>(matrix.n_cols), 0.0);
    for (size_t i = 0; i < problem.codes.size(); ++i) {
        if (i % ratio_rows_between_checks == 0) stop.check();
        const auto end = static_cast<size_t>(matrix.indptr[i + 1]);
        for (auto at = static_cast<size_t>(matrix.indptr[i]); at < end; ++at) {
            if (matrix.data[at] != 0) {
                counts[static_cast<size_t>(matrix.indices[at])] += problem.counts[i];
            }
        }
    }
    return counts;
}

// Some columns with the state of every row: a fit in memory.
template <int width, class Index>
class WholeFit {
   public:
    using Columns = RatioColumns<width>;

    WholeFit(const CsrView<Index, double>& matrix, const RatioProblem& problem, int64_t first,
             int64_t n_real, StopToken& stop)
        : matrix_(matrix),
          problem_(problem),
          stop_(stop),
          columns_(matrix.n_cols, first, n_real, problem.intercept_step),
          rows_(problem.codes.size()),
          order_(problem.codes.size()) {
        std::iota(order_.begin(), order_.end(), int64_t{0});
        for (size_t i = 0; i < rows_.size(); ++i) {
            const int64_t own = own_column(i);
            Columns::set_unasked(own, rows_[i]);
            if (own >= 0 && own < width) class_costs_[own] += problem_.costs[i];
        }
    }

    RatioFit fit(InstructionSet instruction_set, const std::vector<double>& counts) {
        count_classes();
        columns_.set_scales(
            problem_.scales, counts,
            [&](size_t j, int k) { return columns_.counted(j, k); }, stop_);
        RatioFit fit{0, 0.0};
        uint64_t random = problem_.seed;
        do {
            shuffle(order_, random);
            std::fill_n(columns_.changes(), Columns::padded, 0.0);
            if (fit.epochs == 0) {
                with_lanes(instruction_set, Epoch<true>{*this});
            } else {
                with_lanes(instruction_set, Epoch<false>{*this});
            }
            ++fit.epochs;
            fit.change = 0.0;
            for (int64_t k = 0; k < columns_.n_real(); ++k) {
                if (class_costs_[k] > 0.0) {
                    fit.change = std::max(fit.change, columns_.changes()[k] / class_costs_[k]);
                }
            }
        } while (fit.change > problem_.tolerance && fit.epochs < problem_.epochs_max);
        return fit;
    }

    const Columns& columns() const { return columns_; }

   private:
    template <bool is_first>
    struct Epoch {
        WholeFit& whole;
        WORDODDS_LANES void operator()() const { whole.run<is_first>(); }
    };

    int64_t own_column(size_t i) const {
        return ratio_own_column(problem_.n_columns, problem_.codes[i]) - columns_.first();
    }

    void count_classes() {
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (i % ratio_rows_between_checks == 0) stop_.check();
            const int64_t own = own_column(i);
            if (own < 0 || own >= columns_.n_real()) continue;
            const auto end = static_cast<size_t>(matrix_.indptr[i + 1]);
            for (auto at = static_cast<size_t>(matrix_.indptr[i]); at < end; ++at) {
                if (matrix_.data[at] == 0) continue;
                columns_.count(static_cast<int64_t>(matrix_.indices[at]), own) +=
                    static_cast<float>(problem_.counts[i]);
            }
        }
    }

    template <bool is_first>
    WORDODDS_LANES void run() {
        for (size_t place = 0; place < order_.size(); ++place) {
            if (place % ratio_rows_between_checks == 0) stop_.check();
            const auto i = static_cast<size_t>(order_[place]);
            const double cost = problem_.costs[i];
            if (cost == 0.0) continue;
            const auto entries = ratio_entries(matrix_, order_, place);
            if constexpr (is_first) columns_.set_curvature(entries, cost, rows_[i]);
            columns_.ascend(entries, ratio_entries(matrix_, order_, place + 1), cost, rows_[i]);
        }
    }

    const CsrView<Index, double>& matrix_;
    const RatioProblem& problem_;
    StopToken& stop_;
    Columns columns_;
    std::vector<typename Columns::Row> rows_;
    std::vector<int64_t> order_;
    double class_costs_[Columns::padded] = {};
};

// Calls use.template operator()<width>() with the narrowest width for n columns.
template <class Use>
auto with_width(int64_t n, Use use) {
    if (n == 1) return use.template operator()<1>();
    if (n <= n_lanes) return use.template operator()<n_lanes>();
    return use.template operator()<ratio_wide>();
}

}  // namespace

template <class Index>
RatioFit csr_fit_ratio_logistic(const CsrView<Index, double>& matrix, const RatioProblem& problem,
                                const Execution& execution, int64_t stride,
                                std::span<double> weights_out, std::span<double> intercept_out) {
    const std::vector<double> counts = feature_counts(matrix, problem, *execution.stop);
    const FixedChunks blocks{problem.n_columns, ratio_wide};
    const auto fit = [&](int64_t block) {
        const int64_t first = blocks.begin(block), n = blocks.end(block) - first;
        return with_width(n, [&]<int width>() {
            WholeFit<width, Index> whole(matrix, problem, first, n, *execution.stop);
            const RatioFit fitted = whole.fit(execution.instruction_set, counts);
            whole.columns().write(stride, weights_out, intercept_out);
            return fitted;
        });
    };
    return parallel_reduce(execution, blocks.count(), RatioFit{0, 0.0}, fit,
                           [](RatioFit all, RatioFit one) {
                               return RatioFit{std::max(all.epochs, one.epochs),
                                               std::max(all.change, one.change)};
                           });
}

struct RatioState::Parts {
    using Some = std::variant<RatioColumns<1>, RatioColumns<n_lanes>, RatioColumns<ratio_wide>>;
    std::vector<Some> blocks;
};

RatioState::RatioState(int64_t n_columns, const RatioScales& scales, double intercept_step,
                       std::span<const double> counts, std::span<const double> class_counts,
                       const Execution& execution)
    : n_columns_(n_columns),
      n_features_(static_cast<int64_t>(counts.size())),
      parts_(std::make_unique<Parts>()) {
    const FixedChunks blocks{n_columns, ratio_wide};
    for (int64_t block = 0; block < blocks.count(); ++block) {
        const int64_t first = blocks.begin(block), n = blocks.end(block) - first;
        with_width(n, [&]<int width>() {
            parts_->blocks.emplace_back(std::in_place_type<RatioColumns<width>>, n_features_, first,
                                        n, intercept_step);
        });
    }
    parallel_for(execution, blocks.count(), [&](int64_t block, int32_t) {
        std::visit(
            [&](auto& columns) {
                const auto in_class = [&](size_t j, int k) {
                    if (k >= columns.n_real()) return 0.0;
                    const auto row = static_cast<size_t>(columns.first() + k);
                    return class_counts[row * counts.size() + j];
                };
                columns.set_scales(scales, counts, in_class, *execution.stop);
            },
            parts_->blocks[static_cast<size_t>(block)]);
    });
}

RatioState::~RatioState() = default;

// One visit of every row by some columns; what is known of a row is read and written back.
template <int width, class Index>
struct RatioState::Pass {
    RatioState& state;
    RatioColumns<width>& columns;
    const CsrView<Index, double>& matrix;
    const RatioRows& rows;
    const std::vector<int64_t>& order;
    StopToken& stop;
    std::span<float> log_odds;

    WORDODDS_LANES void operator()() const {
        typename RatioColumns<width>::Row row;
        for (size_t place = 0; place < order.size(); ++place) {
            if (place % ratio_rows_between_checks == 0) stop.check();
            const auto i = static_cast<size_t>(order[place]);
            const double cost = rows.costs[i];
            if (cost == 0.0) continue;
            const int64_t own = ratio_own_column(state.n_columns_, rows.codes[i]) - columns.first();
            RatioColumns<width>::set_unasked(own, row);
            float* const known =
                log_odds.data() + i * static_cast<size_t>(state.n_columns_) + columns.first();
            if (!rows.is_first) std::copy_n(known, columns.n_real(), row.log_odds);
            const auto entries = ratio_entries(matrix, order, place);
            columns.set_curvature(entries, cost, row);
            columns.ascend(entries, ratio_entries(matrix, order, place + 1), cost, row);
            for (int64_t k = 0; k < columns.n_real(); ++k) {
                known[k] = static_cast<float>(row.log_odds[k]);
            }
        }
    }
};

template <class Index>
void RatioState::ascend(const CsrView<Index, double>& matrix, const RatioRows& rows,
                        const Execution& execution, std::span<float> log_odds) {
    std::vector<int64_t> order(rows.codes.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    uint64_t random = rows.seed;
    shuffle(order, random);
    parallel_for(execution, static_cast<int64_t>(parts_->blocks.size()), [&](int64_t block, int32_t) {
        std::visit(
            [&]<int width>(RatioColumns<width>& columns) {
                with_lanes(execution.instruction_set, Pass<width, Index>{
                    *this, columns, matrix, rows, order, *execution.stop, log_odds});
            },
            parts_->blocks[static_cast<size_t>(block)]);
    });
}

void RatioState::write(int64_t stride, std::span<double> weights_out,
                       std::span<double> intercept_out) const {
    for (const auto& block : parts_->blocks) {
        std::visit([&](const auto& columns) { columns.write(stride, weights_out, intercept_out); },
                   block);
    }
}

#define WORDODDS_INSTANTIATE(Index)                                                               \
    template RatioFit csr_fit_ratio_logistic<Index>(const CsrView<Index, double>&,                \
                                                    const RatioProblem&, const Execution&,        \
                                                    int64_t, std::span<double>,                   \
                                                    std::span<double>);                           \
    template void RatioState::ascend<Index>(const CsrView<Index, double>&, const RatioRows&,      \
                                            const Execution&, std::span<float>);
WORDODDS_INSTANTIATE(int32_t)
WORDODDS_INSTANTIATE(int64_t)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
