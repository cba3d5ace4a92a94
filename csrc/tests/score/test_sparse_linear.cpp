#include <limits>

#include "reference/score/linear.hpp"
#include "tests/check.hpp"
#include "tests/execution.hpp"
#include "tests/matrices.hpp"
#include "wordodds/score/sparse_linear.hpp"

namespace wordodds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Weights {
    std::vector<double> bias, class_scale, class_base, feature_base;
    std::vector<int64_t> indptr{0};
    std::vector<int32_t> classes;
    std::vector<double> excess;

    SparseClassWeights view() const {
        return {bias, class_scale, class_base, feature_base, indptr, classes, excess};
    }
};

std::vector<double> random_numbers(Random& random, int64_t n) {
    std::vector<double> numbers(static_cast<size_t>(n));
    for (double& number : numbers) number = 8.0 * uniform(random) - 5.0;
    return numbers;
}

// One cell in `rarity` has an excess.
Weights random_weights(Random& random, int64_t n_cols, int64_t n_classes, uint64_t rarity) {
    Weights w;
    w.bias = random_numbers(random, n_classes);
    w.class_scale = random_numbers(random, n_classes);
    w.class_base = random_numbers(random, n_classes);
    w.feature_base = random_numbers(random, n_cols);
    for (int64_t j = 0; j < n_cols; ++j) {
        for (int64_t c = 0; c < n_classes; ++c) {
            if (random() % rarity != 0) continue;
            w.classes.push_back(static_cast<int32_t>(c));
            w.excess.push_back(10.0 * uniform(random) - 5.0);
        }
        w.indptr.push_back(static_cast<int64_t>(w.classes.size()));
    }
    w.classes.shrink_to_fit();
    w.excess.shrink_to_fit();
    return w;
}

template <class Value>
std::vector<double> scores(const OwnedCsr<Value>& matrix, const Weights& weights,
                           const Execution& execution) {
    // NaN shows whatever is not overwritten.
    std::vector<double> out(static_cast<size_t>(matrix.n_rows) * weights.bias.size(), nan);
    csr_score_sparse_classes(matrix.view(), weights.view(), execution, std::span<double>(out));
    return out;
}

template <class Value>
void check_scores(const OwnedCsr<Value>& matrix, const Weights& w) {
    const auto expected = reference::csr_score_sparse_classes<double>(matrix.view(), w.view());
    const auto exact = reference::csr_score_sparse_classes<long double>(matrix.view(), w.view());
    for (const InstructionSet set : available_instruction_sets()) {
        for (const int32_t n_jobs : {1, 2, 5, 16}) {
            const auto actual = scores(matrix, w, Run(n_jobs, set));
            CHECK_SAME(actual, expected, instruction_set_name(set), n_jobs, w.bias.size());
            for (size_t i = 0; i < actual.size(); ++i) {
                CHECK_CLOSE(actual[i], static_cast<double>(exact[i]), 1e-12, i, w.bias.size());
            }
        }
    }
}

TEST("sparse scores written out by hand") {
    const OwnedCsr<float> matrix{2, 2, {0, 2, 2}, {1, 0}, {2.0f, 0.5f}};
    // Row 0: 2 * 100 + 0.5 * 10 = 205 times the scale, 2.5 times the base.
    const Weights w{{1, 2}, {1, -1}, {4, 0}, {10, 100}, {0, 1, 3}, {1, 0, 1}, {1000, 7, 9}};
    CHECK_SAME(scores(matrix, w, Run()),
               (std::vector<double>{1 + 205 + 10 + 14, 2 - 205 + 500 + 18, 1, 2}));
}

TEST("sparse scores of each index and value type: the bits of a plain loop, for any n_jobs") {
    for_each_number([]<class Value>() {
        Random random(70);
        for (const int64_t n_rows : {0, 1, 255, 256, 257, 700}) {
            const auto matrix = random_csr<Value>(random, n_rows, 90, 25);
            check_scores(matrix, random_weights(random, 90, 13, 4));
        }
    });
}

TEST("sparse scores of 1 to 3,000 classes, from no excess to excess everywhere") {
    Random random(71);
    for (const int64_t n_classes : {1, 2, 7, 8, 70, 3000}) {
        for (const uint64_t rarity : {1u, 3u, 1'000'000u}) {
            const auto matrix = random_csr<double>(random, 12, 9, 6);
            check_scores(matrix, random_weights(random, 9, n_classes, rarity));
        }
    }
}

TEST("an entry of zero adds nothing, also where weights are infinite") {
    // Values 0, 2; 3; -0; none.
    const OwnedCsr<double> matrix{4, 2, {0, 2, 3, 4, 4}, {0, 1, 0, 0}, {0.0, 2.0, 3.0, -0.0}};
    const Weights w{{1, 1},    {1, 0}, {0, -infinity},        {0.5, 0.5},
                    {0, 2, 2}, {0, 1}, {-infinity, -infinity}};
    for_each_execution([&](const Execution& execution) {
        CHECK_SAME(scores(matrix, w, execution),
                   (std::vector<double>{2, -infinity, -infinity, -infinity, 1, 1, 1, 1}));
    });
}

TEST("some classes at minus infinity do not touch the others, and nothing is NaN") {
    Random random(72);
    const auto matrix = random_csr<float>(random, 300, 20, 6);
    Weights w = random_weights(random, 20, 13, 3);
    for (size_t k = 0; k < w.excess.size(); k += 5) w.excess[k] = -infinity;
    w.class_base[4] = -infinity;
    check_scores(matrix, w);
    for (const double score : scores(matrix, w, Run())) CHECK(!std::isnan(score));
}

TEST("sparse scoring stops when asked") {
    Random random(73);
    const auto matrix = random_csr<double>(random, 1000, 10, 3);
    const Weights w = random_weights(random, 10, 4, 2);
    for (const int32_t n_jobs : job_counts) {
        Run run(n_jobs);
        run.stop().request();
        CHECK_THROWS(Stopped, scores(matrix, w, run));
    }
}

TEST("a long row and a row that meets much excess look at the token") {
    Random random(74);
    const auto looks = [](int64_t n_entries, const Weights& w) {
        OwnedCsr<double> row{1, 2, {0, static_cast<int32_t>(n_entries)}, {}, {}};
        row.indices.assign(static_cast<size_t>(n_entries), 1);
        row.data.assign(static_cast<size_t>(n_entries), 1.0);
        return count_looks([&](const Execution& execution) { scores(row, w, execution); });
    };
    CHECK(looks(1'000'000, random_weights(random, 2, 1, 1)) >= 11);  // two passes and the excess
    CHECK(looks(20, random_weights(random, 2, 100'000, 1)) >= 6);
}

}  // namespace
}  // namespace wordodds
