#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/check.hpp"
#include "tests/documents.hpp"
#include "tests/execution.hpp"
#include "wordodds/base/stride.hpp"
#include "wordodds/linear/loss.hpp"

namespace wordodds {
namespace {

// Rows whose scores are near, far and very far from each other, in turns.
struct Scored {
    int64_t n_columns;
    int64_t stride;
    std::vector<int32_t> codes;
    std::vector<double> weights, scores, gradient, second;

    Scored(Random& random, int64_t n_rows, int64_t n_columns_)
        : n_columns(n_columns_), stride(lane_stride(n_columns)) {
        for (int64_t row = 0; row < n_rows; ++row) {
            codes.push_back(static_cast<int32_t>(below(random, std::max<int64_t>(2, n_columns))));
            weights.push_back(0.5 + uniform(random));
            const double scale = std::pow(10.0, static_cast<double>(row % 6) - 3.0);
            for (int64_t k = 0; k < stride; ++k) {
                scores.push_back(k < n_columns ? scale * (2.0 * uniform(random) - 1.0) : 0.0);
            }
        }
        gradient.resize(scores.size());
        second.resize(scores.size());
    }

    ScoredRows rows() const {
        return {static_cast<int64_t>(codes.size()), n_columns, stride, codes, weights, scores};
    }
    bool is_own(size_t row, int64_t k) const {
        return n_columns == 1 ? codes[row] == 1 : codes[row] == k;
    }
};

TEST("the logistic loss against long doubles") {
    Random random(91);
    for (const int64_t n_columns : {1, 3, 8}) {
        Scored s(random, 3001, n_columns);
        const double value = rows_scalar_loss(s.rows(), logit_loss, Run(), s.gradient, s.second);
        long double sum = 0.0L;
        for (size_t i = 0; i < s.codes.size(); ++i) {
            for (int64_t k = 0; k < s.stride; ++k) {
                const size_t at = i * static_cast<size_t>(s.stride) + static_cast<size_t>(k);
                if (k >= n_columns) {
                    CHECK_EQ(s.gradient[at], 0.0);
                    continue;
                }
                const long double z = s.is_own(i, k) ? -s.scores[at] : s.scores[at];
                const long double weight = s.weights[i];
                const long double missing = 1.0L / (1.0L + std::exp(-z));
                const long double sign = s.is_own(i, k) ? -1.0L : 1.0L;
                sum += weight * (std::fmax(z, 0.0L) + std::log1p(std::exp(-std::fabs(z))));
                CHECK_CLOSE(s.gradient[at], static_cast<double>(sign * weight * missing), 2e-15, z);
                CHECK_CLOSE(s.second[at],
                            static_cast<double>(weight * missing / (1.0L + std::exp(z))), 2e-15, z);
            }
        }
        CHECK_CLOSE(value, static_cast<double>(sum), 1e-14, n_columns);
    }
}

TEST("the softmax loss against long doubles") {
    Random random(92);
    for (const int64_t n_columns : {2, 5, 20, 33}) {
        Scored s(random, 501, n_columns);
        const double value = rows_softmax_loss(s.rows(), Run(), s.gradient, s.second);
        long double sum = 0.0L;
        for (size_t i = 0; i < s.codes.size(); ++i) {
            const size_t first = i * static_cast<size_t>(s.stride);
            const auto own = static_cast<size_t>(s.codes[i]);
            const long double z = s.scores[first + own];
            long double others = 0.0L;  // beside the own class
            double reach = 0.0;         // differences of scores are off by that many last digits
            for (size_t k = 0; k < static_cast<size_t>(n_columns); ++k) {
                if (k != own) others += std::exp(s.scores[first + k] - z);
                reach = std::max(reach, std::abs(s.scores[first + k]));
            }
            const double tolerance = 3e-15 + 5e-16 * reach;
            sum += s.weights[i] * std::log1p(others);
            for (size_t k = 0; k < static_cast<size_t>(s.stride); ++k) {
                const bool padding = k >= static_cast<size_t>(n_columns);
                const long double p =
                    padding ? 0.0L : std::exp(s.scores[first + k] - z) / (1.0L + others);
                const long double slope = k == own ? -others / (1.0L + others) : p;
                // Nobody can tell 3e-308 from 0.
                CHECK(std::abs(s.second[first + k] - static_cast<double>(p)) <
                          tolerance * static_cast<double>(p) + 1e-300,
                      k, n_columns);
                CHECK(std::abs(s.gradient[first + k] - static_cast<double>(s.weights[i] * slope)) <
                          2.0 * tolerance * std::abs(static_cast<double>(slope)) + 1e-300,
                      k, n_columns);
            }
        }
        CHECK_CLOSE(value, static_cast<double>(sum), 1e-14, n_columns);
    }
}

TEST("losses have the same bits for any execution") {
    Random random(93);
    Scored s(random, 5003, 5);
    const auto run = [&](const Execution& execution) {
        std::vector<double> found{rows_softmax_loss(s.rows(), execution, s.gradient, s.second)};
        found.insert(found.end(), s.gradient.begin(), s.gradient.end());
        found.push_back(rows_scalar_loss(s.rows(), logit_loss, execution, s.gradient, s.second));
        found.insert(found.end(), s.gradient.begin(), s.gradient.end());
        found.insert(found.end(), s.second.begin(), s.second.end());
        return found;
    };
    const auto first = run(Run());
    for_each_execution(
        [&](const Execution& execution) { CHECK_SAME(run(execution), first, execution.n_jobs); });
}

TEST("a score that is not a number does not go unnoticed") {
    const std::vector<int32_t> codes{0};
    const std::vector<double> weights{1.0}, scores{0.0, std::nan(""), 0.0, 0.0};
    std::vector<double> gradient(4), second(4);
    const ScoredRows rows{1, 3, 4, codes, weights, scores};
    CHECK(std::isnan(rows_softmax_loss(rows, Run(), gradient, second)));
}

}  // namespace
}  // namespace wordodds
