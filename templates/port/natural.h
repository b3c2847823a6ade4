// Arithmetic of natural numbers of any size: arrays of 32-bit digits, the least significant first.
// integers.c, integers_power.c and integers_text.c call these functions.
//
// Lanes of a warp execute together only while their control flow agrees. So the control flow
// depends on the numbers of digits and not on the digits. The exception is the correction of a
// quotient digit that is too large by one, with a probability of about 2^-31.
//
// Contract, unless a comment says otherwise: counts are in digits and at least 1; the most
// significant digit may be 0, except that of a divisor; results do not overlap operands.
#ifndef GPUSNEK_NATURAL_H
#define GPUSNEK_NATURAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "py/mpconfig.h"
#include "py/misc.h" // declares functions that raise: then the rule `polls` may poll in loops
#include "stretch.h"

// Rows of digits per function call without a poll. A poll may call a function, and saving registers
// for that costs more than the arithmetic of short numbers. So loops over blocks of rows are
// functions of their own.
#define GPUSNEK_ROWS (16)

// Digit operations per step. A step of the VM takes as long as 20 to 100 of them. Numbers below 128
// digits take no additional steps in conversions.
#define GPUSNEK_DIGITS_PER_STEP (128)

// Computes to[0, count) += a * by; returns the carry. `count` may be 0. Four digits are read before
// the first of them is written, so that a GPU waits for memory once.
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

// Computes number[0, count) = number * by + add; returns the carry. `count` may be 0.
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

// Returns the number of digits without leading zeros.
static inline size_t gpusnek_significant(const uint32_t *number, size_t count) {
    while (count > 0 && number[count - 1] == 0) {
        --count;
    }
    return count;
}

// Returns the number of leading zero bits of a digit, which must not be 0.
static inline int gpusnek_leading_zeros(uint32_t digit) {
    return __builtin_clz(digit);
}

// Returns the number of bits of a number whose most significant digit is not 0.
static inline size_t gpusnek_bits(const uint32_t *number, size_t count) {
    return 32 * count - (size_t)gpusnek_leading_zeros(number[count - 1]);
}

// product[0, a_count + b_count) = a * b
void gpusnek_multiply(
    uint32_t *product, const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);

// square[0, 2 * count) = a * a
void gpusnek_square(uint32_t *square, const uint32_t *a, size_t count);

// A divisor prepared for division: its digits, and values derived from its most significant ones.
typedef struct _gpusnek_divisor_t {
    const uint32_t *digits;
    size_t count;
    int shift; // bits, so that the most significant bit of `high` is 1
    uint32_t high; // the most significant digit, shifted
    uint32_t low; // the next digit, shifted; 0 for a divisor of one digit
    uint32_t inverse; // (2^96 - 1) / (high * 2^32 + low) - 2^32
} gpusnek_divisor_t;

gpusnek_divisor_t gpusnek_divisor(const uint32_t *digits, size_t count);

// Computes quotient[0, count - divisor->count + 1) and remainder[0, divisor->count) of a number
// that has at least as many digits as the divisor. quotient: may be NULL.
void gpusnek_divide(uint32_t *quotient, uint32_t *remainder, const uint32_t *number, size_t count,
    const gpusnek_divisor_t *divisor);

// Divides by a divisor of one digit; returns the remainder. quotient: may be NULL, or `number`.
uint32_t gpusnek_divide_by_digit(uint32_t *quotient, const uint32_t *number, size_t count,
    const gpusnek_divisor_t *divisor);

// Returns the size of the scratch memory `room` of gpusnek_power_modulo(), in digits.
static inline size_t gpusnek_power_room(size_t count) {
    return count * 4;
}

// Return the window size of gpusnek_power_modulo(), in bits of the exponent, and the size of its
// table of powers, in digits (0 for a window of 1).
int gpusnek_window(size_t exponent_bits, size_t count);
static inline size_t gpusnek_table_room(int window, size_t count) {
    return (((size_t)1 << window) - 2) * count;
}

// Computes result[0, count) = base ** exponent % modulus. The base has as many digits as the
// modulus, and the exponent's most significant digit is not 0. The functions above return the sizes
// of `room` and `table`. result: may be the base. May raise (gpusnek_look()).
void gpusnek_power_modulo(uint32_t *result, const uint32_t *base, const uint32_t *exponent,
    size_t exponent_count, const uint32_t *modulus, size_t count, uint32_t *room, uint32_t *table,
    int window);

// Takes a step for each GPUSNEK_DIGITS_PER_STEP digit operations. So a limit of steps bounds the time
// of operations whose time grows faster than the numbers: products, quotients, and texts.
void gpusnek_charge(size_t digits);

// Polls in long computations (integers_power.c). May raise KeyboardInterrupt.
void gpusnek_look(void);

#endif
