// Logistic regression of each class against the rest, on columns scaled by what naive Bayes says of them.
//
// With d_jk the documents of class k that have feature j, d_j those of all classes and V features,
//     r_jk = log [(d_jk + alpha) / (sum_j d_jk + alpha V)]
//          - log [(d_j - d_jk + alpha) / (sum_j (d_j - d_jk) + alpha V)]
// is the log-count ratio of naive Bayes between class k and the rest. Column k minimises
//     sum_i c_i log(1 + exp(-y_ik z_ik)) + (sum_j w_jk^2 / s_jk + b_k^2 / step) / 2,
//     z_ik = b_k + sum_j x_ij w_jk,   y_ik = 1 if row i is of class k, else -1,   s_jk = r_jk^2 + floor:
// features that naive Bayes finds telling are free to move, others are held. With floor = 0 these are the
// weights w_jk = r_jk v_jk of a plain penalty on v and columns x_j r_jk (Wang and Manning, 2012). Dual
// ascent (linear/dual.hpp) keeps w_jk = s_jk sum_i x_ij a_ik with a_ik = c_i ([y_i = k] - p_ik).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

struct RatioScales {
    double alpha;  // > 0
    double floor;  // >= 0
};

struct RatioProblem {
    int64_t n_columns;               // one for each class; or one: code 1 or not
    std::span<const int32_t> codes;  // n_rows, in [0, n_columns), or 0 and 1
    std::span<const double> costs;   // n_rows: C; 0: as if the row were not there
    std::span<const double> counts;  // n_rows: how often the row counts in d
    RatioScales scales;
    double intercept_step;           // >= 0; 0: without intercept
    int32_t epochs_max;              // >= 1
    double tolerance;                // see RatioFit::change
    uint64_t seed;                   // of the order in which rows are visited
};

struct RatioFit {
    int32_t epochs;  // of the columns that took longest
    double change;   // of their last: max_k sum_i c_i |p_ik after - before| / sum_i c_i [y_i = k]
};

// Fits all columns. An epoch visits every row once, in an order that depends on the seed alone; columns end
// when `change` is within the tolerance.
//
// Preconditions: no column twice in a row; entries >= 0 and finite. weights_out[j * stride + k]; lengths:
// weights_out n_cols * stride, intercept_out n_columns. Padding is left as it is. Weights are kept in float,
// sums in double. O(nnz * n_columns) an epoch, parallel over blocks of columns: the same bits for any n_jobs
// and any instruction set.
template <class Index>
RatioFit csr_fit_ratio_logistic(const CsrView<Index, double>& matrix, const RatioProblem& problem,
                                const Execution& execution, int64_t stride,
                                std::span<double> weights_out, std::span<double> intercept_out);

// Some of the rows of a problem that does not fit the memory.
struct RatioRows {
    std::span<const int32_t> codes;  // as in RatioProblem
    std::span<const double> costs;
    bool is_first;                   // whether nobody has visited them before
    uint64_t seed;                   // of the order in which they are visited
};

// The weights of all columns, between visits to blocks of rows: the same ascent, where what is known of a row
// (the log-odds of its probabilities) is kept by the caller. Yu, Hsieh, Chang and Lin (2010) show that it
// ends at the same optimum whatever the blocks.
class RatioState {
   public:
    // Scales from document frequencies: counts[j] = d_j, class_counts[k * n_features + j] = d_jk.
    RatioState(int64_t n_columns, const RatioScales& scales, double intercept_step,
               std::span<const double> counts, std::span<const double> class_counts,
               const Execution& execution);
    ~RatioState();

    int64_t n_columns() const { return n_columns_; }
    int64_t n_features() const { return n_features_; }

    // Visits each row once. log_odds[i * n_columns + k] is read, unless it is the first visit, and written.
    // Preconditions, cost and threading as of csr_fit_ratio_logistic. If stopped, weights and log-odds do not
    // belong together any more.
    template <class Index>
    void ascend(const CsrView<Index, double>& matrix, const RatioRows& rows,
                const Execution& execution, std::span<float> log_odds);

    // As csr_fit_ratio_logistic writes them.
    void write(int64_t stride, std::span<double> weights_out, std::span<double> intercept_out) const;

   private:
    struct Parts;
    template <int width, class Index>
    struct Pass;

    int64_t n_columns_;
    int64_t n_features_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace wordodds
