#include <map>
#include <utility>
#include <vector>

#include "check.hpp"
#include "execution.hpp"
#include "matrices.hpp"
#include "wordodds/sparse/equal_rows.hpp"

namespace wordodds {
namespace {

// The numbers by a map of whole rows.
template <class Index, class Value>
std::vector<int64_t> expected_numbers(const OwnedCsr<Index, Value>& matrix) {
    std::map<std::pair<std::vector<Index>, std::vector<Value>>, int64_t> known;
    std::vector<int64_t> numbers;
    for (size_t row = 0; row < static_cast<size_t>(matrix.n_rows); ++row) {
        const auto begin = static_cast<std::ptrdiff_t>(matrix.indptr[row]);
        const auto end = static_cast<std::ptrdiff_t>(matrix.indptr[row + 1]);
        const std::pair<std::vector<Index>, std::vector<Value>> key{
            {matrix.indices.begin() + begin, matrix.indices.begin() + end},
            {matrix.data.begin() + begin, matrix.data.begin() + end}};
        numbers.push_back(known.emplace(key, static_cast<int64_t>(known.size())).first->second);
    }
    return numbers;
}

TEST("rows are numbered by their first occurrence, the same for any execution") {
    for_each_index_number([]<class Index, class Value>() {
        Random random(31);
        for (const int64_t n_rows : {0, 1, 7, 3000}) {
            // Few columns and short rows: most of 3,000 rows occur several times.
            const auto matrix = random_csr<Index, Value>(random, n_rows, 3, 2);
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

TEST("order, length and the sign of zero tell rows apart") {
    OwnedCsr<int32_t, double> matrix;
    matrix.n_rows = 6;
    matrix.n_cols = 2;
    matrix.indptr = {0, 2, 4, 5, 6, 6, 6};
    matrix.indices = {0, 1, 1, 0, 0, 0};
    matrix.data = {1.0, 2.0, 2.0, 1.0, 0.0, -0.0};
    std::vector<int64_t> numbers(6);
    CHECK_EQ(csr_number_rows(matrix.view(), Run(), std::span(numbers)), 5);
    CHECK_SAME(numbers, (std::vector<int64_t>{0, 1, 2, 3, 4, 4}));
}

}  // namespace
}  // namespace wordodds
