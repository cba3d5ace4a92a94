#include "wordodds/linear/ratio_ascent.hpp"

#include <limits>

#include "ratio_columns.hpp"

namespace wordodds {
namespace {

// A row is settled if it adds less than this share of what rows add to the gap on average, now or
// at the tolerance, whichever is more.
constexpr double settled_share = 0.5;
constexpr int rest_max = 63;  // epochs

// Some columns of a problem, with the state of every row.
class RatioBlock {
   public:
    virtual ~RatioBlock() = default;
    virtual void start(double lean, StopToken& stop) = 0;
    virtual RatioFit ascend(const RatioLimits& limits, const Execution& execution) = 0;
    virtual void score(std::span<const int64_t> rows, int64_t n_columns, const Execution& execution,
                       std::span<double> scores_out) const = 0;
    virtual void write(int64_t stride, std::span<double> weights_out,
                       std::span<double> intercept_out) const = 0;
};

struct ProblemRows {
    CsrView<double> matrix;
    LabelWeights labels;
    int64_t n_columns;
    std::vector<double> weights;  // of each row
    std::vector<int64_t> labelled;
    uint64_t seed;
};

template <int width>
class BlockOfWidth final : public RatioBlock {
   public:
    using Columns = RatioColumns<width>;
    using Row = typename Columns::Row;

    BlockOfWidth(const ProblemRows& problem, int64_t first, int64_t n_real,
                 std::span<const float> ratios, const RatioPrior& prior, StopToken& stop)
        : problem_(problem),
          columns_(problem.matrix.n_cols, first, n_real, prior, 1.0),
          rows_(problem.weights.size()),
          rests_(problem.weights.size()) {
        columns_.set_ratios(ratios, problem.n_columns, stop);
        for (const int64_t row : problem_.labelled) {
            const auto i = static_cast<size_t>(row);
            double targets[Columns::padded];
            set_targets(i, targets);
            for (int64_t k = 0; k < Columns::padded; ++k) {
                class_weights_[k] += problem_.weights[i] * targets[k];
                rest_weights_[k] += problem_.weights[i] * (1.0 - targets[k]);
            }
        }
        start(0.0, stop);
    }

    void start(double lean, StopToken& stop) override {
        columns_.start(lean, stop);
        strength_ = 0.0;
        random_ = problem_.seed;
    }

    RatioFit ascend(const RatioLimits& limits, const Execution& execution) override {
        const bool is_first = strength_ == 0.0;
        set_strength(limits.strength, *execution.stop);
        for (int64_t k = 0; k < columns_.n_real(); ++k) columns_.set_gap_scale(k, gap_scale(k));
        RatioFit fit{0, 0.0};
        std::fill(rests_.begin(), rests_.end(), Rest{});
        while (true) {
            choose_rows();
            std::fill_n(columns_.gaps(), Columns::padded, 0.0);
            with_lanes(execution.instruction_set,
                       Epoch{*this, is_first && fit.epochs == 0, *execution.stop});
            ++fit.epochs;
            const bool is_last = fit.epochs == limits.epochs_max;
            fit.gap = relative_gap();
            // An estimate: each row was looked at with other weights, and rows that rest, which may
            // have up to settled_share of the tolerance, not at all.
            if (is_last || fit.gap <= (1.0 - settled_share) * limits.tolerance) {
                order_ = problem_.labelled;
                std::fill_n(columns_.gaps(), Columns::padded, 0.0);
                with_lanes(execution.instruction_set, Measuring{*this, *execution.stop});
                fit.gap = relative_gap();
                if (is_last || fit.gap <= limits.tolerance) return fit;
            }
            set_rests(std::max(fit.gap, limits.tolerance));
        }
    }

    void score(std::span<const int64_t> rows, int64_t n_columns, const Execution& execution,
               std::span<double> scores_out) const override {
        with_lanes(execution.instruction_set,
                   Scoring{*this, rows, n_columns, *execution.stop, scores_out.data()});
    }

    void write(int64_t stride, std::span<double> weights_out,
               std::span<double> intercept_out) const override {
        columns_.write(stride, weights_out, intercept_out);
    }

   private:
    // For how many epochs a row is left alone: about twice as many each time that it is found
    // settled.
    struct Rest {
        float gap = 0.0f;  // at the last visit
        uint8_t length = 0;
        uint8_t left = 0;
    };

    struct Epoch {
        BlockOfWidth& block;
        bool is_first;  // since the start
        StopToken& stop;
        WORDODDS_LANES void operator()() const {
            const auto& problem = block.problem_;
            for (size_t place = 0; place < block.order_.size(); ++place) {
                if (place % ratio_rows_between_checks == 0) stop.check();
                const auto i = static_cast<size_t>(block.order_[place]);
                const auto entries = ratio_entries(problem.matrix, block.order_, place);
                const auto next = ratio_entries(problem.matrix, block.order_, place + 1);
                const double cost = block.strength_ * problem.weights[i];
                if (place + 1 < block.order_.size()) block.fetch_state(block.order_[place + 1]);
                fetch_entries(ratio_entries(problem.matrix, block.order_, place + 2));
                if (is_first) {
                    double targets[Columns::padded];
                    block.set_targets(i, targets);
                    Columns::set_unasked(targets, block.rows_[i]);
                    block.columns_.set_curvature(entries, cost, block.rows_[i]);
                }
                const double gap = block.columns_.ascend(entries, next, cost, block.rows_[i]);
                block.rests_[i].gap = static_cast<float>(gap);
            }
        }
    };

    // The gap of all rows at the weights as they are.
    struct Measuring {
        BlockOfWidth& block;
        StopToken& stop;
        WORDODDS_LANES void operator()() const {
            const auto& problem = block.problem_;
            for (size_t place = 0; place < block.order_.size(); ++place) {
                if (place % ratio_rows_between_checks == 0) stop.check();
                const auto i = static_cast<size_t>(block.order_[place]);
                const double gap =
                    block.columns_.measure(ratio_entries(problem.matrix, block.order_, place),
                                           block.strength_ * problem.weights[i], block.rows_[i]);
                block.rests_[i].gap = static_cast<float>(gap);
            }
        }
    };

    struct Scoring {
        const BlockOfWidth& block;
        std::span<const int64_t> rows;
        int64_t n_columns;
        StopToken& stop;
        double* scores_out;
        WORDODDS_LANES void operator()() const {
            for (size_t place = 0; place < rows.size(); ++place) {
                if (place % ratio_rows_between_checks == 0) stop.check();
                block.columns_.score(
                    ratio_entries(block.problem_.matrix, rows, place),
                    scores_out + static_cast<int64_t>(place) * n_columns + block.columns_.first());
            }
        }
    };

    // Lets those of the last rows rest that add little to a gap.
    void set_rests(double gap) {
        const double settled = settled_share * gap / static_cast<double>(problem_.labelled.size());
        for (const int64_t row : order_) {
            Rest& rest = rests_[static_cast<size_t>(row)];
            const bool is_settled = double{rest.gap} <= settled;
            rest.length =
                static_cast<uint8_t>(is_settled ? std::min(2 * rest.length + 1, rest_max) : 0);
            rest.left = rest.length;
        }
    }

    // The rows of the next epoch, in a new order: those that do not rest.
    void choose_rows() {
        order_.clear();
        for (const int64_t row : problem_.labelled) {
            Rest& rest = rests_[static_cast<size_t>(row)];
            if (rest.left == 0) {
                order_.push_back(row);
            } else {
                --rest.left;
            }
        }
        shuffle(order_, random_);
    }

    WORDODDS_LANES void fetch_state(int64_t row) const {
        constexpr size_t line = 64;
        const auto* const state = reinterpret_cast<const char*>(&rows_[static_cast<size_t>(row)]);
        for (size_t at = 0; at < sizeof(Row); at += line) __builtin_prefetch(state + at, 1, 3);
    }

    // The share of each column's class among the labels of a row.
    void set_targets(size_t i, double* targets_out) const {
        std::fill_n(targets_out, Columns::padded, 0.0);
        const LabelWeights& labels = problem_.labels;
        for (auto e = static_cast<size_t>(labels.indptr[i]);
             e < static_cast<size_t>(labels.indptr[i + 1]); ++e) {
            const int64_t k =
                column_of_class(problem_.n_columns, labels.codes[e]) - columns_.first();
            if (k >= 0 && k < columns_.n_real()) {
                targets_out[k] = labels.weights[e] / problem_.weights[i];
            }
        }
    }

    // Dual variables, and so the weights, stay as they are; probabilities come nearer to the
    // targets.
    void set_strength(double strength, StopToken& stop) {
        const double factor = strength_ == 0.0 ? 1.0 : strength / strength_;
        strength_ = strength;
        if (factor == 1.0) return;
        const double log_factor = std::log(factor);
        for (size_t place = 0; place < problem_.labelled.size(); ++place) {
            if (place % ratio_rows_between_checks == 0) stop.check();
            const auto i = static_cast<size_t>(problem_.labelled[place]);
            double targets[Columns::padded];
            set_targets(i, targets);
            Row& row = rows_[i];
            for (int64_t k = 0; k < Columns::padded; ++k) {
                row.rho[k] *= factor;
                row.log_half_rho[k] += log_factor;
                row.log_odds[k] = weakened(row.log_odds[k], targets[k], factor, log_factor);
            }
        }
    }

    // The log-odds of t - (t - p) / factor.
    static double weakened(double log_odds, double target, double factor, double log_factor) {
        const double p = 1.0 / (1.0 + std::exp(-log_odds));
        if (target == 0.0) {  // all digits of what may be very small
            const double log_p =
                log_odds < 0.0 ? log_odds - std::log1p(std::exp(log_odds)) : std::log(p);
            return std::max(log_p - log_factor - std::log1p(-p / factor), dual_unlikely);
        }
        if (target == 1.0) return -weakened(-log_odds, 0.0, factor, log_factor);
        return Columns::bounded_log_odds(target - (target - p) / factor);
    }

    double gap_scale(int64_t k) const {
        const double weight = std::min(class_weights_[k], rest_weights_[k]);
        if (weight > 0.0) return strength_ * weight;
        return strength_ * (class_weights_[k] + rest_weights_[k]);  // one side has no rows
    }

    double relative_gap() {
        double largest = 0.0;
        for (int64_t k = 0; k < columns_.n_real(); ++k) {
            const double scale = gap_scale(k);
            if (scale == 0.0) continue;
            const double gap = columns_.gaps()[k] / scale;
            if (std::isnan(gap)) return std::numeric_limits<double>::infinity();
            largest = std::max(largest, gap);
        }
        return largest;
    }

    const ProblemRows& problem_;
    Columns columns_;
    std::vector<Row> rows_;
    std::vector<Rest> rests_;
    std::vector<int64_t> order_;
    double class_weights_[Columns::padded] = {};
    double rest_weights_[Columns::padded] = {};
    double strength_ = 0.0;  // 0: no row has been visited
    uint64_t random_ = 0;
};

class AscentInMemory final : public RatioAscent {
   public:
    AscentInMemory(const CsrView<double>& matrix, const LabelWeights& labels, int64_t n_columns_,
                   std::span<const float> ratios, const RatioPrior& prior, uint64_t seed)
        : rows_{matrix, labels, n_columns_, row_weights(matrix.n_rows, labels), {}, seed},
          ratios_(ratios),
          prior_(prior) {
        n_columns = n_columns_;
        n_features = matrix.n_cols;
        for (size_t i = 0; i < rows_.weights.size(); ++i) {
            if (rows_.weights[i] > 0.0) rows_.labelled.push_back(static_cast<int64_t>(i));
        }
        blocks_.resize(static_cast<size_t>(FixedChunks{n_columns, ratio_wide}.count()));
    }

    int64_t n_blocks() const override { return static_cast<int64_t>(blocks_.size()); }
    void start(int64_t block, double lean, StopToken& stop) override {
        auto& own = blocks_[static_cast<size_t>(block)];
        if (own == nullptr) {
            const FixedChunks chunks{n_columns, ratio_wide};
            const int64_t first = chunks.begin(block), n = chunks.end(block) - first;
            with_width(n, [&]<int width>() {
                own = std::make_unique<BlockOfWidth<width>>(rows_, first, n, ratios_, prior_, stop);
            });
        }
        own->start(lean, stop);
    }
    void release(int64_t block) override { blocks_[static_cast<size_t>(block)].reset(); }
    RatioFit ascend(int64_t block, const RatioLimits& limits, const Execution& execution) override {
        return at(block).ascend(limits, execution);
    }
    void score(int64_t block, std::span<const int64_t> rows, const Execution& execution,
               std::span<double> scores_out) const override {
        at(block).score(rows, n_columns, execution, scores_out);
    }
    void write(int64_t block, int64_t stride, std::span<double> weights_out,
               std::span<double> intercept_out) const override {
        at(block).write(stride, weights_out, intercept_out);
    }

   private:
    static std::vector<double> row_weights(int64_t n_rows, const LabelWeights& labels) {
        std::vector<double> weights(static_cast<size_t>(n_rows), 0.0);
        for (size_t i = 0; i < weights.size(); ++i) {
            for (auto e = static_cast<size_t>(labels.indptr[i]);
                 e < static_cast<size_t>(labels.indptr[i + 1]); ++e) {
                weights[i] += labels.weights[e];
            }
        }
        return weights;
    }

    RatioBlock& at(int64_t block) const { return *blocks_[static_cast<size_t>(block)]; }

    ProblemRows rows_;
    std::span<const float> ratios_;
    RatioPrior prior_;
    // Null before the start and after the release.
    std::vector<std::unique_ptr<RatioBlock>> blocks_;
};

// Calls use(problem, block, task) for all blocks of all problems, which are the tasks in their
// order.
template <class Use>
void for_each_block(std::span<RatioAscent* const> problems, const Execution& execution, Use use) {
    std::vector<std::pair<size_t, int64_t>> tasks;
    for (size_t i = 0; i < problems.size(); ++i) {
        for (int64_t block = 0; block < problems[i]->n_blocks(); ++block)
            tasks.push_back({i, block});
    }
    parallel_for(execution, static_cast<int64_t>(tasks.size()), [&](int64_t task, int32_t) {
        const auto [i, block] = tasks[static_cast<size_t>(task)];
        use(*problems[i], block, static_cast<size_t>(task));
    });
}

}  // namespace

std::unique_ptr<RatioAscent> make_ratio_ascent(const CsrView<double>& matrix,
                                               const LabelWeights& labels, int64_t n_columns,
                                               std::span<const float> ratios,
                                               const RatioPrior& prior, uint64_t seed) {
    return std::make_unique<AscentInMemory>(matrix, labels, n_columns, ratios, prior, seed);
}

void ratio_start(std::span<RatioAscent* const> problems, double lean, const Execution& execution) {
    for_each_block(problems, execution, [&](RatioAscent& problem, int64_t block, size_t) {
        problem.start(block, lean, *execution.stop);
    });
}

void ratio_ascend(std::span<RatioAscent* const> problems, const RatioLimits& limits,
                  const Execution& execution, std::span<RatioFit> fits_out) {
    std::fill(fits_out.begin(), fits_out.end(), RatioFit{0, 0.0});
    std::vector<RatioFit> fits;
    for (const RatioAscent* const problem : problems) {
        fits.resize(fits.size() + static_cast<size_t>(problem->n_blocks()));
    }
    for_each_block(problems, execution, [&](RatioAscent& problem, int64_t block, size_t task) {
        fits[task] = problem.ascend(block, limits, execution);
    });
    size_t task = 0;
    for (size_t i = 0; i < problems.size(); ++i) {
        for (int64_t block = 0; block < problems[i]->n_blocks(); ++block, ++task) {
            fits_out[i].epochs = std::max(fits_out[i].epochs, fits[task].epochs);
            fits_out[i].gap = std::max(fits_out[i].gap, fits[task].gap);
        }
    }
}

RatioFit ratio_fit(RatioAscent& problem, double lean, const RatioLimits& limits, int64_t stride,
                   const Execution& execution, std::span<double> weights_out,
                   std::span<double> intercept_out) {
    const auto fit = [&](int64_t block) {
        problem.start(block, lean, *execution.stop);
        const RatioFit found = problem.ascend(block, limits, execution);
        problem.write(block, stride, weights_out, intercept_out);
        problem.release(block);
        return found;
    };
    return parallel_reduce(
        execution, problem.n_blocks(), RatioFit{0, 0.0}, fit, [](RatioFit all, RatioFit one) {
            return RatioFit{std::max(all.epochs, one.epochs), std::max(all.gap, one.gap)};
        });
}

void ratio_score(const RatioAscent& problem, std::span<const int64_t> rows,
                 const Execution& execution, std::span<double> scores_out) {
    parallel_for(execution, problem.n_blocks(), [&](int64_t block, int32_t) {
        problem.score(block, rows, execution, scores_out);
    });
}

void ratio_write(const RatioAscent& problem, int64_t stride, const Execution& execution,
                 std::span<double> weights_out, std::span<double> intercept_out) {
    parallel_for(execution, problem.n_blocks(), [&](int64_t block, int32_t) {
        problem.write(block, stride, weights_out, intercept_out);
    });
}

}  // namespace wordodds
