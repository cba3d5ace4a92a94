#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/sparse/equal_rows.hpp"

namespace wordodds {
namespace {

// The numbers by a map of whole rows, whose entries are sorted.
template <class Value>
std::vector<int64_t> expected_numbers(const OwnedCsr<Value>& matrix) {
    std::map<std::vector<std::pair<int32_t, Value>>, int64_t> known;
    std::vector<int64_t> numbers;
    for (size_t row = 0; row < static_cast<size_t>(matrix.n_rows); ++row) {
        const auto begin = static_cast<size_t>(matrix.indptr[row]);
        const auto end = static_cast<size_t>(matrix.indptr[row + 1]);
        std::vector<std::pair<int32_t, Value>> key;
        for (size_t at = begin; at < end; ++at)
            key.emplace_back(matrix.indices[at], matrix.data[at]);
        std::sort(key.begin(), key.end());
        numbers.push_back(known.emplace(key, static_cast<int64_t>(known.size())).first->second);
    }
    return numbers;
}

TEST("rows are numbered by their first occurrence, the same for any execution") {
    for_each_number([]<class Value>() {
        Random random(31);
        for (const int64_t n_rows : {0, 1, 7, 3000}) {
            // Few columns, short rows and whole numbers: most of 3,000 rows occur several times.
            auto matrix = random_csr<Value>(random, n_rows, 3, 3);
            for (Value& value : matrix.data) value = static_cast<Value>(static_cast<int>(value));
            const auto expected = expected_numbers(matrix);
            for_each_execution([&](const Execution& execution) {
                std::vector<int64_t> numbers(static_cast<size_t>(n_rows), -1);
                const int64_t n = csr_number_rows(matrix.view(), execution, std::span(numbers));
                CHECK_SAME(numbers, expected, n_rows, execution.n_jobs);
                int64_t largest = -1;
                for (const int64_t number : expected) largest = std::max(largest, number);
                CHECK_EQ(n, largest + 1);
            });
        }
    });
}

TEST("length and the sign of zero tell rows apart, order does not") {
    OwnedCsr<double> matrix;
    matrix.n_rows = 6;
    matrix.n_cols = 2;
    matrix.indptr = {0, 2, 4, 5, 6, 6, 6};
    matrix.indices = {0, 1, 1, 0, 0, 0};
    matrix.data = {1.0, 2.0, 2.0, 1.0, 0.0, -0.0};
    std::vector<int64_t> numbers(6);
    CHECK_EQ(csr_number_rows(matrix.view(), Run(), std::span(numbers)), 4);
    CHECK_SAME(numbers, (std::vector<int64_t>{0, 0, 1, 2, 3, 3}));
}

}  // namespace
}  // namespace wordodds
