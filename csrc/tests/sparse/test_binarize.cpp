#include <limits>

#include "reference/sparse/binarize.hpp"
#include "src/sparse/column_marks.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/sparse/binarize.hpp"
#include "wordodds/sparse/repeats.hpp"

namespace wordodds {
namespace {

struct Binary {
    std::vector<float> data;
    bool has_repeats;
};

template <class Value>
Binary binarize(const OwnedCsr<Value>& matrix, double threshold, const Execution& execution) {
    Binary out{std::vector<float>(matrix.data.size(), -7.0f), false};
    out.has_repeats = csr_binarize(matrix.view(), threshold, execution, std::span<float>(out.data));
    return out;
}

template <class Value>
bool has_repeats(const OwnedCsr<Value>& m, const Execution& execution) {
    return csr_has_repeats(CsrStructure{m.n_rows, m.n_cols, m.indptr, m.indices}, execution);
}

// Columns a step apart from a random one, round and round: unsorted and distinct if the row is no
// longer than the matrix is wide and the step shares no factor with it.
template <class Value>
OwnedCsr<Value> distinct_csr(Random& random, int64_t n_rows, int64_t n_cols, int64_t row_max) {
    auto matrix = random_csr<Value>(random, n_rows, n_cols, row_max);
    for (size_t row = 0; row < static_cast<size_t>(n_rows); ++row) {
        int64_t column = below(random, n_cols);
        const int64_t step = random() % 2 ? 1 : n_cols - 1;
        for (int64_t i = matrix.indptr[row]; i < matrix.indptr[row + 1]; ++i) {
            matrix.indices[static_cast<size_t>(i)] = static_cast<int32_t>(column);
            column = (column + step) % n_cols;
        }
    }
    return matrix;
}

TEST("presences written out by hand") {
    const OwnedCsr<double> matrix{2, 3, {0, 3, 5}, {2, 0, 1, 1, 0}, {1, 0, -2, 0.5, 0.25}};
    const Binary above_zero = binarize(matrix, 0.0, Run());
    CHECK_SAME(above_zero.data, (std::vector<float>{1, 0, 0, 1, 1}));
    CHECK(!above_zero.has_repeats);
    CHECK_SAME(binarize(matrix, 0.25, Run()).data, (std::vector<float>{1, 0, 0, 1, 0}));
    CHECK_SAME(binarize(matrix, -1.0, Run()).data, (std::vector<float>{1, 1, 0, 1, 1}));
}

TEST("presences of each index and value type agree with the twin, for any number of jobs") {
    for_each_number([]<class Value>() {
        Random random(80);
        for (const int64_t n_rows : {0, 1, 300, 60'000}) {
            const auto matrix = random_csr<Value>(random, n_rows, 40, 12);
            for (const double threshold : {0.0, 1.0, 2.7, -1.0, 1e300, -1e300}) {
                for (const int32_t n_jobs : {1, 2, 5, 16}) {
                    const Binary actual = binarize(matrix, threshold, Run(n_jobs));
                    CHECK_SAME(actual.data, reference::csr_binarize(matrix.view(), threshold),
                               n_jobs);
                    CHECK_EQ(actual.has_repeats, reference::csr_has_repeats(matrix.view()), n_jobs);
                }
            }
        }
    });
}

TEST("a float is compared with the threshold as a float") {
    const OwnedCsr<float> narrow{1, 1, {0, 1}, {0}, {0.1f}};
    CHECK_EQ(binarize(narrow, 0.1, Run()).data[0], 0.0f);
    const OwnedCsr<double> wide{1, 1, {0, 1}, {0}, {0.1f}};
    CHECK_EQ(binarize(wide, 0.1, Run()).data[0], 1.0f);
}

TEST("storage behind the last row gets a value too, and its columns are no repeats") {
    const OwnedCsr<double> matrix{1, 3, {0, 1}, {1, 1, -9}, {2, 3, 0}};
    const Binary actual = binarize(matrix, 0.0, Run());
    CHECK_SAME(actual.data, (std::vector<float>{1, 1, 0}));
    CHECK(!actual.has_repeats);
}

TEST("repeats written out by hand") {
    const auto repeats = [](std::vector<int64_t> indptr, std::vector<int32_t> indices) {
        const auto n_rows = static_cast<int64_t>(indptr.size()) - 1;
        const std::vector<double> zeros(indices.size(), 0.0);
        return has_repeats(OwnedCsr<double>{n_rows, 9, indptr, indices, zeros}, Run());
    };
    CHECK(!repeats({0}, {}));
    CHECK(!repeats({0, 0, 3}, {1, 4, 8}));
    CHECK(!repeats({0, 2, 4}, {3, 1, 3, 1}));  // the same columns in two rows
    CHECK(!repeats({0, 1, 2}, {3, 3}));
    CHECK(repeats({0, 2}, {5, 5}));
    CHECK(repeats({0, 3}, {5, 1, 5}));
    CHECK(repeats({0, 2, 5}, {2, 1, 0, 8, 0}));
}

TEST("one repeat among many rows is found, wherever it is, for any number of jobs") {
    for_each_value([]<class Value>() {
        Random random(81);
        const auto matrix = distinct_csr<Value>(random, 20'000, 50, 12);
        CHECK(!reference::csr_has_repeats(matrix.view()));
        for (const int32_t n_jobs : {1, 2, 5, 16}) CHECK(!has_repeats(matrix, Run(n_jobs)), n_jobs);
        for (int repeat = 0; repeat < 40; ++repeat) {
            auto broken = matrix;
            const auto row = static_cast<size_t>(below(random, 20'000));
            const int64_t begin = broken.indptr[row], n = broken.indptr[row + 1] - begin;
            if (n < 2) continue;
            broken.indices[static_cast<size_t>(begin + n - 1)] =
                broken.indices[static_cast<size_t>(begin + below(random, n - 1))];
            for (const int32_t n_jobs : {1, 2, 5, 16})
                CHECK(has_repeats(broken, Run(n_jobs)), n_jobs, row);
        }
    });
}

TEST("marks start anew when they are used up") {
    ColumnMarks<int8_t> marks;
    for (int row = 0; row < 1000; ++row) {
        marks.next_row(5);
        // Column 4 in every 127th row only: an old mark of the same number would still be there.
        for (const int64_t column : {3, 0, 2}) CHECK(marks.add(column), row);
        if (row % 127 == 1) CHECK(marks.add(4), row);
        CHECK(!marks.add(0), row);
    }
}

TEST("binarizing and the search for repeats stop when asked") {
    Random random(82);
    const auto matrix = random_csr<double>(random, 1000, 10, 3);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, binarize(matrix, 0.0, run));
        CHECK_THROWS(Stopped, has_repeats(matrix, run));
    }
}

TEST("a long row looks at the token, sorted or not") {
    constexpr int32_t n = 1'200'000;
    OwnedCsr<double> row{1, n, {0, n}, {}, {}};
    for (int32_t j = 0; j < n; ++j) row.indices.push_back(j);
    const auto looks = [&] {
        return count_looks(
            [&](const Execution& execution) { CHECK(!has_repeats(row, execution)); });
    };
    CHECK(looks() >= 5);
    std::swap(row.indices[n - 2], row.indices[n - 1]);  // seen last
    CHECK(looks() >= 9);
}

}  // namespace
}  // namespace wordodds
