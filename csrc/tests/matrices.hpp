// Random sparse matrices for tests: exact-size vectors and a view of them.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/documents.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds {

template <class Value>
struct OwnedCsr {
    int64_t n_rows = 0;
    int64_t n_cols = 0;
    std::vector<int64_t> indptr{0};
    std::vector<int32_t> indices;
    std::vector<Value> data;

    CsrView<Value> view() const { return {{n_rows, n_cols, indptr, indices}, data}; }
};

// Up to row_max entries a row, neither sorted nor distinct, explicit zeros among them.
template <class Value>
OwnedCsr<Value> random_csr(Random& random, int64_t n_rows, int64_t n_cols, int64_t row_max) {
    OwnedCsr<Value> matrix;
    matrix.n_rows = n_rows;
    matrix.n_cols = n_cols;
    for (int64_t row = 0; row < n_rows; ++row) {
        const int64_t n = n_cols == 0 ? 0 : below(random, row_max + 1);
        for (int64_t i = 0; i < n; ++i) {
            matrix.indices.push_back(static_cast<int32_t>(below(random, n_cols)));
            matrix.data.push_back(random() % 10 == 0 ? Value{0}
                                                     : static_cast<Value>(5.0 * uniform(random)));
        }
        matrix.indptr.push_back(static_cast<int64_t>(matrix.indices.size()));
    }
    matrix.indptr.shrink_to_fit();
    matrix.indices.shrink_to_fit();
    matrix.data.shrink_to_fit();
    return matrix;
}

// body<Value>() for both widths of floating point values.
template <class Body>
void for_each_value(Body body) {
    body.template operator()<float>();
    body.template operator()<double>();
}

// The same, and counts as whole numbers.
template <class Body>
void for_each_number(Body body) {
    for_each_value(body);
    body.template operator()<int64_t>();
}

}  // namespace wordodds
