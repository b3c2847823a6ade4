// Layout of a number's text: its digits, the position of the point, and the exponent (decimal.h).
#include "decimal.h"

#define FAST_DIGITS (17) // the maximum that gpusnek_rounded() supports
#define MOST_DIGITS (768) // one more than the maximum of a double
#define REPR_DIGITS (16) // repr uses an exponent from 10^16 on
#define LOWEST_POINT (-4) // and below 10^-4, like %g

// Return a decimal exponent p with 10^p <= number < 10^(p + 2).
static int low_power(const gpusnek_binary_t *number) {
    return gpusnek_log10_of_two(number->exponent + 63 - __builtin_clzll(number->mantissa));
}

// Return the number of significant digits that %e and %g write.
static int64_t significant(char style, int64_t precision) {
    return style == 'e' ? precision + 1 : precision > 0 ? precision : 1;
}

size_t gpusnek_digits_room(const gpusnek_binary_t *number, char style, int64_t precision) {
    if (number == NULL || style == 'r') {
        return GPUSNEK_SHORT_DIGITS;
    }
    const int64_t wanted
        = style == 'f' ? precision + low_power(number) + 2 : significant(style, precision);
    return wanted < GPUSNEK_SHORT_DIGITS ? GPUSNEK_SHORT_DIGITS
        : wanted > MOST_DIGITS ? MOST_DIGITS : (size_t)wanted;
}

// Return 10^power, which must fit 64 bits.
static uint64_t ten_to(int power) {
    return gpusnek_power_of_ten(power)[0] >> (63 - gpusnek_log2_of_ten(power));
}

// Store the digits of integer * 10^exponent in `layout` and `digits`.
static void take_integer(gpusnek_layout_t *layout, uint64_t integer, int exponent, char *digits) {
    int count = 0;
    if (integer > 0) {
        count = gpusnek_log10_of_two(63 - __builtin_clzll(integer)) + 1;
        count += integer >= ten_to(count);
    }
    layout->count = count;
    layout->power = count > 0 ? exponent + count - 1 : 0;
    while (count > 0) {
        uint32_t group = (uint32_t)(integer % 1000000000); // 32-bit divisions extract its digits
        integer /= 1000000000;
        for (int i = 0; i < 9 && count > 0; ++i) {
            digits[--count] = (char)('0' + group % 10);
            group /= 10;
        }
    }
}

// Store the number's first `limit` digits, rounded, by 128-bit arithmetic. Return false if that
// precision does not determine them.
static bool take_significant(
    gpusnek_layout_t *layout, const gpusnek_binary_t *number, int limit, char *digits) {
    int power = limit - 1 - low_power(number);
    uint64_t integer;
    if (!gpusnek_rounded(number->mantissa, number->exponent, power, &integer)) {
        return false;
    }
    // A number that is not below the next power of ten has a digit too many.
    if (integer >= ten_to(limit)) {
        --power;
        if (!gpusnek_rounded(number->mantissa, number->exponent, power, &integer)) {
            return false;
        }
    }
    take_integer(layout, integer, -power, digits);
    return true;
}

// Store the digits that `style` and `precision` require: shortest for repr, by 128-bit arithmetic
// if it suffices, else by the exact expansion.
static void take_digits(gpusnek_layout_t *layout, const gpusnek_binary_t *number, char style,
    int64_t precision, char *digits) {
    if (style == 'r') {
        const gpusnek_decimal_t shortest
            = gpusnek_shortest(number->mantissa, number->exponent, number->closer_below);
        take_integer(layout, shortest.digits, shortest.exponent, digits);
        return;
    }
    const int64_t limit = style == 'f' ? MOST_DIGITS : significant(style, precision);
    if (limit <= FAST_DIGITS) {
        if (take_significant(layout, number, (int)limit, digits)) {
            return;
        }
    } else if (style == 'f' && precision <= GPUSNEK_POWERS_LAST) {
        uint64_t integer;
        if (gpusnek_rounded(number->mantissa, number->exponent, (int)precision, &integer)) {
            take_integer(layout, integer, (int)-precision, digits);
            return;
        }
    }
    const int64_t last = style == 'f' ? -precision : INT16_MIN; // below all digits
    layout->count = gpusnek_write_digits(number->mantissa, number->exponent, last,
        limit < MOST_DIGITS ? (int)limit : MOST_DIGITS, digits, &layout->power);
    if (layout->count == 0) {
        layout->power = 0;
    }
}

size_t gpusnek_lay_out(gpusnek_layout_t *layout, const gpusnek_binary_t *number, char style,
    int64_t precision, bool point, char *digits) {
    layout->digits = digits;
    layout->count = 0;
    layout->power = 0;
    if (number != NULL) {
        take_digits(layout, number, style, precision, digits);
    }
    layout->scientific = style == 'e';
    layout->decimals = precision;
    if (style == 'g' || style == 'r') {
        while (layout->count > 0 && digits[layout->count - 1] == '0') {
            --layout->count;
        }
        const int64_t end = style == 'r' ? REPR_DIGITS : significant(style, precision) - point;
        layout->scientific = layout->power < LOWEST_POINT || layout->power >= end;
        layout->decimals = layout->count - 1 - (layout->scientific ? 0 : layout->power);
        const bool fraction = point && !layout->scientific;
        if (layout->decimals < fraction) {
            layout->decimals = fraction;
        }
    }
    int64_t size = 1 + layout->decimals + (layout->decimals > 0);
    if (layout->scientific) {
        size += layout->power <= -100 || layout->power >= 100 ? 5 : 4;
    } else if (layout->power > 0) {
        size += layout->power;
    }
    return (size_t)size;
}

void gpusnek_write_layout(const gpusnek_layout_t *layout, char letter, char *text) {
    const int first = layout->scientific ? 0 : layout->power;
    for (int64_t place = first > 0 ? first : 0; place >= -layout->decimals; --place) {
        if (place == -1) {
            *text++ = '.';
        }
        const int64_t i = first - place;
        *text++ = i >= 0 && i < layout->count ? layout->digits[i] : '0';
    }
    if (!layout->scientific) {
        return;
    }
    const int power = layout->power < 0 ? -layout->power : layout->power;
    *text++ = letter;
    *text++ = layout->power < 0 ? '-' : '+';
    if (power >= 100) {
        *text++ = (char)('0' + power / 100);
    }
    *text++ = (char)('0' + power / 10 % 10);
    *text++ = (char)('0' + power % 10);
}
