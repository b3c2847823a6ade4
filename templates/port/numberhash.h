// The hash of numbers that are no small ints, for py/objint_mpz.c, py/objfloat.c and py/objcomplex.c
// (patch `hashes`): the remainder by 2**61 - 1, of which all bits count in the table of a dict.
//
// A number's low bits alone, as upstream has them, are the same for all multiples of 2**47, and for
// 0.5 and 0.25; a dict of such keys would be searched from end to end. Equal numbers have equal
// hashes, whatever they are kept as: a float is a whole number times a power of two, also of a half,
// and that power times a remainder is a rotation of its bits.
#ifndef GPUSNEK_NUMBERHASH_H
#define GPUSNEK_NUMBERHASH_H

#include <stdbool.h>
#include <stdint.h>

#include "py/mpz.h"
#include "py/smallint.h"
#include "tuplehash.h"

#define GPUSNEK_HASH_BITS (61)
#define GPUSNEK_HASH_MODULUS (((uint64_t)1 << GPUSNEK_HASH_BITS) - 1)

// A remainder times 2**bits, modulo 2**61 - 1, for 0 <= bits < 61.
static inline uint64_t gpusnek_hash_shifted(uint64_t remainder, unsigned int bits) {
    return (remainder << bits & GPUSNEK_HASH_MODULUS) | remainder >> (GPUSNEK_HASH_BITS - bits);
}

// The hash of a number from its absolute value's remainder. A small int is its own hash, so a long or
// a float that is as small has that too; hashes are kept as small ints, so what they have no place
// for goes into the bits below.
static inline mp_int_t gpusnek_hash_of(uint64_t remainder, bool negative) {
    if (remainder > -(uint64_t)MP_SMALL_INT_MIN) {
        remainder ^= remainder >> 31;
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
#define GPUSNEK_LEAST_POWER (18 * GPUSNEK_HASH_BITS) // of two in a float, a double's too: -1074

// The hash of a float. A whole number's is that of the int that it is equal to. Infinities and NaN
// have their fractions, as upstream has it.
static inline mp_int_t gpusnek_float_hash(mp_float_t number) {
    const mp_float_union_t parts = {.f = number};
    if (parts.p.exp == ((mp_float_uint_t)1 << MP_FLOAT_EXP_BITS) - 1) {
        const mp_int_t whole = (mp_int_t)(parts.p.frc | (mp_float_uint_t)1 << MP_FLOAT_FRAC_BITS);
        return parts.p.sgn ? -whole : whole;
    }
    const bool subnormal = parts.p.exp == 0;
    const uint64_t whole = parts.p.frc | (mp_float_uint_t)!subnormal << MP_FLOAT_FRAC_BITS;
    const int power = (int)parts.p.exp + subnormal - MP_FLOAT_EXP_BIAS - MP_FLOAT_FRAC_BITS;
    const unsigned int bits = (unsigned int)(power + GPUSNEK_LEAST_POWER) % GPUSNEK_HASH_BITS;
    return gpusnek_hash_of(gpusnek_hash_shifted(whole, bits), parts.p.sgn);
}

// The hash of a complex number from those of its parts. It may be equal to a real one.
static inline mp_int_t gpusnek_complex_hash(mp_int_t real, mp_int_t imaginary) {
    if (imaginary == 0) {
        return real;
    }
    return gpusnek_tuple_hash(gpusnek_tuple_hash(0, real), imaginary);
}
#endif

#endif
