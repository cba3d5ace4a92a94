// Coordinate descent where the Hessian is at hand: sweeps that no longer touch the rows.
//
//     min_w  g'(w - w0) + (w - w0)' H (w - w0) / 2 + sum_c [ l1_c |w_c| + l2_c / 2 w_c^2 ]
//
// Worth its while where the same few coordinates are swept many times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/parallel.hpp"

namespace wordodds {

// One coordinate as a sparse column: n entries, no row twice.
struct GramColumn {
    const int32_t* rows;
    const double* values;
    int64_t n;

    bool operator==(const GramColumn&) const = default;
};

struct GramEntry {
    int64_t member;
    double value;
};

// H[a][b] = sum_i curvature_i x_ia x_ib over the members a, b. Keeps its memory, and the members by
// rows as long as they stay the same.
class Gram {
   public:
    // How many products `fill` will take, the intercept's aside. The columns stay where they are
    // while the Gram is in use; longest first, so that those in most rows come as whole vectors.
    // O(entries).
    int64_t prepare(std::span<const GramColumn> members, int64_t n_rows);

    // Of the members last prepared; with `intercept` a last member of ones joins. curvatures[i *
    // stride] belongs to row i. O(sum over rows of the square of its members), one thread.
    void fill(bool intercept, const double* curvatures, int64_t stride, const Execution& execution);

    // Row-major, full: (members + intercept) squared.
    std::span<const double> values() const { return gram_; }

   private:
    std::vector<GramColumn> members_;
    std::vector<int64_t> ends_;  // of each row's entries
    std::vector<GramEntry> entries_;
    std::vector<double> gram_;
    int64_t products_ = 0;
    bool by_rows_ = false;
};

struct GramCoordinate {
    double weight;    // changed in place
    double gradient;  // of the smooth part without l2, at the weight; changed with it
    double l1, l2;
};

// Sweeps until no coordinate violates its optimality by more than `accuracy`, or sweeps_max;
// returns how many they were. Length of gram: the square of the coordinates. The same bits on any
// instruction set. O(members^2) a sweep.
int gram_descend(std::span<const double> gram, double accuracy, int sweeps_max,
                 const Execution& execution, std::span<GramCoordinate> coordinates_in_out);

}  // namespace wordodds
