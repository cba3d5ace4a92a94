// The regression of linear/ratio_ascent.hpp over rows that come in blocks, or lie in several
// processes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"
#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds {

// Some of the rows of a problem that does not fit the memory, or not into one process.
struct RatioRows {
    std::span<const int32_t> codes;  // the class of each
    std::span<const double> costs;   // c_i; 0: as if the row were not there
    bool is_first;                   // whether they have not been visited before
    uint64_t seed;                   // of the order in which they are visited
};

// The weights of all columns, between visits to blocks of rows: the same ascent, where what is
// known of a row (the log-odds of its probabilities) is kept by the caller. Yu, Hsieh, Chang and
// Lin (2010) show that it ends at the same optimum whatever the blocks.
//
// With spread > 1 it is the local solver of CoCoA+ (Ma et al., 2015): each of `spread` processes
// visits its own rows from the same weights, and the changes of all, divided by spread, are added
// up. Each step is shortened so that the sum cannot overshoot.
class RatioState {
   public:
    RatioState(int64_t n_columns, std::span<const float> ratios, const RatioPrior& prior,
               double lean, double spread, const Execution& execution);
    ~RatioState();

    int64_t n_columns() const { return n_columns_; }
    int64_t n_features() const { return n_features_; }

    // Continues from weights[j * n_columns + k] and intercepts instead of those of the prior.
    void read(std::span<const float> weights, std::span<const double> intercept);

    // Visits each row once. log_odds[i * n_columns + k] is read, unless it is the first visit, and
    // written. gaps_out[k] is the bound on the part of the duality gap that these rows have.
    // Preconditions, cost and threading as of ratio_ascend. If stopped, weights and log-odds do not
    // belong together any more.
    void ascend(const CsrView<double>& matrix, const RatioRows& rows, const Execution& execution,
                std::span<float> log_odds, std::span<double> gaps_out);

    // As ratio_write.
    void write(int64_t stride, std::span<double> weights_out,
               std::span<double> intercept_out) const;

   private:
    struct Parts;
    template <int width>
    struct Pass;

    int64_t n_columns_;
    int64_t n_features_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace wordodds
