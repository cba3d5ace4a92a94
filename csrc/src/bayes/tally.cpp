#include "wordodds/bayes/tally.hpp"

#include <algorithm>
#include <vector>

#include "rows_by_class.hpp"

namespace wordodds {
namespace {

constexpr size_t rows_per_check = 4096;
constexpr size_t entries_per_check = 1 << 20;
constexpr size_t prefetch_ahead = 24;

// tally[j] += w[i] * x[i][j] over the given rows; a template, as most calls have no weights to pay
// for.
template <bool weighted, class Value>
void add_rows(const CsrView<Value>& matrix, std::span<const int64_t> rows,
              std::span<const double> row_weights, StopToken& stop, double* tally) {
    for (size_t g = 0; g < rows.size(); ++g) {
        if (g % rows_per_check == 0) stop.check();
        const auto row = static_cast<size_t>(rows[g]);
        [[maybe_unused]] double weight = 1.0;
        if constexpr (weighted) weight = row_weights[row];
        const auto end = static_cast<size_t>(matrix.indptr[row + 1]);
        for (auto i = static_cast<size_t>(matrix.indptr[row]); i < end; ++i) {
            // Where the next counts go only the indices know.
            __builtin_prefetch(tally + matrix.indices[std::min(i + prefetch_ahead, end - 1)], 1);
            const auto value = static_cast<double>(matrix.data[i]);
            tally[matrix.indices[i]] += weighted ? weight * value : value;
            if (i % entries_per_check == 0) stop.check();
        }
    }
}

}  // namespace

template <class Value>
void csr_tally_classes(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                       int64_t n_classes, std::span<const double> row_weights,
                       const Execution& execution, std::span<double> tally_out) {
    const RowsByClass groups = group_rows(labels, row_weights, n_classes, *execution.stop);
    const auto n_cols = static_cast<size_t>(matrix.n_cols);
    const auto run = row_weights.empty() ? add_rows<false, Value> : add_rows<true, Value>;
    parallel_for(execution, n_classes, [&](int64_t chunk, int32_t) {
        const auto c = static_cast<size_t>(chunk);
        double* const tally = tally_out.data() + c * n_cols;
        std::fill_n(tally, n_cols, 0.0);
        run(matrix, groups.of_class(c), row_weights, *execution.stop, tally);
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                            \
    template void csr_tally_classes<Value>(const CsrView<Value>&, std::span<const int32_t>,    \
                                           int64_t, std::span<const double>, const Execution&, \
                                           std::span<double>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
