// Naive Bayes: class tallies into the feature-major weights that a row is scored with.
//
// tally[c * n_cols + j] is what class c has of feature j, >= 0. All three write weights_out[j *
// stride + c], length n_cols * stride with stride >= n_classes, and set the padding of each row to
// 0. Where an estimated probability is zero its logarithm is minus infinity; no weight is ever NaN.
// The same bits for any n_jobs.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

// What is added to the count of class c and feature j: values[c * class_step + j * feature_step].
// Steps of 0 share a number: (0, 0) one for all, (0, 1) one for each feature, (n_cols, 1) one for
// each cell.
struct PseudoCounts {
    std::span<const double> values;
    int64_t class_step;
    int64_t feature_step;

    bool is_one_number() const { return class_step == 0 && feature_step == 0; }
    double of(int64_t c, int64_t j) const {
        return values[static_cast<size_t>(c * class_step + j * feature_step)];
    }
};

// The counts of all classes, one class after the other.
struct TallyView {
    std::span<const double> counts;  // n_classes * n_cols
    int64_t n_classes;
    int64_t n_cols;

    const double* of_class(int64_t c) const { return counts.data() + c * n_cols; }
};

// weights[j][c] = log(tally[c][j] + a[c][j]) - log(sum_k (tally[c][k] + a[c][k])),
// the logarithm of p(feature j | class c) under a Dirichlet prior. A class without any count and
// pseudo-count has no estimate: its weights are minus infinity. O(n_classes * n_cols).
void tally_multinomial_weights(const TallyView& tally, const PseudoCounts& pseudo_counts,
                               int64_t stride, const Execution& execution,
                               std::span<double> weights_out);

// p[c][j] = (tally[c][j] + a[c][j]) / (class_counts[c] + 2 a[c][j]), the share of the class's rows
// that have the feature, under a Beta prior;
//
//   weights[j][c] = log p[c][j] - log(1 - p[c][j]),    bias[c] = sum_j log(1 - p[c][j]),
//
// so that bias[c] + sum of the weights of the features that a row has = log p(row | c). Where p is
// 1 (only with a = 0) weight and bias count nothing; that a row without this feature is impossible
// the caller has to see to. A class without rows and with a = 0 has no estimate: weights and bias
// are minus infinity. Lengths: class_counts and bias_out n_classes. Precondition: tally[c][j] <=
// class_counts[c], to rounding. O(n_classes * n_cols).
void tally_bernoulli_weights(const TallyView& tally, std::span<const double> class_counts,
                             const PseudoCounts& pseudo_counts, int64_t stride,
                             const Execution& execution, std::span<double> weights_out,
                             std::span<double> bias_out);

// q[c][j] = feature_totals[j] + a[c][j] - tally[c][j], what all other classes have of the feature;
//
//   weights[j][c] = log(sum_k q[c][k]) - log q[c][j].
//
// Where q is 0 (only with a = 0) the weight keeps its finite part, log(sum_k q[c][k]), or 0 where
// that sum is 0 too; the infinite part is the caller's to count. Lengths: feature_totals n_cols,
// the sums of the tally over the classes. O(n_classes * n_cols).
void tally_complement_weights(const TallyView& tally, std::span<const double> feature_totals,
                              const PseudoCounts& pseudo_counts, int64_t stride,
                              const Execution& execution, std::span<double> weights_out);

}  // namespace wordodds
