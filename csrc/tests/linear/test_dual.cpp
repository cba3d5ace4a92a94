#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "reference/linear/dual.hpp"
#include "src/linear/dual_logistic.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/linear/dual_value.hpp"
#include "wordodds/linear/shared_columns.hpp"

namespace wordodds {
namespace {

TEST("exp_lanes and log_above against the standard functions") {
    for (double x = -708.0; x < 709.0; x += 0.0137) {
        CHECK(std::abs(exp_lanes(lanes_of(x))[0] / std::exp(x) - 1.0) < 5e-16, x);
        const double y = std::exp(x * 0.9);
        const double above = log_above(lanes_of(y))[0] - std::log(y);
        CHECK(above > -1e-12 && above < 0.0601, y, above);
    }
    for (double x = 0.0; x <= 1.0; x += 1e-5) {
        CHECK_CLOSE(elementary::log1p_of_fraction(lanes_of(x))[0], std::log1p(x), 1e-15, x);
        const double tiny = x * x * x * 1e-200;
        CHECK_CLOSE(elementary::log1p_of_fraction(lanes_of(tiny))[0], tiny, 1e-15, tiny);
    }
    CHECK(std::isnan(exp_lanes(lanes_of(std::nan("")))[0]));
    CHECK_EQ(exp_lanes(lanes_of(0.0))[0], 1.0);
    CHECK_EQ(exp_lanes(lanes_of(-1e300))[0], exp_lanes(lanes_of(-708.0))[0]);
    CHECK_EQ(exp_lanes(lanes_of(1e300))[0], exp_lanes(lanes_of(709.0))[0]);
}

// A problem with everything that the kernels need, and where ascent stands.
template <class Weight>
struct Ascent {
    int64_t n_columns;
    DualLoss loss;
    double step;
    std::vector<int32_t> numbers;
    int64_t n_shared = 0;
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;
    std::vector<double> data, shared, single, single_max;
    std::vector<int32_t> codes;
    std::vector<double> costs;
    std::vector<Weight> weights;
    std::vector<double> intercept, sums, log_odds;

    template <class Value>
    Ascent(Random& random, const CsrView<Value>& matrix, DualLoss loss_, int64_t n_columns_,
           double cost, double step_)
        : n_columns(n_columns_), loss(loss_), step(step_) {
        const auto n = static_cast<size_t>(matrix.n_rows);
        const auto stride = static_cast<size_t>(lane_stride(n_columns));
        numbers.resize(static_cast<size_t>(matrix.n_cols));
        n_shared = csr_number_shared_columns(matrix, Run(), numbers);
        indptr.resize(n + 1);
        indices.resize(matrix.indices.size());
        data.resize(matrix.indices.size());
        shared.resize(n);
        single.resize(n);
        single_max.resize(n);
        csr_take_shared_columns(matrix, numbers, Run(),
                                {indptr, indices, data, shared, single, single_max});
        weights.assign(static_cast<size_t>(n_shared) * stride, Weight{0});
        intercept.assign(stride, 0.0);
        sums.assign(stride, 0.0);
        log_odds.assign(n * stride, dual_unlikely);
        for (size_t i = 0; i < n; ++i) {
            // Each class occurs: without its rows an intercept would have no optimum.
            codes.push_back(
                static_cast<int32_t>(i % std::max<size_t>(2, static_cast<size_t>(n_columns))));
            costs.push_back(cost * (0.5 + uniform(random)));
            for (size_t k = 0; k < stride; ++k) {
                double& l = log_odds[i * stride + k];
                if (static_cast<int64_t>(k) >= n_columns) {
                    l = dual_impossible;
                } else if (reference::is_own(n_columns, codes[i], k)) {
                    l = loss == DualLoss::softmax ? 0.0 : -dual_unlikely;
                }
            }
        }
    }

    DualRows rows() const {
        return {static_cast<int64_t>(codes.size()), indptr, indices, data, shared, single};
    }
    DualProblem problem() const { return {loss, n_columns, codes, costs, step}; }
    DualState<Weight> state() { return {weights, intercept, sums, log_odds}; }

    void epoch(Random& random, const Execution& execution) {
        std::vector<int32_t> order(codes.size());
        std::iota(order.begin(), order.end(), 0);
        for (size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1],
                      order[static_cast<size_t>(below(random, static_cast<int64_t>(i)))]);
        }
        dual_ascend(rows(), problem(), order, execution, state());
    }

    reference::DualPoint twin(const reference::Matrix& x) const {
        reference::Matrix p;
        const auto stride = lane_stride(n_columns);
        for (size_t i = 0; i < codes.size(); ++i) {
            const auto first = log_odds.begin() + static_cast<int64_t>(i) * stride;
            p.push_back(reference::probabilities(loss, {first, first + n_columns}));
        }
        return reference::dual_point(x, loss, codes, costs, p,
                                     {intercept.begin(), intercept.begin() + n_columns});
    }
};

template <class Body>
void for_each_problem(Body body) {
    for (const DualLoss loss : {DualLoss::softmax, DualLoss::logistic}) {
        for (const int64_t n_columns : {1, 2, 4, 5, 20, 31}) {
            if (loss == DualLoss::softmax && n_columns == 1) continue;
            body(loss, n_columns);
        }
    }
}

TEST("every epoch raises the dual value, whatever the costs") {
    Random random(81);
    for_each_problem([&](DualLoss loss, int64_t n_columns) {
        for (const double cost : {1e-6, 0.1, 10.0, 1e3, 1e6}) {
            const auto matrix = random_csr<double>(random, 25, 40, 8);
            const auto x = reference::dense(matrix.view());
            Ascent<double> ascent(random, matrix.view(), loss, n_columns, cost, 0.0);
            double before = ascent.twin(x).dual;
            for (int epoch = 0; epoch < 6; ++epoch) {
                ascent.epoch(random, Run());
                const double after = ascent.twin(x).dual;
                CHECK(after >= before - 1e-9 * (1.0 + std::abs(before)), cost, n_columns, epoch,
                      before, after);
                before = after;
            }
        }
    });
}

TEST("ascent with intercept ends at the optimum; what it measures agrees with the twin") {
    Random random(82);
    for_each_problem([&](DualLoss loss, int64_t n_columns) {
        const auto matrix = random_csr<float>(random, 30, 60, 6);
        const auto x = reference::dense(matrix.view());
        Ascent<double> ascent(random, matrix.view(), loss, n_columns, 0.5, 0.3);
        const auto stride = static_cast<size_t>(lane_stride(n_columns));
        std::vector<double> intercept_gradient(stride);
        std::vector<double> residuals(ascent.codes.size() * stride);
        std::vector<double> gradient(ascent.weights.size());
        for (int epoch = 0; epoch < 400; ++epoch) {
            ascent.epoch(random, Run());
            if (epoch != 2 && epoch != 399) continue;
            const auto point = ascent.twin(x);
            const auto value =
                dual_measure(ascent.rows(), ascent.problem(), ascent.single_max, ascent.state(),
                             Run(), intercept_gradient, residuals, gradient);
            CHECK_CLOSE(value.loss + value.squares / 2, point.value, 1e-11, epoch, n_columns);
            double dual = value.entropy - value.squares / 2;
            for (size_t k = 0; k < point.sums.size(); ++k) {
                CHECK_CLOSE(ascent.sums[k], point.sums[k], 1e-11, k);
                dual -= ascent.intercept[k] * ascent.sums[k];
            }
            CHECK_CLOSE(dual, point.dual, 1e-11, epoch);
            CHECK_CLOSE(value.gradient_max, point.gradient_max, 1e-11, epoch);
            if (epoch == 2 || n_columns > 5) continue;  // one row a class takes longer
            CHECK(value.gradient_max < 1e-8, value.gradient_max, n_columns);
            for (const double slope : intercept_gradient) CHECK(std::abs(slope) < 1e-6, slope);
        }
        std::vector<double> duals(ascent.log_odds.size());
        dual_variables(ascent.problem(), ascent.log_odds, Run(), duals);
        std::vector<double> again(ascent.weights.size());
        dual_weights(ascent.rows(), static_cast<int64_t>(stride), duals, Run(), again);
        for (size_t i = 0; i < again.size(); ++i) CHECK_CLOSE(again[i], ascent.weights[i], 1e-11);
        const auto point = ascent.twin(x);
        std::vector<double> all(x[0].size() * static_cast<size_t>(n_columns));
        csr_spread_weights(matrix.view(), ascent.numbers, std::span<const double>(again), duals,
                           n_columns, static_cast<int64_t>(stride), Run(), all);
        for (size_t i = 0; i < all.size(); ++i) {
            const auto width = static_cast<size_t>(n_columns);
            CHECK_CLOSE(all[i], point.weights[i / width][i % width], 1e-10, i);
        }
    });
}

template <class Weight>
void check_same_bits() {
    Random random(83);
    for_each_problem([&](DualLoss loss, int64_t n_columns) {
        const auto matrix = random_csr<double>(random, 300, 200, 30);
        const Ascent<Weight> start(random, matrix.view(), loss, n_columns, 2.0, 0.1);
        const auto run = [&](const Execution& execution) {
            Ascent<Weight> ascent = start;
            Random orders(84);
            for (int epoch = 0; epoch < 3; ++epoch) ascent.epoch(orders, execution);
            const auto stride = static_cast<size_t>(lane_stride(n_columns));
            std::vector<double> found(stride);
            std::vector<double> residuals(ascent.codes.size() * stride);
            std::vector<double> gradient(ascent.weights.size());
            const auto value = dual_measure(ascent.rows(), ascent.problem(), ascent.single_max,
                                            ascent.state(), execution, found, residuals, gradient);
            found.insert(found.end(), gradient.begin(), gradient.end());
            found.insert(found.end(), ascent.log_odds.begin(), ascent.log_odds.end());
            found.insert(found.end(), ascent.intercept.begin(), ascent.intercept.end());
            found.insert(found.end(),
                         {value.loss, value.entropy, value.squares, value.gradient_max});
            return found;
        };
        const auto first = run(Run());
        for_each_execution([&](const Execution& execution) {
            CHECK_SAME(run(execution), first, execution.n_jobs, n_columns);
        });
    });
}

TEST("the same bits for any execution") {
    check_same_bits<double>();
    check_same_bits<float>();
}

TEST("a stop ends an epoch") {
    Random random(85);
    const auto matrix = random_csr<double>(random, 100, 50, 10);
    for (const DualLoss loss : {DualLoss::softmax, DualLoss::logistic}) {
        Ascent<double> ascent(random, matrix.view(), loss, 30, 1.0, 0.1);
        for (const int32_t n_jobs : job_counts) {
            Run run(n_jobs);
            run.stop().request();
            CHECK_THROWS(Stopped, ascent.epoch(random, run));
        }
    }
}

}  // namespace
}  // namespace wordodds
