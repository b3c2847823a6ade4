// What upstream's integers of any size compute, by natural.h.
#include "integers.h"

#include <math.h>
#include <string.h>

#include "natural.h"
#include "mphalport.h"
#include "py/runtime.h"

// Makes digits, `used` of `count`, the number's own. What it had may have been an operand until now.
static void adopt(mpz_t *number, mpz_dig_t *digits, size_t count, size_t used, bool negative) {
    if (number->dig != NULL) {
        m_del(mpz_dig_t, number->dig, number->alloc);
    }
    number->dig = digits;
    number->alloc = count;
    number->len = gpusnek_significant(digits, used);
    number->neg = negative && number->len > 0;
}

// to[0, count) = number, which has no more digits.
static void pad(mpz_dig_t *to, size_t count, const mpz_t *number) {
    const size_t had = number->len;
    for (size_t i = 0; i < count; ++i) {
        to[i] = i < had ? number->dig[i] : 0;
    }
}

// digits = from - digits, which is not larger.
static void subtract_from(mpz_dig_t *digits, const mpz_dig_t *from, size_t count) {
    uint32_t borrow = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t digit = (uint64_t)from[i] - digits[i] - borrow;
        digits[i] = (uint32_t)digit;
        borrow = (uint32_t)(digit >> 63);
    }
}

void gpusnek_look(void) {
    if (MP_STATE_MAIN_THREAD(mp_pending_exception) != MP_OBJ_NULL) {
        porter_poll_loop(1);
    }
}

void gpusnek_mpz_multiply(mpz_t *product, const mpz_t *a, const mpz_t *b) {
    const bool negative = a->neg != b->neg;
    const size_t count = a->len + b->len;
    if (a->len == 0 || b->len == 0) {
        mpz_set_from_int(product, 0);
        return;
    }
    mpz_dig_t *digits = m_new(mpz_dig_t, count);
    if (a->dig == b->dig && a->len == b->len) {
        gpusnek_square(digits, a->dig, a->len);
    } else {
        gpusnek_multiply(digits, a->dig, a->len, b->dig, b->len);
    }
    adopt(product, digits, count, count, negative);
}

void gpusnek_mpz_divide(mpz_t *quotient, mpz_t *remainder, const mpz_t *number, const mpz_t *by) {
    const size_t count = by->len;
    const size_t quotient_count = number->len < count ? 0 : number->len - count + 1;
    const bool differ = number->neg != by->neg;
    const bool negative = by->neg;
    mpz_dig_t *rest = m_new(mpz_dig_t, count);
    mpz_dig_t *digits = quotient == NULL ? NULL : m_new(mpz_dig_t, quotient_count + 1);
    if (quotient_count == 0) {
        pad(rest, count, number);
    } else {
        const gpusnek_divisor_t divisor = gpusnek_divisor(by->dig, count);
        gpusnek_divide(digits, rest, number->dig, number->len, &divisor);
    }
    const bool down = differ && gpusnek_significant(rest, count) > 0;
    if (down) {
        subtract_from(rest, by->dig, count);
    }
    if (quotient != NULL) {
        digits[quotient_count] = down ? gpusnek_scale(digits, quotient_count, 1, 1) : 0;
        adopt(quotient, digits, quotient_count + 1, quotient_count + 1, differ);
    }
    if (remainder != NULL) {
        adopt(remainder, rest, count, count, negative);
    } else {
        m_del(mpz_dig_t, rest, count);
    }
}

mp_obj_t gpusnek_mpz_short(mp_binary_op_t op, const mpz_t *a, const mpz_t *b) {
    if (a->neg || b->neg) {
        return MP_OBJ_NULL;
    }
    if (op == MP_BINARY_OP_AND || op == MP_BINARY_OP_INPLACE_AND) {
        if (a->len > 0 && b->len > 0) {
            return MP_OBJ_NEW_SMALL_INT(a->dig[0] & b->dig[0]);
        }
    } else if (op == MP_BINARY_OP_MODULO || op == MP_BINARY_OP_INPLACE_MODULO) {
        if (a->len > 0 && b->len == 1) {
            const gpusnek_divisor_t divisor = gpusnek_divisor(b->dig, 1);
            return MP_OBJ_NEW_SMALL_INT(gpusnek_divide_by_digit(NULL, a->dig, a->len, &divisor));
        }
    }
    return MP_OBJ_NULL;
}

// An exponent, or more than any power has bits.
static size_t size_of(const mpz_t *exponent) {
    const uint64_t high = exponent->len > 1 ? exponent->dig[1] : 0;
    return exponent->len > 2 || high >> 30 ? (size_t)1 << 62 : high << 32 | exponent->dig[0];
}

// Digits for a power, and what its computation needs beyond; too many for any heap where it has
// too many bits.
static size_t power_digits(size_t bits, size_t exponent) {
    const size_t most = (size_t)1 << 60;
    return exponent > most / bits ? most : bits * exponent / 32 + 2;
}

static bool is_power_of_two(const mpz_t *number) {
    return number->len == 1 && (number->dig[0] & (number->dig[0] - 1)) == 0;
}

static void power_of_two(mpz_t *power, size_t bit, bool negative) {
    const size_t count = bit / 32 + 1;
    mpz_dig_t *digits = m_new(mpz_dig_t, count);
    memset(digits, 0, count * sizeof(mpz_dig_t));
    digits[bit / 32] = (uint32_t)1 << bit % 32;
    adopt(power, digits, count, count, negative);
}

// number *= by, in place where `by` has one digit, else into `other`. Returns where it is.
static mpz_dig_t *times(
    mpz_dig_t *number, mpz_dig_t *other, size_t *count, const mpz_dig_t *by, size_t by_count) {
    mpz_dig_t *product = number;
    if (by_count == 1) {
        product[*count] = gpusnek_scale(product, *count, *by, 0);
    } else {
        product = other;
        gpusnek_multiply(product, number, *count, by, by_count);
    }
    *count = gpusnek_significant(product, *count + by_count);
    return product;
}

void gpusnek_mpz_power(mpz_t *power, const mpz_t *base, const mpz_t *exponent) {
    const size_t count = base->len;
    if (exponent->len == 0 || count == 0 || exponent->neg) {
        mpz_set_from_int(power, exponent->len == 0);
        return;
    }
    const bool negative = base->neg && (exponent->dig[0] & 1);
    const size_t bits = gpusnek_bits(base->dig, count);
    const size_t times_by = size_of(exponent);
    if (bits == 1) {
        mpz_set_from_int(power, negative ? -1 : 1);
        return;
    }
    const size_t room = power_digits(bits, times_by);
    if (is_power_of_two(base) && room < (size_t)1 << 60) {
        power_of_two(power, (bits - 1) * times_by, negative);
        return;
    }
    mpz_dig_t *digits = m_new(mpz_dig_t, room);
    mpz_dig_t *other = m_new(mpz_dig_t, room);
    size_t used = count;
    pad(digits, count, base);
    for (size_t bit = gpusnek_bits(exponent->dig, exponent->len) - 1; bit-- > 0;) {
        gpusnek_look();
        gpusnek_square(other, digits, used);
        used = gpusnek_significant(other, 2 * used);
        mpz_dig_t *square = other;
        other = digits;
        digits = square;
        if (times_by >> bit & 1) {
            mpz_dig_t *product = times(digits, other, &used, base->dig, count);
            other = product == digits ? other : digits;
            digits = product;
        }
    }
    m_del(mpz_dig_t, other, room);
    adopt(power, digits, room, used, negative);
}

// digits[0, divisor->count) = |number| % divisor.
static void reduce(mpz_dig_t *digits, const mpz_t *number, const gpusnek_divisor_t *divisor) {
    if (number->len < divisor->count) {
        pad(digits, divisor->count, number);
    } else {
        gpusnek_divide(NULL, digits, number->dig, number->len, divisor);
    }
}

// digits[0, modulus->len) = |base ** exponent % modulus|, where the exponent is not negative.
static void power_modulo(mpz_dig_t *digits, const mpz_t *base, const mpz_t *exponent,
    const mpz_t *modulus, mpz_dig_t *room, mpz_dig_t *table, int window) {
    const size_t count = modulus->len;
    const gpusnek_divisor_t divisor = gpusnek_divisor(modulus->dig, count);
    if (exponent->len > 0) {
        reduce(digits, base, &divisor);
        gpusnek_power_modulo(digits, digits, exponent->dig, exponent->len, modulus->dig, count,
            room, table, window);
    } else {
        mpz_dig_t digit;
        mpz_t one = {.len = 1, .dig = &digit};
        digit = 1;
        reduce(digits, &one, &divisor);
    }
    const bool odd = exponent->len > 0 && (exponent->dig[0] & 1);
    const bool differ = (base->neg && odd) != modulus->neg;
    if (differ && gpusnek_significant(digits, count) > 0) {
        subtract_from(digits, modulus->dig, count);
    }
}

void gpusnek_mpz_power_modulo(
    mpz_t *power, const mpz_t *base, const mpz_t *exponent, const mpz_t *modulus) {
    const size_t count = modulus->len;
    const bool negative = modulus->neg;
    if (count == 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("divide by zero"));
    }
    if (exponent->neg) {
        mpz_set_from_int(power, 0);
        return;
    }
    const size_t bits = exponent->len == 0 ? 0 : gpusnek_bits(exponent->dig, exponent->len);
    const int window = gpusnek_window(bits, count);
    const size_t further = gpusnek_table_room(window, count);
    mpz_dig_t *digits = m_new(mpz_dig_t, count);
    mpz_dig_t *room = m_new(mpz_dig_t, gpusnek_power_room(count));
    mpz_dig_t *table = further == 0 ? NULL : m_new_maybe(mpz_dig_t, further);
    // Without a table it takes more steps, and less memory.
    power_modulo(digits, base, exponent, modulus, room, table, table == NULL ? 1 : window);
    m_del(mpz_dig_t, room, gpusnek_power_room(count));
    if (table != NULL) {
        m_del(mpz_dig_t, table, further);
    }
    adopt(power, digits, count, count, negative);
}

mp_obj_t gpusnek_small_power_modulo(mp_int_t base, mp_int_t exponent, mp_int_t modulus) {
    const mp_int_t given[3] = {base, exponent, modulus};
    mpz_t number[3];
    mpz_dig_t number_digits[3][MPZ_NUM_DIG_FOR_INT];
    mpz_dig_t digits[MPZ_NUM_DIG_FOR_INT];
    mpz_dig_t room[4 * MPZ_NUM_DIG_FOR_INT]; // gpusnek_power_room
    if (exponent < 0 || modulus == 0) {
        return MP_OBJ_NULL;
    }
    for (int i = 0; i < 3; ++i) {
        mpz_init_fixed_from_int(&number[i], number_digits[i], MPZ_NUM_DIG_FOR_INT, given[i]);
    }
    power_modulo(digits, &number[0], &number[1], &number[2], room, NULL, 1);
    const uint64_t high = number[2].len > 1 ? digits[1] : 0;
    const mp_int_t value = (mp_int_t)(high << 32 | digits[0]);
    return MP_OBJ_NEW_SMALL_INT(modulus < 0 ? -value : value);
}

#if MICROPY_PY_BUILTINS_FLOAT
mp_float_t gpusnek_mpz_float(const mpz_t *number) {
    const size_t count = number->len;
    if (count == 0) {
        return 0;
    }
    // The first 64 bits, and whether there are others: that decides how they round.
    const int shift = gpusnek_leading_zeros(number->dig[count - 1]);
    const uint32_t second = count > 1 ? number->dig[count - 2] : 0;
    const uint64_t third = (uint64_t)(count > 2 ? number->dig[count - 3] : 0) << shift;
    uint32_t others = (uint32_t)third;
    for (size_t i = 3; i < count; ++i) {
        others |= number->dig[count - 1 - i];
    }
    const uint64_t first = ((uint64_t)number->dig[count - 1] << 32 | second) << shift;
    const mp_float_t value = (mp_float_t)(first | third >> 32 | (others != 0));
    const size_t beyond = 32 * count - (size_t)shift;
    const int exponent = beyond > 10000 ? 10000 : (int)beyond - 64;
    return MICROPY_FLOAT_C_FUN(ldexp)(number->neg ? -value : value, exponent);
}
#endif
