#include "gram.hpp"

#include <algorithm>
#include <cmath>

#include "shrink.hpp"

namespace wordodds {
namespace {

// out[i] += factor * row[i]. Inlined into each target region below and compiled for it there.
[[gnu::always_inline]] inline void add_multiple(const double* row, double factor, int64_t n,
                                                double* out) {
    for (int64_t i = 0; i < n; ++i) out[i] += factor * row[i];
}

void add_multiple_baseline(const double* row, double factor, int64_t n, double* out) {
    add_multiple(row, factor, n, out);
}

#if WORDODDS_X86
WORDODDS_TARGET_AVX2 void add_multiple_avx2(const double* row, double factor, int64_t n,
                                            double* out) {
    add_multiple(row, factor, n, out);
}

WORDODDS_TARGET_AVX512 void add_multiple_avx512(const double* row, double factor, int64_t n,
                                                double* out) {
    add_multiple(row, factor, n, out);
}
#endif

auto add_multiple_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return add_multiple_avx512;
    if (instruction_set == InstructionSet::avx2) return add_multiple_avx2;
#endif
    return add_multiple_baseline;
}

constexpr int64_t lanes = 8;
constexpr int64_t dense_max = 64;
constexpr int64_t dense_share = 4;  // of the rows, one in four
constexpr int64_t rows_between_checks = 64;

struct Rows {
    const GramEntry* entries;
    const int64_t* ends;  // of each row; they begin where the row before ends
    const double* curvatures;
    int64_t stride;
    int64_t n_members, n, n_dense;
    bool intercept;
    double* gram;
};

// Adds the products of some rows. The first n_dense members are in most rows: they are spread out,
// so that their products are whole vectors.
[[gnu::always_inline]] inline void add_rows(const Rows& rows, int64_t first, int64_t last) {
    double dense[dense_max];
    for (int64_t row = first; row < last; ++row) {
        const GramEntry* const begin = rows.entries + (row == 0 ? 0 : rows.ends[row - 1]);
        const GramEntry* const end = rows.entries + rows.ends[row];
        const double curvature = rows.curvatures[row * rows.stride];
        const GramEntry* sparse = begin;
        for (int64_t c = 0; c < rows.n_dense; ++c) dense[c] = 0.0;
        for (; sparse < end && sparse->member < rows.n_dense; ++sparse) {
            dense[sparse->member] = sparse->value;
        }
        for (const GramEntry* a = begin; a < end; ++a) {
            const double factor = curvature * a->value;
            double* const out = rows.gram + a->member * rows.n;
            for (int64_t c = 0; c < rows.n_dense; c += lanes) {
                for (int64_t lane = 0; lane < lanes; ++lane) {
                    out[c + lane] += factor * dense[c + lane];
                }
            }
            for (const GramEntry* b = sparse; b <= a; ++b) out[b->member] += factor * b->value;
            if (rows.intercept) rows.gram[rows.n_members * rows.n + a->member] += factor;
        }
        if (rows.intercept) rows.gram[rows.n * rows.n - 1] += curvature;
    }
}

void add_rows_baseline(const Rows& rows, int64_t first, int64_t last) {
    add_rows(rows, first, last);
}

#if WORDODDS_X86
WORDODDS_TARGET_AVX2 void add_rows_avx2(const Rows& rows, int64_t first, int64_t last) {
    add_rows(rows, first, last);
}

WORDODDS_TARGET_AVX512 void add_rows_avx512(const Rows& rows, int64_t first, int64_t last) {
    add_rows(rows, first, last);
}
#endif

auto add_rows_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return add_rows_avx512;
    if (instruction_set == InstructionSet::avx2) return add_rows_avx2;
#endif
    return add_rows_baseline;
}

}  // namespace

int64_t Gram::prepare(std::span<const GramColumn> members, int64_t n_rows) {
    if (static_cast<int64_t>(ends_.size()) == n_rows + 1 && std::ranges::equal(members, members_)) {
        return products_;
    }
    members_.assign(members.begin(), members.end());
    by_rows_ = false;
    ends_.assign(static_cast<size_t>(n_rows) + 1, 0);
    products_ = 0;
    for (const GramColumn& column : members_) {
        for (int64_t i = 0; i < column.n; ++i) {
            products_ += ++ends_[static_cast<size_t>(column.rows[i]) + 1];
        }
    }
    return products_;
}

void Gram::fill(bool intercept, const double* curvatures, int64_t stride,
                const Execution& execution) {
    const auto n_members = static_cast<int64_t>(members_.size());
    const int64_t n = n_members + intercept;
    const auto n_rows = static_cast<int64_t>(ends_.size()) - 1;
    if (!by_rows_) {
        for (size_t row = 1; row < ends_.size(); ++row) ends_[row] += ends_[row - 1];
        entries_.resize(static_cast<size_t>(ends_.back()));
        for (int64_t a = 0; a < n_members; ++a) {
            const GramColumn& column = members_[static_cast<size_t>(a)];
            for (int64_t i = 0; i < column.n; ++i) {
                int64_t& at = ends_[static_cast<size_t>(column.rows[i])];
                entries_[static_cast<size_t>(at++)] = {a, column.values[i]};
            }
        }
        // Each row's start has become its end, which is the next one's start.
        by_rows_ = true;
    }
    gram_.assign(static_cast<size_t>(n * n), 0.0);
    int64_t n_dense = 0;
    while (n_dense < std::min(n_members, dense_max) &&
           members_[static_cast<size_t>(n_dense)].n * dense_share >= n_rows) {
        ++n_dense;
    }
    n_dense = n_dense / lanes * lanes;
    const Rows rows{entries_.data(), ends_.data(), curvatures,  stride, n_members, n,
                    n_dense,         intercept,    gram_.data()};
    const auto add_rows = add_rows_for(execution.instruction_set);
    for (int64_t row = 0; row < n_rows; row += rows_between_checks) {
        add_rows(rows, row, std::min(n_rows, row + rows_between_checks));
        execution.stop->check();
    }
    for (int64_t a = 0; a < n; ++a) {
        for (int64_t b = 0; b < a; ++b) {
            gram_[static_cast<size_t>(b * n + a)] = gram_[static_cast<size_t>(a * n + b)];
        }
    }
}

int gram_descend(std::span<const double> gram, double accuracy, int sweeps_max,
                 const Execution& execution, std::span<GramCoordinate> coordinates_in_out) {
    const size_t n = coordinates_in_out.size();
    const auto add = add_multiple_for(execution.instruction_set);
    std::vector<double> gradient;
    for (const GramCoordinate& of : coordinates_in_out) gradient.push_back(of.gradient);
    int sweep = 0;
    while (sweep < sweeps_max) {
        ++sweep;
        double violation = 0.0;
        for (size_t a = 0; a < n; ++a) {
            GramCoordinate& of = coordinates_in_out[a];
            const double g = gradient[a] + of.l2 * of.weight;
            violation = std::max(violation, violation_of(g, of.weight, of.l1));
            const double curvature = gram[a * n + a] + of.l2;
            if (!(curvature > 0.0)) continue;
            const double change = best_change(g, curvature, of.weight, of.l1);
            if (change == 0.0) continue;
            of.weight = change == -of.weight ? 0.0 : of.weight + change;
            add(gram.data() + a * n, change, static_cast<int64_t>(n), gradient.data());
        }
        execution.stop->check();
        if (violation <= accuracy) break;
    }
    for (size_t a = 0; a < n; ++a) coordinates_in_out[a].gradient = gradient[a];
    return sweep;
}

}  // namespace wordodds
