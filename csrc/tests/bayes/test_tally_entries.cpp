#include <limits>

#include "reference/bayes/tally.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "tests/matrices.hpp"
#include "wordodds/bayes/tally_entries.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Entries = reference::TallyEntries;

template <class Value>
Entries tally(const OwnedCsr<Value>& matrix, const std::vector<int32_t>& labels, int64_t n_classes,
              const std::vector<double>& row_weights, const Execution& execution) {
    Entries out;
    out.indptr.assign(static_cast<size_t>(matrix.n_cols) + 1, -7);
    const TallyProducts products =
        csr_tally_entries(matrix.view(), std::span<const int32_t>(labels), n_classes, row_weights,
                          execution, out.indptr);
    // Numbers that show whatever is not overwritten.
    out.classes.assign(static_cast<size_t>(out.indptr.back()), -7);
    out.sums.assign(out.classes.size(), nan);
    tally_entries_write(products, out.indptr, execution, out.classes, out.sums);
    return out;
}

void check_same(const Entries& actual, const Entries& expected, int32_t n_jobs) {
    CHECK_SAME(actual.indptr, expected.indptr, n_jobs);
    CHECK_SAME(actual.classes, expected.classes, n_jobs);
    CHECK_SAME(actual.sums, expected.sums, n_jobs);
}

template <class Value>
void check_entries(Random& random, int64_t n_rows, int64_t n_cols, int64_t row_max,
                   int64_t n_classes) {
    const auto matrix = random_csr<Value>(random, n_rows, n_cols, row_max);
    const std::vector<int32_t> labels = random_labels(random, n_rows, n_classes);
    for (const std::vector<double>& weights :
         {std::vector<double>{}, random_row_weights(random, n_rows)}) {
        const Entries expected = reference::csr_tally_entries(matrix.view(), labels, weights);
        for (const int32_t n_jobs : {1, 2, 5, 16}) {
            check_same(tally(matrix, labels, n_classes, weights, Run(n_jobs)), expected, n_jobs);
        }
    }
}

TEST("entries written out by hand") {
    // Column 2 twice in row 0; zeros are no entries; column 1 is in no row; class 1 has no rows.
    const OwnedCsr<double> matrix{
        3, 4, {0, 3, 5, 7}, {2, 0, 2, 3, 0, 2, 0}, {1, 2, 4, 0, 8, 16, 32}};
    const Entries entries = tally(matrix, {2, 0, 2}, 3, {}, Run());
    CHECK_SAME(entries.indptr, (std::vector<int64_t>{0, 2, 2, 3, 3}));
    CHECK_SAME(entries.classes, (std::vector<int32_t>{0, 2, 2}));
    CHECK_SAME(entries.sums, (std::vector<double>{8, 34, 21}));
}

TEST("small matrices, each index and value type: the bits of the twin, for any number of jobs") {
    for_each_number([]<class Value>() {
        Random random(60);
        for (const int64_t n_classes : {1, 2, 20, 3000}) {
            check_entries<Value>(random, 500, 60, 12, n_classes);
        }
        check_entries<Value>(random, 1, 1, 3, 2);
    });
}

TEST("many entries in many blocks of features: several threads, the same bits") {
    Random random(61);
    check_entries<float>(random, 12'000, 9'000, 60, 900);
    check_entries<double>(random, 12'000, 1'000'000, 20, 5'000);
    check_entries<int64_t>(random, 12'000, 1'024, 30, 7);
}

TEST("the last feature of a block and the first of the next stay apart") {
    for (const int64_t n_cols : {1023, 1024, 1025, 2048, 600'000, 1'048'577}) {
        OwnedCsr<double> matrix{2, n_cols, {0}, {}, {}};
        for (int row = 0; row < 2; ++row) {
            for (int64_t j = 0; j < n_cols;
                 j += std::max<int64_t>(1, std::min<int64_t>(511, n_cols - 1 - j))) {
                matrix.indices.push_back(static_cast<int32_t>(j));
                matrix.data.push_back(static_cast<double>(j + 1));
            }
            matrix.indptr.push_back(static_cast<int64_t>(matrix.indices.size()));
        }
        const std::vector<int32_t> labels{1, 0};
        check_same(tally(matrix, labels, 2, {}, Run(2)),
                   reference::csr_tally_entries(matrix.view(), labels, {}), 2);
    }
}

TEST("a row of weight zero is absent, and so is a cell of zeros; one that cancels is held") {
    const OwnedCsr<double> matrix{
        4, 3, {0, 2, 4, 6, 7}, {0, 1, 0, 1, 0, 2, 2}, {1, 0, infinity, nan, -1, 0, 5}};
    const Entries entries = tally(matrix, {0, 0, 0, 1}, 2, {1, 0, 1, 1e-323}, Run());
    CHECK_SAME(entries.indptr, (std::vector<int64_t>{0, 1, 1, 2}));
    CHECK_SAME(entries.classes, (std::vector<int32_t>{0, 1}));
    CHECK_SAME(entries.sums, (std::vector<double>{0.0, 5 * 1e-323}));
    // A product that vanishes is no entry.
    CHECK_EQ(tally(matrix, {0, 0, 0, 1}, 2, {1e-323, 0, 0, 0}, Run()).sums.size(), 1u);
    const OwnedCsr<double> tiny{1, 1, {0, 1}, {0}, {1e-200}};
    CHECK_EQ(tally(tiny, {0}, 1, {1e-200}, Run()).indptr.back(), 0);
}

TEST("entries of float values are summed in double") {
    OwnedCsr<float> matrix{1, 1, {0, 1000}, {}, {}};
    for (int i = 0; i < 1000; ++i) {
        matrix.indices.push_back(0);
        matrix.data.push_back(i == 0 ? 16777216.0f : 1.0f);  // 2^24: the next float is two away
    }
    CHECK_EQ(tally(matrix, {0}, 1, {}, Run()).sums[0], 16777216.0 + 999.0);
}

TEST("entries of nothing") {
    const OwnedCsr<double> no_rows{0, 3, {0}, {}, {}};
    CHECK_SAME(tally(no_rows, {}, 2, {}, Run(2)).indptr, std::vector<int64_t>(4, 0));
    const OwnedCsr<double> no_columns{2, 0, {0, 0, 0}, {}, {}};
    CHECK_SAME(tally(no_columns, {1, 0}, 2, {}, Run(2)).indptr, std::vector<int64_t>(1, 0));
}

TEST("collecting entries stops when asked, and so does writing them") {
    Random random(62);
    const auto matrix = random_csr<double>(random, 5000, 3000, 40);
    const std::vector<int32_t> labels = random_labels(random, 5000, 40);
    for (const int32_t n_jobs : job_counts) {
        Run stopped(n_jobs);
        stopped.stop().request();
        std::vector<int64_t> indptr(3001);
        const auto collect = [&](const Execution& execution) {
            return csr_tally_entries(matrix.view(), std::span<const int32_t>(labels), 40, {},
                                     execution, indptr);
        };
        CHECK_THROWS(Stopped, collect(stopped));
        const TallyProducts products = collect(Run(n_jobs));
        std::vector<int32_t> classes(static_cast<size_t>(indptr.back()));
        std::vector<double> sums(classes.size());
        CHECK_THROWS(Stopped, tally_entries_write(products, indptr, stopped, classes, sums));
    }
}

TEST("a long row looks at the token, in each pass over it") {
    OwnedCsr<double> row{1, 2, {0, 300'000}, {}, {}};
    row.indices.assign(300'000, 1);
    row.data.assign(300'000, 1.0);
    const int64_t n_looks = count_looks([&](const Execution& execution) {
        CHECK_EQ(tally(row, {0}, 1, {}, execution).sums[0], 300'000.0);
    });
    CHECK(n_looks >= 4 * 4, n_looks);
}

}  // namespace
}  // namespace wordodds
