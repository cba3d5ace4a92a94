// Slow twin of linear/coordinate: proximal gradient descent on a dense matrix, run for long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "wordodds/base/types.hpp"
#include "wordodds/linear/coordinate.hpp"

namespace wordodds::reference {

class DenseObjective {
   public:
    template <class Value>
    DenseObjective(const CsrView<Value>& columns, const LabelledRows& rows,
                   const CoordinateOptions& options)
        : n_(static_cast<size_t>(columns.n_cols)),
          p_(static_cast<size_t>(columns.n_rows)),
          k_(static_cast<size_t>(options.n_columns)),
          x_(n_ * p_, 0.0),
          rows_(rows),
          options_(options) {
        for (size_t j = 0; j < p_; ++j) {
            for (auto i = columns.indptr[j]; i < columns.indptr[j + 1]; ++i) {
                const auto at = static_cast<size_t>(i);
                const auto row = static_cast<size_t>(columns.indices[at]);
                x_[row * p_ + j] += static_cast<double>(columns.data[at]);
            }
        }
    }

    size_t size() const { return (p_ + options_.fit_intercept) * k_; }

    // Loss and its gradient at a point, from the definitions.
    double loss(const std::vector<double>& point, std::vector<double>* gradient) const {
        double total = 0.0;
        if (gradient != nullptr) gradient->assign(size(), 0.0);
        for (size_t i = 0; i < n_; ++i) {
            std::vector<double> z(k_, 0.0), residual(k_);
            for (size_t k = 0; k < k_; ++k) {
                for (size_t j = 0; j < p_; ++j) z[k] += x_[i * p_ + j] * point[j * k_ + k];
                if (options_.fit_intercept) z[k] += point[p_ * k_ + k];
            }
            const auto code = static_cast<size_t>(rows_.codes[i]);
            if (options_.loss == CoordinateLoss::softmax) {
                double sum = 0.0;
                for (const double score : z) sum += std::exp(score);
                total += rows_.shares[i] * (std::log(sum) - z[code]);
                for (size_t k = 0; k < k_; ++k) residual[k] = std::exp(z[k]) / sum - (k == code);
            } else {
                for (size_t k = 0; k < k_; ++k) {
                    const double label = code == (k_ == 1 ? 1 : k) ? 1.0 : 0.0;
                    total += rows_.shares[i] * (std::log(1.0 + std::exp(z[k])) - label * z[k]);
                    residual[k] = 1.0 / (1.0 + std::exp(-z[k])) - label;
                }
            }
            if (gradient == nullptr) continue;
            for (size_t k = 0; k < k_; ++k) {
                const double r = rows_.shares[i] * residual[k];
                for (size_t j = 0; j < p_; ++j) (*gradient)[j * k_ + k] += r * x_[i * p_ + j];
                if (options_.fit_intercept) (*gradient)[p_ * k_ + k] += r;
            }
        }
        return total;
    }

    double value(const std::vector<double>& point) const {
        double penalty = 0.0;
        for (size_t c = 0; c < p_ * k_; ++c) {
            penalty += options_.l1 * std::abs(point[c]) + 0.5 * options_.l2 * point[c] * point[c];
        }
        return loss(point, nullptr) + penalty;
    }

    // Steps of 1 / L, L a bound of the loss's curvature, with momentum that starts anew when it
    // leads uphill.
    std::vector<double> minimise(int n_steps) const {
        double bound = 0.0;
        for (size_t i = 0; i < n_; ++i) {
            double square = options_.fit_intercept ? 1.0 : 0.0;
            for (size_t j = 0; j < p_; ++j) square += x_[i * p_ + j] * x_[i * p_ + j];
            bound += 0.5 * rows_.shares[i] * square;
        }
        const double step = 1.0 / bound;
        std::vector<double> point(size(), 0.0), ahead = point, gradient;
        double momentum = 1.0, last = value(point);
        for (int n = 0; n < n_steps; ++n) {
            loss(ahead, &gradient);
            std::vector<double> next(size());
            for (size_t c = 0; c < size(); ++c) {
                const double w = ahead[c] - step * gradient[c];
                const bool free = c >= p_ * k_;
                const double l1 = free ? 0.0 : step * options_.l1,
                             l2 = free ? 0.0 : step * options_.l2;
                next[c] = std::copysign(std::max(std::abs(w) - l1, 0.0), w) / (1.0 + l2);
            }
            const double now = value(next);
            const double grown = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
            const double factor = now > last ? 0.0 : (momentum - 1.0) / grown;
            momentum = now > last ? 1.0 : grown;
            for (size_t c = 0; c < size(); ++c) ahead[c] = next[c] + factor * (next[c] - point[c]);
            point = next;
            last = now;
        }
        return point;
    }

   private:
    size_t n_, p_, k_;
    std::vector<double> x_;
    LabelledRows rows_;
    CoordinateOptions options_;
};

}  // namespace wordodds::reference
