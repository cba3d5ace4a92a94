// L1 and elastic-net logistic regression: coordinate descent on a working set of features.
//
//     f(w, b) = sum_i share_i loss(code_i, x_i w + b) + l1 |w|_1 + l2 / 2 |w|^2
//
// At the optimum few weights differ from zero. A step takes those, and the features whose gradient
// exceeds the penalty by most, solves the problem of these alone (linear/prox_newton.hpp), and
// then asks the gradient of every feature whether one was missed. So most of the work touches a few
// hundred columns, however many there are.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

enum class CoordinateLoss : int32_t {
    logistic,  // each column by itself: is it this class?
    softmax,   // the columns together: which class is it?
};

struct CoordinateOptions {
    CoordinateLoss loss;
    // Of weights; with one column code 1 is the positive class, else code k is that of column k.
    int64_t n_columns;
    double l1;           // >= 0
    double l2;           // >= 0
    bool fit_intercept;  // not penalised
};

struct LabelledRows {
    std::span<const int32_t> codes;  // n_rows
    std::span<const double> shares;  // n_rows; each > 0, their sum is 1
};

// What lives from step to step, beside the point. Class-major: column k of the scores is
// contiguous.
struct CoordinateState {
    std::span<double> point;     // (n_features + fit_intercept) * n_columns; intercept last
    std::span<double> scores;    // n_columns * n_rows: x_i w + b
    std::span<double> gradient;  // (n_features + 1) * n_columns, likewise: of the loss alone
    std::span<double> scales;    // n_features: powers of two that bring extreme columns near 1
};

struct CoordinateReport {
    double value;          // f at the point
    double gradient_norm;  // largest |component| of the smallest subgradient of f
    int64_t entries;       // non-zeros that were read
};

// Makes the state of a point: scores, gradient, scales.
//
// `columns` is X by columns: its row j lists the rows of X that hold feature j, none of them twice;
// columns.n_cols = n_rows, below 2^31. Throws std::invalid_argument if a score is not finite.
// O(nnz * n_columns), parallel over features.
template <class Value>
CoordinateReport csc_start_coordinates(const CsrView<Value>& columns, const LabelledRows& rows,
                                       const CoordinateOptions& options, const Execution& execution,
                                       const CoordinateState& state_in_out);

// One step: a working set of features, their optimum up to a tenth of the present violation, a new
// gradient of all features. The value does not rise, but for rounding; nothing is ever NaN.
//
// The same lengths and preconditions; the state is that of the last call. If it is stopped, the
// point has its old value, or under the logistic loss the new one in some columns; the rest of the
// state is lost. Columns of weights under the logistic loss run in parallel, so do the gradient's
// features and the rows of a softmax; one thread owns each sum, or sums are added in a fixed order,
// so the bits are the same for any n_jobs and instruction set.
template <class Value>
CoordinateReport csc_step_coordinates(const CsrView<Value>& columns, const LabelledRows& rows,
                                      const CoordinateOptions& options, const Execution& execution,
                                      const CoordinateState& state_in_out);

}  // namespace wordodds
