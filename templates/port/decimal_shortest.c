// Shortest and rounded decimal digits of a binary number, without big integers: the fewest digits
// that read back (Schubfach; R. Giulietti, "The Schubfach way to render doubles"), and a given
// number of digits.
#include "decimal.h"

typedef unsigned __int128 wide_t;

// Return floor(value * power / 2^128), made odd if that is inexact. The power is rounded up, by too
// little to change the result.
static uint64_t scaled(uint64_t value, uint64_t high, uint64_t low) {
    const uint64_t carry = (uint64_t)((wide_t)value * low >> 64);
    const wide_t product = (wide_t)value * high + carry;
    return (uint64_t)(product >> 64) | ((uint64_t)product != 0);
}

gpusnek_decimal_t gpusnek_shortest(uint64_t mantissa, int exponent, bool closer_below) {
    // The interval of decimals that read back contains between one and ten multiples of 10^scale.
    // The code computes four times the number and the interval's ends, in units of 10^scale.
    const int scale = closer_below ? gpusnek_log10_of_three_quarters(exponent)
                                   : gpusnek_log10_of_two(exponent);
    const int shift = exponent + gpusnek_log2_of_ten(-scale) + 1;
    const uint64_t *power = gpusnek_power_of_ten(-scale);
    const uint64_t high = power[0];
    const uint64_t low = power[1] + 1;
    const uint64_t middle = scaled(4 * mantissa << shift, high, low);
    // The ends belong to the interval if the mantissa is even, because ties round to the even
    // neighbour.
    const uint64_t odd = mantissa & 1;
    const uint64_t first = scaled((4 * mantissa - 2 + closer_below) << shift, high, low) + odd;
    const uint64_t last = scaled((4 * mantissa + 2) << shift, high, low) - odd;

    const uint64_t below = middle / 4;
    const uint64_t tens = below / 10 * 10;
    const bool tens_below = first <= 4 * tens;
    const bool tens_above = 4 * (tens + 10) <= last;
    if (tens_below != tens_above) {
        return (gpusnek_decimal_t) {tens + (tens_above ? 10 : 0), scale};
    }
    const bool is_below = first <= 4 * below;
    const bool is_above = 4 * (below + 1) <= last;
    if (is_below != is_above) {
        return (gpusnek_decimal_t) {below + is_above, scale};
    }
    // Both neighbours read back, or neither does and both are equally good: take the nearer.
    const uint64_t half = 4 * below + 2;
    const bool up = middle > half || (middle == half && (below & 1));
    return (gpusnek_decimal_t) {below + up, scale};
}

bool gpusnek_rounded(uint64_t mantissa, int exponent, int power, uint64_t *integer) {
    if (power < GPUSNEK_POWERS_FIRST || power > GPUSNEK_POWERS_LAST) {
        return false;
    }
    const int zeros = __builtin_clzll(mantissa);
    // The product has 192 bits. The integer is the high part without its low `point` bits.
    const int point = zeros - exponent - gpusnek_log2_of_ten(power) - 1;
    if (point < 2) {
        return false;
    }
    if (point > 64) {
        *integer = 0;
        return true;
    }
    const uint64_t *ten = gpusnek_power_of_ten(power);
    const wide_t lower = (wide_t)(mantissa << zeros) * ten[1];
    const wide_t product = (wide_t)(mantissa << zeros) * ten[0] + (uint64_t)(lower >> 64);
    const uint64_t high = (uint64_t)(product >> 64);
    const uint64_t middle = (uint64_t)product;
    const uint64_t whole = point == 64 ? 0 : high >> point;
    const uint64_t rest = point == 64 ? high : high & (((uint64_t)1 << point) - 1);
    const uint64_t half = (uint64_t)1 << (point - 1);
    bool up = rest >= half;
    if (power >= 0 && power <= GPUSNEK_POWERS_EXACT) {
        if (rest == half && middle == 0 && (uint64_t)lower == 0) {
            up = whole & 1;
        }
    } else if ((rest == half && middle == 0) || (rest == half - 1 && middle >= UINT64_MAX - 1)) {
        return false; // the truncation error, below two units of `middle`, could decide
    }
    *integer = whole + up;
    return true;
}
