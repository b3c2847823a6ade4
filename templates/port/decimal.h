// Binary floating point as decimal digits and back, exactly. docs/language.md names the algorithms.
// Numbers are `mantissa * 2^exponent`, of any precision. floats.c alone knows MicroPython.
#ifndef GPUSNEK_DECIMAL_H
#define GPUSNEK_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decimal_powers.h"

// Powers of ten from 10^GPUSNEK_POWERS_FIRST on (decimal_powers.c): 128 bits each, high and low half, of
// which the first is set; the rest of the power is cut off. Those from 10^0 to
// 10^GPUSNEK_POWERS_EXACT have no rest.
extern const uint64_t gpusnek_powers[GPUSNEK_POWERS_COUNT][2];
#define GPUSNEK_POWERS_LAST (GPUSNEK_POWERS_FIRST + GPUSNEK_POWERS_COUNT - 1)
#define GPUSNEK_POWERS_EXACT (55)

static inline const uint64_t *gpusnek_power_of_ten(int power) {
    return gpusnek_powers[power - GPUSNEK_POWERS_FIRST];
}

// The largest integers not above log2(10^power), log10(2^power) and log10(3/4 * 2^power).
// tests/numbers/test_powers.py compares them with exact ones for all powers that occur.
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

// The decimal with the fewest digits that reads back as mantissa * 2^exponent, and of these the
// nearest; the digits may end in zeros. `closer_below`: the gap to the next lower number is half
// of that to the next higher one. The mantissa is not 0 and has at most 53 bits.
gpusnek_decimal_t gpusnek_shortest(uint64_t mantissa, int exponent, bool closer_below);

// mantissa * 2^exponent * 10^power as the nearest integer, of two that are equally near the even
// one. False where 128 bits of the power do not tell, or the integer has more than 61 bits.
bool gpusnek_rounded(uint64_t mantissa, int exponent, int power, uint64_t *integer);

// All digits of mantissa * 2^exponent, one after the other. The mantissa has at most 54 bits; the
// exponent is from -1075 to 970.
#define GPUSNEK_EXPANSION_LIMBS (36)
typedef struct {
    uint32_t limb[GPUSNEK_EXPANSION_LIMBS];
    int low, high; // those of the fraction that are not 0
    int size; // limbs of the fraction, in base 2^32; above them groups of the integer
    int groups; // how many of these are left, in base 10^9
    uint32_t group; // the next digits
    int left; // how many of them
    int power; // what the next digit counts: 10^power
} gpusnek_expansion_t;

// Starts at the first digit that is not 0; the mantissa is not 0.
void gpusnek_expand(gpusnek_expansion_t *expansion, uint64_t mantissa, int exponent);
int gpusnek_next_digit(gpusnek_expansion_t *expansion);
// Whether digits other than 0 are left.
bool gpusnek_more_digits(const gpusnek_expansion_t *expansion);

// Writes mantissa * 2^exponent, rounded half to even at the digit that counts 10^last or after
// `limit` digits, whichever comes first. Returns the number of digits, 0 where it rounds to 0;
// `power` is what the first one counts. There is room for `limit` digits, which is not 0.
int gpusnek_write_digits(
    uint64_t mantissa, int exponent, int64_t last, int limit, char *digits, int *power);

// A finite number above 0: mantissa * 2^exponent. `closer_below` as above.
typedef struct {
    uint64_t mantissa;
    int exponent;
    bool closer_below;
} gpusnek_binary_t;

// How a number is written. Digits beyond `count` are zeros.
#define GPUSNEK_SHORT_DIGITS (24)
typedef struct {
    const char *digits;
    int count; // 0 for the number 0
    int power; // what the first digit counts: 10^power
    bool scientific;
    int64_t decimals; // digits behind the point
} gpusnek_layout_t;

// Styles are 'e', 'f' and 'g' as C has them, with a precision, and 'r' as repr, without one.

// Bytes for digits that gpusnek_lay_out needs at most; GPUSNEK_SHORT_DIGITS for most numbers.
size_t gpusnek_digits_room(const gpusnek_binary_t *number, char style, int64_t precision);
// `point`: there is a point, or else an exponent, as repr wants it. `digits` is room for the digits
// and is kept in `layout`. A `number` that is NULL is 0. Returns the size of the text.
size_t gpusnek_lay_out(gpusnek_layout_t *layout, const gpusnek_binary_t *number, char style,
    int64_t precision, bool point, char *digits);
// Writes the text, with this letter before an exponent, and no zero byte behind it.
void gpusnek_write_layout(const gpusnek_layout_t *layout, char letter, char *text);

// A binary format: bits of the mantissa, and the exponents of its last bit in the smallest and in
// the largest number.
typedef struct {
    int bits;
    int lowest;
    int highest;
} gpusnek_format_t;

// What a reader of a decimal number has found: digits * 10^exponent, and the text itself.
// `cut`: the text has more digits, which are not in `digits`; then these are so many that one more
// bit than the format has, and three, would hold fewer.
typedef struct {
    uint64_t digits;
    int exponent;
    bool cut;
    const char *text, *end;
} gpusnek_numeral_t;

// The number of the format that is nearest to the numeral, of two the even one, as its bits without
// the sign: those of infinity where it is too large.
uint64_t gpusnek_nearest(const gpusnek_numeral_t *numeral, const gpusnek_format_t *format);

#endif
