// Helpers shared by integers.c and integers_power.c: storing results and operands of natural.h in
// mpz_t.
#ifndef GPUSNEK_INTEGERS_DIGITS_H
#define GPUSNEK_INTEGERS_DIGITS_H

#include "natural.h"
#include "py/mpz.h"
#include "py/runtime.h"

// Give `number` the array `digits` of `count` digits, of which `used` have values. Frees the old
// array, which may have been an operand; call it last.
static inline void gpusnek_adopt(
    mpz_t *number, mpz_dig_t *digits, size_t count, size_t used, bool negative) {
    if (number->dig != NULL) {
        m_del(mpz_dig_t, number->dig, number->alloc);
    }
    number->dig = digits;
    number->alloc = count;
    number->len = gpusnek_significant(digits, used);
    number->neg = negative && number->len > 0;
}

// to[0, count) = |number|, padded with zeros; the number has at most `count` digits.
static inline void gpusnek_pad(mpz_dig_t *to, size_t count, const mpz_t *number) {
    const size_t had = number->len;
    for (size_t i = 0; i < count; ++i) {
        to[i] = i < had ? number->dig[i] : 0;
    }
}

// digits = from - digits, where digits <= from.
static inline void gpusnek_subtract_from(mpz_dig_t *digits, const mpz_dig_t *from, size_t count) {
    uint32_t borrow = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t digit = (uint64_t)from[i] - digits[i] - borrow;
        digits[i] = (uint32_t)digit;
        borrow = (uint32_t)(digit >> 63);
    }
}

#endif
