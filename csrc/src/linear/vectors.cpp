#include "wordodds/linear/vectors.hpp"

#include <cstddef>

namespace wordodds {
namespace {

constexpr int64_t chunk_size =
    1 << 15;  // a few microseconds; what a thread takes stays in its cache

// Independent sums: one alone would wait for each addition to end before the next.
constexpr size_t n_lanes = 8;

struct Lanes {
    double sums[n_lanes] = {};
    double total() const {
        double all = 0.0;
        for (const double sum : sums) all += sum;
        return all;
    }
};

FixedChunks chunks_of(std::span<const double> vector) {
    return {static_cast<int64_t>(vector.size()), chunk_size};
}

// body(begin, end) for each chunk.
template <class Body>
void for_each_chunk(std::span<const double> vector, const Execution& execution, Body body) {
    const FixedChunks chunks = chunks_of(vector);
    parallel_for(execution, chunks.count(), [&](int64_t chunk, int32_t) {
        body(static_cast<size_t>(chunks.begin(chunk)), static_cast<size_t>(chunks.end(chunk)));
    });
}

}  // namespace

double vectors_dot(std::span<const double> a, std::span<const double> b,
                   const Execution& execution) {
    const FixedChunks chunks = chunks_of(a);
    return parallel_reduce(
        execution, chunks.count(), 0.0,
        [&](int64_t chunk) {
            Lanes lanes;
            size_t i = static_cast<size_t>(chunks.begin(chunk));
            const auto end = static_cast<size_t>(chunks.end(chunk));
            for (; i + n_lanes <= end; i += n_lanes) {
                for (size_t lane = 0; lane < n_lanes; ++lane) {
                    lanes.sums[lane] += a[i + lane] * b[i + lane];
                }
            }
            for (size_t lane = 0; i < end; ++i, ++lane) lanes.sums[lane] += a[i] * b[i];
            return lanes.total();
        },
        [](double sum, double part) { return sum + part; });
}

void vectors_add(double t, std::span<const double> x, const Execution& execution,
                 std::span<double> y_in_out) {
    for_each_chunk(x, execution, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) y_in_out[i] += t * x[i];
    });
}

void vectors_scale_add(std::span<const double> x, double t, const Execution& execution,
                       std::span<double> y_in_out) {
    for_each_chunk(x, execution, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) y_in_out[i] = x[i] + t * y_in_out[i];
    });
}

ResidualNorms vectors_cg_step(double alpha, std::span<const double> direction,
                              std::span<const double> product,
                              std::span<const double> inverse_diagonal, const Execution& execution,
                              std::span<double> solution_in_out, std::span<double> residual_in_out,
                              std::span<double> preconditioned_out) {
    const FixedChunks chunks = chunks_of(direction);
    return parallel_reduce(
        execution, chunks.count(), ResidualNorms{0.0, 0.0},
        [&](int64_t chunk) {
            Lanes squared, preconditioned;
            const auto end = static_cast<size_t>(chunks.end(chunk));
            for (auto i = static_cast<size_t>(chunks.begin(chunk)); i < end; ++i) {
                solution_in_out[i] += alpha * direction[i];
                const double r = residual_in_out[i] - alpha * product[i];
                const double z = inverse_diagonal[i] * r;
                residual_in_out[i] = r;
                preconditioned_out[i] = z;
                squared.sums[i % n_lanes] += r * r;
                preconditioned.sums[i % n_lanes] += r * z;
            }
            return ResidualNorms{squared.total(), preconditioned.total()};
        },
        [](ResidualNorms a, ResidualNorms b) {
            return ResidualNorms{a.squared + b.squared, a.preconditioned + b.preconditioned};
        });
}

}  // namespace wordodds
