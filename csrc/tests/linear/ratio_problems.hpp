// Problems for tests of linear/count_ratios and linear/ratio_ascent: rows with labels, and how they
// are solved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "reference/linear/ratio.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds {

// No column twice in a row, no entry below zero; explicit zeros and empty rows among them.
inline OwnedCsr<double> random_rows(Random& random, int64_t n_rows, int64_t n_cols,
                                    int64_t row_max) {
    OwnedCsr<double> matrix;
    matrix.n_rows = n_rows;
    matrix.n_cols = n_cols;
    for (int64_t row = 0; row < n_rows; ++row) {
        std::set<int32_t> columns;
        for (int64_t n = below(random, row_max + 1); n > 0; --n) {
            columns.insert(static_cast<int32_t>(below(random, n_cols)));
        }
        for (const int32_t column : columns) {
            matrix.indices.push_back(column);
            matrix.data.push_back(random() % 10 == 0 ? 0.0 : uniform(random));
        }
        matrix.indptr.push_back(static_cast<int64_t>(matrix.indices.size()));
    }
    return matrix;
}

// The rows of these numbers, in their order.
inline OwnedCsr<double> take_rows(const OwnedCsr<double>& matrix, const std::vector<size_t>& rows) {
    OwnedCsr<double> taken;
    taken.n_rows = static_cast<int64_t>(rows.size());
    taken.n_cols = matrix.n_cols;
    for (const size_t i : rows) {
        for (auto e = static_cast<size_t>(matrix.indptr[i]);
             e < static_cast<size_t>(matrix.indptr[i + 1]); ++e) {
            taken.indices.push_back(matrix.indices[e]);
            taken.data.push_back(matrix.data[e]);
        }
        taken.indptr.push_back(static_cast<int64_t>(taken.indices.size()));
    }
    return taken;
}

struct OwnedLabels {
    std::vector<int64_t> indptr{0};
    std::vector<int32_t> codes;
    std::vector<double> weights;

    LabelWeights view() const { return {indptr, codes, weights}; }

    void add(int32_t code, double weight) {
        codes.push_back(code);
        weights.push_back(weight);
    }
    void end_row() { indptr.push_back(static_cast<int64_t>(codes.size())); }
};

// One label a row; rows of weight zero have none.
inline OwnedLabels single_labels(const std::vector<int32_t>& codes,
                                 const std::vector<double>& weights) {
    OwnedLabels labels;
    for (size_t i = 0; i < codes.size(); ++i) {
        if (weights[i] > 0.0) labels.add(codes[i], weights[i]);
        labels.end_row();
    }
    return labels;
}

// Rows of one label, of several, and every eighth or so of none. next_weight() > 0.
template <class Weight>
OwnedLabels random_label_weights(Random& random, int64_t n_rows, int64_t n_classes,
                                 Weight next_weight) {
    OwnedLabels labels;
    for (int64_t row = 0; row < n_rows; ++row) {
        const int64_t draw = below(random, 8);
        std::set<int32_t> codes;
        for (int64_t n = draw == 0 ? 0 : draw < 5 ? 1 : draw - 3; n > 0; --n) {
            codes.insert(static_cast<int32_t>(below(random, n_classes)));
        }
        for (const int32_t code : codes) labels.add(code, next_weight());
        labels.end_row();
    }
    return labels;
}

inline OwnedLabels random_label_weights(Random& random, int64_t n_rows, int64_t n_classes) {
    return random_label_weights(random, n_rows, n_classes,
                                [&] { return 0.1 + 2.9 * uniform(random); });
}

inline std::vector<float> ratios_of(const OwnedCsr<double>& matrix, const OwnedLabels& labels,
                                    int64_t n_columns, double alpha) {
    std::vector<float> ratios(static_cast<size_t>(matrix.n_cols * n_columns), 1e30f);
    csr_count_ratios(matrix.view(), labels.view(), n_columns, alpha, Run(), ratios);
    return ratios;
}

// A problem with everything that it refers to.
struct AscentProblem {
    OwnedCsr<double> matrix;
    OwnedLabels labels;
    int64_t n_columns;
    std::vector<float> ratios;
    RatioPrior prior;
    uint64_t seed = 17;

    AscentProblem(OwnedCsr<double> matrix_, OwnedLabels labels_, int64_t n_columns_,
                  const RatioPrior& prior_)
        : matrix(std::move(matrix_)),
          labels(std::move(labels_)),
          n_columns(n_columns_),
          ratios(ratios_of(matrix, labels, n_columns_, 0.5)),
          prior(prior_) {}

    // Started, as most tests want it.
    std::unique_ptr<RatioAscent> ascent(const Execution& execution) const {
        auto made = make_ratio_ascent(matrix.view(), labels.view(), n_columns, ratios, prior, seed);
        RatioAscent* const problems[] = {made.get()};
        ratio_start(problems, 0.0, execution);
        return made;
    }
    reference::RatioObjective objective(double lean, double strength) const {
        return {labels.view(), n_columns, ratios, prior, lean, strength};
    }
};

inline AscentProblem random_problem(Random& random, int64_t n_columns, const RatioPrior& prior) {
    auto matrix = random_rows(random, 60, 25, 8);
    auto labels = random_label_weights(random, 60, std::max<int64_t>(2, n_columns));
    return {std::move(matrix), std::move(labels), n_columns, prior};
}

struct Solution {
    std::vector<double> weights, intercept;
    RatioFit fit{};
};

// The weights so far. Checks that padding stays as it is.
inline Solution solution_of(const RatioAscent& ascent, const Execution& execution) {
    Solution solution;
    const int64_t stride = ascent.n_columns + 3;
    std::vector<double> padded(static_cast<size_t>(ascent.n_features * stride), 1e99);
    solution.intercept.assign(static_cast<size_t>(ascent.n_columns), 1e99);
    ratio_write(ascent, stride, execution, padded, solution.intercept);
    for (size_t i = 0; i < padded.size(); ++i) {
        const bool is_padding = static_cast<int64_t>(i) % stride >= ascent.n_columns;
        if (!is_padding) solution.weights.push_back(padded[i]);
        CHECK(!is_padding || padded[i] == 1e99, i);
    }
    return solution;
}

inline void start(RatioAscent& ascent, double lean, const Execution& execution) {
    RatioAscent* const problems[] = {&ascent};
    ratio_start(problems, lean, execution);
}

inline RatioFit ascend(RatioAscent& ascent, const RatioLimits& limits, const Execution& execution) {
    RatioAscent* const problems[] = {&ascent};
    RatioFit fits[] = {{1 << 30, 1e99}};
    ratio_ascend(problems, limits, execution, fits);
    return fits[0];
}

// From the prior, with one strength after the other.
inline Solution solve(const AscentProblem& problem, double lean,
                      const std::vector<double>& strengths, int32_t epochs_max, double tolerance,
                      const Execution& execution) {
    const auto ascent = problem.ascent(execution);
    start(*ascent, lean, execution);
    RatioFit fit{};
    for (const double strength : strengths) {
        fit = ascend(*ascent, {strength, epochs_max, tolerance}, execution);
    }
    Solution solution = solution_of(*ascent, execution);
    solution.fit = fit;
    return solution;
}

inline void check_same(const Solution& actual, const Solution& expected) {
    CHECK_SAME(actual.weights, expected.weights);
    CHECK_SAME(actual.intercept, expected.intercept);
    CHECK_EQ(actual.fit.epochs, expected.fit.epochs);
    CHECK_EQ(actual.fit.gap, expected.fit.gap);
}

}  // namespace wordodds
