#include "wordodds/bayes/tally_entries.hpp"

#include <algorithm>
#include <utility>

#include "rows_by_class.hpp"
#include "wordodds/base/radix_sort.hpp"

namespace wordodds {
namespace {

constexpr int64_t entries_per_check = 1 << 16;
constexpr int64_t entries_per_part = 1 << 15;  // with fewer, starting a thread takes longer
constexpr int block_bits_min = 10;
constexpr int blocks_bits_max = 9;  // 512 places to write to at once: more would not fit the cache
constexpr int32_t nobody = -1;      // a class that no row has

// Looks at the token every entries_per_check steps.
class Steps {
   public:
    explicit Steps(StopToken& stop) : stop_(stop) {}
    void step() {
        if (--left_ > 0) return;
        stop_.check();
        left_ = entries_per_check;
    }

   private:
    StopToken& stop_;
    int64_t left_ = entries_per_check;
};

// Rows in the order of their classes, and what their values are multiplied by.
template <class Value>
struct OrderedRows {
    const CsrView<Value>& matrix;
    std::span<const int32_t> labels;
    std::span<const double> row_weights;
    RowsByClass groups;

    // visit(label, j, w * x) for every nonzero product of the rows at [begin, end) of the order.
    template <class Visit>
    void for_each_product(int64_t begin, int64_t end, StopToken& stop, Visit visit) const {
        Steps steps(stop);
        for (int64_t g = begin; g < end; ++g) {
            steps.step();
            const auto row = static_cast<size_t>(groups.rows[static_cast<size_t>(g)]);
            const double weight = row_weights.empty() ? 1.0 : row_weights[row];
            const auto end_of_row = static_cast<size_t>(matrix.indptr[row + 1]);
            for (auto i = static_cast<size_t>(matrix.indptr[row]); i < end_of_row; ++i) {
                steps.step();
                const double product = weight * static_cast<double>(matrix.data[i]);
                if (product != 0.0) visit(labels[row], int64_t{matrix.indices[i]}, product);
            }
        }
    }
};

// Where each part of the rows writes its products of each block: block by block, and within a
// block part after part.
struct Places {
    size_t n_blocks;
    std::vector<int64_t> next;  // [part * n_blocks + block]; counts, until they are added up

    int64_t* of_part(int64_t part) { return next.data() + static_cast<size_t>(part) * n_blocks; }

    // Turns counts into places; returns where each block begins, and the end of the last.
    std::vector<int64_t> add_up(int64_t n_parts) {
        std::vector<int64_t> block_begin{0};
        int64_t before = 0;
        for (size_t block = 0; block < n_blocks; ++block) {
            for (int64_t part = 0; part < n_parts; ++part) {
                before += std::exchange(of_part(part)[block], before);
            }
            block_begin.push_back(before);
        }
        return block_begin;
    }
};

template <class Value>
TallyProducts collect_products(const OrderedRows<Value>& rows, const Execution& execution) {
    const CsrView<Value>& matrix = rows.matrix;
    TallyProducts collected;
    const int bits = std::max(block_bits_min, key_bits_for(matrix.n_cols) - blocks_bits_max);
    collected.block_bits = bits;
    const int64_t nnz = matrix.indptr[static_cast<size_t>(matrix.n_rows)];
    // The parts depend on n_jobs, the order of the products does not.
    const int64_t wanted = std::min<int64_t>(execution.n_jobs, 1 + nnz / entries_per_part);
    const auto n_rows = static_cast<int64_t>(rows.groups.rows.size());
    const FixedChunks parts{n_rows, std::max<int64_t>(1, (n_rows + wanted - 1) / wanted)};
    Places places{static_cast<size_t>((matrix.n_cols + (int64_t{1} << bits) - 1) >> bits), {}};
    places.next.assign(static_cast<size_t>(parts.count()) * places.n_blocks, 0);
    parallel_for(execution, parts.count(), [&](int64_t part, int32_t) {
        int64_t* const counts = places.of_part(part);
        rows.for_each_product(parts.begin(part), parts.end(part), *execution.stop,
                              [&](int32_t, int64_t feature, double) { ++counts[feature >> bits]; });
    });
    collected.block_begin = places.add_up(parts.count());
    TallyProduct* const out = collected.products.extend(collected.block_begin.back());
    const auto within = (uint64_t{1} << bits) - 1;
    parallel_for(execution, parts.count(), [&](int64_t part, int32_t) {
        int64_t* const next = places.of_part(part);
        rows.for_each_product(
            parts.begin(part), parts.end(part), *execution.stop,
            [&](int32_t label, int64_t feature, double product) {
                out[next[feature >> bits]++] = {
                    static_cast<uint32_t>(static_cast<uint64_t>(feature) & within), label, product};
            });
    });
    return collected;
}

// body(first feature, number of features, products of the block), side by side.
template <class Body>
void for_each_block(const TallyProducts& all, int64_t n_cols, const Execution& execution,
                    Body body) {
    const FixedChunks blocks{n_cols, int64_t{1} << all.block_bits};
    parallel_for(execution, blocks.count(), [&](int64_t block, int32_t) {
        const auto begin = static_cast<size_t>(all.block_begin[static_cast<size_t>(block)]);
        const auto end = static_cast<size_t>(all.block_begin[static_cast<size_t>(block) + 1]);
        body(static_cast<size_t>(blocks.begin(block)),
             static_cast<size_t>(blocks.end(block) - blocks.begin(block)),
             all.products.span().subspan(begin, end - begin));
    });
}

}  // namespace

template <class Value>
TallyProducts csr_tally_entries(const CsrView<Value>& matrix, std::span<const int32_t> labels,
                                int64_t n_classes, std::span<const double> row_weights,
                                const Execution& execution, std::span<int64_t> indptr_out) {
    const OrderedRows<Value> rows{matrix, labels, row_weights,
                                  group_rows(labels, row_weights, n_classes, *execution.stop)};
    TallyProducts collected = collect_products(rows, execution);
    std::fill(indptr_out.begin(), indptr_out.end(), 0);
    for_each_block(collected, matrix.n_cols, execution, [&](size_t first, size_t n, auto products) {
        int64_t* const counts = indptr_out.data() + 1 + first;
        // Classes come in ascending order: one that differs from the last has not been seen.
        std::vector<int32_t> last(n, nobody);
        Steps steps(*execution.stop);
        for (const TallyProduct& entry : products) {
            steps.step();
            counts[entry.feature] += last[entry.feature] != entry.label;
            last[entry.feature] = entry.label;
        }
    });
    Steps steps(*execution.stop);
    for (size_t j = 1; j < indptr_out.size(); ++j) {
        steps.step();
        indptr_out[j] += indptr_out[j - 1];
    }
    return collected;
}

void tally_entries_write(const TallyProducts& products, std::span<const int64_t> indptr,
                         const Execution& execution, std::span<int32_t> classes_out,
                         std::span<double> sums_out) {
    const auto n_cols = static_cast<int64_t>(indptr.size()) - 1;
    int32_t* const classes = classes_out.data();
    double* const sums = sums_out.data();
    for_each_block(products, n_cols, execution, [&](size_t first, size_t n, auto in_block) {
        // Behind each feature's last class: at its begin, there is none yet.
        std::vector<int64_t> next(indptr.begin() + static_cast<ptrdiff_t>(first),
                                  indptr.begin() + static_cast<ptrdiff_t>(first + n));
        Steps steps(*execution.stop);
        for (const TallyProduct& entry : in_block) {
            steps.step();
            int64_t& at = next[entry.feature];
            if (at > indptr[first + entry.feature] && classes[at - 1] == entry.label) {
                sums[at - 1] += entry.product;
            } else {
                classes[at] = entry.label;
                sums[at++] = entry.product;
            }
        }
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                        \
    template TallyProducts csr_tally_entries<Value>(                                       \
        const CsrView<Value>&, std::span<const int32_t>, int64_t, std::span<const double>, \
        const Execution&, std::span<int64_t>);
WORDODDS_FOR_EACH_NUMBER(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
