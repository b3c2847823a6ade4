// Products, quotients and float conversion of upstream's big integers (mpz), by natural.h.
#include <math.h>

#include "integers.h"
#include "integers_digits.h"

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
    gpusnek_adopt(product, digits, count, count, negative);
}

void gpusnek_mpz_divide(mpz_t *quotient, mpz_t *remainder, const mpz_t *number, const mpz_t *by) {
    const size_t count = by->len;
    const size_t quotient_count = number->len < count ? 0 : number->len - count + 1;
    const bool differ = number->neg != by->neg;
    const bool negative = by->neg;
    mpz_dig_t *rest = m_new(mpz_dig_t, count);
    mpz_dig_t *digits = quotient == NULL ? NULL : m_new(mpz_dig_t, quotient_count + 1);
    if (quotient_count == 0) {
        gpusnek_pad(rest, count, number);
    } else {
        const gpusnek_divisor_t divisor = gpusnek_divisor(by->dig, count);
        gpusnek_divide(digits, rest, number->dig, number->len, &divisor);
    }
    // natural.h divides magnitudes, which rounds towards zero. If the signs differ, floor division
    // subtracts 1 from the quotient, and the remainder gets the divisor's sign.
    const bool down = differ && gpusnek_significant(rest, count) > 0;
    if (down) {
        gpusnek_subtract_from(rest, by->dig, count);
    }
    if (quotient != NULL) {
        digits[quotient_count] = down ? gpusnek_scale(digits, quotient_count, 1, 1) : 0;
        gpusnek_adopt(quotient, digits, quotient_count + 1, quotient_count + 1, differ);
    }
    if (remainder != NULL) {
        gpusnek_adopt(remainder, rest, count, count, negative);
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

#if MICROPY_PY_BUILTINS_FLOAT
mp_float_t gpusnek_mpz_float(const mpz_t *number) {
    const size_t count = number->len;
    if (count == 0) {
        return 0;
    }
    // The first 64 bits, and a sticky bit for the others, which decides the rounding.
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
