// Matrices that are wrong in exactly one place are found out; those that are not wrong are safe in
// every kernel that trusts an index. Under AddressSanitizer the second half is proof.
#include <limits>

#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/labels.hpp"
#include "tests/matrices.hpp"
#include "wordodds/bayes/tally.hpp"
#include "wordodds/bayes/tally_entries.hpp"
#include "wordodds/bayes/weights.hpp"
#include "wordodds/score/linear.hpp"
#include "wordodds/score/sparse_linear.hpp"
#include "wordodds/sparse/binarize.hpp"
#include "wordodds/sparse/validate.hpp"

namespace wordodds {
namespace {

constexpr int n_matrices = 2000;
constexpr int n_kinds = 8;

// At least one entry, so that there is something to damage.
template <class Value>
OwnedCsr<Value> random_matrix(Random& random) {
    while (true) {
        auto matrix = random_csr<Value>(random, 1 + below(random, 30), 1 + below(random, 20), 8);
        if (!matrix.indices.empty()) return matrix;
    }
}

template <class Integer>
Integer any_of(Random& random, std::initializer_list<Integer> values) {
    return values.begin()[below(random, static_cast<int64_t>(values.size()))];
}

// Does one thing to the matrix that makes it none; returns what csr_find_defect is to call it.
template <class Value>
CsrDefect damage(Random& random, int kind, OwnedCsr<Value>& m) {
    constexpr int32_t index_min = std::numeric_limits<int32_t>::min();
    constexpr int32_t index_max = std::numeric_limits<int32_t>::max();
    constexpr int64_t pointer_min = std::numeric_limits<int64_t>::min();
    const auto n_cols = static_cast<int32_t>(m.n_cols);
    int32_t& index =
        m.indices[static_cast<size_t>(below(random, static_cast<int64_t>(m.indices.size())))];
    switch (kind) {
        case 0: index = any_of<int32_t>(random, {n_cols, n_cols + 1, index_max}); break;
        case 1: index = any_of<int32_t>(random, {-1, -n_cols, index_min}); break;
        case 2: {  // one pointer below the one before it
            const auto row = static_cast<size_t>(below(random, m.n_rows));
            m.indptr[row + 1] = any_of<int64_t>(random, {m.indptr[row] - 1, pointer_min});
            return CsrDefect::indptr_decreases;
        }
        case 3:
            m.indptr.back() += any_of<int64_t>(random, {1, 2, 1000});
            return CsrDefect::indptr_end;
        case 4:
            m.indptr.front() = any_of<int64_t>(random, {-1, 1, 7, pointer_min});
            return CsrDefect::indptr_start;
        case 5:
            if (random() % 2) {
                m.indptr.push_back(m.indptr.back());
            } else {
                m.indptr.pop_back();
            }
            return CsrDefect::indptr_length;
        case 6:
            if (random() % 2) {
                m.data.push_back(1);
            } else {
                m.data.pop_back();
            }
            return CsrDefect::data_length;
        default: m.indices.pop_back(); return CsrDefect::indptr_end;
    }
    return CsrDefect::index_out_of_range;
}

template <class Value>
void run_every_kernel(Random& random, const OwnedCsr<Value>& matrix, const Execution& execution) {
    const int64_t n_cols = matrix.n_cols, n_classes = 1 + below(random, 12);
    const std::vector<int32_t> labels = random_labels(random, matrix.n_rows, n_classes);
    const std::vector<double> row_weights =
        random() % 2 ? std::vector<double>{} : random_row_weights(random, matrix.n_rows);
    const std::span<const int32_t> classes_of_rows(labels);

    std::vector<double> tally(static_cast<size_t>(n_classes * n_cols));
    csr_tally_classes(matrix.view(), classes_of_rows, n_classes, row_weights, execution,
                      std::span<double>(tally));
    const int64_t stride = class_stride(n_classes);
    std::vector<double> weights(static_cast<size_t>(n_cols * stride));
    const std::vector<double> one{1.0};
    tally_multinomial_weights({tally, n_classes, n_cols}, {one, 0, 0}, stride, execution, weights);
    std::vector<double> scores(static_cast<size_t>(matrix.n_rows * n_classes));
    const std::vector<double> of_class(static_cast<size_t>(n_classes), 0.5);
    csr_score_classes(matrix.view(), ClassWeights{weights, of_class, stride}, execution,
                      std::span<double>(scores));
    rows_log_softmax(matrix.n_rows, n_classes, execution, scores);

    std::vector<int64_t> indptr(static_cast<size_t>(n_cols) + 1);
    const TallyProducts products =
        csr_tally_entries(matrix.view(), classes_of_rows, n_classes, row_weights, execution,
                          std::span<int64_t>(indptr));
    std::vector<int32_t> classes(static_cast<size_t>(indptr.back()));
    std::vector<double> sums(classes.size());
    tally_entries_write(products, indptr, execution, classes, sums);
    const std::vector<double> of_feature(static_cast<size_t>(n_cols), 0.25);
    csr_score_sparse_classes(
        matrix.view(),
        SparseClassWeights{of_class, of_class, of_class, of_feature, indptr, classes, sums},
        execution, std::span<double>(scores));
    for (const double score : scores) CHECK(std::isfinite(score));

    std::vector<float> presences(matrix.data.size());
    csr_binarize(matrix.view(), 0.5, execution, std::span<float>(presences));
}

TEST("2,000 matrices with one defect each: every one is found, by its name") {
    for_each_value([]<class Value>() {
        Random random(35);
        for (int repeat = 0; repeat < n_matrices / 2; ++repeat) {
            auto matrix = random_matrix<Value>(random);
            const CsrDefect expected = damage(random, repeat % n_kinds, matrix);
            matrix.indptr.shrink_to_fit();
            matrix.indices.shrink_to_fit();
            matrix.data.shrink_to_fit();
            for (const int32_t n_jobs : job_counts) {
                const CsrReport report = csr_find_defect(matrix.view(), {true, true}, Run(n_jobs));
                CHECK_EQ(report.defect, expected, repeat, n_jobs);
            }
        }
    });
}

TEST("2,000 matrices without a defect run through every kernel") {
    for_each_value([]<class Value>() {
        Random random(36);
        for (int repeat = 0; repeat < n_matrices / 2; ++repeat) {
            const auto matrix = random_matrix<Value>(random);
            const Run run(job_counts[static_cast<size_t>(repeat) % std::size(job_counts)],
                          available_instruction_sets().back());
            CHECK_EQ(csr_find_defect(matrix.view(), {true, true}, run).defect, CsrDefect::none,
                     repeat);
            run_every_kernel(random, matrix, run);
        }
    });
}

}  // namespace
}  // namespace wordodds
