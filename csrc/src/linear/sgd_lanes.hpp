// The loops of SGD over the entries of one row and the columns of one thread. Inlined into each
// target region of sgd.cpp and sgd_settle.cpp and compiled for it there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace wordodds::sgd {

constexpr int line = 8;           // columns in a cache line
constexpr int lines_at_once = 4;  // whose sums fit the registers

// One row of the matrix; of its values a copy, unless they are double.
struct Row {
    const int32_t* features = &no_feature;  // something can be read there also if n is 0
    const double* values = nullptr;
    int64_t n = 0;
    int64_t positive = -1;  // the label's column, -1 for the rest of a single column
    double weight = 1.0;
    std::vector<double> values_copy;

    static constexpr int32_t no_feature = 0;
};

// body.operator()<width>(first) over stretches of the columns [begin, end): a single column, or
// lines.
template <class Body>
[[gnu::always_inline]] inline void for_each_stretch(int64_t begin, int64_t end, Body body) {
    if (end - begin == 1) {
        body.template operator()<1>(begin);
        return;
    }
    int64_t first = begin;
    for (; first + lines_at_once * line <= end; first += lines_at_once * line) {
        body.template operator()<lines_at_once * line>(first);
    }
    switch ((end - first) / line) {
        case 1: body.template operator()<line>(first); break;
        case 2: body.template operator()<2 * line>(first); break;
        case 3: body.template operator()<3 * line>(first); break;
    }
}

// Asks for the cache lines of `width` numbers: only the features know which come next. Into the
// second level: the first holds little more than the weights of one row, which are needed twice.
template <int width, class Weight>
[[gnu::always_inline]] inline void prefetch(const Weight* numbers) {
    constexpr int per_line = 64 / sizeof(Weight);
    for (int c = 0; c < width; c += per_line) __builtin_prefetch(numbers + c, 0, 2);
}

// sums_out[c] = sum_k values[k] weights[features[k] * stride + c]; returns sum_k values[k]^2. The
// weights of the row after this one are then on their way.
template <int width, class Weight>
[[gnu::always_inline]] inline double dot(const Row& row, [[maybe_unused]] const Row& next,
                                         const Weight* weights, int64_t stride, double* sums_out) {
    const int32_t* const features = row.features;
    const double* const values = row.values;
    if constexpr (width == 1) {
        // Four sums, as one would wait for each addition. So little else is done that the processor
        // looks far enough ahead by itself.
        Weight sums[4] = {};
        double squares[4] = {};
        const auto take = [&](int64_t k, int64_t i) __attribute__((always_inline)) {
            const double x = values[k];
            squares[i] += x * x;
            sums[i] += static_cast<Weight>(x) * weights[features[k]];
        };
        int64_t k = 0;
        for (; k + 4 <= row.n; k += 4) {
            for (int64_t i = 0; i < 4; ++i) take(k + i, i);
        }
        for (int64_t i = 0; k < row.n; ++k, ++i) take(k, i);
        *sums_out = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        return (squares[0] + squares[1]) + (squares[2] + squares[3]);
    } else {
        const int32_t* const ahead = next.features;
        const int64_t last_ahead = std::max<int64_t>(next.n, 1) - 1;
        Weight sums[width] = {};
        double squares = 0.0;
        for (int64_t k = 0; k < row.n; ++k) {
            prefetch<width>(weights + ahead[std::min(k, last_ahead)] * stride);
            const double x = values[k];
            squares += x * x;
            const Weight* const w = weights + features[k] * stride;
            for (int c = 0; c < width; ++c) sums[c] += static_cast<Weight>(x) * w[c];
        }
        for (int c = 0; c < width; ++c) sums_out[c] = sums[c];
        for (int64_t k = row.n; k < next.n; ++k) prefetch<width>(weights + ahead[k] * stride);
        return squares;
    }
}

// weights[features[k] * stride + c] += values[k] steps[c]; the averages take back what that would
// add to the past.
template <int width, bool averaged, class Weight>
[[gnu::always_inline]] inline void add(const Row& row, [[maybe_unused]] const Row& next,
                                       const double* steps, int64_t stride, Weight* weights,
                                       Weight* averages, double average_a) {
    Weight step[width];
    for (int c = 0; c < width; ++c) step[c] = static_cast<Weight>(steps[c]);
    [[maybe_unused]] const auto a = static_cast<Weight>(average_a);
    const int64_t n = row.n;
    [[maybe_unused]] const int64_t last_ahead = std::max<int64_t>(next.n, 1) - 1;
    // Backwards, as what `dot` touched last is the likeliest to be in the first cache still.
    for (int64_t k = n - 1; k >= 0; --k) {
        const auto x = static_cast<Weight>(row.values[k]);
        const int64_t offset = row.features[k] * stride;
        if constexpr (averaged) {
            prefetch<width>(averages + next.features[std::min(k, last_ahead)] * stride);
            Weight* const average = averages + offset;
            for (int c = 0; c < width; ++c) average[c] -= a * (x * step[c]);
        }
        Weight* const w = weights + offset;
        for (int c = 0; c < width; ++c) w[c] += x * step[c];
    }
}

// What the L1 penalty makes of one weight, in units of `scale`; `received` is what it got before.
[[gnu::always_inline]] inline double penalized(double weight, double scale, double total,
                                               double& received) {
    const double lower = weight - (total + received) / scale;
    const double upper = weight + (total - received) / scale;
    const double positive = lower > 0.0 ? lower : 0.0;
    const double negative = upper < 0.0 ? upper : 0.0;
    const double result = weight > 0.0 ? positive : weight < 0.0 ? negative : weight;
    received += scale * (result - weight);
    return result;
}

// Arrays of `width` columns, at their first one.
template <class Weight>
struct L1Arrays {
    Weight* weights;
    Weight* averages;  // or null
    Weight* received;
    double* square_norms;
    double* sum_norms;
    double average_a;
    double scale;
    double total;
};

// The same as `add`, and then the L1 penalty; norms follow each weight.
template <int width, class Weight>
[[gnu::always_inline]] inline void add_penalized(const Row& row, const double* steps,
                                                 int64_t stride, const L1Arrays<Weight>& arrays) {
    double squares[width] = {};
    double sums[width] = {};
    for (int64_t k = 0; k < row.n; ++k) {
        const double x = row.values[k];
        const int64_t offset = row.features[k] * stride;
        Weight* const w = arrays.weights + offset;
        Weight* const received = arrays.received + offset;
        double change[width];
        for (int c = 0; c < width; ++c) {
            const double before = w[c];
            double got = received[c];
            w[c] = static_cast<Weight>(
                penalized(before + x * steps[c], arrays.scale, arrays.total, got));
            received[c] = static_cast<Weight>(got);
            const double after = w[c];
            squares[c] += after * after - before * before;
            sums[c] += std::abs(after) - std::abs(before);
            change[c] = after - before;
        }
        if (arrays.averages != nullptr) {
            Weight* const average = arrays.averages + offset;
            for (int c = 0; c < width; ++c) {
                average[c] = static_cast<Weight>(average[c] - arrays.average_a * change[c]);
            }
        }
    }
    for (int c = 0; c < width; ++c) {
        arrays.square_norms[c] =
            std::max(0.0, arrays.square_norms[c] + arrays.scale * arrays.scale * squares[c]);
        arrays.sum_norms[c] = std::max(0.0, arrays.sum_norms[c] + arrays.scale * sums[c]);
    }
}

// The AdaGrad weight of a dual and a root: soft(-dual, l1) / (l2 + root / eta0).
[[gnu::always_inline]] inline double adagrad_weight(double dual, double root, double l1, double l2,
                                                    double inverse_eta0) {
    const double size = std::abs(dual) - l1;
    const double shrunk = size > 0.0 ? size : 0.0;
    return std::copysign(shrunk, -dual) / (l2 + root * inverse_eta0);
}

}  // namespace wordodds::sgd
