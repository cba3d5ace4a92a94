// What naive Bayes knows of a feature: how much more frequent it is in one class than in the
// others.
//
// With d_jk the weight of the rows of class k that have feature j, d_j that of all rows and V
// features,
//     r_jk = log [(d_jk + alpha) / (sum_j d_jk + alpha V)]
//          - log [(d_j - d_jk + alpha) / (sum_j (d_j - d_jk) + alpha V)]
// is the log-count ratio between class k and the rest.
#pragma once

#include <cstdint>
#include <span>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

// Weights of rows by class: row i counts weights[e] for class codes[e], indptr[i] <= e < indptr[i +
// 1]. Rows that occur several times, perhaps under different labels, are one row here.
struct LabelWeights {
    std::span<const int64_t> indptr;  // n_rows + 1
    std::span<const int32_t> codes;   // in [0, n_classes), each class once in a row
    std::span<const double> weights;  // > 0
};

// The column of weights in which a class is positive; -1 for none. One column: class 1 against
// class 0.
constexpr int64_t column_of_class(int64_t n_columns, int32_t code) {
    return n_columns == 1 ? code - 1 : code;
}

// ratios_out[j * n_columns + k] = r_jk, counted over rows; a feature occurs where its entry is not
// zero.
//
// Preconditions: alpha > 0; no column twice in a row. O(nnz + n_cols * n_columns), counted in
// parallel over blocks of columns and written in parallel over features; the same bits for any
// n_jobs. Holds counts of up to 32 columns at once, 8 n_cols bytes each.
void csr_count_ratios(const CsrView<double>& matrix, const LabelWeights& labels, int64_t n_columns,
                      double alpha, const Execution& execution, std::span<float> ratios_out);

// The same from document frequencies: counts[j] = d_j, class_counts[k * n_features + j] = d_jk.
void count_ratios(std::span<const double> counts, std::span<const double> class_counts,
                  int64_t n_columns, double alpha, const Execution& execution,
                  std::span<float> ratios_out);

}  // namespace wordodds
