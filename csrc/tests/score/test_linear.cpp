#include <limits>

#include "reference/score/linear.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/score/linear.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Weights {
    std::vector<double> weights;
    std::vector<double> bias;
    int64_t stride;

    ClassWeights view() const { return {weights, bias, stride}; }
};

// The padding holds large numbers, which must not show anywhere.
Weights random_weights(Random& random, int64_t n_cols, int64_t n_classes) {
    Weights w;
    w.stride = class_stride(n_classes);
    w.weights.assign(static_cast<size_t>(n_cols * w.stride), 1e300);
    for (int64_t j = 0; j < n_cols; ++j) {
        for (int64_t c = 0; c < n_classes; ++c) {
            w.weights[static_cast<size_t>(j * w.stride + c)] = 20.0 * uniform(random) - 15.0;
        }
    }
    for (int64_t c = 0; c < n_classes; ++c) w.bias.push_back(uniform(random) - 3.0);
    return w;
}

template <class Value>
std::vector<double> scores(const OwnedCsr<Value>& matrix, const Weights& weights,
                           const Execution& execution) {
    constexpr size_t n_guard = 64;  // a kernel that writes its padding too would spoil these
    constexpr double guard = 123.25;
    const size_t n_scores = static_cast<size_t>(matrix.n_rows) * weights.bias.size();
    std::vector<double> out(n_scores, nan);
    out.resize(n_scores + n_guard, guard);
    csr_score_classes(matrix.view(), weights.view(), execution, std::span(out).first(n_scores));
    for (size_t i = n_scores; i < out.size(); ++i) CHECK_EQ(out[i], guard, weights.bias.size());
    out.resize(n_scores);
    return out;
}

template <class Value>
void check_scores(const OwnedCsr<Value>& matrix, const Weights& w) {
    const auto expected =
        reference::csr_score_classes<double>(matrix.view(), w.weights, w.bias, w.stride);
    const auto exact =
        reference::csr_score_classes<long double>(matrix.view(), w.weights, w.bias, w.stride);
    for_each_execution([&](const Execution& execution) {
        const auto actual = scores(matrix, w, execution);
        CHECK_SAME(actual, expected, instruction_set_name(execution.instruction_set),
                   execution.n_jobs, w.bias.size());
        for (size_t i = 0; i < actual.size(); ++i) {
            CHECK_CLOSE(actual[i], static_cast<double>(exact[i]), 1e-13, i, w.bias.size());
        }
    });
}

TEST("scores written out by hand") {
    const OwnedCsr<float> matrix{2, 2, {0, 2, 2}, {1, 0}, {2.0f, 0.5f}};
    Weights w{std::vector<double>(16, 0.0), {10.0, 20.0, 30.0}, 8};
    for (size_t c = 0; c < 3; ++c) {
        w.weights[c] = 2.0;
        w.weights[8 + c] = static_cast<double>(c);
    }
    CHECK_SAME(scores(matrix, w, Run()), (std::vector<double>{11, 23, 35, 10, 20, 30}));
}

TEST("class_stride is the next multiple of 8") {
    CHECK_EQ(class_stride(0), 0);
    CHECK_EQ(class_stride(1), 8);
    CHECK_EQ(class_stride(8), 8);
    CHECK_EQ(class_stride(9), 16);
}

TEST("1 to 70 classes: the bits of a plain loop, on every instruction set, for any n_jobs") {
    Random random(50);
    for (int64_t n_classes = 1; n_classes <= 70; ++n_classes) {
        const auto matrix = random_csr<double>(random, 20, 15, 9);
        check_scores(matrix, random_weights(random, 15, n_classes));
    }
}

TEST("rows of many chunks, each index and value type") {
    for_each_number([]<class Value>() {
        Random random(51);
        for (const int64_t n_rows : {0, 1, 255, 256, 257, 1500}) {
            const auto matrix = random_csr<Value>(random, n_rows, 200, 12);
            check_scores(matrix, random_weights(random, 200, 11));
        }
    });
}

TEST("an entry of zero adds nothing, also where its weight is infinite") {
    const OwnedCsr<double> matrix{3, 2, {0, 2, 3, 4}, {0, 1, 0, 0}, {0.0, 2.0, 3.0, -0.0}};
    for (const int64_t n_classes : {1, 8, 9, 40}) {
        const int64_t stride = class_stride(n_classes);
        Weights w{{}, std::vector<double>(static_cast<size_t>(n_classes), 1.0), stride};
        w.weights.assign(static_cast<size_t>(2 * w.stride), 0.5);
        for (int64_t c = 0; c < n_classes; ++c) w.weights[static_cast<size_t>(c)] = -infinity;
        for_each_execution([&](const Execution& execution) {
            const auto actual = scores(matrix, w, execution);
            for (int64_t c = 0; c < n_classes; ++c) {
                CHECK_EQ(actual[static_cast<size_t>(c)], 2.0, c, n_classes);
                CHECK_EQ(actual[static_cast<size_t>(n_classes + c)], -infinity, c, n_classes);
                CHECK_EQ(actual[static_cast<size_t>(2 * n_classes + c)], 1.0, c, n_classes);
            }
        });
    }
}

TEST("some classes at minus infinity do not touch the others") {
    Random random(52);
    const auto matrix = random_csr<float>(random, 300, 20, 6);
    Weights w = random_weights(random, 20, 13);
    for (int64_t j = 0; j < 20; ++j) {
        w.weights[static_cast<size_t>(j * w.stride + below(random, 13))] = -infinity;
    }
    check_scores(matrix, w);
}

TEST("scoring stops when asked") {
    Random random(53);
    const auto matrix = random_csr<double>(random, 1000, 10, 3);
    const Weights w = random_weights(random, 10, 4);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, scores(matrix, w, run));
    }
}

std::vector<double> log_softmax(std::vector<double> scores, int64_t n_classes,
                                const Execution& execution) {
    rows_log_softmax(static_cast<int64_t>(scores.size()) / n_classes, n_classes, execution, scores);
    return scores;
}

TEST("log-softmax agrees with the twin; the same bits for any execution") {
    Random random(54);
    for (const int64_t n_classes : {1, 2, 3, 8, 20, 70}) {
        for (const int64_t n_rows : {0, 1, 256, 1000}) {
            std::vector<double> x(static_cast<size_t>(n_rows * n_classes));
            for (double& score : x) {
                score = random() % 12 == 0 ? -infinity : 60.0 * uniform(random) - 50.0;
            }
            const auto expected = reference::rows_log_softmax(n_rows, n_classes, x);
            const auto first = log_softmax(x, n_classes, Run());
            for (size_t i = 0; i < x.size(); ++i) {
                CHECK_CLOSE(first[i], expected[i], 1e-13, i, n_classes);
            }
            for_each_execution([&](const Execution& execution) {
                CHECK_SAME(log_softmax(x, n_classes, execution), first, execution.n_jobs);
            });
        }
    }
}

TEST("log-softmax with minus infinities") {
    const double half = -std::log(2.0);
    CHECK_SAME(log_softmax({-infinity, -infinity}, 2, Run()), (std::vector<double>{half, half}));
    CHECK_EQ(log_softmax({-infinity}, 1, Run())[0], 0.0);
    CHECK_SAME(log_softmax({-infinity, -5.0, -infinity}, 3, Run()),
               (std::vector<double>{-infinity, 0.0, -infinity}));
}

// Long documents: a million words score about -1e7. The promise is that probabilities sum to 1.
TEST("log-softmax of large scores still sums to one") {
    Random random(55);
    for (const double magnitude : {1e3, 1e5, 1e7, 1e9, 1e12, 1e15}) {
        for (int repeat = 0; repeat < 50; ++repeat) {
            std::vector<double> x(20);
            for (double& score : x) score = -magnitude - 3.0 * uniform(random);
            const auto expected = reference::rows_log_softmax(1, 20, x);
            const auto actual = log_softmax(x, 20, Run());
            double sum = 0.0;
            for (const double value : actual) sum += std::exp(value);
            CHECK_CLOSE(sum, 1.0, 1e-12, magnitude);
            for (size_t i = 0; i < x.size(); ++i) {
                CHECK_CLOSE(actual[i], expected[i], 1e-12, magnitude);
            }
        }
    }
}

TEST("log-softmax of huge magnitudes") {
    const double half = -std::log(2.0);
    const auto of = [](std::vector<double> row) {
        return log_softmax(row, static_cast<int64_t>(row.size()), Run());
    };
    CHECK_SAME(of({1e308, 0.0}), (std::vector<double>{0.0, -1e308}));
    CHECK_SAME(of({1e308, -1e308}), (std::vector<double>{0.0, -infinity}));
    for (const double tied : {-1e300, 1e300, -1e17, -1.7e308}) {
        const auto actual = of({tied, tied});
        CHECK_CLOSE(actual[0], half, 1e-15, tied);
        CHECK_CLOSE(actual[1], half, 1e-15, tied);
    }
}

}  // namespace
}  // namespace wordodds
