// A CSR matrix as Python hands it over: the type of its values is known only when it is there.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <variant>

#include "wordodds/base/types.hpp"

namespace wordodds::binding {

using AnyCsr = std::variant<CsrView<double>, CsrView<float>, CsrView<int64_t>>;
using FloatCsr = std::variant<CsrView<double>, CsrView<float>>;

template <class Value>
AnyCsr any_csr(const CsrStructure& structure, const Value* data, int64_t length) {
    return CsrView<Value>{structure, {data, static_cast<size_t>(length)}};
}

// For kernels that do not take whole numbers.
inline FloatCsr with_floats(const AnyCsr& matrix) {
    if (const auto* const doubles = std::get_if<CsrView<double>>(&matrix)) return *doubles;
    if (const auto* const floats = std::get_if<CsrView<float>>(&matrix)) return *floats;
    throw std::invalid_argument("values must be float32 or float64");
}

inline CsrView<double> with_doubles(const AnyCsr& matrix) {
    if (const auto* const doubles = std::get_if<CsrView<double>>(&matrix)) return *doubles;
    throw std::invalid_argument("values must be float64");
}

}  // namespace wordodds::binding

// WORDODDS_TAKES_CSR(kernel, view_of): binding::kernel calls wordodds::kernel for the type of the
// values.
#define WORDODDS_TAKES_CSR(kernel, view_of)                                                       \
    namespace wordodds::binding {                                                                 \
    template <class... Arguments>                                                                 \
    auto kernel(const AnyCsr& matrix, Arguments&&... arguments) {                                 \
        return std::visit([&](const auto& view) { return wordodds::kernel(view, arguments...); }, \
                          view_of(matrix));                                                       \
    }                                                                                             \
    }
#define WORDODDS_TAKES_NUMBERS(kernel) WORDODDS_TAKES_CSR(kernel, )
#define WORDODDS_TAKES_FLOATS(kernel) WORDODDS_TAKES_CSR(kernel, with_floats)
