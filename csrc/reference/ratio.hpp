// Slow twin of linear/ratio_ascent: the scales by their formula, and how far weights are from the optimum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds::reference {

inline bool is_positive(const RatioProblem& problem, size_t row, int64_t k) {
    return problem.codes[row] == (problem.n_columns == 1 ? 1 : k);
}

// s_jk as scales[j * n_columns + k].
template <class Index>
std::vector<long double> ratio_scales(const CsrView<Index, double>& m, const RatioProblem& problem) {
    const auto n_columns = static_cast<size_t>(problem.n_columns);
    const auto n_cols = static_cast<size_t>(m.n_cols);
    std::vector<long double> scales(n_cols * n_columns);
    for (size_t k = 0; k < n_columns; ++k) {
        std::vector<long double> in(n_cols, problem.scales.alpha), out(n_cols, problem.scales.alpha);
        for (size_t i = 0; i < static_cast<size_t>(m.n_rows); ++i) {
            auto& side = is_positive(problem, i, static_cast<int64_t>(k)) ? in : out;
            for (auto e = static_cast<size_t>(m.indptr[i]); e < static_cast<size_t>(m.indptr[i + 1]); ++e) {
                if (m.data[e] != 0) side[static_cast<size_t>(m.indices[e])] += problem.counts[i];
            }
        }
        long double in_sum = 0, out_sum = 0;
        for (const long double count : in) in_sum += count;
        for (const long double count : out) out_sum += count;
        for (size_t j = 0; j < n_cols; ++j) {
            const long double ratio = std::log(in[j] / in_sum) - std::log(out[j] / out_sum);
            scales[j * n_columns + k] = ratio * ratio + problem.scales.floor;
        }
    }
    return scales;
}

// The largest |w_jk - s_jk sum_i x_ij a_ik|, where a_ik is what the scores of w say it should be: zero
// at the optimum and nowhere else. The intercept's w - step * sum_i a_ik counts among them.
template <class Index>
long double ratio_residual(const CsrView<Index, double>& m, const RatioProblem& problem,
                           const std::vector<double>& weights, const std::vector<double>& intercept) {
    const auto n_columns = static_cast<size_t>(problem.n_columns);
    const auto scales = ratio_scales(m, problem);
    long double worst = 0;
    for (size_t k = 0; k < n_columns; ++k) {
        std::vector<long double> sums(static_cast<size_t>(m.n_cols), 0);
        long double sum = 0;
        for (size_t i = 0; i < static_cast<size_t>(m.n_rows); ++i) {
            long double score = intercept[k];
            const auto begin = static_cast<size_t>(m.indptr[i]);
            const auto end = static_cast<size_t>(m.indptr[i + 1]);
            for (size_t e = begin; e < end; ++e) {
                score += m.data[e] * weights[static_cast<size_t>(m.indices[e]) * n_columns + k];
            }
            const long double y = is_positive(problem, i, static_cast<int64_t>(k));
            const long double a = problem.costs[i] * (y - 1 / (1 + std::exp(-score)));
            for (size_t e = begin; e < end; ++e) sums[static_cast<size_t>(m.indices[e])] += m.data[e] * a;
            sum += a;
        }
        for (size_t j = 0; j < sums.size(); ++j) {
            const long double should = scales[j * n_columns + k] * sums[j];
            worst = std::max(worst, std::abs(weights[j * n_columns + k] - should));
        }
        worst = std::max(worst, std::abs(intercept[k] - problem.intercept_step * sum));
    }
    return worst;
}

}  // namespace wordodds::reference
