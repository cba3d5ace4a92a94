// Slow twin of linear/sgd and linear/margin_loss: every weight is touched at every step, nothing is
// lazy but what the definition of the cumulative L1 penalty says.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "wordodds/base/types.hpp"
#include "wordodds/linear/sgd.hpp"

namespace wordodds::reference {

using Real = long double;

struct LossAndSlope {
    Real loss;
    Real slope;  // by the score
};

inline LossAndSlope margin_loss(SgdLoss kind, Real score, bool positive) {
    const Real y = positive ? 1 : -1, m = y * score;
    switch (kind) {
        case SgdLoss::log_loss: {
            const Real loss = m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
            return {loss, -y / (1 + std::exp(m))};
        }
        case SgdLoss::hinge: return m <= 1 ? LossAndSlope{1 - m, -y} : LossAndSlope{0, 0};
        case SgdLoss::perceptron: return m <= 0 ? LossAndSlope{-m, -y} : LossAndSlope{0, 0};
        case SgdLoss::squared_hinge:
            return m < 1 ? LossAndSlope{(1 - m) * (1 - m), -2 * y * (1 - m)} : LossAndSlope{0, 0};
        case SgdLoss::modified_huber:
            if (m < -1) return {-4 * m, -4 * y};
            return margin_loss(SgdLoss::squared_hinge, score, positive);
        default: return {(y - score) * (y - score) / 2, score - y};
    }
}

inline std::vector<LossAndSlope> softmax_losses(const std::vector<Real>& scores, int64_t label) {
    const Real largest = *std::max_element(scores.begin(), scores.end());
    Real total = 0;
    for (const Real s : scores) total += std::exp(s - largest);
    std::vector<LossAndSlope> result;
    for (const Real s : scores) result.push_back({0, std::exp(s - largest) / total});
    const auto at = static_cast<size_t>(label);
    result[at].loss = std::log(total) + largest - scores[at];
    result[at].slope -= 1;
    return result;
}

// Weights of one column; n_features each.
struct SgdColumn {
    std::vector<Real> weights, average_sums, l1_received, duals, roots;
    Real bias = 0, average_bias_sum = 0, bias_root = 0;
    Real loss_sum = 0, penalty_sum = 0;
};

class Sgd {
   public:
    Sgd(const SgdOptions& options, int64_t n_features, int64_t n_columns, double first_root)
        : options_(options), columns_(static_cast<size_t>(n_columns)) {
        for (SgdColumn& column : columns_) {
            const auto n = static_cast<size_t>(n_features);
            column.weights = column.average_sums = column.l1_received = column.duals =
                std::vector<Real>(n, 0);
            column.roots.assign(n, first_root);
            column.bias_root = first_root;
        }
    }

    // x has a value, maybe 0, for each feature; touched says which the row has.
    void step(const std::vector<Real>& x, const std::vector<bool>& touched, int64_t label,
              double weight, std::span<const double> positive_weights) {
        std::vector<Real> scores;
        for (const SgdColumn& column : columns_) {
            Real score = column.bias;
            for (size_t j = 0; j < x.size(); ++j) score += x[j] * column.weights[j];
            scores.push_back(score);
        }
        std::vector<LossAndSlope> losses;
        if (options_.loss == SgdLoss::softmax) {
            losses = softmax_losses(scores, label);
        } else {
            for (size_t c = 0; c < scores.size(); ++c) {
                losses.push_back(margin_loss(options_.loss, scores[c], is_label(c, label)));
            }
        }
        l1_total_ += options_.l1 * eta();
        for (size_t c = 0; c < columns_.size(); ++c) {
            Real factor = weight;
            if (!positive_weights.empty() && is_label(c, label)) factor *= positive_weights[c];
            const Real slope = std::clamp<Real>(losses[c].slope, -1e12L, 1e12L) * factor;
            columns_[c].loss_sum += losses[c].loss * factor;
            if (options_.schedule == SgdSchedule::adagrad) {
                adagrad_step(columns_[c], x, slope);
            } else {
                plain_step(columns_[c], x, touched, slope);
            }
        }
        t_ += 1;
    }

    // What is due of the L1 penalty, on every weight.
    void settle() {
        if (options_.schedule == SgdSchedule::adagrad) return;
        for (SgdColumn& column : columns_) {
            for (size_t j = 0; j < column.weights.size(); ++j) penalize(column, j);
        }
    }

    const std::vector<SgdColumn>& columns() const { return columns_; }
    Real n_averaged() const { return t_ - options_.average_from; }

   private:
    bool is_label(size_t c, int64_t label) const {
        return columns_.size() == 1 ? label == 1 : static_cast<int64_t>(c) == label;
    }

    Real eta() const {
        if (options_.schedule == SgdSchedule::optimal) {
            return 1 / (options_.alpha * (options_.optimal_start + t_ - 1));
        }
        if (options_.schedule == SgdSchedule::invscaling) {
            return options_.eta0 / std::pow(t_, static_cast<Real>(options_.power_t));
        }
        return options_.eta0;
    }

    void penalize(SgdColumn& column, size_t j) const {
        Real& w = column.weights[j];
        Real& received = column.l1_received[j];
        const Real before = w;
        if (w > 0) w = std::max<Real>(0, w - (l1_total_ + received));
        if (w < 0) w = std::min<Real>(0, w + (l1_total_ - received));
        received += w - before;
    }

    void plain_step(SgdColumn& column, const std::vector<Real>& x, const std::vector<bool>& touched,
                    Real slope) {
        for (const Real w : column.weights) {
            column.penalty_sum += options_.l2 / 2 * w * w + options_.l1 * std::abs(w);
        }
        for (size_t j = 0; j < x.size(); ++j) {
            column.weights[j] *= std::max<Real>(0, 1 - options_.l2 * eta());
            column.weights[j] -= eta() * slope * x[j];
            if (options_.l1 > 0 && touched[j]) penalize(column, j);
        }
        column.bias -= options_.bias_rate * eta() * slope;
        if (options_.average_from > 0 && options_.average_from <= t_) {
            for (size_t j = 0; j < x.size(); ++j) column.average_sums[j] += column.weights[j];
            column.average_bias_sum += column.bias;
        }
    }

    void adagrad_step(SgdColumn& column, const std::vector<Real>& x, Real slope) const {
        for (size_t j = 0; j < x.size(); ++j) {
            const Real g = slope * x[j];
            const Real root = std::sqrt(column.roots[j] * column.roots[j] + g * g);
            column.duals[j] += g - (root - column.roots[j]) / options_.eta0 * column.weights[j];
            column.roots[j] = root;
            const Real size = std::max<Real>(0, std::abs(column.duals[j]) - t_ * options_.l1);
            column.weights[j] =
                (column.duals[j] > 0 ? -size : size) / (t_ * options_.l2 + root / options_.eta0);
        }
        column.bias_root = std::sqrt(column.bias_root * column.bias_root + slope * slope);
        column.bias -= options_.eta0 * options_.bias_rate * slope / column.bias_root;
    }

    const SgdOptions options_;
    std::vector<SgdColumn> columns_;
    Real t_ = 1;
    Real l1_total_ = 0;
};

}  // namespace wordodds::reference
