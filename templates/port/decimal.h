// Converts binary floating point to decimal digits and back, exactly. docs/language.md names the
// algorithms. Numbers are `mantissa * 2^exponent`, of single or double precision; the files of this
// header know nothing of MicroPython.
#ifndef GPUSNEK_DECIMAL_H
#define GPUSNEK_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decimal_powers.h"

// Powers of ten from 10^GPUSNEK_POWERS_FIRST on (decimal_powers.c). Each row has the power's first
// 128 bits, high half and low half; further bits are cut off. 10^0 to 10^GPUSNEK_POWERS_EXACT have
// no further bits.
extern const uint64_t gpusnek_powers[GPUSNEK_POWERS_COUNT][2];
#define GPUSNEK_POWERS_LAST (GPUSNEK_POWERS_FIRST + GPUSNEK_POWERS_COUNT - 1)
#define GPUSNEK_POWERS_EXACT (55)

static inline const uint64_t *gpusnek_power_of_ten(int power) {
    return gpusnek_powers[power - GPUSNEK_POWERS_FIRST];
}

// The largest integers not above log2(10^power), log10(2^power) and log10(3/4 * 2^power).
// tests/floats/test_powers.py compares them with exact ones for all powers that occur.
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

// Returns the decimal with the fewest digits that reads back as mantissa * 2^exponent; of several,
// the nearest one. Its digits may end in zeros. `closer_below` says that the gap to the next lower
// number is half of the gap to the next higher one. The mantissa has 1 to 53 bits.
gpusnek_decimal_t gpusnek_shortest(uint64_t mantissa, int exponent, bool closer_below);

// Rounds mantissa * 2^exponent * 10^power to the nearest integer, half to even. Returns false where
// 128 bits of the power do not decide, and where the integer could have more than 62 bits.
bool gpusnek_rounded(uint64_t mantissa, int exponent, int power, uint64_t *integer);

// Gives all digits of mantissa * 2^exponent, one after the other. The mantissa has 1 to 54 bits,
// the exponent is at least -1075, and the number is below 2^1024.
#define GPUSNEK_EXPANSION_LIMBS (36)
typedef struct {
    uint32_t limb[GPUSNEK_EXPANSION_LIMBS];
    int low, high; // limbs of the fraction from low on and below high may be other than 0
    int size; // how many limbs the fraction has, in base 2^32; the integer's groups stand above
    int groups; // how many groups of nine digits are left
    uint32_t group; // the digits of the group that was begun
    int left; // how many digits it has left
    int power; // the next digit counts 10^power
} gpusnek_expansion_t;

// Starts at the first digit that is not 0.
void gpusnek_expand(gpusnek_expansion_t *expansion, uint64_t mantissa, int exponent);
int gpusnek_next_digit(gpusnek_expansion_t *expansion);
// Whether digits other than 0 are left.
bool gpusnek_more_digits(const gpusnek_expansion_t *expansion);

// Writes the digits of mantissa * 2^exponent to the one that counts 10^last, but at most `limit`,
// which is above 0 and for which there is room; rounds half to even. Returns the number of digits,
// 0 where the number rounds to 0. The first digit counts 10^power.
int gpusnek_write_digits(
    uint64_t mantissa, int exponent, int64_t last, int limit, char *digits, int *power);

// A finite number above 0: mantissa * 2^exponent. gpusnek_shortest says what `closer_below` is.
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
    int power; // the first digit counts 10^power
    bool scientific;
    int64_t decimals; // digits behind the point
} gpusnek_layout_t;

// Styles are 'e', 'f' and 'g' as C has them, with a precision, and 'r' as repr, without one.

// Returns how many bytes gpusnek_lay_out needs for digits: GPUSNEK_SHORT_DIGITS for most numbers.
size_t gpusnek_digits_room(const gpusnek_binary_t *number, char style, int64_t precision);
// Finds out how to write `number`; NULL stands for 0. With `point` the text has a point or an
// exponent, as repr wants it. Keeps `digits`, the room for digits, in `layout`. Returns the text's
// size in bytes.
size_t gpusnek_lay_out(gpusnek_layout_t *layout, const gpusnek_binary_t *number, char style,
    int64_t precision, bool point, char *digits);
// Writes the text, with `letter` before an exponent, and no zero byte behind it.
void gpusnek_write_layout(const gpusnek_layout_t *layout, char letter, char *text);

// A binary format: bits of the mantissa, and the exponents of its last bit in the smallest and in
// the largest number.
typedef struct {
    int bits;
    int lowest;
    int highest;
} gpusnek_format_t;

// What a reader of an unsigned decimal number has found: digits * 10^exponent, and the text itself.
// `cut`: the text may have more digits, which are not in `digits`. Then `digits` has at least three
// bits more than the format's mantissa.
typedef struct {
    uint64_t digits;
    int exponent;
    bool cut;
    const char *text, *end;
} gpusnek_numeral_t;

// Returns the bits of the number nearest to the numeral, of two the even one; they are those of
// infinity where the numeral is too large. `format` says which numbers there are.
uint64_t gpusnek_nearest(const gpusnek_numeral_t *numeral, const gpusnek_format_t *format);

#endif
