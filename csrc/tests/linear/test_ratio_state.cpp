#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <vector>

#include "reference/linear/ratio.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "tests/linear/ratio_problems.hpp"
#include "wordodds/linear/ratio_state.hpp"

namespace wordodds {
namespace {

// Rows with one label each, as the state visits them.
struct Problem {
    OwnedCsr<double> matrix;
    std::vector<int32_t> codes;
    std::vector<double> costs;  // some of them zero
    OwnedLabels labels;         // the same, of the rows that cost something
    int64_t n_columns;
    std::vector<float> ratios;
    RatioPrior prior;
    double lean;

    Problem(Random& random, int64_t n_columns_, const RatioPrior& prior_, double lean_,
            int64_t n_features = 25)
        : matrix(random_rows(random, 60, n_features, 8)),
          codes(random_labels(random, 60, std::max<int64_t>(2, n_columns_))),
          costs(random_row_weights(random, 60)),
          labels(single_labels(codes, costs)),
          n_columns(n_columns_),
          ratios(ratios_of(matrix, labels, n_columns_, 0.5)),
          prior(prior_),
          lean(lean_) {}

    reference::RatioObjective objective() const {
        return {labels.view(), n_columns, ratios, prior, lean, 1.0};
    }
    RatioState state(double spread, const Execution& execution) const {
        return RatioState(n_columns, ratios, prior, lean, spread, execution);
    }
    size_t width() const { return static_cast<size_t>(n_columns); }
};

Solution solution_of(const RatioState& state) {
    const auto n = static_cast<size_t>(state.n_columns());
    Solution solution{std::vector<double>(static_cast<size_t>(state.n_features()) * n, 1e99),
                      std::vector<double>(n, 1e99),
                      {}};
    state.write(state.n_columns(), solution.weights, solution.intercept);
    return solution;
}

// Some rows of a problem, with their log-odds.
struct Part {
    OwnedCsr<double> matrix;
    std::vector<int32_t> codes;
    std::vector<double> costs;
    std::vector<float> log_odds;
    std::vector<double> gaps;

    Part(const Problem& problem, const std::vector<size_t>& rows)
        : matrix(take_rows(problem.matrix, rows)),
          log_odds(rows.size() * problem.width(), 1e9f),
          gaps(problem.width(), 1e99) {
        for (const size_t i : rows) {
            codes.push_back(problem.codes[i]);
            costs.push_back(problem.costs[i]);
        }
    }

    void visit(RatioState& state, int epoch, const Execution& execution) {
        const RatioRows rows{codes, costs, epoch == 0, 17 + static_cast<uint64_t>(epoch)};
        state.ascend(matrix.view(), rows, execution, log_odds, gaps);
    }
};

// Three blocks of consecutive rows.
std::vector<Part> three_blocks(const Problem& problem) {
    const size_t borders[] = {0, 7, 41, 60};
    std::vector<Part> blocks;
    for (size_t block = 0; block < 3; ++block) {
        std::vector<size_t> rows(borders[block + 1] - borders[block]);
        std::iota(rows.begin(), rows.end(), borders[block]);
        blocks.push_back({problem, rows});
    }
    return blocks;
}

Solution solve_by_blocks(const Problem& problem, int n_epochs, const Execution& execution) {
    RatioState state = problem.state(1.0, execution);
    auto blocks = three_blocks(problem);
    for (int epoch = 0; epoch < n_epochs; ++epoch) {
        for (auto& block : blocks) block.visit(state, epoch, execution);
    }
    return solution_of(state);
}

void check_residual(const Problem& problem, const Solution& solution) {
    const auto residual = reference::ratio_residual(problem.matrix.view(), problem.objective(),
                                                    solution.weights, solution.intercept);
    CHECK(residual < 2e-4, residual, problem.n_columns, problem.lean, problem.prior.floor);
}

TEST("the optimum by blocks of rows, with the same bits everywhere") {
    Random random(41);
    for (const int64_t n_columns : {1, 2, 3, 8, 9, 20}) {
        for (const double lean : {0.0, 0.7}) {
            const double step = (n_columns % 2 == 0) == (lean == 0.0) ? 0.0 : 0.5;
            const double floor = n_columns % 3 == 0 ? 0.0 : 1.0;
            const Problem problem(random, n_columns, {floor, step}, lean);
            check_residual(problem, solve_by_blocks(problem, 400, Run()));
            const Solution early = solve_by_blocks(problem, 4, Run());
            for_each_execution([&](const Execution& execution) {
                check_same(solve_by_blocks(problem, 4, execution), early);
            });
        }
    }
}

TEST("weights of the prior before the first visit; rows that cost nothing are not touched") {
    Random random(42);
    for (const int64_t n_columns : {1, 4, 13}) {
        const Problem problem(random, n_columns, {0.5, 0.5}, 0.7);
        RatioState state = problem.state(1.0, Run());
        const Solution prior = solution_of(state);
        for (size_t i = 0; i < prior.weights.size(); ++i) {
            CHECK_CLOSE(prior.weights[i], 0.7 * double{problem.ratios[i]}, 1e-6, i);
        }
        for (const double weight : prior.intercept) CHECK_EQ(weight, 0.0);
        for (auto& block : three_blocks(problem)) {
            for (int epoch = 0; epoch < 3; ++epoch) block.visit(state, epoch, Run());
            for (size_t i = 0; i < block.log_odds.size(); ++i) {
                const bool is_free = block.costs[i / problem.width()] == 0.0;
                CHECK_EQ(block.log_odds[i] == 1e9f, is_free, i);
            }
        }
    }
}

TEST("a state that reads the weights of another continues with the same bits") {
    Random random(43);
    for (const int64_t n_columns : {1, 3, 9, 20}) {
        const Problem problem(random, n_columns, {0.5, 0.5}, 0.7);
        RatioState state = problem.state(1.0, Run());
        auto blocks = three_blocks(problem);
        for (int epoch = 0; epoch < 3; ++epoch) {
            for (auto& block : blocks) block.visit(state, epoch, Run());
        }
        const Solution so_far = solution_of(state);
        RatioState other = problem.state(1.0, Run());
        const std::vector<float> weights(so_far.weights.begin(), so_far.weights.end());
        other.read(weights, so_far.intercept);
        check_same(solution_of(other), so_far);
        auto others = blocks;
        for (int epoch = 3; epoch < 6; ++epoch) {
            for (auto& block : blocks) block.visit(state, epoch, Run());
            for (auto& block : others) block.visit(other, epoch, Run());
        }
        check_same(solution_of(other), solution_of(state));
        for (size_t block = 0; block < 3; ++block) {
            CHECK_SAME(others[block].log_odds, blocks[block].log_odds);
            CHECK_SAME(others[block].gaps, blocks[block].gaps);
        }
    }
}

TEST("the gap of a row is what the formula says, and those of all rows bound the duality gap") {
    Random random(44);
    for (const int64_t n_columns : {1, 3, 9}) {
        const Problem problem(random, n_columns, {0.5, 0.5}, 0.7);
        const size_t n = problem.width();
        RatioState state = problem.state(1.0, Run());
        std::vector<Part> rows;
        for (size_t i = 0; i < 60; ++i) rows.push_back({problem, {i}});
        std::vector<reference::RatioColumn> columns;
        for (size_t k = 0; k < n; ++k) {
            columns.emplace_back(problem.matrix.view(), problem.objective(), k);
        }
        const auto probability = [](long double log_odds) { return 1 / (1 + std::exp(-log_odds)); };
        for (int epoch = 0; epoch < 12; ++epoch) {
            std::vector<double> sums(n, 0.0);
            for (size_t i = 0; i < 60; ++i) {
                const Solution before = solution_of(state);
                const std::vector<float> known = rows[i].log_odds;
                rows[i].visit(state, epoch, Run());
                for (size_t k = 0; k < n; ++k) {
                    const bool is_own = problem.codes[i] == (n == 1 ? 1 : static_cast<int32_t>(k));
                    const long double l = epoch > 0 ? known[k] : is_own ? 40.0L : -40.0L;
                    const auto z = columns[k].score(i, before.weights, before.intercept);
                    const auto gap = problem.costs[i] * (probability(l) - probability(z)) * (l - z);
                    CHECK_CLOSE(rows[i].gaps[k], static_cast<double>(gap), 1e-12, i, k, epoch);
                    sums[k] += rows[i].gaps[k];
                }
            }
            const Solution after = solution_of(state);
            for (size_t k = 0; k < n; ++k) {
                std::vector<long double> duals;
                for (size_t i = 0; i < 60; ++i) {
                    const bool is_own = problem.codes[i] == (n == 1 ? 1 : static_cast<int32_t>(k));
                    const long double p = probability(rows[i].log_odds[k]);
                    duals.push_back(problem.costs[i] * (is_own - p));
                }
                const auto gap =
                    columns[k].value(after.weights, after.intercept) - columns[k].dual_value(duals);
                CHECK(sums[k] >= gap - 1e-9, sums[k], gap, k, epoch);
                CHECK(gap > -1e-9, gap, k, epoch);
            }
        }
    }
}

// Three processes that visit disjoint rows from the same weights; their changes are added up.
Solution solve_by_processes(const Problem& problem, int n_rounds, const Execution& execution) {
    constexpr double spread = 3.0;
    std::vector<Part> parts;
    std::deque<RatioState> states;
    for (size_t process = 0; process < 3; ++process) {
        std::vector<size_t> rows;
        for (size_t i = process; i < 60; i += 3) rows.push_back(i);
        parts.push_back({problem, rows});
        states.emplace_back(problem.n_columns, problem.ratios, problem.prior, problem.lean, spread,
                            execution);
    }
    Solution sum = solution_of(states[0]);
    for (int round = 0; round < n_rounds; ++round) {
        const std::vector<float> weights(sum.weights.begin(), sum.weights.end());
        const std::vector<double> intercept = sum.intercept;
        for (size_t process = 0; process < 3; ++process) {
            states[process].read(weights, intercept);
            parts[process].visit(states[process], round, execution);
            const Solution after = solution_of(states[process]);
            for (size_t i = 0; i < weights.size(); ++i) {
                sum.weights[i] += (after.weights[i] - double{weights[i]}) / spread;
            }
            for (size_t k = 0; k < intercept.size(); ++k) {
                sum.intercept[k] += (after.intercept[k] - intercept[k]) / spread;
            }
        }
    }
    return sum;
}

TEST("processes with disjoint rows end at the optimum of one process, with the same bits") {
    Random random(45);
    for (const int64_t n_columns : {1, 3, 9, 20}) {
        for (const double lean : {0.0, 0.7}) {
            const double step = lean == 0.0 ? 0.0 : 0.5;
            const Problem problem(random, n_columns, {0.5, step}, lean);
            const Solution one = solve_by_blocks(problem, 400, Run());
            const Solution many = solve_by_processes(problem, 800, Run());
            check_residual(problem, many);
            for (size_t i = 0; i < one.weights.size(); ++i) {
                CHECK_CLOSE(many.weights[i], one.weights[i], 2e-4, i, n_columns);
            }
            const Solution early = solve_by_processes(problem, 4, Run());
            for_each_execution([&](const Execution& execution) {
                check_same(solve_by_processes(problem, 4, execution), early);
            });
        }
    }
}

TEST("processes do not overshoot where their rows are alike") {
    // Three features for all rows: without shorter steps each process would do the work of all.
    Random random(46);
    for (const int64_t n_columns : {1, 3, 9}) {
        Problem problem(random, n_columns, {1.0, 0.5}, 0.7, 3);
        for (double& cost : problem.costs) cost *= 4;
        problem.labels = single_labels(problem.codes, problem.costs);
        check_residual(problem, solve_by_processes(problem, 1000, Run()));
    }
}

TEST("the seed changes the order of rows") {
    Random random(47);
    const Problem problem(random, 3, {0.5, 0.5}, 0.7);
    RatioState first = problem.state(1.0, Run()), second = problem.state(1.0, Run());
    auto blocks = three_blocks(problem);
    const auto visit = [&](RatioState& state, uint64_t seed) {
        auto& block = blocks[1];
        const RatioRows rows{block.codes, block.costs, true, seed};
        state.ascend(block.matrix.view(), rows, Run(), block.log_odds, block.gaps);
    };
    visit(first, 1);
    visit(second, 2);
    CHECK(solution_of(first).weights != solution_of(second).weights);
}

TEST("a stop ends a visit, with a look every 64 rows") {
    Random random(48);
    const Problem problem(random, 20, {0.5, 0.5}, 0.7);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        RatioState state = problem.state(1.0, run);
        run.stop().request();
        auto blocks = three_blocks(problem);
        CHECK_THROWS(Stopped, blocks[1].visit(state, 0, run));
        CHECK_THROWS(Stopped, problem.state(1.0, run));
    }
    std::vector<size_t> rows(256);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = i % 60;
    const Problem narrow(random, 1, {0.5, 0.5}, 0.7);
    Part part(narrow, rows);
    RatioState state = narrow.state(1.0, Run());
    const int64_t n_looks =
        count_looks([&](const Execution& execution) { part.visit(state, 0, execution); });
    CHECK_EQ(n_looks, 1 + 4);  // the task, and the rows
}

}  // namespace
}  // namespace wordodds
