// What the parts of a coordinate step share; not for others.
#pragma once

#include <cstdint>

#include "wordodds/linear/coordinate.hpp"

namespace wordodds {

// Everything that one call was given, with names for the places of its arrays.
template <class Value>
struct CoordinateProblem {
    const CsrView<Value>& columns;
    const LabelledRows& rows;
    const CoordinateOptions& options;
    const Execution& execution;
    const CoordinateState& state;

    int64_t n_features() const { return columns.n_rows; }
    int64_t n_rows() const { return columns.n_cols; }
    int64_t n_entries() const { return columns.indptr[static_cast<size_t>(columns.n_rows)]; }
    int64_t begin(int64_t j) const { return columns.indptr[static_cast<size_t>(j)]; }
    int64_t end(int64_t j) const { return columns.indptr[static_cast<size_t>(j) + 1]; }
    double& weight(int64_t j, int64_t k) const {
        return state.point[static_cast<size_t>(j * options.n_columns + k)];
    }
    double& gradient(int64_t j, int64_t k) const {
        return state.gradient[static_cast<size_t>(j * options.n_columns + k)];
    }
    double* scores(int64_t k) const { return state.scores.data() + k * n_rows(); }
    int32_t positive_code(int64_t k) const {
        return options.n_columns == 1 ? 1 : static_cast<int32_t>(k);
    }
};

// From point and scores: the gradient of every feature, the value and the norm.
// O(nnz * n_columns), parallel over rows and then features.
template <class Value>
CoordinateReport look_at_all_features(const CoordinateProblem<Value>& problem);

}  // namespace wordodds
