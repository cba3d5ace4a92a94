#include <algorithm>
#include <set>
#include <vector>

#include "check.hpp"
#include "execution.hpp"
#include "labels.hpp"
#include "matrices.hpp"
#include "reference/ratio.hpp"
#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds {
namespace {

// No column twice in a row.
template <class Index>
OwnedCsr<Index, double> random_rows(Random& random, int64_t n_rows, int64_t n_cols, int64_t row_max) {
    OwnedCsr<Index, double> matrix;
    matrix.n_rows = n_rows;
    matrix.n_cols = n_cols;
    for (int64_t row = 0; row < n_rows; ++row) {
        std::set<Index> columns;
        for (int64_t n = below(random, row_max + 1); n > 0; --n) {
            columns.insert(static_cast<Index>(below(random, n_cols)));
        }
        for (const Index column : columns) {
            matrix.indices.push_back(column);
            matrix.data.push_back(random() % 10 == 0 ? 0.0 : uniform(random));
        }
        matrix.indptr.push_back(static_cast<Index>(matrix.indices.size()));
    }
    return matrix;
}

struct Solution {
    std::vector<double> weights, intercept;
    RatioFit fit;
};

template <class Index>
Solution solve(const OwnedCsr<Index, double>& matrix, const RatioProblem& problem,
               const Execution& execution) {
    Solution solution;
    const int64_t stride = problem.n_columns + 3;
    std::vector<double> padded(static_cast<size_t>(matrix.n_cols * stride), 1e99);
    solution.intercept.assign(static_cast<size_t>(problem.n_columns), 1e99);
    solution.fit = csr_fit_ratio_logistic(matrix.view(), problem, execution, stride, padded,
                                          solution.intercept);
    for (size_t i = 0; i < padded.size(); ++i) {
        const bool is_padding = static_cast<int64_t>(i) % stride >= problem.n_columns;
        if (!is_padding) solution.weights.push_back(padded[i]);
        CHECK(!is_padding || padded[i] == 1e99, i);
    }
    return solution;
}

template <class Index>
void check_optimum() {
    Random random(21);
    for (const int64_t n_columns : {1, 2, 3, 4, 5, 8, 9, 12, 13, 20}) {
        const auto matrix = random_rows<Index>(random, 60, 25, 8);
        const auto codes = random_labels(random, 60, std::max<int64_t>(2, n_columns));
        auto costs = random_row_weights(random, 60);
        const std::vector<double> counts = costs;
        for (double& cost : costs) cost *= 2.0;
        const double step = n_columns % 2 == 0 ? 0.0 : 0.5;
        const RatioScales scales{0.5, n_columns > 4 ? 1.0 : 0.0};
        const RatioProblem problem{n_columns, codes, costs, counts, scales, step, 2000, 1e-9, 17};
        const Solution first = solve(matrix, problem, Run());
        CHECK(first.fit.epochs > 1 && first.fit.epochs < 2000, first.fit.epochs);
        CHECK(first.fit.change <= 1e-9, first.fit.change);
        const auto residual =
            reference::ratio_residual(matrix.view(), problem, first.weights, first.intercept);
        CHECK(residual < 2e-4, residual, n_columns);  // weights are kept in float
        for_each_execution([&](const Execution& execution) {
            const Solution other = solve(matrix, problem, execution);
            CHECK_SAME(other.weights, first.weights, n_columns, execution.n_jobs);
            CHECK_SAME(other.intercept, first.intercept, n_columns, execution.n_jobs);
            CHECK_EQ(other.fit.epochs, first.fit.epochs);
        });
    }
}

TEST("the optimum, for every number of columns, with the same bits everywhere") {
    check_optimum<int32_t>();
    check_optimum<int64_t>();
}

// The rows [begin, end) by themselves.
template <class Index>
OwnedCsr<Index, double> some_rows(const OwnedCsr<Index, double>& matrix, size_t begin, size_t end) {
    OwnedCsr<Index, double> part;
    part.n_rows = static_cast<int64_t>(end - begin);
    part.n_cols = matrix.n_cols;
    for (size_t i = begin; i < end; ++i) {
        for (auto e = static_cast<size_t>(matrix.indptr[i]);
             e < static_cast<size_t>(matrix.indptr[i + 1]); ++e) {
            part.indices.push_back(matrix.indices[e]);
            part.data.push_back(matrix.data[e]);
        }
        part.indptr.push_back(static_cast<Index>(part.indices.size()));
    }
    return part;
}

// The same problem, visited in three blocks of rows.
template <class Index>
Solution solve_by_blocks(const OwnedCsr<Index, double>& matrix, const RatioProblem& problem,
                         const Execution& execution) {
    const auto n_features = static_cast<size_t>(matrix.n_cols);
    std::vector<double> counts(n_features, 0.0);
    std::vector<double> class_counts(n_features * static_cast<size_t>(problem.n_columns), 0.0);
    for (size_t i = 0; i < problem.codes.size(); ++i) {
        const int64_t own = problem.n_columns == 1 ? problem.codes[i] - 1 : problem.codes[i];
        for (auto e = static_cast<size_t>(matrix.indptr[i]);
             e < static_cast<size_t>(matrix.indptr[i + 1]); ++e) {
            if (matrix.data[e] == 0) continue;
            const auto j = static_cast<size_t>(matrix.indices[e]);
            counts[j] += problem.counts[i];
            if (own >= 0) class_counts[static_cast<size_t>(own) * n_features + j] += problem.counts[i];
        }
    }
    RatioState state(problem.n_columns, problem.scales, problem.intercept_step, counts, class_counts,
                     execution);
    const auto n_columns = static_cast<size_t>(problem.n_columns);
    std::vector<float> log_odds(problem.codes.size() * n_columns, 1e9f);
    const size_t borders[] = {0, 7, 41, problem.codes.size()};
    for (int epoch = 0; epoch < problem.epochs_max; ++epoch) {
        for (size_t block = 0; block < 3; ++block) {
            const size_t begin = borders[block], n = borders[block + 1] - begin;
            const auto part = some_rows(matrix, begin, begin + n);
            const RatioRows rows{problem.codes.subspan(begin, n), problem.costs.subspan(begin, n),
                                 epoch == 0, problem.seed + static_cast<uint64_t>(epoch)};
            state.ascend(part.view(), rows, execution,
                         std::span(log_odds).subspan(begin * n_columns, n * n_columns));
        }
    }
    Solution solution;
    solution.weights.assign(n_features * n_columns, 1e99);
    solution.intercept.assign(n_columns, 1e99);
    state.write(problem.n_columns, solution.weights, solution.intercept);
    return solution;
}

template <class Index>
void check_blocks() {
    Random random(24);
    for (const int64_t n_columns : {1, 2, 3, 8, 9, 20}) {
        const auto matrix = random_rows<Index>(random, 60, 25, 8);
        const auto codes = random_labels(random, 60, std::max<int64_t>(2, n_columns));
        const auto costs = random_row_weights(random, 60);
        const double step = n_columns % 2 == 0 ? 0.0 : 0.5;
        const RatioProblem problem{n_columns, codes, costs, costs, {0.5, 1.0}, step, 400, 0.0, 17};
        const Solution first = solve_by_blocks(matrix, problem, Run());
        const auto residual =
            reference::ratio_residual(matrix.view(), problem, first.weights, first.intercept);
        CHECK(residual < 2e-4, residual, n_columns);
        for_each_execution([&](const Execution& execution) {
            const Solution other = solve_by_blocks(matrix, problem, execution);
            CHECK_SAME(other.weights, first.weights, n_columns, execution.n_jobs);
            CHECK_SAME(other.intercept, first.intercept, n_columns, execution.n_jobs);
        });
    }
}

TEST("the same optimum by blocks of rows, with the same bits everywhere") {
    check_blocks<int32_t>();
    check_blocks<int64_t>();
}

TEST("few epochs, empty rows, a class without rows, and all rows of weight zero") {
    Random random(22);
    auto matrix = random_rows<int32_t>(random, 20, 6, 3);
    const std::vector<int32_t> codes(20, 1);
    std::vector<double> costs(20, 5.0);
    RatioProblem problem{3, codes, costs, costs, {1.0, 0.0}, 1.0, 1, 0.0, 3};
    CHECK_EQ(solve(matrix, problem, Run()).fit.epochs, 1);
    problem.epochs_max = 500;
    problem.tolerance = 1e-8;
    for (const double weight : solve(matrix, problem, Run()).weights) CHECK(std::isfinite(weight));
    std::fill(costs.begin(), costs.end(), 0.0);
    for (const double weight : solve(matrix, problem, Run()).weights) CHECK_EQ(weight, 0.0);
    matrix.indptr.assign(21, 0);
    matrix.indices.clear();
    matrix.data.clear();
    std::fill(costs.begin(), costs.end(), 5.0);
    const Solution empty = solve(matrix, problem, Run());
    for (const double weight : empty.weights) CHECK_EQ(weight, 0.0);
    CHECK(empty.intercept[1] > 1.0 && empty.intercept[0] < -1.0, empty.intercept[1]);
}

TEST("huge and tiny costs end") {
    Random random(23);
    const auto matrix = random_rows<int32_t>(random, 50, 20, 6);
    const auto codes = random_labels(random, 50, 4);
    for (const double cost : {1e-200, 1e-9, 1e9, 1e100}) {
        const std::vector<double> costs(50, cost), counts(50, 1.0);
        const RatioProblem problem{4, codes, costs, counts, {1.0, 0.0}, 1.0, 30, 1e-6, 3};
        for (const double weight : solve(matrix, problem, Run()).weights) {
            CHECK(std::isfinite(weight), cost, weight);
        }
    }
}

}  // namespace
}  // namespace wordodds
