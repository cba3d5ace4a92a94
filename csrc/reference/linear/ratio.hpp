// Slow twins of linear/count_ratios and linear/ratio_ascent: the ratios by their formula, how far
// weights are from the optimum, and the two values whose difference is the duality gap.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/linear/ratio_ascent.hpp"

namespace wordodds::reference {

// The weight that a row has for the class of column k.
inline long double class_weight(const LabelWeights& labels, int64_t n_columns, size_t row,
                                size_t k) {
    const auto own = static_cast<int32_t>(n_columns == 1 ? 1 : k);
    long double weight = 0;
    for (auto e = static_cast<size_t>(labels.indptr[row]);
         e < static_cast<size_t>(labels.indptr[row + 1]); ++e) {
        if (labels.codes[e] == own) weight += labels.weights[e];
    }
    return weight;
}

inline long double row_weight(const LabelWeights& labels, size_t row) {
    long double weight = 0;
    for (auto e = static_cast<size_t>(labels.indptr[row]);
         e < static_cast<size_t>(labels.indptr[row + 1]); ++e) {
        weight += labels.weights[e];
    }
    return weight;
}

// Weights of the rows with each feature.
struct FeatureCounts {
    std::vector<double> all;      // [j]
    std::vector<double> classes;  // [k * n_features + j]
};

inline FeatureCounts feature_counts(const CsrView<double>& m, const LabelWeights& labels,
                                    int64_t n_columns) {
    const auto n_features = static_cast<size_t>(m.n_cols);
    const auto n = static_cast<size_t>(n_columns);
    FeatureCounts counts{std::vector<double>(n_features), std::vector<double>(n_features * n)};
    for (size_t i = 0; i < static_cast<size_t>(m.n_rows); ++i) {
        for (auto e = static_cast<size_t>(m.indptr[i]); e < static_cast<size_t>(m.indptr[i + 1]);
             ++e) {
            if (m.data[e] == 0) continue;
            const auto j = static_cast<size_t>(m.indices[e]);
            counts.all[j] += static_cast<double>(row_weight(labels, i));
            for (size_t k = 0; k < n; ++k) {
                counts.classes[k * n_features + j] +=
                    static_cast<double>(class_weight(labels, n_columns, i, k));
            }
        }
    }
    return counts;
}

// r_jk as ratios[j * n_columns + k], from two counts: in the class and in the others.
inline std::vector<long double> count_ratios(const CsrView<double>& m, const LabelWeights& labels,
                                             int64_t n_columns, long double alpha) {
    const auto n_features = static_cast<size_t>(m.n_cols);
    const auto n = static_cast<size_t>(n_columns);
    std::vector<long double> ratios(n_features * n);
    for (size_t k = 0; k < n; ++k) {
        std::vector<long double> in(n_features, alpha), rest(n_features, alpha);
        for (size_t i = 0; i < static_cast<size_t>(m.n_rows); ++i) {
            const long double own = class_weight(labels, n_columns, i, k);
            const long double others = row_weight(labels, i) - own;
            for (auto e = static_cast<size_t>(m.indptr[i]);
                 e < static_cast<size_t>(m.indptr[i + 1]); ++e) {
                if (m.data[e] == 0) continue;
                in[static_cast<size_t>(m.indices[e])] += own;
                rest[static_cast<size_t>(m.indices[e])] += others;
            }
        }
        long double in_sum = 0, rest_sum = 0;
        for (const long double count : in) in_sum += count;
        for (const long double count : rest) rest_sum += count;
        for (size_t j = 0; j < n_features; ++j) {
            ratios[j * n + k] = std::log(in[j] / in_sum) - std::log(rest[j] / rest_sum);
        }
    }
    return ratios;
}

// What ratio_ascend minimises, apart from the matrix.
struct RatioObjective {
    LabelWeights labels;
    int64_t n_columns;
    std::span<const float> ratios;
    RatioPrior prior;
    double lean;
    double strength;
};

// One column of it, with the formulas of linear/ratio_ascent.hpp in long double.
class RatioColumn {
   public:
    RatioColumn(const CsrView<double>& matrix, const RatioObjective& objective, size_t k)
        : m_(matrix), o_(objective), k_(k), n_(static_cast<size_t>(objective.n_columns)) {
        for (size_t i = 0; i < static_cast<size_t>(m_.n_rows); ++i) {
            const long double all = row_weight(o_.labels, i);
            const long double own = class_weight(o_.labels, o_.n_columns, i, k);
            costs_.push_back(o_.strength * all);
            targets_.push_back(all > 0 ? own / all : 0);
            class_cost_ += o_.strength * own;
            rest_cost_ += o_.strength * (all - own);
        }
    }

    // What a duality gap is divided by: the cost of the rarer side, or of all rows if one side has
    // none.
    long double scale() const {
        const long double rarer = std::min(class_cost_, rest_cost_);
        return rarer > 0 ? rarer : class_cost_ + rest_cost_;
    }

    long double score(size_t i, const std::vector<double>& weights,
                      const std::vector<double>& intercept) const {
        long double score = intercept[k_];
        for_each_entry(i, [&](size_t j, long double x) { score += x * weights[j * n_ + k_]; });
        return score;
    }

    // a_i = c_i (t_i - sigmoid(z_i)) of every row.
    std::vector<long double> duals(const std::vector<double>& weights,
                                   const std::vector<double>& intercept) const {
        std::vector<long double> a;
        for (size_t i = 0; i < costs_.size(); ++i) {
            const long double p = 1 / (1 + std::exp(-score(i, weights, intercept)));
            a.push_back(costs_[i] * (targets_[i] - p));
        }
        return a;
    }

    // The largest |w_j - lean r_j - s_j sum_i x_ij a_i|, or |b - step sum_i a_i| if that is larger,
    // with a_i from the scores of these weights: zero at the optimum and nowhere else.
    long double residual(const std::vector<double>& weights,
                         const std::vector<double>& intercept) const {
        const auto a = duals(weights, intercept);
        const auto sums = feature_sums(a);
        long double worst = std::abs(intercept[k_] - o_.prior.intercept_step * sum_of(a));
        for (size_t j = 0; j < sums.size(); ++j) {
            const long double should = centre(j) + scale_of(j) * sums[j];
            worst = std::max(worst, std::abs(weights[j * n_ + k_] - should));
        }
        return worst;
    }

    // Losses and penalty. Precondition: a weight without any room (s_j = 0) is where it has to be.
    long double value(const std::vector<double>& weights,
                      const std::vector<double>& intercept) const {
        long double value = 0;
        for (size_t i = 0; i < costs_.size(); ++i) {
            const long double z = score(i, weights, intercept);
            value += costs_[i] * (std::log1p(std::exp(z)) - targets_[i] * z);
        }
        for (size_t j = 0; j < static_cast<size_t>(m_.n_cols); ++j) {
            const long double from = weights[j * n_ + k_] - centre(j);
            if (from != 0) value += from * from / scale_of(j) / 2;
        }
        const long double b = intercept[k_];
        if (b != 0) value += b * b / o_.prior.intercept_step / 2;
        return value;
    }

    // The dual value of a: with u_j = sum_i x_ij a_i and H the entropy of a probability
    //     sum_i c_i H(t_i - a_i / c_i) - sum_j (lean r_j u_j + s_j u_j^2 / 2)
    //     - step (sum_i a_i)^2 / 2,
    // which is at most value() of any weights, and equal at the optimum alone.
    long double dual_value(const std::vector<long double>& a) const {
        long double value = 0;
        for (size_t i = 0; i < costs_.size(); ++i) {
            if (costs_[i] == 0) continue;
            const long double p = std::clamp(targets_[i] - a[i] / costs_[i], 0.0L, 1.0L);
            if (p > 0) value -= costs_[i] * p * std::log(p);
            if (p < 1) value -= costs_[i] * (1 - p) * std::log1p(-p);
        }
        const auto sums = feature_sums(a);
        for (size_t j = 0; j < sums.size(); ++j) {
            value -= centre(j) * sums[j] + scale_of(j) * sums[j] * sums[j] / 2;
        }
        const long double sum = sum_of(a);
        return value - o_.prior.intercept_step * sum * sum / 2;
    }

   private:
    long double ratio(size_t j) const { return o_.ratios[j * n_ + k_]; }
    long double centre(size_t j) const { return o_.lean * ratio(j); }
    long double scale_of(size_t j) const { return ratio(j) * ratio(j) + o_.prior.floor; }

    template <class Use>
    void for_each_entry(size_t i, Use use) const {
        for (auto e = static_cast<size_t>(m_.indptr[i]); e < static_cast<size_t>(m_.indptr[i + 1]);
             ++e) {
            use(static_cast<size_t>(m_.indices[e]), static_cast<long double>(m_.data[e]));
        }
    }

    std::vector<long double> feature_sums(const std::vector<long double>& a) const {
        std::vector<long double> sums(static_cast<size_t>(m_.n_cols), 0);
        for (size_t i = 0; i < a.size(); ++i) {
            for_each_entry(i, [&](size_t j, long double x) { sums[j] += x * a[i]; });
        }
        return sums;
    }

    static long double sum_of(const std::vector<long double>& a) {
        long double sum = 0;
        for (const long double dual : a) sum += dual;
        return sum;
    }

    const CsrView<double> m_;
    const RatioObjective o_;
    size_t k_;
    size_t n_;
    std::vector<long double> costs_;
    std::vector<long double> targets_;
    long double class_cost_ = 0;
    long double rest_cost_ = 0;
};

// The largest residual of any column.
inline long double ratio_residual(const CsrView<double>& matrix, const RatioObjective& objective,
                                  const std::vector<double>& weights,
                                  const std::vector<double>& intercept) {
    long double worst = 0;
    for (size_t k = 0; k < static_cast<size_t>(objective.n_columns); ++k) {
        const RatioColumn column(matrix, objective, k);
        const long double residual = column.residual(weights, intercept);
        if (!(residual <= worst)) worst = residual;  // NaN too
    }
    return worst;
}

}  // namespace wordodds::reference
