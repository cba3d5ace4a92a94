// Four doubles at a time, written once for every instruction set.
//
// The compiler's vector type: in a target region it becomes that region's registers, elsewhere two
// halves or scalars. Each lane is plain IEEE arithmetic without fused operations, so the bits are
// the same everywhere. Everything is inlined into its target region, as the type has no calling
// convention that all regions share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wordodds/base/dispatch.hpp"
#include "wordodds/base/elementary.hpp"
#include "wordodds/base/stride.hpp"

// It warns that the convention differs between regions; nothing here is called, all is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace wordodds {

typedef double Lanes __attribute__((vector_size(32)));
typedef int64_t LaneBits __attribute__((vector_size(32)));
typedef float FloatLanes __attribute__((vector_size(16)));
// In memory: as aligned as its elements.
typedef double LanesInMemory __attribute__((vector_size(32), aligned(8), may_alias));
typedef float FloatLanesInMemory __attribute__((vector_size(16), aligned(4), may_alias));

#define WORDODDS_LANES [[gnu::always_inline]] inline
#define WORDODDS_INLINED __attribute__((always_inline))  // the same of a lambda

WORDODDS_LANES Lanes lanes_of(double x) { return Lanes{x, x, x, x}; }

WORDODDS_LANES Lanes load_lanes(const double* from) {
    return *reinterpret_cast<const LanesInMemory*>(from);
}
WORDODDS_LANES Lanes load_lanes(const float* from) {
    // One by one: GCC takes a vector conversion apart before it knows the region's registers.
    return Lanes{double{from[0]}, double{from[1]}, double{from[2]}, double{from[3]}};
}
WORDODDS_LANES void store_lanes(double* to, Lanes x) { *reinterpret_cast<LanesInMemory*>(to) = x; }
// at[k] += value * by[k]; single-precision numbers are updated in single precision.
WORDODDS_LANES void add_lanes(double* at, double value, Lanes by) {
    store_lanes(at, load_lanes(at) + value * by);
}
WORDODDS_LANES void add_lanes(float* at, double value, Lanes by) {
    auto* const sum = reinterpret_cast<FloatLanesInMemory*>(at);
    *sum = *sum + static_cast<float>(value) * __builtin_convertvector(by, FloatLanes);
}

WORDODDS_LANES Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
WORDODDS_LANES Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
WORDODDS_LANES Lanes magnitude(Lanes a) { return larger(a, -a); }

// In an order of their own, the same everywhere.
WORDODDS_LANES double sum_of(Lanes a) { return (a[0] + a[2]) + (a[1] + a[3]); }
WORDODDS_LANES double largest_of(Lanes a) {
    return std::max(std::max(a[0], a[2]), std::max(a[1], a[3]));
}

// exp(x) for x in [-708, 709], relative error below 5e-16; outside, exp of the nearer end. NaN if
// x is.
//
// x = n log 2 + r with |r| <= log(2) / 2: adding 1.5 * 2^52 rounds x / log 2 to the integer n and
// leaves it in the low bits, log 2 in two parts keeps r exact.
WORDODDS_LANES Lanes exp_lanes(Lanes x) {
    constexpr double to_integer = 6755399441055744.0;
    x = smaller(lanes_of(709.0), larger(lanes_of(-708.0), x));  // in this order NaN stays
    const Lanes shifted = x * 1.4426950408889634 + to_integer;
    const Lanes n = shifted - to_integer;
    const Lanes r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    const LaneBits scale = (reinterpret_cast<LaneBits>(shifted) + 1023) << 52;
    return elementary::exp_near_zero(r) * reinterpret_cast<Lanes>(scale);
}

// 1 / (1 + exp(-x)), with all digits where it is small.
WORDODDS_LANES Lanes sigmoid_lanes(Lanes x) {
    const Lanes e = exp_lanes(-magnitude(x));
    return (x > 0.0 ? lanes_of(1.0) : e) / (1.0 + e);
}

// A bound on log(x) from above, at most 0.06 too large, for normal x > 0: the logarithm is linear
// between powers of two but for 0.0861 of a binary digit.
WORDODDS_LANES Lanes log_above(Lanes x) {
    constexpr int64_t mantissa = 0x000fffffffffffff;
    constexpr int64_t one = 0x3ff0000000000000;
    const LaneBits bits = reinterpret_cast<LaneBits>(x);
    const Lanes exponent = __builtin_convertvector(bits >> 52, Lanes) - 1023.0;
    const Lanes fraction = reinterpret_cast<Lanes>((bits & mantissa) | one) - 1.0;
    return (exponent + fraction + 0.0861) * 0.6931471805599454;
}

// work(), compiled for an instruction set: what it calls must be WORDODDS_LANES down to the lanes.
template <class Work>
void with_baseline_lanes(const Work& work) {
    work();
}
#if WORDODDS_X86
template <class Work>
WORDODDS_TARGET_AVX2 void with_avx2_lanes(const Work& work) {
    work();
}
#endif

// AVX-512 has nothing to add to lanes of four.
template <class Work>
void with_lanes([[maybe_unused]] InstructionSet instruction_set, const Work& work) {
#if WORDODDS_X86
    if (instruction_set != InstructionSet::baseline) return with_avx2_lanes(work);
#endif
    with_baseline_lanes(work);
}

}  // namespace wordodds
