#include "wordodds/linear/ratio_state.hpp"

#include <variant>

#include "ratio_columns.hpp"

namespace wordodds {

struct RatioState::Parts {
    using Some = std::variant<RatioColumns<1>, RatioColumns<n_lanes>, RatioColumns<ratio_wide>>;
    std::vector<Some> blocks;
};

RatioState::RatioState(int64_t n_columns, std::span<const float> ratios, const RatioPrior& prior,
                       double lean, double spread, const Execution& execution)
    : n_columns_(n_columns),
      n_features_(static_cast<int64_t>(ratios.size()) / n_columns),
      parts_(std::make_unique<Parts>()) {
    const FixedChunks blocks{n_columns, ratio_wide};
    for (int64_t block = 0; block < blocks.count(); ++block) {
        const int64_t first = blocks.begin(block), n = blocks.end(block) - first;
        with_width(n, [&]<int width>() {
            parts_->blocks.emplace_back(std::in_place_type<RatioColumns<width>>, n_features_, first,
                                        n, prior, spread);
        });
    }
    parallel_for(execution, blocks.count(), [&](int64_t block, int32_t) {
        std::visit(
            [&](auto& columns) {
                columns.set_ratios(ratios, n_columns, *execution.stop);
                columns.start(lean, *execution.stop);
            },
            parts_->blocks[static_cast<size_t>(block)]);
    });
}

RatioState::~RatioState() = default;

void RatioState::read(std::span<const float> weights, std::span<const double> intercept) {
    for (auto& block : parts_->blocks) {
        std::visit([&](auto& columns) { columns.read(weights, intercept, n_columns_); }, block);
    }
}

// One visit of every row by some columns; what is known of a row is read and written back.
template <int width>
struct RatioState::Pass {
    RatioState& state;
    RatioColumns<width>& columns;
    const CsrView<double>& matrix;
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
            double targets[RatioColumns<width>::padded] = {};
            const int64_t own = column_of_class(state.n_columns_, rows.codes[i]) - columns.first();
            if (own >= 0 && own < columns.n_real()) targets[own] = 1.0;
            RatioColumns<width>::set_unasked(targets, row);
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

void RatioState::ascend(const CsrView<double>& matrix, const RatioRows& rows,
                        const Execution& execution, std::span<float> log_odds,
                        std::span<double> gaps_out) {
    std::vector<int64_t> order(rows.codes.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    uint64_t random = rows.seed;
    shuffle(order, random);
    parallel_for(execution, static_cast<int64_t>(parts_->blocks.size()),
                 [&](int64_t block, int32_t) {
                     std::visit(
                         [&]<int width>(RatioColumns<width>& columns) {
                             std::fill_n(columns.gaps(), RatioColumns<width>::padded, 0.0);
                             with_lanes(execution.instruction_set,
                                        Pass<width>{*this, columns, matrix, rows, order,
                                                    *execution.stop, log_odds});
                             std::copy_n(columns.gaps(), columns.n_real(),
                                         gaps_out.data() + columns.first());
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

}  // namespace wordodds
