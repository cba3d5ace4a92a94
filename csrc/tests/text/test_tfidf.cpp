#include <cstring>
#include <limits>

#include "reference/text/tfidf.hpp"
#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/text/tfidf.hpp"

namespace wordodds {
namespace {

constexpr RowNorm row_norms[] = {RowNorm::none, RowNorm::l1, RowNorm::l2};

// Counts from 1 on; with_zeros: zeros, negative sums and whole rows of zeros among them, as hashing
// gives. Rows without entries in either.
template <class Value>
OwnedCsr<Value> random_counts(Random& random, int64_t n_rows, int64_t n_cols, bool with_zeros) {
    auto matrix = random_csr<Value>(random, n_rows, n_cols, 40);
    for (Value& value : matrix.data) {
        const double u = uniform(random);
        value = static_cast<Value>(1 + static_cast<int64_t>(u * u * u * 300));
        if (with_zeros && random() % 4 == 0) value = random() % 2 ? Value{0} : -value;
    }
    for (size_t row = 0; with_zeros && row < static_cast<size_t>(n_rows); row += 5) {
        std::fill(matrix.data.begin() + matrix.indptr[row],
                  matrix.data.begin() + matrix.indptr[row + 1], Value{0});
    }
    return matrix;
}

// In place; the view's own data must not be read, so it holds NaN.
template <class Value>
std::vector<Value> weighed(const OwnedCsr<Value>& matrix, const std::vector<Value>& idf,
                           TfidfOptions options, const Execution& execution) {
    std::vector<Value> data = matrix.data;
    const std::vector<Value> unread(data.size(), std::numeric_limits<Value>::quiet_NaN());
    CsrView<Value> view = matrix.view();
    view.data = unread;
    csr_weigh_terms<Value>(view, idf, options, execution, data);
    return data;
}

template <class Value>
void check_weights(const OwnedCsr<Value>& matrix, const std::vector<Value>& idf,
                   TfidfOptions options) {
    const std::vector<long double> expected =
        reference::csr_weigh_terms<Value>(matrix.view(), idf, options);
    const std::vector<Value> first = weighed(matrix, idf, options, Run());
    CHECK_EQ(first.size(), expected.size());
    // Logarithm, sum, product, norm and quotient round once each.
    constexpr long double tolerance = 6 * std::numeric_limits<Value>::epsilon();
    for (size_t i = 0; i < first.size(); ++i) {
        const long double error = std::abs(static_cast<long double>(first[i]) - expected[i]);
        CHECK(error <= tolerance * std::abs(expected[i]), first[i], expected[i], i,
              options.sublinear, options.norm, idf.size());
    }
    for_each_execution([&](const Execution& execution) {
        const std::vector<Value> again = weighed(matrix, idf, options, execution);
        // memcmp: the same bits, -0.0 and all.
        CHECK(again.empty() ||
                  std::memcmp(again.data(), first.data(), again.size() * sizeof(Value)) == 0,
              execution.n_jobs, options.sublinear, options.norm);
    });
}

TEST("weights written out by hand") {
    OwnedCsr<double> matrix;
    matrix.n_rows = 3;
    matrix.n_cols = 3;
    matrix.indptr = {0, 2, 2, 4};
    matrix.indices = {0, 2, 1, 0};
    matrix.data = {3, 4, 0, 0};
    const Run run;
    using Doubles = std::vector<double>;
    CHECK_SAME(weighed(matrix, {}, {false, RowNorm::none}, run), (Doubles{3, 4, 0, 0}));
    CHECK_SAME(weighed(matrix, {}, {false, RowNorm::l2}, run), (Doubles{3.0 / 5, 4.0 / 5, 0, 0}));
    CHECK_SAME(weighed(matrix, {}, {false, RowNorm::l1}, run), (Doubles{3.0 / 7, 4.0 / 7, 0, 0}));
    CHECK_SAME(weighed(matrix, {2, 9, 0.5}, {false, RowNorm::none}, run), (Doubles{6, 2, 0, 0}));
    CHECK_SAME(weighed(matrix, {2, 9, 0.5}, {false, RowNorm::l1}, run),
               (Doubles{6.0 / 8, 2.0 / 8, 0, 0}));
    matrix.data = {1, 1, 1, 1};
    CHECK_SAME(weighed(matrix, {}, {true, RowNorm::none}, run), (Doubles{1, 1, 1, 1}));
}

TEST("all options, both widths of values, any number of jobs") {
    for_each_value([]<class Value>() {
        Random random(71);
        for (const int64_t n_rows : {0, 1, 255, 256, 257, 1500}) {  // chunks of 256 rows
            for (const bool sublinear : {false, true}) {
                const int64_t n_cols = 1 + below(random, 300);
                // log(0) and log(-1) are no weights: sublinear takes counts.
                const auto matrix = random_counts<Value>(random, n_rows, n_cols, !sublinear);
                std::vector<Value> idf;
                for (int64_t i = 0; i < n_cols; ++i) {
                    idf.push_back(static_cast<Value>(1 + 8 * uniform(random)));
                }
                for (const RowNorm norm : row_norms) {
                    check_weights<Value>(matrix, {}, {sublinear, norm});
                    check_weights<Value>(matrix, idf, {sublinear, norm});
                    std::vector<Value> some_zero = idf;  // weights of zero, rows of them too
                    for (size_t i = 0; i < idf.size(); i += 2) some_zero[i] = 0;
                    check_weights<Value>(matrix, some_zero, {sublinear, norm});
                }
            }
        }
    });
}

TEST("a row of zeros stays, whatever the norm") {
    for_each_value([]<class Value>() {
        OwnedCsr<Value> matrix;
        matrix.n_rows = 4;
        matrix.n_cols = 2;
        matrix.indptr = {0, 2, 2, 3, 3};
        matrix.indices = {0, 1, 1};
        matrix.data = {0, 0, 0};
        for (const RowNorm norm : row_norms) {
            const std::vector<Value> idf{3, 4};
            CHECK_SAME(weighed(matrix, idf, {false, norm}, Run()), matrix.data);
        }
    });
}

TEST("norms are summed in double: a long float row, and squares that float cannot hold") {
    OwnedCsr<float> matrix;
    constexpr int32_t n = 3'000'000;
    matrix.n_rows = 1;
    matrix.n_cols = 1;
    matrix.indptr = {0, n};
    matrix.indices.assign(n, 0);
    matrix.data.assign(n, 3.0f);
    for (const RowNorm norm : {RowNorm::l1, RowNorm::l2}) {
        check_weights<float>(matrix, {}, {false, norm});
    }
    matrix.indptr = {0, 2};
    matrix.indices = {0, 0};
    matrix.data = {3e25f, 4e25f};
    check_weights<float>(matrix, {}, {false, RowNorm::l2});
    matrix.data = {3e-25f, 4e-25f};
    check_weights<float>(matrix, {}, {false, RowNorm::l2});
}

TEST("norms of rows whose squares double cannot hold") {
    OwnedCsr<double> matrix;
    matrix.n_rows = 3;
    matrix.n_cols = 4;
    matrix.indptr = {0, 2, 4, 8};
    matrix.indices = {0, 1, 1, 2, 0, 1, 2, 3};
    matrix.data = {3e300, 4e300, 3e-300, 4e-300, 9e307, -9e307, 9e307, 1e300};
    for (const RowNorm norm : {RowNorm::l1, RowNorm::l2}) {
        check_weights<double>(matrix, {}, {false, norm});
    }
}

TEST("a stored zero stays zero under sublinear") {
    OwnedCsr<double> matrix;
    matrix.n_rows = 1;
    matrix.n_cols = 3;
    matrix.indptr = {0, 3};
    matrix.indices = {0, 1, 2};
    matrix.data = {1, 0, 1};
    CHECK_SAME(weighed(matrix, {}, {true, RowNorm::none}, Run()), (std::vector<double>{1, 0, 1}));
    check_weights<double>(matrix, {2, 2, 3}, {true, RowNorm::l2});
}

TEST("a stopped weighing throws") {
    Random random(72);
    const auto matrix = random_counts<double>(random, 2000, 50, false);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, weighed(matrix, {}, {true, RowNorm::l2}, run));
    }
}

TEST("each view of a row has a norm of its own") {
    Random random(77);
    const auto matrix = random_counts<double>(random, 60, 90, false);
    const std::vector<double> idf(90, 1.5);
    const std::vector<int32_t> begins{20, 20, 71};
    // Rows sorted by column: the entries of a view stand together.
    OwnedCsr<double> sorted = matrix;
    for (size_t row = 0; row + 1 < sorted.indptr.size(); ++row) {
        std::sort(sorted.indices.begin() + sorted.indptr[row],
                  sorted.indices.begin() + sorted.indptr[row + 1]);
    }
    for (const RowNorm norm : row_norms) {
        const auto whole = weighed(sorted, idf, {true, norm, begins}, Run());
        // The same entries, each view in a row of its own.
        OwnedCsr<double> apart = sorted;
        apart.n_rows = 4 * sorted.n_rows;
        apart.indptr.assign(1, 0);
        for (size_t row = 0; row + 1 < sorted.indptr.size(); ++row) {
            auto at = sorted.indptr[row];
            for (const int32_t end : {20, 20, 71, 90}) {
                while (at < sorted.indptr[row + 1] &&
                       sorted.indices[static_cast<size_t>(at)] < end) {
                    ++at;
                }
                apart.indptr.push_back(at);
            }
        }
        CHECK_SAME(whole, weighed(apart, idf, {true, norm}, Run()), norm);
        for_each_execution([&](const Execution& execution) {
            CHECK_SAME(weighed(sorted, idf, {true, norm, begins}, execution), whole, norm);
        });
    }
}

}  // namespace
}  // namespace wordodds
