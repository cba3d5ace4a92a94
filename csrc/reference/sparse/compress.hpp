// Slow twin of the compression of dense rows.
#pragma once

#include <cstdint>
#include <vector>

#include "wordodds/sparse/compress.hpp"

namespace wordodds::reference {

template <class Value>
struct Compressed {
    std::vector<int64_t> indptr{0};
    std::vector<int64_t> indices;
    std::vector<Value> data;
};

template <class Value>
Compressed<Value> dense_compress_rows(const DenseView<Value>& m) {
    Compressed<Value> rows;
    for (int64_t i = 0; i < m.n_rows; ++i) {
        for (int64_t j = 0; j < m.n_cols; ++j) {
            const int64_t at = m.layout == Layout::rows ? i * m.n_cols + j : i + j * m.n_rows;
            const Value x = m.data[static_cast<size_t>(at)];
            if (x == 0) continue;
            rows.indices.push_back(j);
            rows.data.push_back(x);
        }
        rows.indptr.push_back(static_cast<int64_t>(rows.indices.size()));
    }
    return rows;
}

}  // namespace wordodds::reference
