#include <limits>

#include "reference/bayes/weights.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/bayes/weights.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A tally with what the models need beside it.
struct Tally {
    int64_t n_classes;
    int64_t n_cols;
    std::vector<double> counts;
    std::vector<double> class_counts;

    TallyView view() const { return {counts, n_classes, n_cols}; }

    std::vector<double> feature_totals() const {
        std::vector<double> totals(static_cast<size_t>(n_cols), 0.0);
        for (size_t i = 0; i < counts.size(); ++i) totals[i % totals.size()] += counts[i];
        return totals;
    }
};

Tally random_tally(Random& random, int64_t n_classes, int64_t n_cols, bool whole) {
    Tally tally{n_classes, n_cols, {}, {}};
    for (int64_t c = 0; c < n_classes; ++c) {
        double largest = 0.0;
        for (int64_t j = 0; j < n_cols; ++j) {
            double count = random() % 2 ? 0.0 : std::exp(9.0 * uniform(random) - 2.0);
            if (whole) count = std::floor(count);
            tally.counts.push_back(count);
            largest = std::max(largest, count);
        }
        tally.class_counts.push_back(largest + static_cast<double>(below(random, 3)));
    }
    return tally;
}

// Pseudo-counts of the three shapes.
struct Smoothing {
    std::vector<double> values;
    int64_t class_step;
    int64_t feature_step;

    PseudoCounts view() const { return {values, class_step, feature_step}; }
};

Smoothing one_number(double alpha) { return {{alpha}, 0, 0}; }

std::vector<Smoothing> smoothings(Random& random, const Tally& tally) {
    std::vector<Smoothing> all{one_number(0.0), one_number(1e-10), one_number(1.0),
                               one_number(1e6)};
    Smoothing by_feature{{}, 0, 1}, by_cell{{}, tally.n_cols, 1};
    for (int64_t j = 0; j < tally.n_cols; ++j) by_feature.values.push_back(3.0 * uniform(random));
    for (size_t i = 0; i < tally.counts.size(); ++i) by_cell.values.push_back(uniform(random));
    all.push_back(by_feature);
    all.push_back(by_cell);
    return all;
}

std::vector<double> multinomial(const Tally& tally, const Smoothing& smoothing, int64_t stride,
                                const Execution& execution) {
    // NaN shows whatever is not overwritten.
    std::vector<double> out(static_cast<size_t>(tally.n_cols * stride), nan);
    tally_multinomial_weights(tally.view(), smoothing.view(), stride, execution, out);
    return out;
}

reference::BernoulliWeights bernoulli(const Tally& tally, const Smoothing& smoothing,
                                      int64_t stride, const Execution& execution) {
    reference::BernoulliWeights out;
    out.weights.assign(static_cast<size_t>(tally.n_cols * stride), nan);
    out.bias.assign(static_cast<size_t>(tally.n_classes), nan);
    tally_bernoulli_weights(tally.view(), tally.class_counts, smoothing.view(), stride, execution,
                            out.weights, out.bias);
    return out;
}

std::vector<double> complement(const Tally& tally, const Smoothing& smoothing, int64_t stride,
                               const Execution& execution) {
    std::vector<double> out(static_cast<size_t>(tally.n_cols * stride), nan);
    tally_complement_weights(tally.view(), tally.feature_totals(), smoothing.view(), stride,
                             execution, out);
    return out;
}

template <class... Context>
void check_all_close(const std::vector<double>& actual, const std::vector<double>& expected,
                     double tolerance, Context... context) {
    CHECK_EQ(actual.size(), expected.size(), context...);
    for (size_t i = 0; i < expected.size(); ++i) {
        if (std::isinf(expected[i])) {
            CHECK_EQ(actual[i], expected[i], i, context...);
        } else {
            CHECK_CLOSE(actual[i], expected[i], tolerance, i, context...);
        }
    }
}

TEST("multinomial weights written out by hand") {
    // Class 0: (1 + 1) / 5 and (2 + 1) / 5; class 1: 1 / 2 and 1 / 2.
    const auto weights = multinomial({2, 2, {1, 2, 0, 0}, {}}, one_number(1.0), 3, Run());
    check_all_close(weights, {std::log(0.4), std::log(0.5), 0.0, std::log(0.6), std::log(0.5), 0.0},
                    1e-15);
}

TEST("Bernoulli weights written out by hand") {
    // Three rows, of which one has feature 0 and all have feature 1: p = 2 / 5 and 4 / 5.
    const auto [weights, bias] = bernoulli({1, 2, {1, 3}, {3}}, one_number(1.0), 2, Run());
    check_all_close(weights, {std::log(2.0 / 3.0), 0.0, std::log(4.0), 0.0}, 1e-15);
    check_all_close(bias, {std::log(0.6) + std::log(0.2)}, 1e-15);
}

TEST("complement weights written out by hand") {
    // Elsewhere: class 0 sees (4, 0), class 1 (1, 2); with 1 added 5 : 1 and 2 : 3.
    const auto weights = complement({2, 2, {1, 2, 4, 0}, {}}, one_number(1.0), 2, Run());
    check_all_close(weights,
                    {std::log(6.0 / 5.0), std::log(5.0 / 2.0), std::log(6.0), std::log(5.0 / 3.0)},
                    1e-15);
}

TEST("weights agree with the twins; the same bits for any number of jobs") {
    Random random(42);
    for (const int64_t n_classes : {1, 2, 7, 8, 9, 20}) {
        for (const int64_t n_cols : {1, 5, 63, 64, 65, 300}) {
            for (const bool whole : {true, false}) {
                const Tally tally = random_tally(random, n_classes, n_cols, whole);
                const int64_t stride = n_classes + below(random, 9);
                for (const Smoothing& a : smoothings(random, tally)) {
                    const auto m = multinomial(tally, a, stride, Run());
                    const auto b = bernoulli(tally, a, stride, Run());
                    const auto c = complement(tally, a, stride, Run());
                    const auto expected_b = reference::tally_bernoulli_weights(
                        tally.view(), tally.class_counts, a.view(), stride);
                    check_all_close(
                        m, reference::tally_multinomial_weights(tally.view(), a.view(), stride),
                        1e-12, n_classes, n_cols, a.values[0]);
                    check_all_close(b.weights, expected_b.weights, 1e-12, n_classes, n_cols);
                    check_all_close(b.bias, expected_b.bias, 1e-11, n_classes, n_cols);
                    check_all_close(c,
                                    reference::tally_complement_weights(
                                        tally.view(), tally.feature_totals(), a.view(), stride),
                                    1e-11, n_classes, n_cols, a.values[0]);
                    for (const int32_t n_jobs : {2, 5}) {
                        CHECK_SAME(multinomial(tally, a, stride, Run(n_jobs)), m, n_jobs);
                        CHECK_SAME(bernoulli(tally, a, stride, Run(n_jobs)).weights, b.weights,
                                   n_jobs);
                        CHECK_SAME(bernoulli(tally, a, stride, Run(n_jobs)).bias, b.bias, n_jobs);
                        CHECK_SAME(complement(tally, a, stride, Run(n_jobs)), c, n_jobs);
                    }
                }
            }
        }
    }
}

TEST("weights of many classes and columns: several chunks, the same bits") {
    Random random(44);
    const Tally tally = random_tally(random, 100, 6000, true);
    const auto m = multinomial(tally, one_number(0.1), 104, Run());
    const auto b = bernoulli(tally, one_number(0.1), 104, Run());
    const auto c = complement(tally, one_number(0.1), 104, Run());
    for (const int32_t n_jobs : job_counts) {
        CHECK_SAME(multinomial(tally, one_number(0.1), 104, Run(n_jobs)), m, n_jobs);
        CHECK_SAME(bernoulli(tally, one_number(0.1), 104, Run(n_jobs)).weights, b.weights, n_jobs);
        CHECK_SAME(complement(tally, one_number(0.1), 104, Run(n_jobs)), c, n_jobs);
    }
    // The weights of a class are the logarithms of probabilities.
    for (size_t k = 0; k < 100; ++k) {
        double sum = 0.0;
        for (size_t j = 0; j < 6000; ++j) sum += std::exp(m[104 * j + k]);
        CHECK_CLOSE(sum, 1.0, 1e-12, k);
    }
}

TEST("no pseudo-count: minus infinity for what was never seen, never NaN") {
    // Class 0 saw word 1 only; class 1 saw nothing.
    const Tally tally{2, 3, {0, 3, 0, 0, 0, 0}, {3, 0}};
    CHECK_SAME(multinomial(tally, one_number(0.0), 2, Run()),
               (std::vector<double>{-infinity, -infinity, 0.0, -infinity, -infinity, -infinity}));
    const auto [weights, bias] = bernoulli(tally, one_number(0.0), 2, Run());
    CHECK_SAME(weights,
               (std::vector<double>{-infinity, -infinity, 0.0, -infinity, -infinity, -infinity}));
    CHECK_SAME(bias, (std::vector<double>{0.0, -infinity}));
    CHECK_SAME(complement(tally, one_number(0.0), 2, Run()),
               (std::vector<double>{0.0, std::log(3.0), 0.0, 0.0, 0.0, std::log(3.0)}));
}

TEST("counts of 1e300 give finite weights") {
    const Tally tally{2, 2, {1e300, 1.0, 2e300, 0.0}, {1e300, 2e300}};
    const auto weights = multinomial(tally, one_number(1.0), 2, Run());
    CHECK_CLOSE(weights[0], 0.0, 1e-13);
    CHECK_CLOSE(weights[3], -std::log(2e300), 1e-13);
    const auto b = bernoulli(tally, one_number(1.0), 2, Run());
    for (const auto& part :
         {weights, b.weights, b.bias, complement(tally, one_number(1.0), 2, Run())}) {
        for (const double weight : part) CHECK(std::isfinite(weight), weight);
    }
}

TEST("no columns, no weights") {
    const Tally tally{3, 0, {}, {1, 2, 3}};
    CHECK(multinomial(tally, one_number(1.0), 8, Run(2)).empty());
    CHECK_SAME(bernoulli(tally, one_number(1.0), 8, Run(2)).bias, std::vector<double>(3, 0.0));
}

TEST("weights stop when asked") {
    Random random(45);
    const Tally tally = random_tally(random, 4, 100, true);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, multinomial(tally, one_number(1.0), 8, run));
        CHECK_THROWS(Stopped, bernoulli(tally, one_number(1.0), 8, run));
        CHECK_THROWS(Stopped, complement(tally, one_number(1.0), 8, run));
    }
}

}  // namespace
}  // namespace wordodds
