// Quadratic models of the loss, as coordinate descent meets them: one cell a row.
//
// A model offers evaluate(step), the loss at `step` of the present direction; accept(step), which
// moves there and makes the direction zero; and open(k) .. close(k), between which the cells of
// class k may be changed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "prox_newton.hpp"
#include "row_loss.hpp"

namespace wordodds {

// One row, in half a cache line.
struct alignas(32) Cell {
    double residual;   // derivative of the model by this row's score, at the present direction
    double direction;  // change of the score so far
    double curvature;  // change of the residual per change of the score
};

// Where a row is far on the wrong side its curvature vanishes, but not its residual: without this
// the model would send it far over to the other side, and the line search all rows almost nowhere.
inline double curvature_damping(double residual) {
    return std::max(std::abs(residual) / 64.0, 1e-12);
}

// One column of weights against the rest.
class LogisticModel {
   public:
    LogisticModel(const LabelledRows& rows, const Execution&, std::span<WorkingClass> classes)
        : rows_(rows), of_(classes[0]), cells_(rows.codes.size()), trial_(rows.codes.size()) {}

    double evaluate(double step) {
        double loss = 0.0;
        for (size_t i = 0; i < cells_.size(); ++i) {
            const auto row = logistic_row(of_.scores[i] + step * cells_[i].direction,
                                          rows_.codes[i] == of_.code);
            const double share = rows_.shares[i];
            loss += share * row.loss;
            const double curvature = std::max(row.curvature, curvature_damping(row.residual));
            trial_[i] = {share * row.residual, 0.0, share * curvature};
        }
        return loss;
    }

    void accept(double step) {
        for (size_t i = 0; i < cells_.size(); ++i) of_.scores[i] += step * cells_[i].direction;
        std::swap(cells_, trial_);
    }

    std::span<Cell> open(size_t) { return cells_; }
    void close(size_t) {}

   private:
    const LabelledRows& rows_;
    WorkingClass& of_;
    std::vector<Cell> cells_, trial_;  // now, and where evaluate has been
};

// All columns together. The Hessian of a row is share (diag(p) - p p'): within a class share p (1 -
// p), and the other classes come in through mean = sum_l p_l direction_l.
class SoftmaxModel {
   public:
    // Precondition: the scores of the classes follow each other in one array.
    SoftmaxModel(const LabelledRows& rows, const Execution& execution,
                 std::span<WorkingClass> classes)
        : rows_(rows),
          execution_(execution),
          n_rows_(rows.codes.size()),
          n_classes_(classes.size()),
          scores_(classes[0].scores.data()),
          cells_(n_rows_),
          mean_(n_rows_),
          direction_(n_rows_ * n_classes_),
          p_(n_rows_ * n_classes_),
          trial_(n_rows_ * n_classes_) {}

    double evaluate(double step) {
        const FixedChunks chunks{static_cast<int64_t>(n_rows_), rows_per_chunk};
        return parallel_reduce(
            execution_, chunks.count(), 0.0,
            [&](int64_t chunk) {
                double loss = 0.0;
                for (int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
                    const auto row = static_cast<size_t>(i);
                    loss += rows_.shares[row] * softmax_row(scores_ + i, direction_.data() + i,
                                                            step, static_cast<int64_t>(n_classes_),
                                                            static_cast<int64_t>(n_rows_),
                                                            rows_.codes[row], trial_.data() + i);
                }
                return loss;
            },
            std::plus<double>());
    }

    void accept(double step) {
        for (size_t i = 0; i < direction_.size(); ++i) scores_[i] += step * direction_[i];
        std::fill(direction_.begin(), direction_.end(), 0.0);
        std::fill(mean_.begin(), mean_.end(), 0.0);
        std::swap(p_, trial_);
    }

    std::span<Cell> open(size_t k) {
        const double* const p = p_.data() + k * n_rows_;
        const double* const direction = direction_.data() + k * n_rows_;
        const auto code = static_cast<int32_t>(k);
        for (size_t i = 0; i < n_rows_; ++i) {
            const double share = rows_.shares[i];
            const double residual = p[i] - (rows_.codes[i] == code ? 1.0 : 0.0);
            const double damping = curvature_damping(residual);
            const double change = p[i] * (direction[i] - mean_[i]) + damping * direction[i];
            cells_[i] = {share * (residual + change), direction[i],
                         share * (p[i] * (1.0 - p[i]) + damping)};
        }
        return cells_;
    }

    void close(size_t k) {
        const double* const p = p_.data() + k * n_rows_;
        double* const direction = direction_.data() + k * n_rows_;
        for (size_t i = 0; i < n_rows_; ++i) {
            mean_[i] += p[i] * (cells_[i].direction - direction[i]);
            direction[i] = cells_[i].direction;
        }
    }

   private:
    static constexpr int64_t rows_per_chunk = 512;

    const LabelledRows& rows_;
    const Execution& execution_;
    size_t n_rows_, n_classes_;
    double* scores_;
    std::vector<Cell> cells_;
    std::vector<double> mean_, direction_, p_, trial_;  // all but the mean class by class
};

}  // namespace wordodds
