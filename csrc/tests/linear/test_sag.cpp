#include <vector>

#include "reference/linear/sag.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "tests/matrices.hpp"
#include "wordodds/linear/products.hpp"

namespace wordodds {
namespace {

SagState view(reference::Sag& state) {
    return {state.weights, state.intercepts, state.row_gradients, state.gradient,
            state.by_intercepts};
}

// A problem, its state at zero, and an order in which some rows come often and some never.
template <class Value>
struct Case {
    OwnedCsr<Value> matrix;
    std::vector<int32_t> codes;
    std::vector<double> row_weights;
    std::vector<int64_t> order;
    SagProblem problem;
    reference::Sag start;

    Case(Random& random, int64_t n_columns, bool softmax, bool fit_intercept, double penalty)
        : matrix(random_csr<Value>(random, 40, 25, 6)) {
        codes = random_labels(random, 40, n_columns == 1 ? 2 : n_columns);
        for (int64_t row = 0; row < 40; ++row) row_weights.push_back((0.5 + uniform(random)) / 40);
        for (int64_t i = 0; i < 300; ++i) order.push_back(below(random, 35));
        const int64_t stride = lane_stride(n_columns);
        problem = {codes,     row_weights, penalty,       softmax ? nullptr : logit_loss,
                   n_columns, stride,      fit_intercept, 0.9 / (30.0 + penalty)};
        start = {std::vector<double>(static_cast<size_t>(25 * stride), 0.0),
                 std::vector<double>(static_cast<size_t>(stride), 0.0),
                 std::vector<double>(static_cast<size_t>(40 * stride), 0.0),
                 std::vector<double>(static_cast<size_t>(25 * stride), 0.0),
                 std::vector<double>(static_cast<size_t>(stride), 0.0)};
    }
};

template <class Value>
void check_epochs(const Case<Value>& c) {
    reference::Sag expected = c.start;
    for (int epoch = 0; epoch < 2; ++epoch) {
        reference::csr_sag_epoch(c.matrix.view(), c.problem, c.order, expected);
    }
    for_each_execution([&](const Execution& execution) {
        reference::Sag actual = c.start;
        for (int epoch = 0; epoch < 2; ++epoch) {
            csr_sag_epoch(c.matrix.view(), c.problem, c.order, execution, view(actual));
        }
        const auto close = [](const std::vector<double>& a, const std::vector<double>& b) {
            for (size_t i = 0; i < a.size(); ++i) CHECK_CLOSE(a[i], b[i], 1e-12, i);
        };
        close(actual.weights, expected.weights);
        close(actual.intercepts, expected.intercepts);
        close(actual.row_gradients, expected.row_gradients);
        close(actual.gradient, expected.gradient);
    });
}

TEST("lazy steps are those of a plain loop: one column, one-vs-rest, softmax") {
    Random random(110);
    for (const bool fit_intercept : {false, true}) {
        check_epochs(Case<double>(random, 1, false, fit_intercept, 1e-3));
        check_epochs(Case<double>(random, 5, false, fit_intercept, 1e-3));
        check_epochs(Case<double>(random, 5, true, fit_intercept, 1e-3));
    }
}

TEST("each index and value type") {
    for_each_value([]<class Value>() {
        Random random(111);
        check_epochs(Case<Value>(random, 3, true, true, 1e-2));
    });
}

TEST("a penalty that shrinks the common factor to nothing within an epoch") {
    Random random(112);
    check_epochs(Case<double>(random, 3, true, true, 1e3));
}

TEST("an epoch stops when asked") {
    Random random(113);
    const auto matrix = random_csr<double>(random, 3000, 10, 6);
    Case<double> c(random, 3, true, true, 1e-3);
    std::vector<int32_t> codes(3000, 0);
    std::vector<double> row_weights(3000, 1.0 / 3000), row_gradients(3000 * 4, 0.0);
    std::vector<int64_t> order(3000);
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    c.problem.codes = codes;
    c.problem.row_weights = row_weights;
    c.start.row_gradients = row_gradients;
    Run run;
    run.stop().request();
    CHECK_THROWS(Stopped, csr_sag_epoch(matrix.view(), c.problem, order, run, view(c.start)));
}

}  // namespace
}  // namespace wordodds
