#include "prox_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gram.hpp"
#include "row_models.hpp"
#include "shrink.hpp"

namespace wordodds {
namespace {

constexpr int newton_max = 4;
constexpr int sweeps_max = 20;
constexpr int gram_sweeps_max = 300;
constexpr int halvings_max = 60;
constexpr double sweep_accuracy = 0.3;  // of the violation that the Newton step began with
constexpr double gram_accuracy = 0.1;   // of that again, as a sweep there costs next to nothing
constexpr double sufficient = 0.01;     // of the decrease that the model promises
constexpr double rounding = 2e-15;      // of the value: what a sum over the rows may be wrong by
constexpr int64_t gram_members_max = 1000;
constexpr int64_t gram_numbers_max = 1 << 23;  // of all classes together
constexpr int64_t products_per_visit =
    4;  // products of a Gram matrix in the time of an entry's visit
constexpr int64_t entries_between_checks = 1 << 17;

// Asks the stop token about every millisecond.
class Pace {
   public:
    explicit Pace(StopToken& stop) : stop_(stop) {}
    void spend(int64_t entries) {
        total_ += entries;
        if (total_ < next_) return;
        next_ = total_ + entries_between_checks;
        stop_.check();
    }
    int64_t total() const { return total_; }

   private:
    StopToken& stop_;
    int64_t total_ = 0;
    int64_t next_ = entries_between_checks;
};

// Four sums, so that an addition need not wait for the one before.
double dot_residuals(const GramColumn& column, const Cell* cells) {
    double sums[4] = {};
    int64_t i = 0;
    for (; i + 4 <= column.n; i += 4) {
        for (int s = 0; s < 4; ++s) {
            sums[s] += column.values[i + s] * cells[column.rows[i + s]].residual;
        }
    }
    for (; i < column.n; ++i) sums[0] += column.values[i] * cells[column.rows[i]].residual;
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void move_cell(double change, Cell& cell) {
    cell.residual += cell.curvature * change;
    cell.direction += change;
}

void move_cells(const GramColumn& column, double change, Cell* cells) {
    for (int64_t i = 0; i < column.n; ++i) {
        move_cell(change * column.values[i], cells[column.rows[i]]);
    }
}

double sum_residuals(std::span<const Cell> cells) {
    double sum = 0.0;
    for (const Cell& cell : cells) sum += cell.residual;
    return sum;
}

// What a Newton step knows of one class.
struct ClassStep {
    std::vector<double> to;  // the weights that it is on its way to
    double intercept_to;
    std::vector<double> gradient, curvature;  // where it began
    double intercept_gradient, intercept_curvature;
    std::vector<size_t> active;  // coordinates that do not just stay at zero
    Gram gram;                   // of the active ones, if has_gram
    bool has_gram;
};

template <class Model>
class Newton {
   public:
    Newton(const WorkingColumns& columns, const LabelledRows& rows, const DescentOptions& options,
           const Execution& execution, std::span<WorkingClass> classes)
        : columns_(columns),
          options_(options),
          execution_(execution),
          classes_(classes),
          steps_(classes.size()),
          model_(rows, execution, classes),
          pace_(*execution.stop) {}

    int64_t run() {
        double loss = model_.evaluate(0.0);
        model_.accept(0.0);
        for (int step = 0; step < newton_max; ++step) {
            const double violation = linearise();
            if (violation <= options_.tolerance) break;
            minimise_model(sweep_accuracy * violation);
            if (!line_search(loss)) break;
        }
        return pace_.total();
    }

   private:
    GramColumn column_of(const WorkingClass& of, size_t c) const {
        const auto column = static_cast<size_t>(of.columns[c]);
        const int64_t start = columns_.starts[column];
        return {columns_.rows.data() + start, columns_.values.data() + start,
                columns_.starts[column + 1] - start};
    }
    double l1(const WorkingClass& of, size_t c) const {
        return columns_.l1[static_cast<size_t>(of.columns[c])];
    }
    double l2(const WorkingClass& of, size_t c) const {
        return columns_.l2[static_cast<size_t>(of.columns[c])];
    }

    // Gradients and curvatures at the present weights; returns the largest violation.
    double linearise() {
        double violation = 0.0;
        for (size_t k = 0; k < classes_.size(); ++k) {
            const WorkingClass& of = classes_[k];
            ClassStep& step = steps_[k];
            const auto cells = model_.open(k);
            const size_t n = of.weights.size();
            step.to = of.weights;
            step.gradient.resize(n);
            step.curvature.resize(n);
            step.active.resize(n);
            std::iota(step.active.begin(), step.active.end(), size_t{0});
            step.has_gram = false;
            for (size_t c = 0; c < n; ++c) {
                const GramColumn column = column_of(of, c);
                double gradient = 0.0, curvature = 0.0;
                for (int64_t i = 0; i < column.n; ++i) {
                    const Cell& cell = cells[static_cast<size_t>(column.rows[i])];
                    gradient += column.values[i] * cell.residual;
                    curvature += column.values[i] * column.values[i] * cell.curvature;
                }
                step.gradient[c] = gradient;
                step.curvature[c] = curvature + l2(of, c);
                const double smooth = gradient + l2(of, c) * of.weights[c];
                violation = std::max(violation, violation_of(smooth, of.weights[c], l1(of, c)));
                pace_.spend(column.n);
            }
            if (!options_.fit_intercept) continue;
            step.intercept_to = of.intercept;
            step.intercept_gradient = sum_residuals(cells);
            step.intercept_curvature = 0.0;
            for (const Cell& cell : cells) step.intercept_curvature += cell.curvature;
            violation = std::max(violation, std::abs(step.intercept_gradient));
        }
        return violation;
    }

    // Coordinate descent on the model, until nothing was wrong by more than `accuracy`. What stays
    // at zero is left out after the first sweep; the next Newton step asks it again.
    void minimise_model(double accuracy) {
        double violation = std::numeric_limits<double>::infinity();
        int sweep = 0;
        for (; sweep < sweeps_max && violation > accuracy; ++sweep) {
            const double margin = violation;
            violation = 0.0;
            for (size_t k = 0; k < classes_.size(); ++k) {
                if (sweep >= 2 && !steps_[k].has_gram)
                    consider_gram(k, std::max(sweep, sweeps_last_));
                violation = std::max(violation, steps_[k].has_gram ? solve_class(k, accuracy)
                                                                   : sweep_class(k, margin));
            }
            // No other class can disturb what is solved.
            if (classes_.size() == 1 && steps_[0].has_gram) break;
        }
        sweeps_last_ = std::max(sweep, gram_sweeps_);
    }

    // One change of each active coordinate; returns the largest violation it met.
    double sweep_class(size_t k, double margin) {
        const WorkingClass& of = classes_[k];
        ClassStep& step = steps_[k];
        const auto cells = model_.open(k);
        double violation = 0.0;
        if (options_.fit_intercept) {
            const double gradient = sum_residuals(cells);
            violation = std::abs(gradient);
            move_intercept(step, -gradient / step.intercept_curvature, cells);
        }
        size_t kept = 0;
        for (const size_t c : step.active) {
            const GramColumn column = column_of(of, c);
            double& w = step.to[c];
            const double g = dot_residuals(column, cells.data()) + l2(of, c) * w;
            pace_.spend(column.n);
            if (w == 0.0 && std::abs(g) + margin < l1(of, c)) continue;
            step.active[kept++] = c;
            violation = std::max(violation, violation_of(g, w, l1(of, c)));
            if (!(step.curvature[c] > 0.0)) continue;  // a column of zeros
            const double change = best_change(g, step.curvature[c], w, l1(of, c));
            if (change == 0.0) continue;
            w = change == -w ? 0.0 : w + change;
            move_cells(column, change, cells.data());
            pace_.spend(column.n);
        }
        step.active.resize(kept);
        model_.close(k);
        return violation;
    }

    void move_intercept(ClassStep& step, double change, std::span<Cell> cells) {
        step.intercept_to += change;
        for (Cell& cell : cells) move_cell(change, cell);
    }

    // To rent or to buy: the Gram matrix is made when the sweeps so far, or those of the last
    // Newton step, cost about as much.
    void consider_gram(size_t k, int64_t sweeps) {
        ClassStep& step = steps_[k];
        const WorkingClass& of = classes_[k];
        const auto n_active = static_cast<int64_t>(step.active.size());
        const auto n_classes = static_cast<int64_t>(classes_.size());
        if (n_active > gram_members_max || n_active * n_active > gram_numbers_max / n_classes)
            return;
        // Long columns first: the Gram matrix wants it.
        std::stable_sort(step.active.begin(), step.active.end(), [&](size_t one, size_t other) {
            return column_of(of, one).n > column_of(of, other).n;
        });
        std::vector<GramColumn> members;
        int64_t entries = 0;
        for (const size_t c : step.active) {
            members.push_back(column_of(of, c));
            entries += members.back().n;
        }
        const int64_t products = step.gram.prepare(members, static_cast<int64_t>(of.scores.size()));
        if (products > products_per_visit * sweeps * entries) return;
        const auto cells = model_.open(k);
        step.gram.fill(options_.fit_intercept, &cells[0].curvature, sizeof(Cell) / sizeof(double),
                       execution_);
        step.has_gram = true;
    }

    // The active coordinates' best, all at once; returns the largest violation before.
    double solve_class(size_t k, double accuracy) {
        const WorkingClass& of = classes_[k];
        ClassStep& step = steps_[k];
        const auto cells = model_.open(k);
        std::vector<GramCoordinate> coordinates;
        for (const size_t c : step.active) {
            const GramColumn column = column_of(of, c);
            const double gradient = dot_residuals(column, cells.data());
            coordinates.push_back({step.to[c], gradient, l1(of, c), l2(of, c)});
            pace_.spend(column.n);
        }
        if (options_.fit_intercept) {
            coordinates.push_back({step.intercept_to, sum_residuals(cells), 0.0, 0.0});
        }
        double violation = 0.0;
        for (const GramCoordinate& at : coordinates) {
            const double smooth = at.gradient + at.l2 * at.weight;
            violation = std::max(violation, violation_of(smooth, at.weight, at.l1));
        }
        gram_sweeps_ = gram_descend(step.gram.values(), gram_accuracy * accuracy, gram_sweeps_max,
                                    execution_, coordinates);
        for (size_t a = 0; a < step.active.size(); ++a) {
            const size_t c = step.active[a];
            const double change = coordinates[a].weight - step.to[c];
            if (change == 0.0) continue;
            step.to[c] = coordinates[a].weight;
            const GramColumn column = column_of(of, c);
            move_cells(column, change, cells.data());
            pace_.spend(column.n);
        }
        if (options_.fit_intercept) {
            move_intercept(step, coordinates.back().weight - step.intercept_to, cells);
        }
        model_.close(k);
        return violation;
    }

    static double at_step(double from, double to, double step) {
        return step == 1.0 ? to : from + step * (to - from);
    }

    // The sum of the penalties at `step` of the way.
    double penalty(double step) const {
        double sum = 0.0;
        for (size_t k = 0; k < classes_.size(); ++k) {
            const WorkingClass& of = classes_[k];
            for (size_t c = 0; c < of.weights.size(); ++c) {
                const double w = at_step(of.weights[c], steps_[k].to[c], step);
                if (w != 0.0) sum += l1(of, c) * std::abs(w) + 0.5 * l2(of, c) * w * w;
            }
        }
        return sum;
    }

    double slope() const {
        double sum = 0.0;
        for (size_t k = 0; k < classes_.size(); ++k) {
            const WorkingClass& of = classes_[k];
            const ClassStep& step = steps_[k];
            for (size_t c = 0; c < of.weights.size(); ++c) {
                sum += step.gradient[c] * (step.to[c] - of.weights[c]);
            }
            if (options_.fit_intercept) {
                sum += step.intercept_gradient * (step.intercept_to - of.intercept);
            }
        }
        return sum;
    }

    // Halves the step until the objective falls by a share of what the model promises: the
    // direction descends, so that ends. False if nothing was gained; then nothing was moved. A loss
    // that is not a number gains nothing.
    bool line_search(double& loss) {
        const double before = penalty(0.0);
        const double promised = slope() + (penalty(1.0) - before);
        if (!(promised < 0.0)) return false;
        double step = 1.0;
        for (int halving = 0; halving < halvings_max; ++halving, step *= 0.5) {
            const double trial = model_.evaluate(step);
            const double change = (trial - loss) + (penalty(step) - before);
            if (!(change <= sufficient * step * promised + rounding * (loss + before))) continue;
            model_.accept(step);
            move(step);
            loss = trial;
            return true;
        }
        return false;
    }

    void move(double step) {
        for (size_t k = 0; k < classes_.size(); ++k) {
            WorkingClass& of = classes_[k];
            for (size_t c = 0; c < of.weights.size(); ++c) {
                of.weights[c] = at_step(of.weights[c], steps_[k].to[c], step);
            }
            if (options_.fit_intercept) {
                of.intercept = at_step(of.intercept, steps_[k].intercept_to, step);
            }
        }
    }

    const WorkingColumns& columns_;
    const DescentOptions& options_;
    const Execution& execution_;
    std::span<WorkingClass> classes_;
    std::vector<ClassStep> steps_;
    Model model_;
    Pace pace_;
    int sweeps_last_ = 0, gram_sweeps_ = 0;
};

}  // namespace

int64_t descend_working_set(const WorkingColumns& columns, const LabelledRows& rows,
                            const DescentOptions& options, const Execution& execution,
                            std::span<WorkingClass> classes_in_out) {
    if (options.loss == CoordinateLoss::softmax) {
        return Newton<SoftmaxModel>(columns, rows, options, execution, classes_in_out).run();
    }
    return Newton<LogisticModel>(columns, rows, options, execution, classes_in_out).run();
}

}  // namespace wordodds
