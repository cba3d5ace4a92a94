#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/linear/ratio.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/linear/ratio_problems.hpp"
#include "wordodds/linear/count_ratios.hpp"

namespace wordodds {
namespace {

// Both ways of counting against the twin, with the same bits for every execution.
void check_ratios(const OwnedCsr<double>& matrix, const OwnedLabels& labels, int64_t n_columns,
                  double alpha, double tolerance) {
    const auto expected = reference::count_ratios(matrix.view(), labels.view(), n_columns, alpha);
    const auto counts = reference::feature_counts(matrix.view(), labels.view(), n_columns);
    const auto first = ratios_of(matrix, labels, n_columns, alpha);
    std::vector<float> from_counts(first.size(), 1e30f);
    count_ratios(counts.all, counts.classes, n_columns, alpha, Run(), from_counts);
    for (size_t i = 0; i < expected.size(); ++i) {
        const auto ratio = static_cast<double>(expected[i]);
        CHECK_CLOSE(double{first[i]}, ratio, tolerance, i, n_columns, alpha);
        CHECK_CLOSE(double{from_counts[i]}, ratio, 1e-6, i, n_columns, alpha);
    }
    for_each_execution([&](const Execution& execution) {
        std::vector<float> other(first.size(), 1e30f);
        csr_count_ratios(matrix.view(), labels.view(), n_columns, alpha, execution, other);
        CHECK_SAME(other, first, n_columns, execution.n_jobs);
        std::fill(other.begin(), other.end(), 1e30f);
        count_ratios(counts.all, counts.classes, n_columns, alpha, execution, other);
        CHECK_SAME(other, from_counts, n_columns, execution.n_jobs);
    });
}

OwnedLabels whole_label_weights(Random& random, int64_t n_rows, int64_t n_classes) {
    return random_label_weights(random, n_rows, n_classes,
                                [&] { return static_cast<double>(1 + below(random, 9)); });
}

TEST("ratios of rows and of counts, for every number of columns, with the same bits everywhere") {
    Random random(31);
    for (const int64_t n_columns : {1, 2, 3, 7, 8, 9, 20, 32, 33, 70}) {
        const auto matrix = random_rows(random, 80, 30, 8);
        const int64_t n_classes = std::max<int64_t>(2, n_columns);
        const auto whole = whole_label_weights(random, 80, n_classes);
        for (const double alpha : {1e-6, 0.5, 100.0}) {
            check_ratios(matrix, whole, n_columns, alpha, 1e-6);
        }
        // Counts are kept in float, and what is left for the other classes is a difference.
        const auto any = random_label_weights(random, 80, n_classes);
        for (const double alpha : {0.5, 100.0}) check_ratios(matrix, any, n_columns, alpha, 1e-5);
    }
}

TEST("more features than one chunk holds") {
    Random random(32);
    // features_in_chunk in count_ratios.cpp is 4096.
    const auto matrix = random_rows(random, 60, 40'000, 2000);
    const auto labels = whole_label_weights(random, 60, 3);
    check_ratios(matrix, labels, 1, 1.0, 1e-6);
    check_ratios(matrix, labels, 3, 1.0, 1e-6);
}

TEST("ratios written out by hand") {
    // Rows 0 and 1 are of class 0, 2 and 3 of class 1; row 4 has no label, and row 5 is of both
    // classes, with three times the weight for class 1. The entry of row 1 in column 1 is zero, so
    // that the feature does not occur there.
    OwnedCsr<double> matrix{6,
                            2,
                            {0, 1, 3, 4, 6, 7, 8},
                            {0, 0, 1, 1, 1, 0, 0, 0},
                            {5.0, 1.0, 0.0, 2.0, 1.0, 1.0, 9.0, 0.5}};
    const OwnedLabels labels{
        {0, 1, 2, 3, 4, 4, 6}, {0, 0, 1, 1, 1, 0}, {1.0, 1.0, 1.0, 1.0, 3.0, 1.0}};
    // Feature 0 has 3 of class 0 and 4 of class 1; feature 1 has 0 and 2.
    const double first = std::log((4 + 1.0) / (6 + 2.0)) - std::log((3 + 1.0) / (3 + 2.0));
    const double second = std::log((2 + 1.0) / (6 + 2.0)) - std::log((0 + 1.0) / (3 + 2.0));
    const auto one = ratios_of(matrix, labels, 1, 1.0);
    CHECK_CLOSE(double{one[0]}, first, 1e-6);
    CHECK_CLOSE(double{one[1]}, second, 1e-6);
    const auto two = ratios_of(matrix, labels, 2, 1.0);
    CHECK_CLOSE(double{two[0]}, -first, 1e-6);
    CHECK_CLOSE(double{two[1]}, first, 1e-6);
    CHECK_CLOSE(double{two[2]}, -second, 1e-6);
    CHECK_CLOSE(double{two[3]}, second, 1e-6);
}

TEST("no rows, no labels, no features, a class of all rows and one of none") {
    OwnedCsr<double> nothing{0, 3, {0}, {}, {}};
    check_ratios(nothing, OwnedLabels{}, 1, 0.5, 1e-6);
    check_ratios(nothing, OwnedLabels{}, 4, 0.5, 1e-6);
    Random random(33);
    const auto matrix = random_rows(random, 20, 5, 4);
    OwnedLabels without, all_of_one;
    for (int row = 0; row < 20; ++row) {
        without.end_row();
        all_of_one.add(1, 2.0);
        all_of_one.end_row();
    }
    for (const float ratio : ratios_of(matrix, without, 3, 0.5)) {
        CHECK_CLOSE(double{ratio}, 0.0, 1e-7);
    }
    check_ratios(matrix, all_of_one, 1, 0.5, 1e-6);
    check_ratios(matrix, all_of_one, 3, 0.5, 1e-6);
    OwnedCsr<double> featureless{20, 0, std::vector<int64_t>(21, 0), {}, {}};
    check_ratios(featureless, all_of_one, 3, 0.5, 1e-6);
}

TEST("a stop ends counting") {
    Random random(34);
    const auto matrix = random_rows(random, 100, 50, 10);
    const auto labels = random_label_weights(random, 100, 12);
    const auto counts = reference::feature_counts(matrix.view(), labels.view(), 12);
    std::vector<float> ratios(50 * 12);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, csr_count_ratios(matrix.view(), labels.view(), 12, 1.0, run, ratios));
        CHECK_THROWS(Stopped, count_ratios(counts.all, counts.classes, 12, 1.0, run, ratios));
    }
    // One look for each 256 rows, for all rows and for those of the class.
    const auto many = random_rows(random, 1024, 50, 3);
    const auto many_labels = random_label_weights(random, 1024, 2);
    const int64_t n_looks = count_looks([&](const Execution& execution) {
        csr_count_ratios(many.view(), many_labels.view(), 1, 1.0, execution,
                         std::span(ratios).first(50));
    });
    CHECK(n_looks >= 2 * 4 + 2, n_looks);
}

}  // namespace
}  // namespace wordodds
