// Conversion of small integers to text, and of upstream's big integers from and to text.
//
// Digits of a big integer are converted in groups whose values fit 32 bits, so each group needs one
// pass over the number.
#include <string.h>

#include "integers.h"
#include "natural.h"

// Return the value of a digit in base 36, or 36 for other characters.
static unsigned int digit_value(char character) {
    const unsigned int c = (unsigned char)character;
    const unsigned int letter = (c | 0x20) - 'a';
    return c - '0' < 10 ? c - '0' : letter < 26 ? letter + 10 : 36;
}

// Return the number of bits of `most`.
static int bits_of(unsigned int most) {
    return 32 - gpusnek_leading_zeros(most);
}

// digits = digits * by + add. Return the new number of digits.
static size_t append(mpz_dig_t *digits, size_t used, uint32_t by, uint32_t add) {
    const uint32_t carry = gpusnek_scale(digits, used, by, add);
    gpusnek_charge(used);
    if (carry > 0) {
        digits[used++] = carry;
    }
    return used;
}

size_t gpusnek_mpz_read(mpz_t *number, const char *text, size_t length, bool negative,
    unsigned int base) {
    const size_t room = length * (size_t)bits_of(base - 1) / 32 + 1;
    mpz_dig_t *digits = m_new(mpz_dig_t, room);
    size_t used = 0;
    size_t at = 0;
    uint32_t group = 0;
    uint32_t scale = 1;
    while (at < length) {
        const unsigned int value = digit_value(text[at]);
        if (value >= base) {
            break;
        }
        ++at;
        group = group * base + value;
        scale *= base;
        if (scale > UINT32_MAX / base) {
            used = append(digits, used, scale, group);
            group = 0;
            scale = 1;
        }
    }
    if (scale > 1) {
        used = append(digits, used, scale, group);
    }
    number->neg = negative && used > 0;
    number->alloc = room;
    number->len = used;
    number->dig = digits;
    return at;
}

static char digit_of(uint32_t value, char letter) {
    return (char)(value < 10 ? '0' + value : letter + value - 10);
}

// Write the digits of base 2^bits, least significant first. Return the end of the text.
static char *write_bits(char *to, const mpz_t *number, int bits, char letter) {
    const size_t most = gpusnek_bits(number->dig, number->len);
    for (size_t bit = 0; bit < most; bit += (size_t)bits) {
        const size_t at = bit / 32;
        const uint32_t next = at + 1 < number->len ? number->dig[at + 1] : 0;
        const uint64_t pair = (uint64_t)next << 32 | number->dig[at];
        *to++ = digit_of((uint32_t)(pair >> bit % 32) & ((1u << bits) - 1), letter);
    }
    return to;
}

// Write the digits of any base, least significant first. Return the end of the text. Raises
// MemoryError.
static char *write_groups(char *to, const mpz_t *number, unsigned int base, char letter) {
    size_t used = number->len;
    mpz_dig_t *digits = m_new(mpz_dig_t, used);
    memcpy(digits, number->dig, used * sizeof(mpz_dig_t));
    uint32_t scale = base;
    int places = 1;
    while (scale <= UINT32_MAX / base) {
        scale *= base;
        ++places;
    }
    const gpusnek_divisor_t divisor = gpusnek_divisor(&scale, 1);
    while (used > 0) {
        uint32_t group = gpusnek_divide_by_digit(digits, digits, used, &divisor);
        gpusnek_charge(used);
        used = gpusnek_significant(digits, used);
        for (int i = 0; used > 0 ? i < places : group > 0; ++i) {
            const uint32_t rest = base == 10 ? group / 10 : group / base;
            *to++ = digit_of(group - rest * base, letter);
            group = rest;
        }
    }
    m_del(mpz_dig_t, digits, number->len);
    return to;
}

size_t gpusnek_mpz_write(
    const mpz_t *number, unsigned int base, const char *prefix, char letter, char *text) {
    char *to = text;
    if (number->len == 0) {
        *to++ = '0';
    } else if ((base & (base - 1)) == 0) {
        to = write_bits(to, number, bits_of(base - 1), letter);
    } else {
        to = write_groups(to, number, base, letter);
    }
    for (size_t i = prefix == NULL ? 0 : strlen(prefix); i-- > 0;) {
        *to++ = prefix[i];
    }
    if (number->neg) {
        *to++ = '-';
    }
    *to = '\0';
    for (char *left = text, *right = to - 1; left < right; ++left, --right) {
        const char character = *left;
        *left = *right;
        *right = character;
    }
    return (size_t)(to - text);
}

// Upstream's mp_obj_int_formatted() divides by a variable base, with 64 bits for each digit. A GPU
// executes about a hundred instructions for such a division.
char *gpusnek_write_small(mp_int_t value, char *end) {
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    while (left > UINT32_MAX) {
        *--end = (char)('0' + left % 10);
        left /= 10;
    }
    uint32_t low = (uint32_t)left;
    do {
        *--end = (char)('0' + low % 10);
        low /= 10;
    } while (low != 0);
    if (value < 0) {
        *--end = '-';
    }
    return end;
}

bool gpusnek_print_small(const mp_print_t *print, mp_obj_t value) {
    if (!mp_obj_is_small_int(value)) {
        return false;
    }
    char text[GPUSNEK_SMALL_TEXT];
    char *const end = text + sizeof(text);
    const char *const start = gpusnek_write_small(MP_OBJ_SMALL_INT_VALUE(value), end);
    print->print_strn(print->data, start, (size_t)(end - start));
    return true;
}
