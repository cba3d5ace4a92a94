// Logistic regression of each class against the rest, under a prior that naive Bayes has set.
//
// With r_jk the log-count ratio of naive Bayes (linear/count_ratios.hpp), column k minimises
//     sum_i c_i loss_ik + (sum_j (w_jk - lean r_jk)^2 / s_jk + b_k^2 / intercept_step) / 2,
//     loss_ik = log(1 + exp(z_ik)) - t_ik z_ik,   z_ik = b_k + sum_j x_ij w_jk,   s_jk = r_jk^2 +
//     floor:
// weights are drawn to those of naive Bayes, and held there the less the more telling the feature.
// t_ik is the share of class k among the labels of row i: rows that occur several times, perhaps
// with different labels, are one. With lean = floor = 0 these are the weights w_jk = r_jk v_jk of a
// plain penalty on v and columns x_j r_jk (Wang and Manning, 2012).
//
// Dual ascent (linear/dual.hpp) keeps w_jk = lean r_jk + s_jk sum_i x_ij a_ik with a_ik = c_i (t_ik
// - p_ik). The targets are needed only where p starts and where C changes: p then moves so that
// a_ik stays. For log-odds l_ik of p_ik the duality gap is
//     sum_i c_i KL(p_ik || sigmoid(z_ik)) <= sum_i c_i (p_ik - sigmoid(z_ik)) (l_ik - z_ik),
// and the right side costs little to sum up. While rows are visited the weights change, so that
// their sum is an estimate; where it is small enough, a pass over all rows with the weights as they
// are gives the bound.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"
#include "wordodds/linear/count_ratios.hpp"

namespace wordodds {

struct RatioPrior {
    double floor;           // >= 0
    double intercept_step;  // >= 0; 0: without intercept
};

struct RatioLimits {
    double strength;     // C > 0: c_i = C times the weight of row i
    int32_t epochs_max;  // >= 1
    double tolerance;    // of RatioFit::gap
};

struct RatioFit {
    int32_t epochs;  // of the columns that took longest
    double gap;  // bound on the duality gap at the end, largest over columns, divided by C times
                 // the weight of the class or of the rest, whichever is less; of all rows if one of
                 // them has none
};

// A problem in memory, with its weights and what dual ascent knows of each row. A fit can be
// continued with a larger C.
class RatioAscent {
   public:
    virtual ~RatioAscent() = default;

    int64_t n_columns;
    int64_t n_features;

    // What the functions below do to one block of columns.
    virtual int64_t n_blocks() const = 0;
    virtual void start(int64_t block, double lean, StopToken& stop) = 0;  // must come first
    virtual void release(int64_t block) = 0;  // gives its memory back; it can be started again
    virtual RatioFit ascend(int64_t block, const RatioLimits& limits,
                            const Execution& execution) = 0;
    virtual void score(int64_t block, std::span<const int64_t> rows, const Execution& execution,
                       std::span<double> scores_out) const = 0;
    virtual void write(int64_t block, int64_t stride, std::span<double> weights_out,
                       std::span<double> intercept_out) const = 0;
};

// ratios[j * n_columns + k] = r_jk; seed: of the order in which rows are visited. Rows without
// labels are not visited. The arrays of matrix, labels and ratios must outlive the object.
//
// Preconditions: no column twice in a row; entries >= 0 and finite.
std::unique_ptr<RatioAscent> make_ratio_ascent(const CsrView<double>& matrix,
                                               const LabelWeights& labels, int64_t n_columns,
                                               std::span<const float> ratios,
                                               const RatioPrior& prior, uint64_t seed);

// Sets the weights to lean * r_jk, as before any row was visited.
void ratio_start(std::span<RatioAscent* const> problems, double lean, const Execution& execution);

// Goes on with all problems until their gaps are within the tolerance. An epoch visits rows once,
// in an order that depends on the seed alone; rows that add less than half the average to the gap
// rest for up to 63 epochs. Precondition: C is not less than at the last call since the start.
//
// Weights are kept in float, sums in double. O(nnz * n_columns) an epoch, parallel over problems
// and blocks of columns: the same bits for any n_jobs and any instruction set. If stopped, the
// problems must be started anew.
void ratio_ascend(std::span<RatioAscent* const> problems, const RatioLimits& limits,
                  const Execution& execution, std::span<RatioFit> fits_out);

// Starts, ascends and writes as the functions around this one, and holds no more blocks of columns
// at once than there are threads: with many classes what is known of each row is larger than the
// rows.
RatioFit ratio_fit(RatioAscent& problem, double lean, const RatioLimits& limits, int64_t stride,
                   const Execution& execution, std::span<double> weights_out,
                   std::span<double> intercept_out);

// scores_out[i * n_columns + k] = z of row rows[i].
void ratio_score(const RatioAscent& problem, std::span<const int64_t> rows,
                 const Execution& execution, std::span<double> scores_out);

// weights_out[j * stride + k], intercept_out[k]. Padding is left as it is.
void ratio_write(const RatioAscent& problem, int64_t stride, const Execution& execution,
                 std::span<double> weights_out, std::span<double> intercept_out);

}  // namespace wordodds
