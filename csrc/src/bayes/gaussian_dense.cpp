#include "wordodds/bayes/gaussian_dense.hpp"

#include <algorithm>
#include <vector>

#include "wordodds/bayes/gaussian.hpp"

namespace wordodds {
namespace {

constexpr int64_t rows_per_chunk = 256;
constexpr int64_t block_classes = 32;
// 16 rows of 128 columns are 16 KiB, half of a first-level cache.
constexpr int64_t tile_rows = 16;
constexpr int64_t tile_columns = 128;

// What one call scores: plain pointers, so that the compiler sees no aliasing spans in the loop.
template <class Value>
struct DenseProblem {
    const Value* data;
    GaussianTable gaussians;
    double* scores;
};

// What one thread of the dense kernel works on: a block of classes, a chunk of rows, a tile.
struct DenseScratch {
    std::vector<double> parameters = std::vector<double>(block_classes * tile_columns * 2);
    std::vector<double> sums = std::vector<double>(block_classes * rows_per_chunk);
    std::vector<double> tile = std::vector<double>(tile_rows * tile_columns);
};

// parameters[(c * n_columns + j) * 2]: mean and scale, class by class.
inline void pack_parameters(const GaussianTable& gaussians, int64_t first_class, int64_t n_classes,
                            int64_t first_column, int64_t n_columns, double* parameters) {
    for (int64_t j = 0; j < n_columns; ++j) {
        const double* const mean =
            gaussians.table.data() + 2 * (first_column + j) * gaussians.stride + first_class;
        const double* const scale = mean + gaussians.stride;
        for (int64_t c = 0; c < n_classes; ++c) {
            parameters[(c * n_columns + j) * 2] = mean[c];
            parameters[(c * n_columns + j) * 2 + 1] = scale[c];
        }
    }
}

// tile[j * tile_rows + r]; past the last row stays what was there, and nobody reads its sums.
template <class Value>
void pack_tile(const DenseProblem<Value>& problem, int64_t first_row, int64_t n_rows,
               int64_t first_column, int64_t n_columns, double* tile) {
    const int64_t n_cols = problem.gaussians.n_cols;
    for (int64_t r = 0; r < n_rows; ++r) {
        const Value* const x = problem.data + (first_row + r) * n_cols + first_column;
        for (int64_t j = 0; j < n_columns; ++j) {
            tile[j * tile_rows + r] = static_cast<double>(x[j]);
        }
    }
}

// sums[r] += sum_j (deviation of row r)^2, for the rows of a tile and one class. Inlined into each
// target region below and compiled for it there.
template <bool has_points>
[[gnu::always_inline]] inline void add_squares(const double* tile, const double* parameters,
                                               int64_t n_columns, double* sums) {
    double squares[tile_rows] = {};
    for (int64_t j = 0; j < n_columns; ++j) {
        const double mean = parameters[2 * j], scale = parameters[2 * j + 1];
        for (int64_t r = 0; r < tile_rows; ++r) {
            const double z = deviation<has_points>(tile[j * tile_rows + r], mean, scale);
            squares[r] += z * z;
        }
    }
    for (int64_t r = 0; r < tile_rows; ++r) sums[r] += squares[r];
}

template <bool has_points>
[[gnu::always_inline]] inline void add_class_squares(const double* tile, const double* parameters,
                                                     int64_t n_classes, int64_t n_columns,
                                                     double* sums) {
    for (int64_t c = 0; c < n_classes; ++c) {
        add_squares<has_points>(tile, parameters + c * n_columns * 2, n_columns,
                                sums + c * rows_per_chunk);
    }
}

using AddClassSquares = void (*)(const double*, const double*, int64_t, int64_t, double*);

template <bool has_points>
void add_class_squares_baseline(const double* tile, const double* parameters, int64_t n_classes,
                                int64_t n_columns, double* sums) {
    add_class_squares<has_points>(tile, parameters, n_classes, n_columns, sums);
}

#if WORDODDS_X86
template <bool has_points>
WORDODDS_TARGET_AVX2 void add_class_squares_avx2(const double* tile, const double* parameters,
                                                 int64_t n_classes, int64_t n_columns,
                                                 double* sums) {
    add_class_squares<has_points>(tile, parameters, n_classes, n_columns, sums);
}

template <bool has_points>
WORDODDS_TARGET_AVX512 void add_class_squares_avx512(const double* tile, const double* parameters,
                                                     int64_t n_classes, int64_t n_columns,
                                                     double* sums) {
    add_class_squares<has_points>(tile, parameters, n_classes, n_columns, sums);
}
#endif

template <bool has_points>
AddClassSquares add_class_squares_for([[maybe_unused]] InstructionSet instruction_set) {
#if WORDODDS_X86
    if (instruction_set == InstructionSet::avx512) return add_class_squares_avx512<has_points>;
    if (instruction_set == InstructionSet::avx2) return add_class_squares_avx2<has_points>;
#endif
    return add_class_squares_baseline<has_points>;
}

// The rows [begin, end) against the classes [first_class, first_class + n_classes).
template <class Value>
void score_block(const DenseProblem<Value>& problem, AddClassSquares add, int64_t begin,
                 int64_t end, int64_t first_class, int64_t n_classes, const Execution& execution,
                 DenseScratch& scratch) {
    const GaussianTable& gaussians = problem.gaussians;
    std::fill(scratch.sums.begin(), scratch.sums.end(), 0.0);
    for (int64_t column = 0; column < gaussians.n_cols; column += tile_columns) {
        execution.stop->check();
        const int64_t n_columns = std::min(tile_columns, gaussians.n_cols - column);
        pack_parameters(gaussians, first_class, n_classes, column, n_columns,
                        scratch.parameters.data());
        for (int64_t row = begin; row < end; row += tile_rows) {
            pack_tile(problem, row, std::min(tile_rows, end - row), column, n_columns,
                      scratch.tile.data());
            add(scratch.tile.data(), scratch.parameters.data(), n_classes, n_columns,
                scratch.sums.data() + (row - begin));
        }
    }
    const double* const bias = gaussians.of(ClassSummary::bias) + first_class;
    for (int64_t row = begin; row < end; ++row) {
        double* const scores = problem.scores + row * gaussians.n_classes + first_class;
        for (int64_t c = 0; c < n_classes; ++c) {
            const auto at = static_cast<size_t>(c * rows_per_chunk + (row - begin));
            scores[c] = bias[c] - 0.5 * scratch.sums[at];
        }
    }
}

}  // namespace

template <class Value>
void dense_score_gaussians(const DenseRows<Value>& matrix, const GaussianTable& gaussians,
                           const Execution& execution, std::span<double> scores_out) {
    const DenseProblem<Value> problem{matrix.data.data(), gaussians, scores_out.data()};
    const AddClassSquares add = gaussians.has_points()
                                    ? add_class_squares_for<true>(execution.instruction_set)
                                    : add_class_squares_for<false>(execution.instruction_set);
    const FixedChunks chunks{matrix.n_rows, rows_per_chunk};
    std::vector<DenseScratch> scratch(
        static_cast<size_t>(std::min<int64_t>(execution.n_jobs, chunks.count())));
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t worker) {
        for (int64_t c = 0; c < gaussians.n_classes; c += block_classes) {
            score_block(problem, add, chunks.begin(chunk), chunks.end(chunk), c,
                        std::min(block_classes, gaussians.n_classes - c), execution,
                        scratch[static_cast<size_t>(worker)]);
        }
    });
}

#define WORDODDS_INSTANTIATE(Value)                                                           \
    template void dense_score_gaussians<Value>(const DenseRows<Value>&, const GaussianTable&, \
                                               const Execution&, std::span<double>);
WORDODDS_FOR_EACH_VALUE(WORDODDS_INSTANTIATE)
#undef WORDODDS_INSTANTIATE

}  // namespace wordodds
