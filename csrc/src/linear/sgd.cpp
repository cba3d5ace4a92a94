#include "wordodds/linear/sgd.hpp"

#include <algorithm>
#include <type_traits>

#include "sgd_step.hpp"

namespace wordodds {
namespace {

using sgd::Columns;
using sgd::Problem;
using sgd::Row;

constexpr int64_t products_between_looks = 1 << 20;  // well below a millisecond
constexpr size_t rows_ahead = 4;                     // whose entries are on their way
constexpr int64_t products_per_thread = 1 << 21;     // below that a thread costs more than it saves

// What one call reads, apart from the types of the matrix.
struct Source {
    std::span<const int32_t> labels;
    std::span<const double> row_weights;
    std::span<const int64_t> order;
    int64_t n_columns;
};

// Reads rows of the matrix in their order; the only part that knows its types.
class Reader {
   public:
    template <class Value>
    Reader(const CsrView<Value>& matrix, const Source& source)
        : matrix_(&matrix), source_(source), read_(read<Value>) {}

    int64_t n_rows() const { return static_cast<int64_t>(source_.order.size()); }

    // The row at a position of the order; an empty one past its end.
    void operator()(int64_t position, Row& row) const {
        row.n = 0;
        row.features = &Row::no_feature;
        if (position >= static_cast<int64_t>(source_.order.size())) return;
        const auto i = static_cast<size_t>(source_.order[static_cast<size_t>(position)]);
        const auto later = static_cast<size_t>(position) + rows_ahead;
        read_(matrix_, i, source_.order[std::min(later, source_.order.size() - 1)], row);
        const int64_t label = source_.labels[i];
        row.positive = source_.n_columns > 1 ? label : label - 1;
        row.weight = source_.row_weights.empty() ? 1.0 : source_.row_weights[i];
    }

   private:
    template <class Value>
    static void read(const void* matrix, size_t i, int64_t later, Row& row) {
        const auto& csr = *static_cast<const CsrView<Value>*>(matrix);
        prefetch(csr, static_cast<size_t>(later));
        const int64_t begin = csr.indptr[i];
        row.n = csr.indptr[i + 1] - begin;
        if (row.n == 0) return;
        row.features = csr.indices.data() + begin;
        row.values = doubles(csr.data.data() + begin, row.n, row.values_copy);
    }

    // The values themselves if they are double, else a copy that is.
    template <class Value>
    static const double* doubles(const Value* values, int64_t n, std::vector<double>& copy) {
        if constexpr (std::is_same_v<Value, double>) {
            return values;
        } else {
            if (copy.size() < static_cast<size_t>(n)) copy.resize(static_cast<size_t>(n));
            std::copy_n(values, n, copy.begin());
            return copy.data();
        }
    }

    // The entries of a row to come; the order jumps, so that no hardware prefetcher knows it.
    template <class Value>
    static void prefetch(const CsrView<Value>& csr, size_t i) {
        constexpr int64_t bytes_max = 4096;  // of a longer row the hardware sees the pattern
        const int64_t begin = csr.indptr[i], n = csr.indptr[i + 1] - begin;
        const auto fetch = [=](const auto* first) {
            const auto* const bytes = reinterpret_cast<const char*>(first);
            const int64_t end =
                std::min<int64_t>(n * static_cast<int64_t>(sizeof(*first)), bytes_max);
            for (int64_t at = 0; at < end; at += 64) __builtin_prefetch(bytes + at);
        };
        fetch(csr.indices.data() + begin);
        fetch(csr.data.data() + begin);
    }

    const void* matrix_;
    const Source source_;
    void (*read_)(const void*, size_t, int64_t, Row&);
};

// Steps in order until its end or an overflow; returns how many were taken.
template <class Weight>
[[gnu::always_inline]] inline int64_t run(const Problem<Weight>& problem, const Reader& read,
                                          StopToken& stop, Columns& own) {
    const int64_t n = read.n_rows();
    const bool adagrad = problem.options.schedule == SgdSchedule::adagrad;
    Row row, next;
    read(0, row);
    int64_t products = 0;
    for (int64_t i = 0; i < n; ++i) {
        products += (row.n + 8) * own.stride;
        if (products > products_between_looks) {
            stop.check();
            products = 0;
        }
        read(i + 1, next);
        const bool taken = adagrad ? sgd::adagrad_step(problem, row, own)
                                   : sgd::plain_step(problem, row, next, own);
        if (!taken) return i;
        std::swap(row, next);
    }
    return n;
}

template <class Weight>
int64_t run_baseline(const Problem<Weight>& problem, const Reader& read, StopToken& stop,
                     Columns& own) {
    return run(problem, read, stop, own);
}

#if WORDODDS_X86
template <class Weight>
WORDODDS_TARGET_AVX2 int64_t run_avx2(const Problem<Weight>& problem, const Reader& read,
                                      StopToken& stop, Columns& own) {
    return run(problem, read, stop, own);
}
#endif

// Nobody has measured that AVX-512 adds anything to steps that wait for memory.
template <class Weight>
auto run_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set != InstructionSet::baseline) return run_avx2<Weight>;
#endif
    return run_baseline<Weight>;
}

// How many threads may share the columns; the results do not depend on it. Each reads every row for
// itself, and neighbouring lines of two threads fight for the cache: few columns are best left
// alone.
int64_t n_shares(SgdLoss loss, int64_t stride, const Execution& execution, int64_t n_entries) {
    const int64_t n_parts = stride / (sgd::line * sgd::lines_at_once);
    if (loss == SgdLoss::softmax) return 1;
    const int64_t worthwhile = n_entries * stride / products_per_thread;
    return std::max<int64_t>(1, std::min({int64_t{execution.n_jobs}, worthwhile, n_parts}));
}

}  // namespace

template <class Value, class Weight>
int64_t csr_sgd_epoch(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                      std::span<const double> row_weights, std::span<const double> positive_weights,
                      std::span<const int64_t> order, const SgdOptions& options,
                      const Execution& execution, const SgdState<Weight>& state,
                      const SgdSums& sums) {
    const int64_t stride = line_stride(state.n_columns);
    const Problem<Weight> problem{positive_weights, options, state, sums, stride, matrix.n_cols};
    const Reader read(matrix, {labels, row_weights, order, state.n_columns});
    const auto run_columns = run_for<Weight>(execution.instruction_set);
    const int64_t n_entries = matrix.indptr[static_cast<size_t>(matrix.n_rows)];
    const int64_t n = n_shares(options.loss, stride, execution, n_entries);
    std::vector<int64_t> taken(static_cast<size_t>(n));
    std::vector<Columns> shares;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t n_lines = stride / sgd::line;
        const int64_t begin = i * n_lines / n * sgd::line;
        const int64_t end = i + 1 == n ? stride : (i + 1) * n_lines / n * sgd::line;
        shares.emplace_back(state, begin, end);
    }
    const auto learn = [&](int64_t i, int32_t) {
        const auto share = static_cast<size_t>(i);
        taken[share] = run_columns(problem, read, *execution.stop, shares[share]);
    };
    if (n == 1) {
        // Also if the token stops it, between two rows, the weights and their progress agree.
        try {
            learn(0, 0);
        } catch (...) {
            *state.progress = shares[0].progress;
            throw;
        }
    } else {
        parallel_for(execution, n, learn);
    }
    *state.progress = shares[0].progress;
    return *std::min_element(taken.begin(), taken.end());
}

#define WORDODDS_INSTANTIATE_FOR(Value, Weight)                                                 \
    template int64_t csr_sgd_epoch<Value, Weight>(                                              \
        const CsrView<Value>&, std::span<const int32_t>, std::span<const double>,               \
        std::span<const double>, std::span<const int64_t>, const SgdOptions&, const Execution&, \
        const SgdState<Weight>&, const SgdSums&);
#define WORDODDS_INSTANTIATE(Value)         \
    WORDODDS_INSTANTIATE_FOR(Value, double) \
    WORDODDS_INSTANTIATE_FOR(Value, float)
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE
#undef WORDODDS_INSTANTIATE_FOR

}  // namespace wordodds
