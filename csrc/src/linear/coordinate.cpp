#include "wordodds/linear/coordinate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "coordinate_problem.hpp"
#include "prox_newton.hpp"
#include "shrink.hpp"

namespace wordodds {
namespace {

constexpr int64_t features_per_chunk = 2048;
constexpr size_t working_set_min = 100;
constexpr size_t working_set_growth = 2;  // times the weights that are not zero
constexpr double inner_accuracy = 0.1;    // of the largest violation among all features
constexpr double penalty_max = 1e300;     // instead of infinity, which times zero is NaN

// The features of one column of weights that the next step works on, in ascending order.
struct Chosen {
    std::vector<int64_t> features;
    double violation = 0.0;  // the largest among all features
};

struct Candidate {
    double violation;
    int64_t feature;
};

// Keeps the n worst, by their number where they are equally bad.
void keep_worst(size_t n, std::vector<Candidate>& candidates) {
    if (candidates.size() <= n) return;
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<int64_t>(n),
                     candidates.end(), [](const Candidate& one, const Candidate& other) {
                         if (one.violation != other.violation)
                             return one.violation > other.violation;
                         return one.feature < other.feature;
                     });
    candidates.resize(n);
}

// For each column of weights: those that are not zero, and as many of the worst others. Violations
// are those of scaled weights, so that one huge column does not hide the rest.
template <class Value>
std::vector<Chosen> choose_features(const CoordinateProblem<Value>& problem) {
    const CoordinateOptions& options = problem.options;
    const int64_t n_columns = options.n_columns;
    std::vector<Chosen> chosen(static_cast<size_t>(n_columns));
    std::vector<std::vector<Candidate>> candidates(chosen.size());
    for (int64_t j = 0; j < problem.n_features(); ++j) {
        if (j % features_per_chunk == 0) problem.execution.stop->check();
        const double scale = problem.state.scales[static_cast<size_t>(j)];
        for (int64_t k = 0; k < n_columns; ++k) {
            const double w = problem.weight(j, k);
            const double smooth = problem.gradient(j, k) + options.l2 * w;
            const double violation = violation_of(smooth, w, options.l1) * scale;
            Chosen& of = chosen[static_cast<size_t>(k)];
            of.violation = std::max(of.violation, violation);
            if (w != 0.0) {
                of.features.push_back(j);
            } else if (violation > 0.0) {
                candidates[static_cast<size_t>(k)].push_back({violation, j});
            }
        }
    }
    for (int64_t k = 0; k < n_columns; ++k) {
        Chosen& of = chosen[static_cast<size_t>(k)];
        if (options.fit_intercept) {
            of.violation =
                std::max(of.violation, std::abs(problem.gradient(problem.n_features(), k)));
        }
        auto& others = candidates[static_cast<size_t>(k)];
        const size_t in_use = of.features.size();
        keep_worst(std::max(working_set_min, working_set_growth * in_use) - in_use, others);
        for (const Candidate& other : others) of.features.push_back(other.feature);
        std::sort(of.features.begin(), of.features.end());
    }
    return chosen;
}

template <class Value>
WorkingColumns copy_columns(const CoordinateProblem<Value>& problem,
                            const std::vector<int64_t>& features) {
    WorkingColumns copies;
    int64_t n = 0;
    for (const int64_t j : features) n += problem.end(j) - problem.begin(j);
    copies.rows.reserve(static_cast<size_t>(n));
    copies.values.reserve(static_cast<size_t>(n));
    for (const int64_t j : features) {
        const double scale = problem.state.scales[static_cast<size_t>(j)];
        for (int64_t i = problem.begin(j); i < problem.end(j); ++i) {
            const auto value = static_cast<double>(problem.columns.data[static_cast<size_t>(i)]);
            if (value == 0.0) continue;
            copies.rows.push_back(
                static_cast<int32_t>(problem.columns.indices[static_cast<size_t>(i)]));
            copies.values.push_back(value * scale);
        }
        copies.starts.push_back(static_cast<int64_t>(copies.rows.size()));
        copies.l1.push_back(std::min(problem.options.l1 * scale, penalty_max));
        copies.l2.push_back(std::min(problem.options.l2 * scale * scale, penalty_max));
    }
    return copies;
}

// The weights of one column of weights, in the scale of their copied columns.
template <class Value>
WorkingClass working_class(const CoordinateProblem<Value>& problem, int64_t k,
                           const std::vector<int64_t>& features) {
    WorkingClass of{problem.positive_code(k),
                    {problem.scores(k), static_cast<size_t>(problem.n_rows())}};
    if (problem.options.fit_intercept) of.intercept = problem.weight(problem.n_features(), k);
    of.weights.reserve(features.size());
    for (const int64_t j : features) {
        of.weights.push_back(problem.weight(j, k) / problem.state.scales[static_cast<size_t>(j)]);
    }
    return of;
}

// Into the point, and its scores once more from the start: no rounding piles up over the steps.
template <class Value>
void write_back(const CoordinateProblem<Value>& problem, int64_t k, const WorkingColumns& copies,
                const std::vector<int64_t>& features, const WorkingClass& of) {
    if (problem.options.fit_intercept) problem.weight(problem.n_features(), k) = of.intercept;
    std::fill(of.scores.begin(), of.scores.end(), of.intercept);
    for (size_t c = 0; c < features.size(); ++c) {
        const double w = of.weights[c];
        const int64_t j = features[c];
        problem.weight(j, k) = w * problem.state.scales[static_cast<size_t>(j)];
        if (w == 0.0) continue;
        const auto column = static_cast<size_t>(of.columns[c]);
        for (int64_t i = copies.starts[column]; i < copies.starts[column + 1]; ++i) {
            const auto at = static_cast<size_t>(i);
            of.scores[static_cast<size_t>(copies.rows[at])] += w * copies.values[at];
        }
    }
}

template <class Value>
int64_t step_logistic(const CoordinateProblem<Value>& problem) {
    const int64_t n_columns = problem.options.n_columns;
    const Execution alone{1, problem.execution.instruction_set, problem.execution.stop};
    const std::vector<Chosen> all = choose_features(problem);
    return parallel_reduce(
        problem.execution, n_columns, int64_t{0},
        [&](int64_t k) {
            const Chosen& chosen = all[static_cast<size_t>(k)];
            if (!(chosen.violation > 0.0)) return int64_t{0};
            const WorkingColumns copies = copy_columns(problem, chosen.features);
            WorkingClass of = working_class(problem, k, chosen.features);
            of.columns.resize(chosen.features.size());
            std::iota(of.columns.begin(), of.columns.end(), int64_t{0});
            const DescentOptions options{CoordinateLoss::logistic, problem.options.fit_intercept,
                                         inner_accuracy * chosen.violation};
            const int64_t entries =
                descend_working_set(copies, problem.rows, options, alone, std::span(&of, 1));
            write_back(problem, k, copies, chosen.features, of);
            return entries;
        },
        std::plus<int64_t>());
}

template <class Value>
int64_t step_softmax(const CoordinateProblem<Value>& problem) {
    const auto n_columns = static_cast<size_t>(problem.options.n_columns);
    const std::vector<Chosen> chosen = choose_features(problem);
    std::vector<int64_t> features;
    double violation = 0.0;
    for (const Chosen& of : chosen) {
        features.insert(features.end(), of.features.begin(), of.features.end());
        violation = std::max(violation, of.violation);
    }
    if (!(violation > 0.0)) return 0;
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    const WorkingColumns copies = copy_columns(problem, features);
    std::vector<WorkingClass> classes;
    for (size_t k = 0; k < n_columns; ++k) {
        classes.push_back(working_class(problem, static_cast<int64_t>(k), chosen[k].features));
        size_t column = 0;
        for (const int64_t j : chosen[k].features) {
            while (features[column] != j) ++column;
            classes[k].columns.push_back(static_cast<int64_t>(column));
        }
    }
    const DescentOptions options{CoordinateLoss::softmax, problem.options.fit_intercept,
                                 inner_accuracy * violation};
    const int64_t entries =
        descend_working_set(copies, problem.rows, options, problem.execution, classes);
    // The loss does not know a number that all intercepts share; the one with the least of it is
    // ours.
    double mean = 0.0;
    for (const WorkingClass& of : classes) mean += of.intercept / static_cast<double>(n_columns);
    for (size_t k = 0; k < n_columns; ++k) {
        classes[k].intercept -= mean;
        write_back(problem, static_cast<int64_t>(k), copies, chosen[k].features, classes[k]);
    }
    return entries;
}

// A power of two that brings the largest entry of an extreme column to [1, 2); 1 for any other
// column and for none but zeros.
double scale_of(double largest) {
    constexpr double extreme = 0x1p100;
    if (largest == 0.0 || (largest < extreme && largest > 1.0 / extreme)) return 1.0;
    return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1022, 1022));
}

}  // namespace

template <class Value>
CoordinateReport csc_start_coordinates(const CsrView<Value>& columns, const LabelledRows& rows,
                                       const CoordinateOptions& options, const Execution& execution,
                                       const CoordinateState& state_in_out) {
    const CoordinateProblem<Value> problem{columns, rows, options, execution, state_in_out};
    if (problem.n_rows() > std::numeric_limits<int32_t>::max()) {
        throw std::invalid_argument("coordinate descent takes at most 2^31 - 1 rows");
    }
    const FixedChunks chunks{problem.n_features(), features_per_chunk};
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        for (int64_t j = chunks.begin(chunk); j < chunks.end(chunk); ++j) {
            double largest = 0.0;
            for (int64_t i = problem.begin(j); i < problem.end(j); ++i) {
                const auto value = static_cast<double>(columns.data[static_cast<size_t>(i)]);
                largest = std::max(largest, std::abs(value));
            }
            state_in_out.scales[static_cast<size_t>(j)] = scale_of(largest);
        }
    });
    parallel_for(execution, options.n_columns, [&](int64_t k, int32_t) {
        double* const scores = problem.scores(k);
        std::fill_n(scores, problem.n_rows(),
                    options.fit_intercept ? problem.weight(problem.n_features(), k) : 0.0);
        for (int64_t j = 0; j < problem.n_features(); ++j) {
            const double w = problem.weight(j, k);
            if (j % features_per_chunk == 0) execution.stop->check();
            if (w == 0.0) continue;
            for (int64_t i = problem.begin(j); i < problem.end(j); ++i) {
                const auto at = static_cast<size_t>(i);
                scores[columns.indices[at]] += w * static_cast<double>(columns.data[at]);
            }
        }
    });
    for (const double score : state_in_out.scores) {
        if (!std::isfinite(score))
            throw std::invalid_argument("start has scores that are not finite");
    }
    return look_at_all_features(problem);
}

template <class Value>
CoordinateReport csc_step_coordinates(const CsrView<Value>& columns, const LabelledRows& rows,
                                      const CoordinateOptions& options, const Execution& execution,
                                      const CoordinateState& state_in_out) {
    const CoordinateProblem<Value> problem{columns, rows, options, execution, state_in_out};
    const int64_t entries =
        options.loss == CoordinateLoss::softmax ? step_softmax(problem) : step_logistic(problem);
    CoordinateReport report = look_at_all_features(problem);
    report.entries += entries;
    return report;
}

#define WORDODDS_INSTANTIATE(Value)                                                             \
    template CoordinateReport csc_start_coordinates<Value>(                                     \
        const CsrView<Value>&, const LabelledRows&, const CoordinateOptions&, const Execution&, \
        const CoordinateState&);                                                                \
    template CoordinateReport csc_step_coordinates<Value>(                                      \
        const CsrView<Value>&, const LabelledRows&, const CoordinateOptions&, const Execution&, \
        const CoordinateState&);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
