#include <vector>

#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/sparse/map_columns.hpp"

namespace wordodds {
namespace {

template <class Value>
OwnedCsr<Value> expected_rows(const OwnedCsr<Value>& matrix, const std::vector<int32_t>& columns) {
    OwnedCsr<Value> moved{matrix.n_rows, matrix.n_cols, {0}, {}, {}};
    for (size_t row = 0; row < static_cast<size_t>(matrix.n_rows); ++row) {
        for (auto e = static_cast<size_t>(matrix.indptr[row]);
             e < static_cast<size_t>(matrix.indptr[row + 1]); ++e) {
            const int32_t column = columns[static_cast<size_t>(matrix.indices[e])];
            if (column < 0) continue;
            moved.indices.push_back(column);
            moved.data.push_back(matrix.data[e]);
        }
        moved.indptr.push_back(static_cast<int64_t>(moved.indices.size()));
    }
    return moved;
}

template <class Value>
void check_map(const OwnedCsr<Value>& matrix, const std::vector<int32_t>& columns) {
    const auto expected = expected_rows(matrix, columns);
    for_each_execution([&](const Execution& execution) {
        std::vector<int64_t> indptr(matrix.indptr.size(), -9);
        csr_count_mapped(matrix.view(), std::span(columns), execution, std::span(indptr));
        CHECK_SAME(indptr, expected.indptr, execution.n_jobs);
        std::vector<int32_t> indices(expected.indices.size(), -9);
        std::vector<Value> data(expected.data.size(), Value{-9});
        csr_map_columns(matrix.view(), std::span(columns), std::span<const int64_t>(indptr),
                        execution, std::span(indices), std::span(data));
        CHECK_SAME(indices, expected.indices, execution.n_jobs);
        CHECK_SAME(data, expected.data, execution.n_jobs);
    });
}

TEST("entries move or go, in their order, the same for any execution") {
    for_each_number([]<class Value>() {
        Random random(41);
        for (const int64_t n_rows : {0, 1, 7, 1500}) {
            const auto matrix = random_csr<Value>(random, n_rows, 20, 9);
            std::vector<int32_t> some(20), none(20, -1), reversed(20);
            for (int32_t j = 0; j < 20; ++j) {
                some[static_cast<size_t>(j)] = below(random, 2) == 0 ? -1 : j;
                reversed[static_cast<size_t>(j)] = 19 - j;
            }
            for (const auto& columns : {some, none, reversed}) check_map(matrix, columns);
        }
    });
}

TEST("a stop ends moving") {
    Random random(42);
    const auto matrix = random_csr<double>(random, 600, 5, 3);
    const std::vector<int32_t> columns(5, 0);
    std::vector<int64_t> indptr(601);
    std::vector<int32_t> indices(matrix.indices.size());
    std::vector<double> data(matrix.data.size());
    Run run(2);
    run.stop().request();
    CHECK_THROWS(Stopped,
                 csr_count_mapped(matrix.view(), std::span(columns), run, std::span(indptr)));
    CHECK_THROWS(Stopped, csr_map_columns(matrix.view(), std::span(columns),
                                          std::span<const int64_t>(indptr), run, std::span(indices),
                                          std::span(data)));
}

}  // namespace
}  // namespace wordodds
