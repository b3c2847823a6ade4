// Exact conversion between binary floating point and decimal digits. docs/reference/language.md
// names the algorithms.
//
// Numbers are `mantissa * 2^exponent`, of single or double precision. floats.c calls these
// functions. The files that implement this header do not depend on MicroPython. Nothing here
// allocates or raises.
#ifndef GPUSNEK_DECIMAL_H
#define GPUSNEK_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decimal_powers.h"

static inline const uint64_t *gpusnek_power_of_ten(int power) {
    return gpusnek_powers[power - GPUSNEK_POWERS_FIRST];
}

// floor(log2(10^power)), floor(log10(2^power)) and floor(log10(3/4 * 2^power)).
// tests/floats/test_powers.py compares them with exact values for all powers that occur.
static inline int gpusnek_log2_of_ten(int power) {
    return (power * 1741647) >> 19;
}
static inline int gpusnek_log10_of_two(int power) {
    return (power * 78913) >> 18;
}
static inline int gpusnek_log10_of_three_quarters(int power) {
    return (power * 1262611 - 524031) >> 22;
}

// digits * 10^exponent
typedef struct {
    uint64_t digits;
    int exponent;
} gpusnek_decimal_t;

// Return the decimal with the fewest digits that reads back as mantissa * 2^exponent, and the
// nearest if several have that length. Its digits may end in zeros. `closer_below`: the gap to the
// next lower number is half of the gap to the next higher number. The mantissa has 1 to 53 bits.
gpusnek_decimal_t gpusnek_shortest(uint64_t mantissa, int exponent, bool closer_below);

// Round mantissa * 2^exponent * 10^power to the nearest integer, half to even. Return false if 128
// bits of the power do not determine the result, or if the integer may have more than 62 bits.
bool gpusnek_rounded(uint64_t mantissa, int exponent, int power, uint64_t *integer);

// Iterator over all decimal digits of mantissa * 2^exponent. The mantissa has 1 to 54 bits, the
// exponent is at least -1075, and the number is below 2^1024.
#define GPUSNEK_EXPANSION_LIMBS (36)
typedef struct {
    uint32_t limb[GPUSNEK_EXPANSION_LIMBS];
    int low, high; // only limbs of the fraction in [low, high) may be nonzero
    int size; // limbs of the fraction, in base 2^32; the integer's groups follow
    int groups; // remaining groups of nine digits
    uint32_t group; // the remaining digits of the current group
    int left; // number of digits left in the current group
    int power; // decimal exponent of the next digit
} gpusnek_expansion_t;

// Start the iteration at the first nonzero digit.
void gpusnek_expand(gpusnek_expansion_t *expansion, uint64_t mantissa, int exponent);
// Return the next digit, 0 to 9, and advance.
int gpusnek_next_digit(gpusnek_expansion_t *expansion);
// Return whether any remaining digit is nonzero.
bool gpusnek_more_digits(const gpusnek_expansion_t *expansion);

// Write the digits of mantissa * 2^exponent down to the digit of weight 10^last, but at most
// `limit` digits, rounded half to even. `limit` is above 0, and `digits` has space for it. Store
// the first digit's exponent in *power. Return the number of digits, 0 if the number rounds to 0.
int gpusnek_write_digits(
    uint64_t mantissa, int exponent, int64_t last, int limit, char *digits, int *power);

// A finite number above 0: mantissa * 2^exponent. `closer_below`: as for gpusnek_shortest().
typedef struct {
    uint64_t mantissa;
    int exponent;
    bool closer_below;
} gpusnek_binary_t;

// The layout of a number's text. Digits beyond `count` are zeros.
#define GPUSNEK_SHORT_DIGITS (24)
typedef struct {
    const char *digits;
    int count; // 0 for the number 0
    int power; // decimal exponent of the first digit
    bool scientific;
    int64_t decimals; // digits after the point
} gpusnek_layout_t;

// Styles: 'e', 'f' and 'g' as in C, with a precision; 'r' is Python's repr, without a precision.

// Return the number of bytes that gpusnek_lay_out() needs for digits, usually GPUSNEK_SHORT_DIGITS.
size_t gpusnek_digits_room(const gpusnek_binary_t *number, char style, int64_t precision);
// Compute the layout of `number`; NULL stands for 0. With `point` the text has a point or an
// exponent, as repr requires. `layout` keeps a pointer to `digits`. Return the text's size in
// bytes.
size_t gpusnek_lay_out(gpusnek_layout_t *layout, const gpusnek_binary_t *number, char style,
    int64_t precision, bool point, char *digits);
// Write the text, with `letter` before an exponent and without a terminating zero byte.
void gpusnek_write_layout(const gpusnek_layout_t *layout, char letter, char *text);

// A binary format: bits of the mantissa, and the exponents of the last bit of the smallest and of
// the largest number.
typedef struct {
    int bits;
    int lowest;
    int highest;
} gpusnek_format_t;

// A parsed unsigned decimal number, digits * 10^exponent, and its text. `cut`: the text may have
// more digits than `digits` holds; `digits` then has at least three bits more than the format's
// mantissa.
typedef struct {
    uint64_t digits;
    int exponent;
    bool cut;
    const char *text, *end;
} gpusnek_numeral_t;

// Return the bit pattern of the number of `format` nearest to the numeral, half to even, or the
// pattern of infinity if the numeral is too large.
uint64_t gpusnek_nearest(const gpusnek_numeral_t *numeral, const gpusnek_format_t *format);

#endif
