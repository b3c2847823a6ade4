// The binary number nearest to a decimal number.
//
// A product with 128 bits of the power of ten yields an interval (D. Lemire, "Number Parsing at a
// Gigabyte per Second"). If the interval may contain the midpoint of two neighbouring numbers, the
// text is compared with the midpoint's exact digits (decimal_expansion.c).
#include "decimal.h"

typedef unsigned __int128 wide_t;

// Return the next digit of the text, or 0 after its last digit.
static int text_digit(const char **text, const char *end) {
    while (*text < end) {
        const char c = *(*text)++;
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        if (c != '.' && c != '_') {
            *text = end; // the exponent
        }
    }
    return 0;
}

// Return the decimal exponent of the text's first nonzero digit.
static int first_power(const gpusnek_numeral_t *numeral) {
    int power = numeral->exponent;
    for (uint64_t rest = numeral->digits / 10; rest > 0; rest /= 10) {
        ++power;
    }
    return power;
}

// Compare the text's number with mantissa * 2^exponent: return a negative number, 0 or a positive
// number.
static int compare(const gpusnek_numeral_t *numeral, uint64_t mantissa, int exponent) {
    gpusnek_expansion_t expansion;
    gpusnek_expand(&expansion, mantissa, exponent);
    const int power = first_power(numeral);
    if (power != expansion.power) {
        return power - expansion.power;
    }
    const char *at = numeral->text;
    int digit = 0;
    while (digit == 0) {
        digit = text_digit(&at, numeral->end);
    }
    for (;;) {
        const int difference = digit - gpusnek_next_digit(&expansion);
        if (difference != 0) {
            return difference;
        }
        if (at == numeral->end) {
            return gpusnek_more_digits(&expansion) ? -1 : 0;
        }
        digit = text_digit(&at, numeral->end);
    }
}

uint64_t gpusnek_nearest(const gpusnek_numeral_t *numeral, const gpusnek_format_t *format) {
    const uint64_t infinity
        = (uint64_t)(format->highest - format->lowest + 2) << (format->bits - 1);
    // Exponents outside the table: above the largest number, or below half of the smallest.
    if (numeral->digits == 0 || numeral->exponent < GPUSNEK_POWERS_FIRST) {
        return 0;
    }
    if (numeral->exponent > GPUSNEK_POWERS_LAST) {
        return infinity;
    }
    const int zeros = __builtin_clzll(numeral->digits);
    const uint64_t *ten = gpusnek_power_of_ten(numeral->exponent);
    const wide_t lower = (wide_t)(numeral->digits << zeros) * ten[1];
    wide_t product = (wide_t)(numeral->digits << zeros) * ten[0] + (uint64_t)(lower >> 64);
    // product <= number < product + error, in units of the product's last bit.
    const bool exact
        = !numeral->cut && numeral->exponent >= 0 && numeral->exponent <= GPUSNEK_POWERS_EXACT;
    wide_t error = 2;
    if (exact) {
        product |= (uint64_t)lower != 0; // a sticky bit, below every mantissa bit
        error = 0;
    } else if (numeral->cut) {
        error += (wide_t)1 << (64 + zeros);
    }
    int exponent = gpusnek_log2_of_ten(numeral->exponent) + 1 - zeros; // of the product's bit 64
    if (!(product >> 127)) {
        product <<= 1;
        error <<= 1;
        --exponent;
    }

    // Bits of the high word that the format's mantissa does not hold.
    int drop = 64 - format->bits;
    if (exponent + drop < format->lowest) {
        drop = format->lowest - exponent;
    }
    if (drop > 65) {
        return 0; // below half of the smallest number
    }
    if (drop > 64) { // the error may reach half of the smallest number
        product >>= 1;
        error += 1;
        ++exponent;
        --drop;
    }
    const int last = exponent + drop;
    if (last > format->highest) {
        return infinity;
    }
    const uint64_t high = (uint64_t)(product >> 64);
    uint64_t mantissa = drop == 64 ? 0 : high >> drop;
    const wide_t half = (wide_t)1 << (drop + 63);
    const wide_t rest = product & (half * 2 - 1);
    bool up = rest >= half;
    if (exact ? rest == half : rest <= half && half - rest <= error) {
        const int order = exact ? 0 : compare(numeral, 2 * mantissa + 1, last - 1);
        up = order > 0 || (order == 0 && (mantissa & 1));
    }
    mantissa += up;
    // If rounding carried into a further bit, the sum is the next exponent's smallest number. The
    // successor of the largest number is infinity.
    return ((uint64_t)(last - format->lowest) << (format->bits - 1)) + mantissa;
}
