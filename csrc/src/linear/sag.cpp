#include "wordodds/linear/sag.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wordodds {
namespace {

constexpr int64_t entries_between_looks = 1 << 12;  // at the stop token
constexpr double scale_min = 1e-100;  // V = W / c grows as c shrinks: time to begin anew

// One epoch: the state, and what is owed to each feature.
template <class Value>
class Epoch {
   public:
    Epoch(const CsrView<Value>& matrix, const SagProblem& problem, const SagState& state)
        : matrix_(matrix),
          problem_(problem),
          state_(state),
          paid_(static_cast<size_t>(matrix.n_cols), 0.0),
          scores_(static_cast<size_t>(problem.stride), 0.0),
          targets_(scores_),
          losses_(scores_),
          derivatives_(scores_),
          seconds_(scores_) {}

    void visit(int64_t row) {
        const auto r = static_cast<size_t>(row);
        const auto begin = static_cast<int64_t>(matrix_.indptr[r]);
        const auto end = static_cast<int64_t>(matrix_.indptr[r + 1]);
        const auto stride = static_cast<size_t>(problem_.stride);
        std::fill(scores_.begin(), scores_.end(), 0.0);
        for (int64_t i = begin; i < end; ++i) {
            const auto j = static_cast<size_t>(matrix_.indices[static_cast<size_t>(i)]);
            const auto x = static_cast<double>(matrix_.data[static_cast<size_t>(i)]);
            pay(j);
            const double* const weights = state_.weights.data() + j * stride;
            for (size_t k = 0; k < stride; ++k) scores_[k] += x * weights[k];
        }
        for (size_t k = 0; k < stride; ++k) scores_[k] = scale_ * scores_[k] + state_.intercepts[k];
        differentiate(problem_.codes[r]);
        double* const known = state_.row_gradients.data() + r * stride;
        for (size_t k = 0; k < stride; ++k) {
            const double now = problem_.row_weights[r] * derivatives_[k];
            derivatives_[k] = now - known[k];  // from here on: the change
            known[k] = now;
        }
        for (int64_t i = begin; i < end; ++i) {
            const auto j = static_cast<size_t>(matrix_.indices[static_cast<size_t>(i)]);
            const auto x = static_cast<double>(matrix_.data[static_cast<size_t>(i)]);
            double* const gradient = state_.gradient.data() + j * stride;
            for (size_t k = 0; k < stride; ++k) gradient[k] += x * derivatives_[k];
        }
        step();
    }

    // Brings every feature up to date; W itself is in the state afterwards.
    void settle() {
        for (size_t j = 0; j < paid_.size(); ++j) {
            pay(j);
            double* const weights =
                state_.weights.data() + j * static_cast<size_t>(problem_.stride);
            for (int64_t k = 0; k < problem_.stride; ++k) weights[k] *= scale_;
        }
        std::fill(paid_.begin(), paid_.end(), 0.0);
        owed_ = 0.0;
        scale_ = 1.0;
    }

   private:
    // The steps that feature j has missed since a row had it last.
    void pay(size_t j) {
        const double missed = owed_ - paid_[j];
        if (missed == 0.0) return;
        paid_[j] = owed_;
        double* const weights = state_.weights.data() + j * static_cast<size_t>(problem_.stride);
        const double* const gradient =
            state_.gradient.data() + j * static_cast<size_t>(problem_.stride);
        for (int64_t k = 0; k < problem_.stride; ++k) weights[k] -= missed * gradient[k];
    }

    void step() {
        scale_ *= 1.0 - problem_.step * problem_.penalty;
        owed_ += problem_.step / scale_;
        if (problem_.fit_intercept) {
            for (size_t k = 0; k < static_cast<size_t>(problem_.stride); ++k) {
                state_.by_intercepts[k] += derivatives_[k];
                state_.intercepts[k] -= problem_.step * state_.by_intercepts[k];
            }
        }
        if (scale_ < scale_min) settle();
    }

    // The loss's derivatives by the scores, zeros in the padding.
    void differentiate(int32_t code) {
        const int64_t n = problem_.n_columns;
        if (problem_.loss == nullptr) {
            const double largest = *std::max_element(scores_.begin(), scores_.begin() + n);
            double sum = 0.0;
            for (size_t k = 0; k < static_cast<size_t>(n); ++k) {
                sum += derivatives_[k] = std::exp(scores_[k] - largest);
            }
            for (size_t k = 0; k < static_cast<size_t>(n); ++k) derivatives_[k] /= sum;
            derivatives_[static_cast<size_t>(code)] -= 1.0;
        } else {
            std::fill(targets_.begin(), targets_.end(), 0.0);
            targets_[n == 1 ? 0 : static_cast<size_t>(code)] = n == 1 ? code : 1.0;
            problem_.loss(n, targets_.data(), scores_.data(), losses_.data(), derivatives_.data(),
                          seconds_.data());
        }
        std::fill(derivatives_.begin() + n, derivatives_.end(), 0.0);
    }

    const CsrView<Value>& matrix_;
    const SagProblem& problem_;
    const SagState& state_;
    double scale_ = 1.0;        // c
    double owed_ = 0.0;         // the sum of eta / c over the steps so far
    std::vector<double> paid_;  // what of it each feature has had
    std::vector<double> scores_, targets_, losses_, derivatives_, seconds_;
};

}  // namespace

template <class Value>
void csr_sag_epoch(const CsrView<Value>& matrix, const SagProblem& problem,
                   std::span<const int64_t> order, const Execution& execution,
                   const SagState& state_in_out) {
    Epoch<Value> epoch(matrix, problem, state_in_out);
    int64_t since_look = 0;
    for (const int64_t row : order) {
        epoch.visit(row);
        const auto r = static_cast<size_t>(row);
        since_look += 1 + matrix.indptr[r + 1] - matrix.indptr[r];
        if (since_look >= entries_between_looks) {
            execution.stop->check();
            since_look = 0;
        }
    }
    epoch.settle();
}

#define WORDODDS_INSTANTIATE(Value)                                                \
    template void csr_sag_epoch<Value>(const CsrView<Value>&, const SagProblem&,   \
                                       std::span<const int64_t>, const Execution&, \
                                       const SagState&);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
