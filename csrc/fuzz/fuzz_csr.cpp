// CSR validation against its twin: the first defect, its row and its place. Matrices without a
// defect then go through kernels that trust an index (AddressSanitizer watches), and repeats,
// presences, tf-idf and products are compared with their twins.
#include <cmath>
#include <limits>

#include "fuzz.hpp"
#include "reference/linear/products.hpp"
#include "reference/sparse/binarize.hpp"
#include "reference/sparse/validate.hpp"
#include "reference/text/tfidf.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/sparse/binarize.hpp"
#include "wordodds/sparse/repeats.hpp"
#include "wordodds/sparse/validate.hpp"

using namespace wordodds;

namespace {

template <class Value>
Value value_of(fuzz::Input& input) {
    static const double odd[] = {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e30, -1e-30, 1e300, 5e-324};
    static const double not_finite[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
    const uint8_t byte = input.byte();
    if constexpr (std::is_integral_v<Value>) {
        return byte == 255 ? input.number<Value>() : static_cast<Value>(byte) - 20;
    } else {
        if (byte >= 252) return static_cast<Value>(not_finite[byte % 3]);
        if (byte >= 240) return static_cast<Value>(odd[input.byte() % std::size(odd)]);
        return static_cast<Value>(byte - 40) / 8;
    }
}

// A sound matrix first, as its bytes describe it; then patches.
template <class Value>
OwnedCsr<Value> matrix_of(fuzz::Input& input) {
    OwnedCsr<Value> matrix;
    matrix.n_rows = input.below(12);
    matrix.n_cols = input.below(20);
    const int64_t n_patches = input.below(4);
    for (int64_t row = 0; row < matrix.n_rows; ++row) {
        for (int64_t n = matrix.n_cols == 0 ? 0 : input.below(6); n > 0; --n) {
            matrix.indices.push_back(static_cast<int32_t>(input.below(matrix.n_cols)));
            matrix.data.push_back(value_of<Value>(input));
        }
        matrix.indptr.push_back(static_cast<int64_t>(matrix.indices.size()));
    }
    for (int64_t n = 0; n < n_patches; ++n) {
        const uint8_t what = input.byte();
        const auto at = static_cast<size_t>(input.byte());
        using Wide = std::numeric_limits<int64_t>;
        using Narrow = std::numeric_limits<int32_t>;
        static constexpr int64_t hostile[] = {
            -1, 1, 2, 19, 20, 21, 1000, Wide::min(), Wide::max(), Narrow::min(), Narrow::max()};
        const int64_t number = what & 1 ? input.one_of(hostile) : input.number<int64_t>();
        const auto index = static_cast<int32_t>(number);
        switch (what / 2 % 8) {
            case 0:
                if (!matrix.indptr.empty()) matrix.indptr[at % matrix.indptr.size()] = number;
                break;
            case 1:
                if (!matrix.indices.empty()) matrix.indices[at % matrix.indices.size()] = index;
                break;
            case 2: matrix.indptr.resize(at % 16); break;
            case 3: matrix.indices.resize(at); break;
            case 4: matrix.data.resize(at); break;
            case 5: matrix.n_rows = number; break;
            case 6: matrix.n_cols = number; break;
            default:
                matrix.indices.push_back(index), matrix.data.push_back(Value{1});
                break;  // past the last row
        }
    }
    matrix.indptr.shrink_to_fit();
    matrix.indices.shrink_to_fit();
    matrix.data.shrink_to_fit();
    return matrix;
}

// Neither overflow nor underflow in a sum of squares, so that the twin in long double is an oracle.
template <class Value>
bool is_moderate(const OwnedCsr<Value>& m, bool counts) {
    return std::all_of(m.data.begin(), m.data.end(), [&](Value x) {
        const double size = std::abs(static_cast<double>(x));
        return counts ? x >= 1 && size < 1e10 : size == 0 || (size > 1e-10 && size < 1e10);
    });
}

template <class Value>
void check_weights(fuzz::Input& input, const OwnedCsr<Value>& m, const Run& run) {
    const TfidfOptions options{input.flag(), static_cast<RowNorm>(input.below(3))};
    std::vector<Value> idf;
    if (input.flag()) {
        for (int64_t j = 0; j < m.n_cols; ++j) idf.push_back(static_cast<Value>(1 + j % 7) / 2);
    }
    std::vector<Value> data = m.data;
    csr_weigh_terms<Value>(m.view(), idf, options, run, data);
    const auto expected = reference::csr_weigh_terms<Value>(m.view(), idf, options);
    for (size_t i = 0; i < expected.size(); ++i) {
        const long double error = std::abs(static_cast<long double>(data[i]) - expected[i]);
        CHECK(error <= 8 * std::numeric_limits<Value>::epsilon() * std::abs(expected[i]), data[i],
              expected[i], i, options.sublinear, options.norm);
    }
}

template <class Value>
void check_products(fuzz::Input& input, const OwnedCsr<Value>& m, const Run& run) {
    static constexpr int64_t strides[] = {1, 4, 8, 20};
    const int64_t stride = input.one_of(strides);
    const Entries entries = input.flag() ? Entries::squares : Entries::values;
    std::vector<double> right, bias;
    for (int64_t i = 0; i < m.n_cols * stride; ++i)
        right.push_back(static_cast<double>(i % 13) - 5.5);
    for (int64_t k = 0; k < stride; ++k) bias.push_back(static_cast<double>(k) / 3);
    std::vector<double> product(static_cast<size_t>(m.n_rows * stride), -1.0);
    csr_multiply<Value>(m.view(), right, stride, {bias, {}, 0.0}, entries, run, product);
    const auto expected = reference::csr_multiply<double>(m.view(), right, stride, bias, entries);
    CHECK_SAME(product, expected, stride);
}

template <class Value>
void check_matrix(fuzz::Input& input) {
    const CsrRequirements must{input.flag(), input.flag()};
    const auto sets = available_instruction_sets();
    const Run run(1 + static_cast<int32_t>(input.below(2)), sets[input.byte() % sets.size()]);
    const auto matrix = matrix_of<Value>(input);
    const CsrReport report = csr_find_defect(matrix.view(), must, run);
    const CsrReport expected = reference::csr_find_defect(matrix.view(), must);
    CHECK_EQ(report.defect, expected.defect);
    CHECK_EQ(report.row, expected.row);
    CHECK_EQ(report.position, expected.position);
    // A shape is the border's business: scratch space grows with the columns.
    if (report.defect != CsrDefect::none || matrix.n_cols < 0 || matrix.n_cols > 1000) return;
    const std::vector<Value>& data = matrix.data;
    const bool repeats = csr_has_repeats(matrix.view(), run);
    CHECK_EQ(repeats, reference::csr_has_repeats(matrix.view()));
    if constexpr (std::is_floating_point_v<Value>) {
        if (std::any_of(data.begin(), data.end(), [](Value x) { return std::isnan(x); })) return;
        std::vector<float> presences(data.size());
        CHECK_EQ(csr_binarize(matrix.view(), 0.5, run, std::span<float>(presences)), repeats);
        CHECK_SAME(presences, reference::csr_binarize(matrix.view(), 0.5));
        const bool whole = matrix.indptr.back() == static_cast<int64_t>(data.size());
        if (whole && !repeats && is_moderate(matrix, true)) check_weights(input, matrix, run);
        if (is_moderate(matrix, false)) check_products(input, matrix, run);
    }
}

}  // namespace

FUZZ(input) {
    switch (input.below(3)) {
        case 0: return check_matrix<float>(input);
        case 1: return check_matrix<double>(input);
        default: return check_matrix<int64_t>(input);
    }
}
