#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "reference/linear/ratio.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "tests/linear/ratio_problems.hpp"
#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds {
namespace {

void check_finite(const Solution& solution, double strength) {
    for (const double weight : solution.weights) CHECK(std::isfinite(weight), strength, weight);
    for (const double weight : solution.intercept) CHECK(std::isfinite(weight), strength, weight);
}

// Tolerance where the optimum is asked for: the gap is of the order of the squared error.
constexpr double tight = 1e-13;
constexpr int32_t epochs_enough = 5000;
constexpr double residual_max = 1e-4;  // weights are kept in float

void check_optimum(const AscentProblem& problem, double lean) {
    const Solution first = solve(problem, lean, {2.0}, epochs_enough, tight, Run());
    CHECK(first.fit.epochs > 1 && first.fit.epochs < epochs_enough, first.fit.epochs);
    CHECK(first.fit.gap <= tight, first.fit.gap);
    const auto residual = reference::ratio_residual(
        problem.matrix.view(), problem.objective(lean, 2.0), first.weights, first.intercept);
    CHECK(residual < residual_max, residual, problem.n_columns, lean, problem.prior.floor,
          problem.prior.intercept_step);
    for_each_execution([&](const Execution& execution) {
        check_same(solve(problem, lean, {2.0}, epochs_enough, tight, execution), first);
    });
}

TEST("the optimum, for every number of columns and prior, with the same bits everywhere") {
    Random random(21);
    for (const int64_t n_columns : {1, 2, 3, 4, 5, 8, 9, 12, 13, 20}) {
        for (const double floor : {0.0, 0.5}) {
            for (const double step : {0.0, 0.5}) {
                const auto problem = random_problem(random, n_columns, {floor, step});
                for (const double lean : {0.0, 0.7}) check_optimum(problem, lean);
            }
        }
    }
}

TEST("before any row is visited weights are those of the prior") {
    Random random(22);
    for (const int64_t n_columns : {1, 3, 13}) {
        const auto problem = random_problem(random, n_columns, {0.5, 1.0});
        const auto ascent = problem.ascent(Run());
        for (const double weight : solution_of(*ascent, Run()).weights) CHECK_EQ(weight, 0.0);
        ascend(*ascent, {1.0, 3, 0.0}, Run());
        start(*ascent, 0.3, Run());
        const Solution solution = solution_of(*ascent, Run());
        for (size_t i = 0; i < solution.weights.size(); ++i) {
            CHECK_CLOSE(solution.weights[i], 0.3 * double{problem.ratios[i]}, 1e-6, i);
        }
        for (const double weight : solution.intercept) CHECK_EQ(weight, 0.0);
    }
}

TEST("a path over growing strengths ends at the optimum of a fresh start at the last") {
    Random random(23);
    const std::vector<std::vector<double>> paths = {
        {0.01, 0.1, 1.0, 10.0}, {1e-4, 10.0}, {9.9, 10.0}, {10.0, 10.0}};
    for (const int64_t n_columns : {1, 4, 9, 20}) {
        for (const double lean : {0.0, 0.7}) {
            const auto problem = random_problem(random, n_columns, {lean / 2, 0.5});
            const Solution fresh = solve(problem, lean, {10.0}, epochs_enough, tight, Run());
            for (const auto& path : paths) {
                // Converged at each strength, and where each has but three epochs.
                Solution warm = solve(problem, lean, path, epochs_enough, tight, Run());
                for (const bool is_hasty : {false, true}) {
                    if (is_hasty) {
                        const auto ascent = problem.ascent(Run());
                        start(*ascent, lean, Run());
                        for (const double c : path) ascend(*ascent, {c, 3, 0.0}, Run());
                        const RatioFit fit = ascend(*ascent, {10.0, epochs_enough, tight}, Run());
                        warm = solution_of(*ascent, Run());
                        warm.fit = fit;
                    }
                    CHECK(warm.fit.gap <= tight, warm.fit.gap, n_columns, path.front());
                    const auto residual = reference::ratio_residual(problem.matrix.view(),
                                                                    problem.objective(lean, 10.0),
                                                                    warm.weights, warm.intercept);
                    CHECK(residual < residual_max, residual, n_columns, path.front(), is_hasty);
                    for (size_t i = 0; i < warm.weights.size(); ++i) {
                        CHECK_CLOSE(warm.weights[i], fresh.weights[i], residual_max, i, n_columns);
                    }
                }
            }
        }
    }
}

TEST("a path has the same bits everywhere") {
    Random random(24);
    for (const int64_t n_columns : {1, 4, 13}) {
        const auto problem = random_problem(random, n_columns, {0.5, 0.5});
        const std::vector<double> path = {0.1, 1.0, 30.0};
        const Solution first = solve(problem, 0.5, path, 5, tight, Run());
        for_each_execution([&](const Execution& execution) {
            check_same(solve(problem, 0.5, path, 5, tight, execution), first);
        });
    }
}

TEST("a new start forgets all that came before") {
    Random random(25);
    const auto problem = random_problem(random, 9, {0.5, 0.5});
    const Solution expected = solve(problem, 0.5, {3.0}, 7, 0.0, Run());
    CHECK_EQ(expected.fit.epochs, 7);
    const auto ascent = problem.ascent(Run());
    for (int repeat = 0; repeat < 2; ++repeat) {
        start(*ascent, 0.5, Run());
        const RatioFit fit = ascend(*ascent, {3.0, 7, 0.0}, Run());
        Solution again = solution_of(*ascent, Run());
        again.fit = fit;
        check_same(again, expected);
        // A stop included.
        ascend(*ascent, {500.0, 2, 0.0}, Run());
        Run stopped;
        stopped.stop().request();
        CHECK_THROWS(Stopped, ascend(*ascent, {600.0, 2, 0.0}, stopped));
    }
}

TEST("the seed changes the order of rows, not the optimum") {
    Random random(26);
    auto problem = random_problem(random, 3, {0.5, 0.5});
    const Solution early = solve(problem, 0.5, {2.0}, 1, 0.0, Run());
    const Solution late = solve(problem, 0.5, {2.0}, epochs_enough, tight, Run());
    problem.seed = 18;
    CHECK(solve(problem, 0.5, {2.0}, 1, 0.0, Run()).weights != early.weights);
    const Solution other = solve(problem, 0.5, {2.0}, epochs_enough, tight, Run());
    for (size_t i = 0; i < late.weights.size(); ++i) {
        CHECK_CLOSE(other.weights[i], late.weights[i], residual_max, i);
    }
}

TEST("a row with several labels equals several rows with one label each") {
    Random random(27);
    for (const int64_t n_columns : {1, 3, 9}) {
        const auto merged = random_problem(random, n_columns, {0.5, 0.5});
        std::vector<size_t> rows;
        OwnedLabels labels;
        for (size_t i = 0; i < 60; ++i) {
            for (auto e = merged.labels.indptr[i]; e < merged.labels.indptr[i + 1]; ++e) {
                const auto label = static_cast<size_t>(e);
                rows.push_back(i);
                labels.add(merged.labels.codes[label], merged.labels.weights[label]);
                labels.end_row();
            }
        }
        AscentProblem spread(take_rows(merged.matrix, rows), labels, n_columns, merged.prior);
        for (size_t i = 0; i < spread.ratios.size(); ++i) {
            CHECK_CLOSE(spread.ratios[i], merged.ratios[i], 1e-5, i);
        }
        spread.ratios = merged.ratios;
        const Solution first = solve(merged, 0.5, {2.0}, epochs_enough, tight, Run());
        const Solution second = solve(spread, 0.5, {2.0}, epochs_enough, tight, Run());
        for (size_t i = 0; i < first.weights.size(); ++i) {
            CHECK_CLOSE(second.weights[i], first.weights[i], residual_max, i, n_columns);
        }
    }
}

// A problem whose weights show the dual variables. Row i alone has feature n_shared + i, with an
// entry of 1 and a ratio of 1, so that its weight is lean + (1 + floor) a_i.
struct Revealed {
    AscentProblem problem;
    double lean;
    size_t n_shared;

    std::vector<long double> duals(const Solution& solution, size_t k) const {
        const auto n = static_cast<size_t>(problem.n_columns);
        std::vector<long double> a;
        for (size_t i = 0; i < static_cast<size_t>(problem.matrix.n_rows); ++i) {
            const long double weight = solution.weights[(n_shared + i) * n + k];
            a.push_back((weight - lean) / (1 + problem.prior.floor));
        }
        return a;
    }

    // The largest duality gap of any column, divided by its scale.
    double gap(const Solution& solution, double strength) const {
        long double worst = -1;
        for (size_t k = 0; k < static_cast<size_t>(problem.n_columns); ++k) {
            const reference::RatioColumn column(problem.matrix.view(),
                                                problem.objective(lean, strength), k);
            const long double gap = column.value(solution.weights, solution.intercept) -
                                    column.dual_value(duals(solution, k));
            if (column.scale() > 0) worst = std::max(worst, gap / column.scale());
        }
        return static_cast<double>(worst);
    }
};

Revealed revealed_problem(Random& random, int64_t n_columns, double lean, const RatioPrior& prior) {
    const auto shared = random_rows(random, 60, 25, 8);
    OwnedCsr<double> matrix;
    matrix.n_rows = shared.n_rows;
    matrix.n_cols = shared.n_cols + shared.n_rows;
    for (size_t i = 0; i < 60; ++i) {
        for (int64_t e = shared.indptr[i]; e < shared.indptr[i + 1]; ++e) {
            matrix.indices.push_back(shared.indices[static_cast<size_t>(e)]);
            matrix.data.push_back(shared.data[static_cast<size_t>(e)]);
        }
        matrix.indices.push_back(static_cast<int32_t>(25 + i));
        matrix.data.push_back(1.0);
        matrix.indptr.push_back(static_cast<int32_t>(matrix.indices.size()));
    }
    auto labels = random_label_weights(random, 60, std::max<int64_t>(2, n_columns));
    Revealed revealed{{std::move(matrix), std::move(labels), n_columns, prior}, lean, 25};
    auto& ratios = revealed.problem.ratios;
    std::fill(ratios.begin() + 25 * n_columns, ratios.end(), 1.0f);
    return revealed;
}

TEST("the reported gap bounds the duality gap, and is of its order") {
    constexpr double rounding = 1e-6;  // of dual variables that are read off weights in float
    Random random(28);
    for (const int64_t n_columns : {1, 3, 9, 20}) {
        for (const double strength : {0.1, 2.0, 50.0}) {
            const double lean = n_columns % 2 == 0 ? 0.0 : 0.7;
            const auto revealed = revealed_problem(random, n_columns, lean, {lean / 2, 0.5});
            const auto ascent = revealed.problem.ascent(Run());
            start(*ascent, lean, Run());
            RatioFit fit{0, 1.0};
            for (int epoch = 0; fit.gap > rounding; ++epoch) {
                CHECK(epoch < epochs_enough, fit.gap, n_columns, strength);
                fit = ascend(*ascent, {strength, 1, 0.0}, Run());
                const double gap = revealed.gap(solution_of(*ascent, Run()), strength);
                CHECK(gap >= -rounding, gap, epoch, n_columns, strength);
                CHECK(fit.gap >= gap - rounding, fit.gap, gap, epoch, n_columns, strength);
                // It is KL(p || q) + KL(q || p), the gap the first term alone: near the optimum the
                // two are equal, further away the second is a few times the first.
                CHECK(fit.gap <= 6 * gap + rounding, fit.gap, gap, epoch, n_columns, strength);
            }
        }
    }
}

TEST("several problems in one call have the bits of one at a time") {
    Random random(29);
    std::vector<AscentProblem> all;
    for (const int64_t n_columns : {1, 9, 3, 20, 4}) {
        all.push_back(random_problem(random, n_columns, {0.5, 0.5}));
    }
    const std::vector<double> path = {0.5, 4.0};
    for_each_execution([&](const Execution& execution) {
        std::vector<std::unique_ptr<RatioAscent>> owned;
        std::vector<RatioAscent*> problems;
        for (const auto& problem : all) {
            owned.push_back(problem.ascent(execution));
            problems.push_back(owned.back().get());
        }
        ratio_start(problems, 0.5, execution);
        std::vector<RatioFit> fits(all.size(), {1 << 30, 1e99});
        for (const double c : path) ratio_ascend(problems, {c, 500, 1e-6}, execution, fits);
        for (size_t i = 0; i < all.size(); ++i) {
            Solution together = solution_of(*problems[i], execution);
            together.fit = fits[i];
            check_same(together, solve(all[i], 0.5, path, 500, 1e-6, Run()));
        }
    });
}

TEST("rows without labels leave no trace, and have scores") {
    Random random(30);
    for (const int64_t n_columns : {1, 4, 9, 20}) {
        const auto problem = random_problem(random, n_columns, {0.5, 0.5});
        std::vector<size_t> labelled;
        OwnedLabels labels;
        labels.codes = problem.labels.codes;
        labels.weights = problem.labels.weights;
        for (size_t i = 0; i < 60; ++i) {
            const int64_t end = problem.labels.indptr[i + 1];
            if (end == problem.labels.indptr[i]) continue;
            labelled.push_back(i);
            labels.indptr.push_back(end);
        }
        CHECK(labelled.size() < 60);
        const AscentProblem without(take_rows(problem.matrix, labelled), labels, n_columns,
                                    problem.prior);
        CHECK_SAME(without.ratios, problem.ratios);
        check_same(solve(without, 0.5, {1.0, 2.0}, 50, 1e-6, Run()),
                   solve(problem, 0.5, {1.0, 2.0}, 50, 1e-6, Run()));

        const auto ascent = problem.ascent(Run());
        ascend(*ascent, {2.0, 20, 0.0}, Run());
        const Solution solution = solution_of(*ascent, Run());
        std::vector<int64_t> rows(60);
        std::iota(rows.begin(), rows.end(), 0);
        rows.insert(rows.end(), {59, 0, 7, 7});  // in any order, any number of times
        const auto n = static_cast<size_t>(n_columns);
        std::vector<double> scores(rows.size() * n, 1e99);
        ratio_score(*ascent, rows, Run(), scores);
        for (size_t k = 0; k < n; ++k) {
            const reference::RatioColumn column(problem.matrix.view(), problem.objective(0.0, 2.0),
                                                k);
            for (size_t i = 0; i < rows.size(); ++i) {
                const auto expected = column.score(static_cast<size_t>(rows[i]), solution.weights,
                                                   solution.intercept);
                CHECK_CLOSE(scores[i * n + k], static_cast<double>(expected), 1e-13, i, k);
            }
        }
        for_each_execution([&](const Execution& execution) {
            std::vector<double> others(scores.size(), 1e99);
            ratio_score(*ascent, rows, execution, others);
            CHECK_SAME(others, scores, n_columns, execution.n_jobs);
        });
    }
}

TEST("empty rows, a class without rows, a class of all rows, no rows, no features") {
    Random random(31);
    for (const int64_t n_columns : {1, 3, 9}) {
        const auto random_matrix = random_rows(random, 20, 6, 3);
        const OwnedLabels of_one =
            single_labels(std::vector<int32_t>(20, 1), std::vector<double>(20, 5.0));
        const RatioPrior prior{0.5, 1.0};
        const AscentProblem one_class(random_matrix, of_one, n_columns, prior);
        check_finite(solve(one_class, 0.5, {1.0, 10.0}, 500, 1e-8, Run()), 10.0);

        const OwnedCsr<double> empty{20, 6, std::vector<int64_t>(21, 0), {}, {}};
        const OwnedCsr<double> narrow{20, 0, std::vector<int64_t>(21, 0), {}, {}};
        for (const auto& matrix : {empty, narrow}) {
            OwnedLabels labels;
            for (int32_t i = 0; i < 20; ++i) {
                labels.add(i % 5 == 0 ? 0 : 1, 5.0);
                labels.end_row();
            }
            const AscentProblem by_intercept(matrix, labels, n_columns, prior);
            const Solution solution = solve(by_intercept, 0.5, {1.0}, 500, tight, Run());
            check_finite(solution, 1.0);
            for (size_t k = 0; k < static_cast<size_t>(std::min<int64_t>(2, n_columns)); ++k) {
                const reference::RatioColumn column(matrix.view(), by_intercept.objective(0.5, 1.0),
                                                    k);
                const auto residual = column.residual(solution.weights, solution.intercept);
                CHECK(residual < residual_max, residual, k, n_columns, matrix.n_cols);
            }
            CHECK(solution.intercept[n_columns == 1 ? 0 : 1] > 1.0, solution.intercept[0]);
        }

        const AscentProblem nothing({0, 6, {0}, {}, {}}, OwnedLabels{}, n_columns, prior);
        const Solution unlearnt = solve(nothing, 0.5, {1.0}, 10, 1e-8, Run());
        CHECK_EQ(unlearnt.fit.gap, 0.0);
        for (const double weight : unlearnt.weights) CHECK_CLOSE(weight, 0.0, 1e-7);
    }
}

TEST("huge and tiny strengths end with finite weights, from the start and on a path") {
    Random random(32);
    for (const int64_t n_columns : {1, 4, 9}) {
        for (const double floor : {0.0, 0.5}) {
            auto problem = random_problem(random, n_columns, {floor, 1.0});
            for (const bool has_shares : {true, false}) {
                // Beyond 1e15 or so the rounding of a probability that is a share outweighs all.
                const double most = has_shares ? 1e15 : 1e100;
                if (!has_shares) {
                    problem.labels =
                        single_labels(random_labels(random, 60, std::max<int64_t>(2, n_columns)),
                                      random_row_weights(random, 60));
                }
                for (const double strength : {1e-200, 1e-9, 1e9, most}) {
                    for (const std::vector<double>& path :
                         {std::vector<double>{strength}, {1e-200, strength}, {strength, most}}) {
                        check_finite(solve(problem, 0.5, path, 30, 1e-6, Run()), strength);
                    }
                }
            }
        }
    }
}

TEST("a stop ends every step") {
    Random random(33);
    const auto problem = random_problem(random, 20, {0.5, 0.5});
    const auto ascent = problem.ascent(Run());
    const std::vector<int64_t> rows(60, 3);
    std::vector<double> scores(60 * 20), weights(25 * 20), intercept(20);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, problem.ascent(run));
        CHECK_THROWS(Stopped, start(*ascent, 0.5, run));
        CHECK_THROWS(Stopped, ascend(*ascent, {1.0, 1, 0.0}, run));
        CHECK_THROWS(Stopped, ratio_score(*ascent, rows, run, scores));
        CHECK_THROWS(Stopped, ratio_write(*ascent, 20, run, weights, intercept));
    }
}

TEST("every 64 rows there is a look at the token") {
    Random random(34);
    std::vector<int64_t> rows(256);
    std::iota(rows.begin(), rows.end(), 0);
    const AscentProblem problem(
        random_rows(random, 256, 25, 3),
        single_labels(random_labels(random, 256, 2), std::vector<double>(256, 1.0)), 1, {0.5, 0.5});
    const auto ascent = problem.ascent(Run());
    const auto epoch = [&](double strength) {
        return count_looks(
            [&](const Execution& execution) { ascend(*ascent, {strength, 1, 0.0}, execution); });
    };
    CHECK_EQ(epoch(1.0), 1 + 4 + 4);  // the task, the epoch, the gap
    CHECK_EQ(epoch(1.0), 1 + 4 + 4);
    CHECK_EQ(epoch(2.0), 1 + 4 + 4 + 4);  // the state of the rows at another strength
    std::vector<double> scores(256);
    const int64_t n_looks = count_looks(
        [&](const Execution& execution) { ratio_score(*ascent, rows, execution, scores); });
    CHECK_EQ(n_looks, 1 + 4);
}

TEST("rows that add little to the gap rest") {
    Random random(35);
    const AscentProblem problem(
        random_rows(random, 256, 25, 8),
        single_labels(random_labels(random, 256, 2), std::vector<double>(256, 1.0)), 1, {0.5, 0.5});
    const auto ascent = problem.ascent(Run());
    const auto looks = [&](int32_t n_epochs) {
        start(*ascent, 0.0, Run());
        return count_looks(
            [&](const Execution& execution) { ascend(*ascent, {10.0, n_epochs, 0.0}, execution); });
    };
    CHECK_EQ(looks(1), 1 + 4 + 4);
    CHECK(looks(10) < 1 + 9 * 4 + 4, looks(10));
    CHECK(looks(10) >= 1 + 4 + 9 + 4, looks(10));
}

TEST("a fit that frees each block gives the bits of one that keeps all") {
    Random random(77);
    for (const int64_t n_columns : {1, 3, 9, 20}) {
        const auto problem = random_problem(random, n_columns, {1.0, 0.5});
        const RatioLimits limits{2.0, 500, 1e-7};
        const auto kept = problem.ascent(Run());
        RatioAscent* const problems[] = {kept.get()};
        ratio_start(problems, 0.3, Run());
        RatioFit fits[1];
        ratio_ascend(problems, limits, Run(), fits);
        const auto n = static_cast<size_t>(problem.matrix.n_cols * n_columns);
        std::vector<double> weights(n), intercept(static_cast<size_t>(n_columns));
        ratio_write(*kept, n_columns, Run(), weights, intercept);
        for_each_execution([&](const Execution& execution) {
            const auto freed = problem.ascent(execution);
            std::vector<double> others(n), other(static_cast<size_t>(n_columns));
            const RatioFit fit =
                ratio_fit(*freed, 0.3, limits, n_columns, execution, others, other);
            CHECK_SAME(others, weights, n_columns, execution.n_jobs);
            CHECK_SAME(other, intercept, n_columns, execution.n_jobs);
            CHECK_EQ(fit.epochs, fits[0].epochs);
        });
    }
}

}  // namespace
}  // namespace wordodds
