#include <limits>

#include "reference/sparse/validate.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"

namespace wordodds {
namespace {

constexpr CsrRequirements anything{false, false};
constexpr CsrRequirements finite{true, false};
constexpr CsrRequirements counts{true, true};

template <class Value>
void check_report(const CsrView<Value>& matrix, CsrRequirements requirements,
                  const CsrReport& expected) {
    for (const int32_t n_jobs : job_counts) {
        const CsrReport actual = csr_find_defect(matrix, requirements, Run(n_jobs));
        CHECK_EQ(actual.defect, expected.defect, n_jobs);
        CHECK_EQ(actual.row, expected.row, expected.defect, n_jobs);
        CHECK_EQ(actual.position, expected.position, expected.defect, n_jobs);
    }
}

// Rows of 2, 0 and 3 entries, unsorted and repeated: a good matrix.
template <class Value>
OwnedCsr<Value> good() {
    return {3, 4, {0, 2, 2, 5}, {3, 0, 1, 1, 2}, {1, 0, 2, 3, 4}};
}

TEST("a good matrix has no defect") {
    for_each_value([]<class Value>() {
        for (const CsrRequirements must : {anything, finite, counts}) {
            check_report(good<Value>().view(), must, {});
            OwnedCsr<Value> empty;
            check_report(empty.view(), must, {});
            empty.n_cols = 7;
            check_report(empty.view(), must, {});
            // Storage behind the last row is allowed, and not looked at.
            auto longer = good<Value>();
            longer.indices.push_back(-99);
            longer.data.push_back(std::numeric_limits<Value>::quiet_NaN());
            check_report(longer.view(), must, {});
        }
    });
}

TEST("each defect by name, row and position") {
    for_each_value([]<class Value>() {
        constexpr Value infinity = std::numeric_limits<Value>::infinity();
        constexpr Value nan = std::numeric_limits<Value>::quiet_NaN();
        constexpr int32_t index_max = std::numeric_limits<int32_t>::max();
        constexpr int32_t index_min = std::numeric_limits<int32_t>::min();
        constexpr int64_t pointer_max = std::numeric_limits<int64_t>::max();
        constexpr int64_t pointer_min = std::numeric_limits<int64_t>::min();
        const auto broken = [](auto change, CsrRequirements must, const CsrReport& expected) {
            auto matrix = good<Value>();
            change(matrix);
            check_report(matrix.view(), must, expected);
        };
        broken([](auto& m) { m.indptr.pop_back(); }, anything, {CsrDefect::indptr_length, 0, 0});
        broken([](auto& m) { m.indptr.push_back(5); }, anything, {CsrDefect::indptr_length, 0, 0});
        broken([](auto& m) { m.indptr.clear(); }, anything, {CsrDefect::indptr_length, 0, 0});
        broken([](auto& m) { m.n_rows = 2; }, anything, {CsrDefect::indptr_length, 0, 0});
        broken([](auto& m) { m.indptr[0] = 1; }, anything, {CsrDefect::indptr_start, 0, 0});
        broken([](auto& m) { m.indptr[0] = -1; }, anything, {CsrDefect::indptr_start, 0, 0});
        broken([](auto& m) { m.indptr[2] = 1; }, anything, {CsrDefect::indptr_decreases, 1, 2});
        broken([](auto& m) { m.indptr[2] = pointer_min; }, anything,
               {CsrDefect::indptr_decreases, 1, 2});
        broken([](auto& m) { m.indptr[1] = pointer_max; }, anything,
               {CsrDefect::indptr_decreases, 1, pointer_max});
        broken([](auto& m) { m.indptr[3] = 6; }, anything, {CsrDefect::indptr_end, 3, 6});
        broken([](auto& m) { m.indptr[3] = index_max; }, anything,
               {CsrDefect::indptr_end, 3, index_max});
        broken([](auto& m) { m.data.pop_back(); }, anything, {CsrDefect::data_length, 0, 0});
        broken([](auto& m) { m.data.push_back(1); }, anything, {CsrDefect::data_length, 0, 0});
        broken([](auto& m) { m.indices[2] = 4; }, anything, {CsrDefect::index_out_of_range, 2, 2});
        broken([](auto& m) { m.indices[0] = -1; }, anything, {CsrDefect::index_out_of_range, 0, 0});
        broken([](auto& m) { m.indices[4] = index_max; }, anything,
               {CsrDefect::index_out_of_range, 2, 4});
        broken([](auto& m) { m.indices[4] = index_min; }, anything,
               {CsrDefect::index_out_of_range, 2, 4});
        broken([](auto& m) { m.n_cols = 0; }, anything, {CsrDefect::index_out_of_range, 0, 0});
        broken([](auto& m) { m.n_cols = -1; }, anything, {CsrDefect::index_out_of_range, 0, 0});
        for (const Value value : {nan, infinity, -infinity}) {
            const auto change = [&](auto& m) { m.data[3] = value; };
            broken(change, finite, {CsrDefect::value_not_finite, 2, 3});
            broken(change, counts, {CsrDefect::value_not_finite, 2, 3});
            broken(change, anything, {});
        }
        broken([](auto& m) { m.data[1] = Value(-0.5); }, counts, {CsrDefect::value_negative, 0, 1});
        broken([](auto& m) { m.data[1] = Value(-0.5); }, finite, {});
        broken([](auto& m) { m.data[1] = Value(-0.0); }, counts, {});
    });
}

TEST("whole numbers are finite, and may be negative") {
    for (const CsrRequirements must : {anything, finite, counts}) {
        check_report(good<int64_t>().view(), must, {});
        auto matrix = good<int64_t>();
        matrix.data[3] = std::numeric_limits<int64_t>::min();
        check_report(matrix.view(), must,
                     must.non_negative ? CsrReport{CsrDefect::value_negative, 2, 3} : CsrReport{});
        matrix.indices[4] = 4;
        check_report(matrix.view(), anything, {CsrDefect::index_out_of_range, 2, 4});
    }
}

TEST("the first defect in row order is the one reported") {
    for_each_value([]<class Value>() {
        auto matrix = good<Value>();
        matrix.data[4] = Value(-1);
        matrix.indices[3] = 9;
        check_report(matrix.view(), counts, {CsrDefect::index_out_of_range, 2, 3});
        matrix.data[1] = Value(-1);
        check_report(matrix.view(), counts, {CsrDefect::value_negative, 0, 1});
    });
}

TEST("the first defect of a matrix of many chunks") {
    Random random(30);
    auto matrix = random_csr<double>(random, 20'000, 50, 4);
    check_report(matrix.view(), counts, {});
    const auto nnz = static_cast<int64_t>(matrix.data.size());
    for (int repeat = 0; repeat < 60; ++repeat) {
        auto broken = matrix;
        for (int n = 0; n < 1 + repeat % 4; ++n) {
            const auto at = static_cast<size_t>(below(random, nnz));
            if (random() % 2) {
                broken.indices[at] = 50;
            } else {
                broken.data[at] = -1.0;
            }
        }
        check_report(broken.view(), counts, reference::csr_find_defect(broken.view(), counts));
    }
}

// One to three random changes: numbers become wrong by one, negative, huge, NaN; arrays lose or
// gain elements; the shape lies.
template <class Value>
void mutate(Random& random, OwnedCsr<Value>& m) {
    const std::vector<int32_t> bad_indices = {-1,
                                              0,
                                              1,
                                              static_cast<int32_t>(m.n_cols),
                                              static_cast<int32_t>(m.n_rows),
                                              static_cast<int32_t>(m.indices.size()),
                                              std::numeric_limits<int32_t>::max(),
                                              std::numeric_limits<int32_t>::min()};
    const std::vector<int64_t> bad_pointers = {-1,
                                               0,
                                               1,
                                               m.n_cols,
                                               m.n_rows,
                                               static_cast<int64_t>(m.indices.size()),
                                               std::numeric_limits<int64_t>::max(),
                                               std::numeric_limits<int64_t>::min()};
    using Limits = std::numeric_limits<Value>;
    const std::vector<Value> bad_values = {Value(-1),           Value(-0.0),
                                           Limits::quiet_NaN(), Limits::infinity(),
                                           -Limits::infinity(), Limits::denorm_min()};
    const auto any = [&](auto& from) -> auto& { return from[random() % from.size()]; };
    for (int64_t n = 1 + below(random, 3); n > 0; --n) {
        if (m.indices.empty() || m.data.empty()) {
            m.n_rows += below(random, 3) - 1;
            return;
        }
        switch (below(random, 10)) {
            case 0: any(m.indptr) = any(bad_pointers); break;
            case 1: any(m.indptr) += 1; break;
            case 2:
            case 3: any(m.indices) = any(bad_indices); break;
            case 4:
            case 5: any(m.data) = any(bad_values); break;
            case 6: m.n_cols = below(random, m.n_cols + 2); break;
            case 7: m.n_rows = below(random, m.n_rows + 2); break;
            case 8: m.data.pop_back(); break;
            case 9: m.indices.pop_back(); break;
        }
    }
    m.indptr.shrink_to_fit();
    m.indices.shrink_to_fit();
    m.data.shrink_to_fit();
}

TEST("2000 random matrices, most of them damaged, against the twin") {
    for_each_value([]<class Value>() {
        Random random(31);
        for (int repeat = 0; repeat < 500; ++repeat) {
            auto matrix = random_csr<Value>(random, below(random, 12), below(random, 8), 5);
            if (repeat % 10 != 0) mutate(random, matrix);
            for (const CsrRequirements must : {anything, finite, counts}) {
                check_report(matrix.view(), must, reference::csr_find_defect(matrix.view(), must));
            }
        }
    });
}

TEST("a stopped validation throws") {
    const auto matrix = good<double>();
    Run run;
    run.stop().request();
    CHECK_THROWS(Stopped, csr_find_defect(matrix.view(), counts, run));
}

// The last test of its file: a kernel that trusts the shape ends the process here.
TEST("a shape that no array can have is a wrong length of indptr") {
    for (const int64_t n_rows : {std::numeric_limits<int64_t>::max(), int64_t{-2}, int64_t{-1},
                                 std::numeric_limits<int64_t>::min()}) {
        OwnedCsr<double> matrix;
        matrix.n_rows = n_rows;
        matrix.indptr.clear();
        matrix.indptr.shrink_to_fit();
        check_report(matrix.view(), anything, {CsrDefect::indptr_length, 0, 0});
    }
}

}  // namespace
}  // namespace wordodds
