// Exact equality and hashing of numbers across types: int, bool, float and complex, from objects,
// patterns and arrays. matching.h has the representation and the contracts.
#include "matching.h"

#include <math.h>
#include <string.h>

#include "py/binary.h"
#include "py/objint.h"
#include "unmarshal.h"

#define DIGIT_BITS (15)
#define DIGIT_MASK ((1u << DIGIT_BITS) - 1)
#define BIG_BITS (32) // MPZ_DIG_SIZE
#define MANTISSA_BITS (52) // of a double, without the implicit bit
#define EXPONENT_MASK (0x7ff)
#define EXPONENT_ZERO (1023) // the biased exponent of 1.0
#define MAX_EXPONENT (1023)
#define EXPONENT_BIAS (EXPONENT_ZERO + MANTISSA_BITS) // of a double as mantissa * 2**exponent
#define HIGH_BITS (64) // bits of an int that as_double() converts

// Returns 15 bits of word << shift, from number `bit` on.
static uint32_t bits_of_word(uint64_t word, uint32_t shift, uint32_t bit) {
    if (bit >= shift) {
        return bit - shift < 64 ? (uint32_t)(word >> (bit - shift)) & DIGIT_MASK : 0;
    }
    return shift - bit < DIGIT_BITS ? (uint32_t)(word << (shift - bit)) & DIGIT_MASK : 0;
}

// Returns 15 bits of `count` digits of 32 bits, from number `bit` on.
static uint32_t bits_of_big(const uint32_t *big, uint32_t count, uint32_t bit) {
    const uint32_t at = bit / BIG_BITS;
    uint64_t pair = at < count ? big[at] : 0;
    pair |= at + 1 < count ? (uint64_t)big[at + 1] << BIG_BITS : 0;
    return (uint32_t)(pair >> bit % BIG_BITS) & DIGIT_MASK;
}

// Returns digit i, 15 bits, of an integral number.
static uint32_t digit(const gpusnek_number_t *number, uint32_t i) {
    if (number->marshalled != NULL) {
        return gpusnek_marshal_digit(number->marshalled, i);
    }
    if (number->big != NULL) {
        return bits_of_big(number->big, number->shift, i * DIGIT_BITS);
    }
    return bits_of_word(number->word, number->shift, i * DIGIT_BITS);
}

// Completes an integral number whose source of digits is set: it has at most `most` digits.
static void of_digits(gpusnek_number_t *number, bool negative, uint32_t most) {
    number->negative = negative;
    number->whole = true;
    number->count = most;
    while (number->count > 0 && digit(number, number->count - 1) == 0) {
        number->count--;
    }
}

static void of_word(gpusnek_number_t *number, bool negative, uint64_t magnitude) {
    memset(number, 0, sizeof(*number));
    number->word = magnitude;
    of_digits(number, negative, (64 + DIGIT_BITS - 1) / DIGIT_BITS);
}

static void of_int64(gpusnek_number_t *number, int64_t value) {
    of_word(number, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void gpusnek_number_of_double(double value, gpusnek_number_t *number) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const int exponent = (int)(bits >> MANTISSA_BITS & EXPONENT_MASK);
    uint64_t mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
    memset(number, 0, sizeof(*number));
    number->is_float = true;
    number->value = value;
    if (exponent == EXPONENT_MASK || (exponent == 0 && mantissa != 0)) {
        return; // infinity, NaN or a subnormal: not integral
    }
    int shift = exponent - EXPONENT_BIAS;
    if (exponent != 0) {
        mantissa |= UINT64_C(1) << MANTISSA_BITS;
    }
    if (shift < 0 && exponent != 0) {
        if (shift < -MANTISSA_BITS || (mantissa & ((UINT64_C(1) << -shift) - 1)) != 0) {
            return; // not integral
        }
        mantissa >>= -shift;
        shift = 0;
    }
    number->word = mantissa;
    number->shift = shift < 0 ? 0 : (uint32_t)shift;
    of_digits(number, value < 0, (64 + number->shift + DIGIT_BITS - 1) / DIGIT_BITS);
}

bool gpusnek_number_of(mp_obj_t value, gpusnek_number_t *number) {
    if (mp_obj_is_bool(value)) {
        of_int64(number, value == mp_const_true);
    } else if (mp_obj_is_small_int(value)) {
        of_int64(number, MP_OBJ_SMALL_INT_VALUE(value));
    } else if (mp_obj_is_int(value)) {
        const mpz_t *big = &((const mp_obj_int_t *)MP_OBJ_TO_PTR(value))->mpz;
        memset(number, 0, sizeof(*number));
        number->big = big->dig;
        number->shift = (uint32_t)big->len;
        of_digits(number, big->neg, ((uint32_t)big->len * BIG_BITS + DIGIT_BITS - 1) / DIGIT_BITS);
    } else if (mp_obj_is_float(value)) {
        gpusnek_number_of_double((double)mp_obj_float_get(value), number);
    } else {
        return false;
    }
    return true;
}

bool gpusnek_parts_of(mp_obj_t value, gpusnek_number_t *parts) {
    gpusnek_number_of_double(0, &parts[1]);
    if (!mp_obj_is_type(value, &mp_type_complex)) {
        return gpusnek_number_of(value, &parts[0]);
    }
    mp_float_t real;
    mp_float_t imaginary;
    mp_obj_complex_get(value, &real, &imaginary);
    gpusnek_number_of_double((double)real, &parts[0]);
    gpusnek_number_of_double((double)imaginary, &parts[1]);
    return true;
}

bool gpusnek_number_at(const byte *at, gpusnek_number_t *number) {
    double value;
    switch (*at) {
        case 'T':
        case 'F':
            of_int64(number, *at == 'T');
            return true;
        case 'i':
            of_int64(number, gpusnek_marshal_i32(at));
            return true;
        case 'l':
            memset(number, 0, sizeof(*number));
            number->marshalled = at;
            of_digits(number, gpusnek_marshal_i32(at) < 0, gpusnek_marshal_digits(at));
            return true;
        case 'g':
            memcpy(&value, at + 1, sizeof(value));
            gpusnek_number_of_double((double)(mp_float_t)value, number);
            return true;
        default:
            return false;
    }
}

bool gpusnek_number_in(char typecode, const void *items, size_t index, gpusnek_number_t *number) {
    switch (typecode) {
        case 'b':
            of_int64(number, ((const int8_t *)items)[index]);
            return true;
        case 'B':
            of_int64(number, ((const uint8_t *)items)[index]);
            return true;
        case 'h':
            of_int64(number, ((const int16_t *)items)[index]);
            return true;
        case 'H':
            of_int64(number, ((const uint16_t *)items)[index]);
            return true;
        case 'i':
            of_int64(number, ((const int32_t *)items)[index]);
            return true;
        case 'I':
            of_int64(number, ((const uint32_t *)items)[index]);
            return true;
        case 'l':
        case 'q':
            of_int64(number, ((const int64_t *)items)[index]);
            return true;
        case 'L':
        case 'Q':
            of_word(number, false, ((const uint64_t *)items)[index]);
            return true;
        case 'f':
            gpusnek_number_of_double((double)((const float *)items)[index], number);
            return true;
        case 'd':
            gpusnek_number_of_double(((const double *)items)[index], number);
            return true;
        default:
            return false;
    }
}

static bool same_digits(const gpusnek_number_t *a, const gpusnek_number_t *b) {
    if (a->count != b->count || (a->negative != b->negative && a->count > 0)) {
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (digit(a, i) != digit(b, i)) {
            return false;
        }
    }
    return true;
}

static uint32_t bits_in(uint32_t part) {
    uint32_t bits = 0;
    for (; part != 0; part >>= 1) {
        bits++;
    }
    return bits;
}

// Converts to the nearest double, or to an infinity if the number is too large.
static double as_double(const gpusnek_number_t *number) {
    if (number->is_float) {
        return number->value;
    }
    // `high` has the 64 most significant bits. Its lowest bit is sticky: 1 if any lower bit of the
    // number is 1, so that the conversion rounds correctly.
    uint64_t high = 0;
    uint32_t used = 0; // bits in `high`
    uint32_t below = 0; // bits of the number below those in `high`
    for (uint32_t i = number->count; i-- > 0;) {
        const uint32_t part = digit(number, i);
        const uint32_t width = i + 1 == number->count ? bits_in(part) : DIGIT_BITS;
        const uint32_t fits = HIGH_BITS - used < width ? HIGH_BITS - used : width;
        high = high << fits | part >> (width - fits);
        high |= (part & ((1u << (width - fits)) - 1)) != 0;
        used += fits;
        below += width - fits;
    }
    if (below > MAX_EXPONENT) {
        return number->negative ? -INFINITY : INFINITY;
    }
    const uint64_t power = (uint64_t)(EXPONENT_ZERO + below) << MANTISSA_BITS;
    double scale;
    memcpy(&scale, &power, sizeof(scale));
    return (number->negative ? -(double)high : (double)high) * scale;
}

// Returns whether two unequal numbers are within the tolerance, as math.isclose. An int that is too
// large for a double is infinite here, and not close to any number.
static bool is_close(double a, double b, const gpusnek_tolerance_t *tolerance) {
    if (isinf(a) || isinf(b)) {
        return false;
    }
    const double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    const double allowed = tolerance->relative * larger;
    return fabs(a - b) <= (allowed > tolerance->absolute ? allowed : tolerance->absolute);
}

bool gpusnek_numbers_match(const gpusnek_number_t *a, const gpusnek_number_t *b,
    const gpusnek_tolerance_t *tolerance) {
    if (a->is_float && b->is_float && isnan(a->value) && isnan(b->value)) {
        return true;
    }
    if (a->is_float && b->is_float && a->value == b->value) {
        return true;
    }
    if (a->whole && b->whole && same_digits(a, b)) {
        return true;
    }
    return tolerance != NULL && (a->is_float || b->is_float)
        && is_close(as_double(a), as_double(b), tolerance);
}

#define WORD_DIGITS (4) // 15-bit digits that a hash mixes at once: 60 bits
#define NAN_BITS UINT64_C(0x7ff8000000000000) // all NaNs have the hash of this one

// Subtracts `size` from the budget *units; returns false if the budget does not suffice.
static bool take(uint64_t *units, uint64_t size) {
    if (size > *units) {
        return false;
    }
    *units -= size;
    return true;
}

bool gpusnek_number_hash(const gpusnek_number_t *number, uint64_t *units, uint64_t *hash) {
    if (!number->whole) {
        uint64_t bits = NAN_BITS;
        if (!isnan(number->value)) {
            memcpy(&bits, &number->value, sizeof(bits));
        }
        *hash = gpusnek_hash_mix(gpusnek_hash_mix(0, GPUSNEK_HASH_FLOAT), bits);
        return take(units, 1);
    }
    const uint32_t count = number->count;
    if (!take(units, 1 + (count + (uint64_t)WORD_DIGITS - 1) / WORD_DIGITS)) {
        return false;
    }
    uint64_t state = gpusnek_hash_mix(
        0, number->negative && count > 0 ? GPUSNEK_HASH_NEGATIVE : GPUSNEK_HASH_INTEGER);
    for (uint32_t i = 0; i < count; i += WORD_DIGITS) {
        uint64_t word = 0;
        for (uint32_t k = 0; k < WORD_DIGITS && i + k < count; k++) {
            word |= (uint64_t)digit(number, i + k) << (k * DIGIT_BITS);
        }
        state = gpusnek_hash_mix(state, word);
    }
    *hash = state;
    return true;
}

bool gpusnek_complex_hash(const gpusnek_number_t *parts, uint64_t *units, uint64_t *hash) {
    if (parts[1].whole && parts[1].count == 0) {
        return gpusnek_number_hash(&parts[0], units, hash);
    }
    uint64_t state = gpusnek_hash_mix(gpusnek_hash_mix(0, GPUSNEK_HASH_COMPLEX), 2);
    for (int i = 0; i < 2; i++) {
        uint64_t part;
        if (!gpusnek_number_hash(&parts[i], units, &part)) {
            return false;
        }
        state = gpusnek_hash_mix(state, part);
    }
    *hash = state;
    return take(units, 1);
}
