// Hashes of big ints, floats and complex numbers: the remainder modulo 2**61 - 1. The patch
// `hashes` calls these functions in py/objint_mpz.c, py/objfloat.c and py/objcomplex.c.
//
// Problem: upstream's hash is the low bits of a number. These are equal for all multiples of 2**47,
// and for 0.5 and 0.25, so that a dict with such keys is searched linearly.
//
// Invariant H1: equal numbers have equal hashes, whatever their types are. A float is an integer
// times a power of two, which may be negative. Multiplying a remainder by a power of two modulo
// 2**61 - 1 rotates its 61 bits.
#ifndef GPUSNEK_NUMBERHASH_H
#define GPUSNEK_NUMBERHASH_H

#include <stdbool.h>
#include <stdint.h>

#include "py/mpz.h"
#include "py/smallint.h"

#define GPUSNEK_HASH_BITS (61)
#define GPUSNEK_HASH_MODULUS (((uint64_t)1 << GPUSNEK_HASH_BITS) - 1)

// Returns remainder * 2**bits modulo 2**61 - 1, for 0 <= bits < 61.
static inline uint64_t gpusnek_hash_shifted(uint64_t remainder, unsigned int bits) {
    return (remainder << bits & GPUSNEK_HASH_MODULUS) | remainder >> (GPUSNEK_HASH_BITS - bits);
}

// Returns the hash of a number from the remainder of its absolute value. A small int is its own
// hash, so a float or big int of the same value must have it too (H1). A hash must fit a small int,
// so the bits beyond are mixed into the upper ones. The lower 31 bits are CPython's, because the order
// of a set depends on them.
static inline mp_int_t gpusnek_hash_of(uint64_t remainder, bool negative) {
    if (remainder > -(uint64_t)MP_SMALL_INT_MIN) {
        const unsigned int small_bits = 8 * sizeof(mp_uint_t) - 18; // of a small int
        remainder = (remainder & (((uint64_t)1 << small_bits) - 1)) ^ remainder >> small_bits << 31;
    }
    return negative ? -(mp_int_t)remainder : (mp_int_t)remainder;
}

static inline mp_int_t gpusnek_mpz_hash(const mpz_t *number) {
    uint64_t remainder = 0;
    for (size_t i = number->len; i > 0; --i) {
        remainder = gpusnek_hash_shifted(remainder, MPZ_DIG_SIZE) + number->dig[i - 1];
        remainder = (remainder & GPUSNEK_HASH_MODULUS) + (remainder >> GPUSNEK_HASH_BITS);
    }
    return gpusnek_hash_of(remainder % GPUSNEK_HASH_MODULUS, number->neg);
}

#if MICROPY_PY_BUILTINS_FLOAT
// A multiple of 61 not less than 1074, the exponent of the smallest double, negated: makes
// exponents nonnegative modulo 61.
#define GPUSNEK_LEAST_POWER (18 * GPUSNEK_HASH_BITS)

#define GPUSNEK_INFINITY_HASH (314159) // CPython's

// Returns the hash of a float; that of the equal int if it is integral. The hash of a NaN is its
// fraction, as upstream's.
static inline mp_int_t gpusnek_float_hash(mp_float_t number) {
    const mp_float_union_t parts = {.f = number};
    if (parts.p.exp == ((mp_float_uint_t)1 << MP_FLOAT_EXP_BITS) - 1) {
        const mp_int_t whole = parts.p.frc == 0 ? GPUSNEK_INFINITY_HASH
            : (mp_int_t)(parts.p.frc | (mp_float_uint_t)1 << MP_FLOAT_FRAC_BITS);
        return parts.p.sgn ? -whole : whole;
    }
    const bool subnormal = parts.p.exp == 0;
    const uint64_t whole = parts.p.frc | (mp_float_uint_t)!subnormal << MP_FLOAT_FRAC_BITS;
    const int power = (int)parts.p.exp + subnormal - MP_FLOAT_EXP_BIAS - MP_FLOAT_FRAC_BITS;
    const unsigned int bits = (unsigned int)(power + GPUSNEK_LEAST_POWER) % GPUSNEK_HASH_BITS;
    return gpusnek_hash_of(gpusnek_hash_shifted(whole, bits), parts.p.sgn);
}

// Returns the hash of a complex number from those of its parts, as CPython: that of the real part if
// the imaginary part is 0 (H1).
static inline mp_int_t gpusnek_complex_hash(mp_int_t real, mp_int_t imaginary) {
    return (mp_int_t)((uint64_t)real + UINT64_C(1000003) * (uint64_t)imaginary);
}
#endif

#endif
