// Elementary functions that a loop over many numbers vectorises: no calls, no branches, no tables.
//
// Plain multiplications and additions in a fixed order, so that every instruction set gives the
// same bits. Callers inline them into their target regions.
#pragma once

#include <bit>
#include <cstdint>

namespace wordodds::elementary {

// e^r for |r| <= ln 2 / 2 by its Taylor polynomial, whose rest is below 5e-18. T: a double, or
// lanes of them. Even and odd powers apart: two short chains of dependent operations instead of a
// long one.
template <class T>
[[gnu::always_inline]] inline T exp_near_zero(T r) {
    const T r2 = r * r;
    T even = r2 * (1.0 / 479001600.0) + 1.0 / 3628800.0;
    even = even * r2 + 1.0 / 40320.0;
    even = even * r2 + 1.0 / 720.0;
    even = even * r2 + 1.0 / 24.0;
    even = even * r2 + 0.5;
    T odd = r2 * (1.0 / 6227020800.0) + 1.0 / 39916800.0;
    odd = odd * r2 + 1.0 / 362880.0;
    odd = odd * r2 + 1.0 / 5040.0;
    odd = odd * r2 + 1.0 / 120.0;
    odd = odd * r2 + 1.0 / 6.0;
    return 1.0 + (r + r2 * (even + r * odd));
}

// log(1 + e) for 0 <= e <= 1: 2 atanh(s) with s = e / (2 + e) <= 1/3, by its series, whose rest is
// below 1e-17 of the result. T as above.
template <class T>
[[gnu::always_inline]] inline T log1p_of_fraction(T e) {
    const T s = e / (2.0 + e);
    const T z = s * s;
    const T z2 = z * z;
    T even = z2 * (1.0 / 31.0) + 1.0 / 27.0;
    even = even * z2 + 1.0 / 23.0;
    even = even * z2 + 1.0 / 19.0;
    even = even * z2 + 1.0 / 15.0;
    even = even * z2 + 1.0 / 11.0;
    even = even * z2 + 1.0 / 7.0;
    even = even * z2 + 1.0 / 3.0;
    T odd = z2 * (1.0 / 33.0) + 1.0 / 29.0;
    odd = odd * z2 + 1.0 / 25.0;
    odd = odd * z2 + 1.0 / 21.0;
    odd = odd * z2 + 1.0 / 17.0;
    odd = odd * z2 + 1.0 / 13.0;
    odd = odd * z2 + 1.0 / 9.0;
    odd = odd * z2 + 1.0 / 5.0;
    return 2.0 * s + 2.0 * s * (z * (even + z * odd));
}

// e^x for x <= 0, to about one unit in the last place; 0 below -708, where doubles lose precision.
//
// x = n ln 2 + r with |r| <= ln 2 / 2.
[[gnu::always_inline]] inline double exp_of_negative(double x) {
    constexpr double lowest = -708.0;
    constexpr double shift = 0x1.8p52;  // adding it rounds to a whole number, kept in the low bits
    const double bounded = x < lowest ? lowest : x;
    const double shifted = bounded * 0x1.71547652b82fep0 + shift;
    const double n = shifted - shift;
    // ln 2 in two parts: n times the first is exact.
    const double r = (bounded - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
    const uint64_t exponent = std::bit_cast<uint64_t>(shifted) << 52;
    const double power =
        std::bit_cast<double>(std::bit_cast<uint64_t>(exp_near_zero(r)) + exponent);
    return x < lowest ? 0.0 : power;
}

}  // namespace wordodds::elementary
