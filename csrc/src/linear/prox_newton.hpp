// The optimum over a working set: Newton steps, each a quadratic model that coordinate descent
// minimises together with the penalty, and a line search on the true objective.
//
//     min_w  sum_i share_i loss(code_i, z_i) + sum_c [ l1_c |w_c| + l2_c / 2 w_c^2 ]
//
// G.-X. Yuan, C.-H. Ho, C.-J. Lin, An improved GLMNET for L1-regularized logistic regression
// (2012).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/linear/coordinate.hpp"

namespace wordodds {

// Copies of the columns in use, one behind the other, each times its scale: one type of number,
// read in order, and no square overflows.
struct WorkingColumns {
    std::vector<int64_t> starts{0};  // n_columns + 1
    std::vector<int32_t> rows;
    std::vector<double> values;
    std::vector<double> l1, l2;  // penalties of a weight that belongs to the scaled column

    int64_t count() const { return static_cast<int64_t>(l1.size()); }
};

// The coordinates of one column of weights.
struct WorkingClass {
    int32_t code;              // of the positive class
    std::span<double> scores;  // n_rows
    double intercept = 0.0;
    std::vector<int64_t> columns{};  // of WorkingColumns, each at most once
    std::vector<double> weights{};   // scaled, as long as `columns`
};

struct DescentOptions {
    CoordinateLoss loss;  // logistic: exactly one class
    bool fit_intercept;
    double tolerance;  // on the largest |smallest subgradient| over the coordinates
};

// Lowers the objective over the coordinates of `classes` until the tolerance is met, no step
// lowers it, or enough was done before somebody looks at the other features again. Scores, weights
// and intercepts always belong together, also when it throws Stopped. Returns the non-zeros read.
// O(entries of the coordinates) a sweep, plus O(n_rows * classes) a Newton step.
int64_t descend_working_set(const WorkingColumns& columns, const LabelledRows& rows,
                            const DescentOptions& options, const Execution& execution,
                            std::span<WorkingClass> classes_in_out);

}  // namespace wordodds
