// Decimal expansion: all decimal digits of a binary number, from the first on, by multi-limb
// integers.
//
// The digits are exact, so they decide the cases that approximations leave open (as in D. M. Gay,
// "Correctly Rounded Binary-Decimal and Decimal-Binary Conversions"). decimal_layout.c and
// decimal_nearest.c call this code only in such cases.
#include "decimal.h"

#define GROUP (1000000000u) // nine digits
#define GROUP_DIGITS (9)

// Write mantissa * 2^exponent as groups of nine digits, least significant first. Return their
// number.
static int split_integer(uint32_t *groups, uint64_t mantissa, int exponent) {
    int count = 0;
    for (uint64_t rest = mantissa; rest > 0; rest /= GROUP) {
        groups[count++] = (uint32_t)(rest % GROUP);
    }
    while (exponent > 0) {
        const int bits = exponent < 32 ? exponent : 32;
        uint64_t carry = 0;
        for (int i = 0; i < count; ++i) {
            const uint64_t value = ((uint64_t)groups[i] << bits) + carry;
            carry = value / GROUP;
            groups[i] = (uint32_t)(value - carry * GROUP);
        }
        for (; carry > 0; carry /= GROUP) {
            groups[count++] = (uint32_t)(carry % GROUP);
        }
        exponent -= bits;
    }
    return count;
}

// Write fraction * 2^-bits, which is below 1, as limbs, least significant first. Return their
// number.
static int split_fraction(uint32_t *limb, uint64_t fraction, int bits) {
    const int size = (bits + 31) / 32;
    const int shift = 32 * size - bits;
    for (int i = 0; i < size; ++i) {
        limb[i] = 0;
    }
    // A fraction of at most 64 bits, shifted by at most 31 bits, touches three limbs.
    limb[0] = (uint32_t)(fraction << shift);
    if (size > 1) {
        limb[1] = (uint32_t)(fraction >> (32 - shift));
    }
    if (size > 2 && shift > 0) {
        limb[2] = (uint32_t)(fraction >> (64 - shift));
    }
    return size;
}

// Return the next nine digits: a stored group of the integer, or the integer part of fraction *
// 10^9.
static uint32_t next_group(gpusnek_expansion_t *expansion) {
    uint32_t *limb = expansion->limb;
    if (expansion->groups > 0) {
        return limb[expansion->size + --expansion->groups];
    }
    uint32_t carry = 0;
    for (int i = expansion->low; i < expansion->high; ++i) {
        const uint64_t value = (uint64_t)limb[i] * GROUP + carry;
        limb[i] = (uint32_t)value;
        carry = (uint32_t)(value >> 32);
    }
    while (expansion->low < expansion->high && limb[expansion->low] == 0) {
        ++expansion->low;
    }
    if (carry > 0 && expansion->high < expansion->size) {
        limb[expansion->high++] = carry;
        carry = 0;
    }
    return carry;
}

void gpusnek_expand(gpusnek_expansion_t *expansion, uint64_t mantissa, int exponent) {
    uint64_t whole = mantissa;
    expansion->size = 0;
    if (exponent < 0) {
        const int bits = -exponent;
        whole = bits < 64 ? mantissa >> bits : 0;
        const uint64_t fraction = bits < 64 ? mantissa & (((uint64_t)1 << bits) - 1) : mantissa;
        expansion->size = split_fraction(expansion->limb, fraction, bits);
        exponent = 0;
    }
    expansion->low = 0;
    expansion->high = expansion->size < 3 ? expansion->size : 3;
    expansion->groups = split_integer(expansion->limb + expansion->size, whole, exponent);
    expansion->power = GROUP_DIGITS * expansion->groups - 1;
    expansion->left = GROUP_DIGITS;
    while ((expansion->group = next_group(expansion)) == 0) {
        expansion->power -= GROUP_DIGITS;
    }
    while (expansion->group < GROUP / 10) {
        expansion->group *= 10;
        --expansion->left;
        --expansion->power;
    }
}

int gpusnek_next_digit(gpusnek_expansion_t *expansion) {
    if (expansion->left == 0) {
        expansion->group = next_group(expansion);
        expansion->left = GROUP_DIGITS;
    }
    const uint32_t digit = expansion->group / (GROUP / 10);
    expansion->group = (expansion->group - digit * (GROUP / 10)) * 10;
    --expansion->left;
    --expansion->power;
    return (int)digit;
}

bool gpusnek_more_digits(const gpusnek_expansion_t *expansion) {
    // Groups of the integer may be 0. Limbs in [low, high) are never all 0.
    for (int i = 0; i < expansion->groups; ++i) {
        if (expansion->limb[expansion->size + i] != 0) {
            return true;
        }
    }
    for (int i = expansion->low; i < expansion->high; ++i) {
        if (expansion->limb[i] != 0) {
            return true;
        }
    }
    return expansion->group != 0;
}

int gpusnek_write_digits(
    uint64_t mantissa, int exponent, int64_t last, int limit, char *digits, int *power) {
    gpusnek_expansion_t expansion;
    gpusnek_expand(&expansion, mantissa, exponent);
    *power = expansion.power;
    int count = 0;
    while (count < limit && expansion.power >= last) {
        digits[count++] = (char)('0' + gpusnek_next_digit(&expansion));
    }
    if (expansion.power < last - 1) {
        return 0; // the number is below half of 10^last
    }
    const int next = gpusnek_next_digit(&expansion);
    const bool odd = count > 0 && (digits[count - 1] & 1);
    if (next < 5 || (next == 5 && !odd && !gpusnek_more_digits(&expansion))) {
        return count;
    }
    while (count > 0 && digits[count - 1] == '9') {
        --count; // trailing zeros are not written
    }
    if (count > 0) {
        ++digits[count - 1];
        return count;
    }
    digits[0] = '1';
    ++*power;
    return 1;
}
