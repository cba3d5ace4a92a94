#include <algorithm>

#include "reference/linear/coordinate.hpp"
#include "src/linear/gram.hpp"
#include "src/linear/shrink.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/linear/coordinate.hpp"

namespace wordodds {
namespace {

// X by columns: no row twice in a column, explicit zeros and empty columns among them.
template <class Value>
OwnedCsr<Value> random_columns(Random& random, int64_t n_rows, int64_t n_features, double density) {
    OwnedCsr<Value> columns;
    columns.n_rows = n_features;
    columns.n_cols = n_rows;
    for (int64_t j = 0; j < n_features; ++j) {
        for (int64_t i = 0; i < n_rows && j != 1; ++i) {
            if (uniform(random) > density) continue;
            columns.indices.push_back(static_cast<int32_t>(i));
            columns.data.push_back(
                random() % 20 == 0 ? Value{0} : static_cast<Value>(3.0 * uniform(random) - 1.0));
        }
        columns.indptr.push_back(static_cast<int64_t>(columns.indices.size()));
    }
    return columns;
}

struct Labels {
    std::vector<int32_t> codes;
    std::vector<double> shares;
    LabelledRows view() const { return {codes, shares}; }
};

Labels random_labels(Random& random, int64_t n_rows, int64_t n_classes) {
    Labels labels;
    double total = 0.0;
    for (int64_t i = 0; i < n_rows; ++i) {
        labels.codes.push_back(static_cast<int32_t>(i < n_classes ? i : below(random, n_classes)));
        labels.shares.push_back(0.5 + uniform(random));
        total += labels.shares.back();
    }
    for (double& share : labels.shares) share /= total;
    return labels;
}

struct Fit {
    std::vector<double> point;
    std::vector<CoordinateReport> reports;
};

template <class Value>
Fit fit(const OwnedCsr<Value>& columns, const Labels& labels, const CoordinateOptions& options,
        const Execution& execution, int n_steps, std::vector<double> start = {}) {
    const auto n_columns = static_cast<size_t>(options.n_columns);
    const auto n_features = static_cast<size_t>(columns.n_rows);
    Fit result{std::move(start), {}};
    result.point.resize((n_features + options.fit_intercept) * n_columns);
    std::vector<double> scores(labels.codes.size() * n_columns),
        gradient((n_features + 1) * n_columns), scales(n_features);
    const CoordinateState state{result.point, scores, gradient, scales};
    const auto view = columns.view();
    result.reports.push_back(csc_start_coordinates(view, labels.view(), options, execution, state));
    for (int step = 0; step < n_steps; ++step) {
        result.reports.push_back(
            csc_step_coordinates(view, labels.view(), options, execution, state));
    }
    return result;
}

constexpr int n_steps = 12;

template <class Value>
void check_optimum(uint64_t seed, const CoordinateOptions& options, int64_t n_rows,
                   int64_t n_features) {
    Random random(seed);
    const auto columns = random_columns<Value>(random, n_rows, n_features, 0.6);
    const Labels labels = random_labels(random, n_rows, std::max<int64_t>(2, options.n_columns));
    const reference::DenseObjective objective(columns.view(), labels.view(), options);
    const auto expected = objective.minimise(3000);
    const Fit actual = fit(columns, labels, options, Run(), n_steps);
    CHECK_CLOSE(actual.reports.back().value, objective.value(actual.point), 1e-13, seed);
    CHECK_CLOSE(actual.reports.back().value, objective.value(expected), 1e-9, seed);
    CHECK(actual.reports.back().gradient_norm < 1e-8, actual.reports.back().gradient_norm, seed);
    for (size_t step = 1; step < actual.reports.size(); ++step) {
        const double before = actual.reports[step - 1].value;
        CHECK(actual.reports[step].value <= before * (1.0 + 1e-14), step, seed);
    }
    for_each_execution([&](const Execution& execution) {
        const Fit other = fit(columns, labels, options, execution, n_steps);
        CHECK_SAME(other.point, actual.point, execution.n_jobs);
        CHECK_EQ(other.reports.back().value, actual.reports.back().value, execution.n_jobs);
    });
}

TEST("the optimum of the slow twin; the same bits for any execution") {
    uint64_t seed = 60;
    for (const auto loss : {CoordinateLoss::logistic, CoordinateLoss::softmax}) {
        for (const int64_t n_columns : {1, 3}) {
            if (loss == CoordinateLoss::softmax && n_columns == 1) continue;
            for (const bool intercept : {false, true}) {
                check_optimum<double>(++seed, {loss, n_columns, 0.02, 0.0, intercept}, 30, 9);
                check_optimum<float>(++seed, {loss, n_columns, 0.01, 0.02, intercept}, 12, 20);
            }
        }
    }
}

TEST("each index and value type") {
    for_each_value([]<class Value>() {
        check_optimum<Value>(80, {CoordinateLoss::logistic, 1, 0.03, 0.0, true}, 20, 5);
    });
}

TEST("more features than a working set, and more columns of weights than a vector") {
    check_optimum<double>(81, {CoordinateLoss::logistic, 1, 0.01, 0.02, true}, 40, 250);
    check_optimum<double>(82, {CoordinateLoss::logistic, 11, 0.01, 0.0, false}, 25, 6);
    check_optimum<double>(83, {CoordinateLoss::softmax, 27, 0.004, 0.001, true}, 30, 4);
}

TEST("a penalty above every gradient leaves nothing but the intercept") {
    Random random(84);
    const auto columns = random_columns<double>(random, 30, 8, 0.5);
    const Labels labels = random_labels(random, 30, 2);
    const Fit result =
        fit(columns, labels, {CoordinateLoss::logistic, 1, 10.0, 0.0, true}, Run(), 8);
    double positive = 0.0;
    for (size_t i = 0; i < 30; ++i) positive += labels.codes[i] * labels.shares[i];
    for (size_t j = 0; j < 8; ++j) CHECK_EQ(result.point[j], 0.0, j);
    CHECK_CLOSE(result.point[8], std::log(positive / (1.0 - positive)), 1e-9);
}

TEST("a start that overflows is refused, a stop is obeyed") {
    Random random(85);
    const auto columns = random_columns<double>(random, 30, 8, 0.9);
    const Labels labels = random_labels(random, 30, 2);
    const CoordinateOptions options{CoordinateLoss::logistic, 1, 0.01, 0.0, true};
    CHECK_THROWS(std::invalid_argument,
                 fit(columns, labels, options, Run(), 0, std::vector<double>(9, 1e308)));
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, fit(columns, labels, options, run, 1));
    }
}

// Long columns first, as Gram wants them; some in most rows, which it treats on their own.
struct Members {
    OwnedCsr<double> columns;
    std::vector<GramColumn> members;
    std::vector<double> curvatures;

    Members(Random& random, int64_t n_rows, int64_t n_dense, int64_t n_sparse) {
        columns = random_columns<double>(random, n_rows, n_dense, 0.8);
        const auto sparse = random_columns<double>(random, n_rows, n_sparse, 0.1);
        const auto shift = columns.indptr.back();
        for (size_t j = 1; j < sparse.indptr.size(); ++j) {
            columns.indptr.push_back(shift + sparse.indptr[j]);
        }
        columns.indices.insert(columns.indices.end(), sparse.indices.begin(), sparse.indices.end());
        columns.data.insert(columns.data.end(), sparse.data.begin(), sparse.data.end());
        for (size_t j = 0; j + 1 < columns.indptr.size(); ++j) {
            const auto begin = static_cast<size_t>(columns.indptr[j]);
            members.push_back({columns.indices.data() + begin, columns.data.data() + begin,
                               columns.indptr[j + 1] - columns.indptr[j]});
        }
        std::stable_sort(members.begin(), members.end(),
                         [](const GramColumn& a, const GramColumn& b) { return a.n > b.n; });
        for (int64_t i = 0; i < n_rows; ++i) curvatures.push_back(0.1 + uniform(random));
    }

    double product(size_t a, size_t b) const {
        const auto spread = [&](size_t member) {
            std::vector<double> dense(curvatures.size(), member == members.size() ? 1.0 : 0.0);
            if (member == members.size()) return dense;
            const GramColumn& of = members[member];
            for (int64_t i = 0; i < of.n; ++i)
                dense[static_cast<size_t>(of.rows[i])] = of.values[i];
            return dense;
        };
        const auto one = spread(a), other = spread(b);
        double sum = 0.0;
        for (size_t i = 0; i < curvatures.size(); ++i) sum += curvatures[i] * one[i] * other[i];
        return sum;
    }
};

TEST("the Gram matrix is that of its definition, and filled again with other curvatures") {
    Random random(86);
    for (const int64_t n_dense : {2, 9, 17, 90}) {
        Members of(random, 70, n_dense, 13);
        for (const bool intercept : {false, true}) {
            Gram gram;
            const size_t n = of.members.size() + intercept;
            int64_t expected_products = 0;
            for (int repeat = 0; repeat < 2; ++repeat) {
                const int64_t products = gram.prepare(of.members, 70);
                CHECK(repeat == 0 || products == expected_products, products);
                expected_products = products;
                for (double& curvature : of.curvatures) curvature *= 1.5;
                std::vector<double> first;
                for_each_execution([&](const Execution& execution) {
                    gram.fill(intercept, of.curvatures.data(), 1, execution);
                    const std::vector<double> now(gram.values().begin(), gram.values().end());
                    if (first.empty()) first = now;
                    CHECK_SAME(now, first, n_dense);
                });
                for (size_t a = 0; a < n; ++a) {
                    for (size_t b = 0; b < n; ++b) {
                        CHECK_CLOSE(first[a * n + b], of.product(a, b), 1e-13, a, b, n_dense);
                    }
                }
            }
        }
    }
}

TEST("descent on the Gram matrix ends where no coordinate is wrong") {
    Random random(87);
    const Members of(random, 60, 10, 6);
    Gram gram;
    gram.prepare(of.members, 60);
    gram.fill(true, of.curvatures.data(), 1, Run());
    const size_t n = of.members.size() + 1;
    std::vector<GramCoordinate> start;
    for (size_t a = 0; a < n; ++a) {
        start.push_back(
            {uniform(random), 20.0 * uniform(random) - 10.0, a + 1 < n ? 0.5 : 0.0, 0.1});
    }
    std::vector<double> first;
    for_each_execution([&](const Execution& execution) {
        auto coordinates = start;
        CHECK(gram_descend(gram.values(), 1e-9, 10000, execution, coordinates) < 10000);
        std::vector<double> weights;
        for (size_t a = 0; a < n; ++a) {
            double g = start[a].gradient;
            for (size_t b = 0; b < n; ++b) {
                g += gram.values()[a * n + b] * (coordinates[b].weight - start[b].weight);
            }
            CHECK_CLOSE(g, coordinates[a].gradient, 1e-9, a);
            const double w = coordinates[a].weight;
            CHECK(violation_of(g + 0.1 * w, w, start[a].l1) < 1e-8, a, w);
            weights.push_back(w);
        }
        if (first.empty()) first = weights;
        CHECK_SAME(weights, first);
    });
}

TEST("the best change of one coordinate") {
    CHECK_EQ(best_change(3.0, 2.0, 0.0, 1.0), -1.0);
    CHECK_EQ(best_change(-3.0, 2.0, 0.0, 1.0), 1.0);
    CHECK_EQ(best_change(0.5, 2.0, 0.0, 1.0), 0.0);
    CHECK_EQ(best_change(0.5, 2.0, 0.25, 1.0), -0.25);
    CHECK_EQ(best_change(-2.0, 2.0, 1.0, 1.0), 0.5);
    CHECK_EQ(best_change(2.0, 2.0, -1.0, 1.0), -0.5);
}

}  // namespace
}  // namespace wordodds
