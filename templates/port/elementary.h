// Elementary functions of floats: parts that elementary_*.c share.
//
// Problem: the C libraries of the host and of the GPU round differently, and neither always returns
// the float that is nearest to the function's value.
//
// Mechanism: a function reduces its argument by a table, adds a short series, and keeps the
// intermediate results in pairs of doubles with about 100 bits. Only the last step rounds. The
// error before it is estimated at 2^-65 of the result, so rare results are not the nearest float.
//
// All operations are single IEEE operations in a fixed order. The build forbids the compiler to
// contract a product and a sum, so the host twin and the GPU compute the same bits.
#ifndef GPUSNEK_ELEMENTARY_H
#define GPUSNEK_ELEMENTARY_H

#include <stdbool.h>
#include <stdint.h>

// The number high + low. |low| is at most half of the last bit of `high` after an operation.
typedef struct _gpusnek_pair_t {
    double high, low;
} gpusnek_pair_t;

// Tables (elementary_tables.c.j2).
extern const gpusnek_pair_t gpusnek_ln2, gpusnek_log2_e, gpusnek_log10_e, gpusnek_half_pi;
extern const gpusnek_pair_t gpusnek_log_pi, gpusnek_half_log_2pi; // ln(pi), ln(2 pi)/2
extern const gpusnek_pair_t gpusnek_inverse_root_pi; // 1/sqrt(pi)
extern const double gpusnek_exp_step[3]; // ln(2)/64 in three parts; 16 bits times a part is exact
extern const gpusnek_pair_t gpusnek_exp_steps[64]; // 2^(i/64)
extern const double gpusnek_log_scales[128]; // c, with 10 bits, near 1/(1 + i/128) or 2/(1 + i/128)
extern const gpusnek_pair_t gpusnek_log_steps[128]; // -ln(c)
extern const gpusnek_pair_t gpusnek_sines[33], gpusnek_cosines[33]; // of i/32
extern const gpusnek_pair_t gpusnek_arctangents[33]; // of i/32
extern const gpusnek_pair_t gpusnek_inverse_factorials[28]; // 1/i!
extern const gpusnek_pair_t gpusnek_inverses[28]; // 1/(i + 1)
extern const gpusnek_pair_t gpusnek_stirling[11]; // coefficients of Stirling's series
extern const gpusnek_pair_t gpusnek_log_gamma[2][16]; // of powers of d in ln(gamma(1 + d)), ln(gamma(2 + d))
extern const gpusnek_pair_t gpusnek_complements[33]; // erfc of i/8
extern const gpusnek_pair_t gpusnek_densities[33]; // 2/sqrt(pi) e^(-x*x) of x = i/8
extern const uint64_t gpusnek_two_over_pi[20]; // the first 1280 bits of 2/pi

#define GPUSNEK_LOG_HALVED (53) // intervals from which the argument of a logarithm is halved
#define GPUSNEK_SPLITTER (134217729.0) // 2^27 + 1
#define GPUSNEK_TO_INTEGER (6755399441055744.0) // 1.5 * 2^52: its last bit is 1

static inline uint64_t gpusnek_float_bits(double x) {
    union {
        double value;
        uint64_t bits;
    } view;
    view.value = x;
    return view.bits;
}

static inline double gpusnek_bits_float(uint64_t bits) {
    union {
        double value;
        uint64_t bits;
    } view;
    view.bits = bits;
    return view.value;
}

// Return 2^exponent for -1022 <= exponent <= 1023.
static inline double gpusnek_power_of_two(int exponent) {
    return gpusnek_bits_float((uint64_t)(exponent + 1023) << 52);
}

// Return the integer nearest to x, |x| < 2^51.
static inline double gpusnek_nearest_integer(double x) {
    return (x + GPUSNEK_TO_INTEGER) - GPUSNEK_TO_INTEGER;
}

static inline gpusnek_pair_t gpusnek_pair(double high, double low) {
    gpusnek_pair_t p = {high, low};
    return p;
}

// a + b, without error. |a| >= |b|.
static inline gpusnek_pair_t gpusnek_ordered_sum(double a, double b) {
    const double high = a + b;
    return gpusnek_pair(high, b - (high - a));
}

// a + b, without error.
static inline gpusnek_pair_t gpusnek_sum(double a, double b) {
    const double high = a + b;
    const double part = high - a;
    return gpusnek_pair(high, (a - (high - part)) + (b - part));
}

// a * b, without error if no part over- or underflows.
static inline gpusnek_pair_t gpusnek_product(double a, double b) {
    const double high = a * b;
    double scaled = GPUSNEK_SPLITTER * a;
    const double a_high = scaled - (scaled - a), a_low = a - a_high;
    scaled = GPUSNEK_SPLITTER * b;
    const double b_high = scaled - (scaled - b), b_low = b - b_high;
    return gpusnek_pair(
        high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low);
}

static inline gpusnek_pair_t gpusnek_add(gpusnek_pair_t a, gpusnek_pair_t b) {
    const gpusnek_pair_t high = gpusnek_sum(a.high, b.high), low = gpusnek_sum(a.low, b.low);
    const gpusnek_pair_t sum = gpusnek_ordered_sum(high.high, high.low + low.high);
    return gpusnek_ordered_sum(sum.high, sum.low + low.low);
}

static inline gpusnek_pair_t gpusnek_add_double(gpusnek_pair_t a, double b) {
    const gpusnek_pair_t sum = gpusnek_sum(a.high, b);
    return gpusnek_ordered_sum(sum.high, sum.low + a.low);
}

static inline gpusnek_pair_t gpusnek_negative(gpusnek_pair_t a) {
    return gpusnek_pair(-a.high, -a.low);
}

static inline gpusnek_pair_t gpusnek_multiply(gpusnek_pair_t a, gpusnek_pair_t b) {
    const gpusnek_pair_t product = gpusnek_product(a.high, b.high);
    return gpusnek_ordered_sum(
        product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline gpusnek_pair_t gpusnek_multiply_double(gpusnek_pair_t a, double b) {
    const gpusnek_pair_t product = gpusnek_product(a.high, b);
    return gpusnek_ordered_sum(product.high, product.low + a.low * b);
}

// a * b for a power of two b.
static inline gpusnek_pair_t gpusnek_scale(gpusnek_pair_t a, double b) {
    return gpusnek_pair(a.high * b, a.low * b);
}

static inline gpusnek_pair_t gpusnek_divide(gpusnek_pair_t a, gpusnek_pair_t b) {
    const double first = a.high / b.high;
    const gpusnek_pair_t rest = gpusnek_add(a, gpusnek_negative(gpusnek_multiply_double(b, first)));
    const double second = rest.high / b.high;
    const gpusnek_pair_t last
        = gpusnek_add(rest, gpusnek_negative(gpusnek_multiply_double(b, second)));
    return gpusnek_add_double(gpusnek_ordered_sum(first, second), last.high / b.high);
}

// Exponential of x, |x.high| < 800: the result is the returned pair times 2^*exponent.
gpusnek_pair_t gpusnek_exp_pair(gpusnek_pair_t x, int *exponent);
// Natural logarithm of a positive finite x.
gpusnek_pair_t gpusnek_log_pair(double x);
// Square root of x > 0.
gpusnek_pair_t gpusnek_sqrt_pair(gpusnek_pair_t x);
// The float nearest to x * 2^exponent; an infinity or 0 beyond the range.
double gpusnek_round_scaled(gpusnek_pair_t x, int exponent);

#endif
