// Natural numbers of any size: arrays of 32-bit digits, the least first. Neighbours on a GPU
// execute together while their control flow agrees, so the steps of these functions depend on how
// many digits their numbers have, and not on which (a quotient digit that is one too large, one in
// 2^31, is the exception). Counts are at least 1 where nothing else is said; a first digit may be 0
// except of divisors. Results overlap no operand.
#ifndef GPUSNEK_NATURAL_H
#define GPUSNEK_NATURAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "py/mpconfig.h"
#include "py/misc.h" // with what raises declared, a unit's loops poll
#include "stretch.h"

// Rows of digits that are computed without a poll. A poll may call, and registers that are saved
// for that cost more than short numbers take; loops over blocks of rows stand in functions of their
// own.
#define GPUSNEK_ROWS (16)

// to[0, count) += a * by; returns what is carried beyond. The count may be 0. Four digits at a time
// are read before the first of them is written, so that a GPU waits for memory once.
static inline uint32_t gpusnek_add_product(
    uint32_t *to, const uint32_t *a, size_t count, uint32_t by) {
    uint64_t sum = 0;
    #pragma unroll 1
    for (; count >= 4; count -= 4, to += 4, a += 4) {
        gpusnek_stretch(count, 4);
        const uint32_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
        const uint32_t b0 = to[0], b1 = to[1], b2 = to[2], b3 = to[3];
        sum = (uint64_t)a0 * by + b0 + (sum >> 32);
        to[0] = (uint32_t)sum;
        sum = (uint64_t)a1 * by + b1 + (sum >> 32);
        to[1] = (uint32_t)sum;
        sum = (uint64_t)a2 * by + b2 + (sum >> 32);
        to[2] = (uint32_t)sum;
        sum = (uint64_t)a3 * by + b3 + (sum >> 32);
        to[3] = (uint32_t)sum;
    }
    #pragma unroll 1
    for (; count > 0; --count, ++to, ++a) {
        sum = (uint64_t)*a * by + *to + (sum >> 32);
        *to = (uint32_t)sum;
    }
    return (uint32_t)(sum >> 32);
}

// number[0, count) = number * by + add; returns what is carried beyond. The count may be 0.
static inline uint32_t gpusnek_scale(uint32_t *number, size_t count, uint32_t by, uint32_t add) {
    uint32_t carry = add;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t sum = (uint64_t)number[i] * by + carry;
        number[i] = (uint32_t)sum;
        carry = (uint32_t)(sum >> 32);
        gpusnek_stretch(i, 1);
    }
    return carry;
}

// How many of `count` digits there are without zeros in front.
static inline size_t gpusnek_significant(const uint32_t *number, size_t count) {
    while (count > 0 && number[count - 1] == 0) {
        --count;
    }
    return count;
}

// Zeros in front of a digit above 0.
static inline int gpusnek_leading_zeros(uint32_t digit) {
    return __builtin_clz(digit);
}

// Bits of a number whose first digit is above 0.
static inline size_t gpusnek_bits(const uint32_t *number, size_t count) {
    return 32 * count - (size_t)gpusnek_leading_zeros(number[count - 1]);
}

// product[0, a_count + b_count) = a * b
void gpusnek_multiply(
    uint32_t *product, const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);

// square[0, 2 * count) = a * a
void gpusnek_square(uint32_t *square, const uint32_t *a, size_t count);

// What is known of a divisor before it divides: its first two digits, shifted so that the first bit
// is 1 (`low` is 0 of a divisor of one digit), and (2^96 - 1) / (high * 2^32 + low) - 2^32.
typedef struct _gpusnek_divisor_t {
    const uint32_t *digits;
    size_t count;
    int shift;
    uint32_t high;
    uint32_t low;
    uint32_t inverse;
} gpusnek_divisor_t;

gpusnek_divisor_t gpusnek_divisor(const uint32_t *digits, size_t count);

// quotient[0, count - divisor->count + 1) and remainder[0, divisor->count) of a number of at least
// as many digits as the divisor. The quotient may be NULL.
void gpusnek_divide(uint32_t *quotient, uint32_t *remainder, const uint32_t *number, size_t count,
    const gpusnek_divisor_t *divisor);

// The same by a divisor of one digit; the remainder is returned. The quotient may be the number.
uint32_t gpusnek_divide_by_digit(uint32_t *quotient, const uint32_t *number, size_t count,
    const gpusnek_divisor_t *divisor);

// Digits of memory that gpusnek_power_modulo wants, beside a table of further powers.
static inline size_t gpusnek_power_room(size_t count) {
    return count * 4;
}

// How many bits of an exponent are taken at a time, and the digits of the table for it (0 for 1).
int gpusnek_window(size_t exponent_bits, size_t count);
static inline size_t gpusnek_table_room(int window, size_t count) {
    return (((size_t)1 << window) - 2) * count;
}

// result[0, count) = base ** exponent % modulus. The base has as many digits as the modulus, and
// the exponent's first digit is above 0. `room` and `table` are as large as the functions above
// say; the result may be the base.
void gpusnek_power_modulo(uint32_t *result, const uint32_t *base, const uint32_t *exponent,
    size_t exponent_count, const uint32_t *modulus, size_t count, uint32_t *room, uint32_t *table,
    int window);

// What long computations call now and then, for it may raise (integers_power.c).
void gpusnek_look(void);

#endif
