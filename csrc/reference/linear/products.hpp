// Slow twin of linear/products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/linear/products.hpp"

namespace wordodds::reference {

// product[i * stride + k]. Sum = double, in the order of the entries: the very bits that the kernel
// promises; Sum = long double: the nearly exact sum.
template <class Sum, class Value>
std::vector<Sum> csr_multiply(const CsrView<Value>& m, std::span<const double> right,
                              int64_t stride, std::span<const double> bias, Entries entries) {
    std::vector<Sum> product;
    for (size_t row = 0; row < static_cast<size_t>(m.n_rows); ++row) {
        for (size_t k = 0; k < static_cast<size_t>(stride); ++k) {
            Sum sum = bias.empty() ? 0.0 : bias[k];
            for (auto i = static_cast<size_t>(m.indptr[row]);
                 i < static_cast<size_t>(m.indptr[row + 1]); ++i) {
                const auto x = static_cast<Sum>(m.data[i]);
                const auto j = static_cast<size_t>(m.indices[i]);
                sum += (entries == Entries::squares ? x * x : x) *
                       right[j * static_cast<size_t>(stride) + k];
            }
            product.push_back(sum);
        }
    }
    return product;
}

}  // namespace wordodds::reference
