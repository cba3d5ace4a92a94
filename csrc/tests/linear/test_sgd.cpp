#include <numeric>

#include "reference/linear/sgd.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "tests/matrices.hpp"
#include "wordodds/linear/sgd.hpp"
#include "wordodds/linear/sgd_settle.hpp"

namespace wordodds {
namespace {

constexpr double first_root = 1e-5;
constexpr SgdLoss losses[] = {SgdLoss::log_loss,      SgdLoss::softmax,        SgdLoss::hinge,
                              SgdLoss::squared_hinge, SgdLoss::modified_huber, SgdLoss::perceptron,
                              SgdLoss::squared_error};
constexpr SgdSchedule schedules[] = {SgdSchedule::constant, SgdSchedule::optimal,
                                     SgdSchedule::invscaling, SgdSchedule::adagrad};

SgdOptions some_options(SgdLoss loss, SgdSchedule schedule, double l2, double l1, double average) {
    const double eta0 = schedule == SgdSchedule::adagrad ? 0.5 : 0.02;
    return {loss, schedule, eta0, 0.4, 0.01, 30.0, l2, l1, 0.5, average};
}

// The arrays that a caller owns.
template <class Weight>
struct OwnedOf {
    int64_t n_columns;
    std::vector<Weight> weights, averages, received, duals, roots;
    std::vector<double> bias, average_bias, bias_roots, square_norms, sum_norms, loss, penalty;
    SgdProgress progress;

    OwnedOf(const SgdOptions& options, int64_t n_features, int64_t n) : n_columns(n) {
        const auto stride = static_cast<size_t>(line_stride(n));
        const size_t size = static_cast<size_t>(n_features) * stride;
        const bool adagrad = options.schedule == SgdSchedule::adagrad;
        weights.assign(size, 0);
        if (options.average_from > 0.0) averages.assign(size, 0);
        if (options.l1 > 0.0 && !adagrad) received.assign(size, 0);
        if (adagrad) duals.assign(size, 0);
        if (adagrad) roots.assign(size, static_cast<Weight>(first_root));
        bias_roots.assign(stride, first_root);
        for (auto* column : {&bias, &average_bias, &square_norms, &sum_norms, &loss, &penalty}) {
            column->assign(stride, 0.0);
        }
    }

    SgdState<Weight> state() {
        return {n_columns, weights, bias,       averages,     average_bias, received,
                duals,     roots,   bias_roots, square_norms, sum_norms,    &progress};
    }
    SgdSums sums() { return {loss, penalty}; }
};
using Owned = OwnedOf<double>;

struct Problem {
    OwnedCsr<double> matrix;
    std::vector<int32_t> labels;
    std::vector<double> row_weights;
    std::vector<double> positive_weights;
    std::vector<int64_t> order;
};

// Rows of distinct features; `order` is three epochs.
Problem some_problem(uint64_t seed, int64_t n_rows, int64_t n_features, int64_t n_columns) {
    Random random(seed);
    Problem problem;
    problem.matrix.n_rows = n_rows;
    problem.matrix.n_cols = n_features;
    for (int64_t i = 0; i < n_rows; ++i) {
        for (int64_t j = 0; j < n_features; ++j) {
            if (random() % 3 != 0) continue;
            problem.matrix.indices.push_back(static_cast<int32_t>(j));
            problem.matrix.data.push_back(2.0 * uniform(random) - 0.5);
        }
        problem.matrix.indptr.push_back(static_cast<int32_t>(problem.matrix.indices.size()));
    }
    problem.labels = random_labels(random, n_rows, std::max<int64_t>(2, n_columns));
    for (int64_t i = 0; i < n_rows; ++i) problem.row_weights.push_back(0.2 + uniform(random));
    for (int64_t c = 0; c < n_columns; ++c)
        problem.positive_weights.push_back(1.0 + uniform(random));
    for (int64_t i = 0; i < 3 * n_rows; ++i) problem.order.push_back(below(random, n_rows));
    return problem;
}

template <class Weight>
int64_t learn(const Problem& problem, const SgdOptions& options, const Execution& execution,
              OwnedOf<Weight>& owned) {
    return csr_sgd_epoch(problem.matrix.view(), problem.labels, problem.row_weights,
                         problem.positive_weights, problem.order, options, execution, owned.state(),
                         owned.sums());
}

template <class Weight = double>
OwnedOf<Weight> learnt(const Problem& problem, const SgdOptions& options, int64_t n_columns,
                       const Execution& execution) {
    OwnedOf<Weight> owned(options, problem.matrix.n_cols, n_columns);
    CHECK_EQ(learn(problem, options, execution, owned), static_cast<int64_t>(problem.order.size()));
    sgd_settle(options, execution, owned.state());
    return owned;
}

reference::Sgd learnt_by_twin(const Problem& problem, const SgdOptions& options,
                              int64_t n_columns) {
    const auto& m = problem.matrix;
    reference::Sgd twin(options, m.n_cols, n_columns, first_root);
    for (const int64_t i : problem.order) {
        const auto row = static_cast<size_t>(i);
        std::vector<reference::Real> x(static_cast<size_t>(m.n_cols), 0);
        std::vector<bool> touched(x.size(), false);
        for (int64_t k = m.indptr[row]; k < m.indptr[row + 1]; ++k) {
            const auto at = static_cast<size_t>(k);
            x[static_cast<size_t>(m.indices[at])] = m.data[at];
            touched[static_cast<size_t>(m.indices[at])] = true;
        }
        twin.step(x, touched, problem.labels[row], problem.row_weights[row],
                  problem.positive_weights);
    }
    twin.settle();
    return twin;
}

void check_like_twin(const Problem& problem, const SgdOptions& options, int64_t n_columns,
                     const Owned& owned) {
    const auto twin = learnt_by_twin(problem, options, n_columns);
    const auto stride = static_cast<size_t>(line_stride(n_columns));
    constexpr double tolerance = 1e-10;
    for (size_t c = 0; c < static_cast<size_t>(n_columns); ++c) {
        const auto& column = twin.columns()[c];
        reference::Real squares = 0, sums = 0;
        for (size_t j = 0; j < column.weights.size(); ++j) {
            CHECK_CLOSE(owned.weights[j * stride + c], static_cast<double>(column.weights[j]),
                        tolerance, j, c, options.loss, options.schedule);
            squares += column.weights[j] * column.weights[j];
            sums += std::abs(column.weights[j]);
            if (options.average_from > 0.0) {
                const auto average = column.average_sums[j] / twin.n_averaged();
                CHECK_CLOSE(owned.averages[j * stride + c], static_cast<double>(average), tolerance,
                            j, c, options.loss, options.schedule);
            }
        }
        CHECK_CLOSE(owned.bias[c], static_cast<double>(column.bias), tolerance, c);
        CHECK_CLOSE(owned.square_norms[c], static_cast<double>(squares), tolerance, c);
        CHECK_CLOSE(owned.sum_norms[c], static_cast<double>(sums), tolerance, c);
        CHECK_CLOSE(owned.loss[c], static_cast<double>(column.loss_sum), tolerance, c, options.loss,
                    options.schedule);
        if (options.schedule != SgdSchedule::adagrad) {
            CHECK_CLOSE(owned.penalty[c], static_cast<double>(column.penalty_sum), tolerance, c,
                        options.loss, options.schedule);
        }
    }
    for (size_t i = 0; i < owned.weights.size(); ++i) {
        if (i % stride >= static_cast<size_t>(n_columns)) CHECK_EQ(owned.weights[i], 0.0, i);
    }
}

// Where there is one column, softmax has nothing to choose from.
bool makes_sense(SgdLoss loss, int64_t n_columns) {
    return loss != SgdLoss::softmax || n_columns > 1;
}

TEST("every loss, schedule and penalty: the weights of a plain loop; the same bits everywhere") {
    const struct {
        double l2, l1, average;
    } kinds[] = {{0.01, 0, 0},  {0, 0, 0}, {0, 0.004, 0},   {0.01, 0.004, 0},
                 {0.01, 0, 20}, {0, 0, 1}, {0.01, 0.004, 5}};
    for (const int64_t n_columns : {1, 3, 11}) {
        const Problem problem = some_problem(70, 25, 13, n_columns);
        for (const SgdLoss loss : losses) {
            if (!makes_sense(loss, n_columns)) continue;
            for (const SgdSchedule schedule : schedules) {
                for (const auto& kind : kinds) {
                    if (schedule == SgdSchedule::adagrad && kind.average > 0) continue;
                    const auto options =
                        some_options(loss, schedule, kind.l2, kind.l1, kind.average);
                    const Owned first = learnt(problem, options, n_columns, Run());
                    check_like_twin(problem, options, n_columns, first);
                    for (const InstructionSet set : available_instruction_sets()) {
                        const Owned other = learnt(problem, options, n_columns, Run(1, set));
                        const auto name = instruction_set_name(set);
                        CHECK_SAME(other.weights, first.weights, name, loss, schedule, n_columns);
                        CHECK_SAME(other.averages, first.averages, name, loss, schedule, n_columns);
                        CHECK_SAME(other.bias, first.bias, name, loss, schedule, n_columns);
                        CHECK_SAME(other.loss, first.loss, name, loss, schedule, n_columns);
                        CHECK_SAME(other.penalty, first.penalty, name, loss, schedule, n_columns);
                    }
                }
            }
        }
    }
}

TEST("weights of single precision: nearly the same, and the same bits everywhere") {
    for (const int64_t n_columns : {1, 3, 33}) {
        const Problem problem = some_problem(77, 25, 13, n_columns);
        for (const SgdSchedule schedule : schedules) {
            for (const double l1 : {0.0, 0.004}) {
                const double average = schedule == SgdSchedule::adagrad ? 0.0 : 5.0;
                const auto options = some_options(SgdLoss::log_loss, schedule, 0.01, l1, average);
                const Owned exact = learnt(problem, options, n_columns, Run());
                const auto first = learnt<float>(problem, options, n_columns, Run());
                for (size_t i = 0; i < exact.weights.size(); ++i) {
                    CHECK_CLOSE(first.weights[i], exact.weights[i], 1e-5, i, n_columns, schedule);
                }
                for (size_t i = 0; i < exact.averages.size(); ++i) {
                    CHECK_CLOSE(first.averages[i], exact.averages[i], 1e-5, i, n_columns, schedule);
                }
                for (size_t c = 0; c < exact.bias.size(); ++c) {
                    CHECK_CLOSE(first.square_norms[c], exact.square_norms[c], 1e-4, c);
                    CHECK_CLOSE(first.loss[c], exact.loss[c], 1e-5, c);
                }
                for (const InstructionSet set : available_instruction_sets()) {
                    const auto other = learnt<float>(problem, options, n_columns, Run(1, set));
                    CHECK_SAME(other.weights, first.weights, instruction_set_name(set), schedule);
                    CHECK_SAME(other.averages, first.averages, instruction_set_name(set), schedule);
                }
            }
        }
    }
}

TEST("1 to 70 columns") {
    for (const int64_t n_columns : {2, 8, 9, 16, 24, 25, 32, 33, 40, 70}) {
        const Problem problem = some_problem(71, 15, 9, n_columns);
        for (const SgdLoss loss : {SgdLoss::log_loss, SgdLoss::softmax}) {
            const auto options = some_options(loss, SgdSchedule::optimal, 0.01, 0.0, 3.0);
            check_like_twin(problem, options, n_columns,
                            learnt(problem, options, n_columns, Run()));
            const auto l1 = some_options(loss, SgdSchedule::constant, 0.01, 0.001, 0.0);
            check_like_twin(problem, l1, n_columns, learnt(problem, l1, n_columns, Run()));
        }
    }
}

TEST("any n_jobs, where there is enough work to share: the same bits") {
    constexpr int64_t n_columns = 134;  // four stretches of lines, and a remainder
    Problem problem = some_problem(72, 1500, 150, n_columns);
    problem.order.resize(1500);
    for (const double l1 : {0.0, 0.001}) {
        for (const SgdSchedule schedule : {SgdSchedule::optimal, SgdSchedule::adagrad}) {
            const auto options = some_options(SgdLoss::log_loss, schedule, 0.01, l1, 0.0);
            const Owned first = learnt(problem, options, n_columns, Run());
            for (const int32_t n_jobs : {2, 3, 9}) {
                const Owned other = learnt(problem, options, n_columns, Run(n_jobs));
                CHECK_SAME(other.weights, first.weights, n_jobs);
                CHECK_SAME(other.bias, first.bias, n_jobs);
                CHECK_SAME(other.loss, first.loss, n_jobs);
                CHECK_SAME(other.penalty, first.penalty, n_jobs);
            }
        }
    }
}

TEST("each index and value type") {
    const Problem problem = some_problem(73, 30, 10, 3);
    const auto options = some_options(SgdLoss::log_loss, SgdSchedule::optimal, 0.01, 0.0, 0.0);
    for_each_value([&]<class Value>() {
        OwnedCsr<Value> matrix{problem.matrix.n_rows, problem.matrix.n_cols, {}, {}, {}};
        matrix.indptr.assign(problem.matrix.indptr.begin(), problem.matrix.indptr.end());
        matrix.indices.assign(problem.matrix.indices.begin(), problem.matrix.indices.end());
        for (const double value : problem.matrix.data) {
            matrix.data.push_back(static_cast<Value>(static_cast<float>(value)));
        }
        Problem rounded = problem;
        for (double& value : rounded.matrix.data) value = static_cast<float>(value);
        Owned owned(options, matrix.n_cols, 3);
        csr_sgd_epoch(matrix.view(), problem.labels, problem.row_weights, problem.positive_weights,
                      problem.order, options, Run(), owned.state(), owned.sums());
        sgd_settle(options, Run(), owned.state());
        CHECK_SAME(owned.weights, learnt(rounded, options, 3, Run()).weights);
    });
}

// Strong penalties shrink the common factor below its limit many times.
TEST("the factor is multiplied into the weights before it underflows") {
    for (const double l2 : {5.0, 49.0, 60.0}) {  // at 60 a step leaves nothing of the weights
        for (const double average : {0.0, 4.0}) {
            auto options = some_options(SgdLoss::hinge, SgdSchedule::constant, l2, 0.0, average);
            for (const int64_t n_columns : {1, 11}) {
                const Problem problem = some_problem(74, 30, 8, n_columns);
                const Owned owned = learnt(problem, options, n_columns, Run());
                check_like_twin(problem, options, n_columns, owned);
            }
        }
    }
}

TEST("norms of rows that share no feature") {
    OwnedCsr<double> matrix;
    matrix.n_rows = matrix.n_cols = 40;
    std::vector<int32_t> labels;
    std::vector<int64_t> order(40);
    std::iota(order.begin(), order.end(), 0);
    for (int32_t i = 0; i < 40; ++i) {
        matrix.indices.push_back(i);
        matrix.data.push_back(1.0 + i);
        matrix.indptr.push_back(i + 1);
        labels.push_back(i % 2);
    }
    const auto options = some_options(SgdLoss::log_loss, SgdSchedule::constant, 0.1, 0.0, 0.0);
    Owned owned(options, 40, 1);
    csr_sgd_epoch(matrix.view(), labels, {}, {}, order, options, Run(), owned.state(),
                  owned.sums());
    const double tracked = owned.square_norms[0];
    double squares = 0.0;
    for (const double w : owned.weights) {
        squares += w * w * owned.progress.scale * owned.progress.scale;
    }
    CHECK_CLOSE(tracked, squares, 1e-13);
    CHECK(squares > 1.0, squares);
}

TEST("a step that would overflow is not taken, and nothing has changed") {
    Problem problem = some_problem(75, 20, 6, 3);
    problem.order.resize(10);
    std::iota(problem.order.begin(), problem.order.end(), 0);
    const auto begin = static_cast<size_t>(problem.matrix.indptr[7]);
    CHECK(problem.matrix.indptr[8] > problem.matrix.indptr[7]);
    problem.matrix.data[begin] = 1e200;
    for (const SgdSchedule schedule : schedules) {
        const auto options = some_options(SgdLoss::log_loss, schedule, 0.01, 0.0, 0.0);
        Owned owned(options, 6, 3);
        CHECK_EQ(learn(problem, options, Run(), owned), 7, schedule);
        Problem part = problem;
        part.order.resize(7);
        Owned expected(options, 6, 3);
        CHECK_EQ(learn(part, options, Run(), expected), 7);
        CHECK_SAME(owned.weights, expected.weights);
        CHECK_SAME(owned.duals, expected.duals);
        CHECK_SAME(owned.bias, expected.bias);
        CHECK_EQ(owned.progress.t, expected.progress.t);
        CHECK_EQ(owned.progress.scale, expected.progress.scale);
    }
}

TEST("an epoch stops when asked, between two rows") {
    const Problem problem = some_problem(76, 3000, 400, 40);
    const auto options = some_options(SgdLoss::log_loss, SgdSchedule::optimal, 0.01, 0.0, 0.0);
    Run run;
    run.stop().request();
    Owned owned(options, 400, 40);
    CHECK_THROWS(Stopped, learn(problem, options, run, owned));
    const auto taken = static_cast<size_t>(owned.progress.t - 1.0);
    CHECK(taken > 0 && taken < problem.order.size(), taken);
    Problem part = problem;
    part.order.resize(taken);
    Owned expected(options, 400, 40);
    learn(part, options, Run(), expected);
    CHECK_SAME(owned.weights, expected.weights);
    CHECK_THROWS(Stopped, [&] {
        Run threads(3);
        threads.stop().request();
        learn(problem, options, threads, owned);
    }());
}

}  // namespace
}  // namespace wordodds
