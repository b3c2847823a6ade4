// Powers of upstream's big integers, with and without a modulus, by natural.h.
#include <string.h>

#include "integers.h"
#include "integers_digits.h"
#include "mphalport.h"

// Safepoint poll within a long computation: raises a pending exception, and takes no step
// otherwise.
void gpusnek_look(void) {
    if (MP_STATE_MAIN_THREAD(mp_pending_exception) != MP_OBJ_NULL) {
        porter_poll_loop(1);
    }
}

void gpusnek_charge(size_t digits) {
    size_t steps = digits / GPUSNEK_DIGITS_PER_STEP;
    while (steps >= gpusnek_poll_budget) {
        const size_t taken = gpusnek_poll_budget > 0 ? gpusnek_poll_budget : 1;
        if (taken > steps) {
            return;
        }
        steps -= taken;
        gpusnek_poll_budget = 0;
        porter_poll_loop(0);
    }
    gpusnek_poll_budget -= (uint32_t)steps;
}

// Return the value of an exponent, or 2^62, which is more than any power has bits.
static size_t size_of(const mpz_t *exponent) {
    const uint64_t high = exponent->len > 1 ? exponent->dig[1] : 0;
    return exponent->len > 2 || high >> 30 ? (size_t)1 << 62 : high << 32 | exponent->dig[0];
}

// Return the number of digits that computing a power needs. If the power has too many bits, return
// a number that no heap can supply, so that the allocation raises MemoryError.
static size_t power_digits(size_t bits, size_t exponent) {
    const size_t most = (size_t)1 << 60;
    return exponent > most / bits ? most : bits * exponent / 32 + 2;
}

static bool is_power_of_two(const mpz_t *number) {
    return number->len == 1 && (number->dig[0] & (number->dig[0] - 1)) == 0;
}

// power = 2^bit, negated if `negative`.
static void power_of_two(mpz_t *power, size_t bit, bool negative) {
    const size_t count = bit / 32 + 1;
    mpz_dig_t *digits = m_new(mpz_dig_t, count);
    memset(digits, 0, count * sizeof(mpz_dig_t));
    digits[bit / 32] = (uint32_t)1 << bit % 32;
    gpusnek_adopt(power, digits, count, count, negative);
}

// Multiply `number` by `by`: in place if `by` has one digit, else into `other`. Update *count and
// return the array with the product.
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
    gpusnek_pad(digits, count, base);
    // Square and multiply, from the exponent's most significant bit on.
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
    gpusnek_adopt(power, digits, room, used, negative);
}

// digits[0, divisor->count) = |number| % divisor.
static void reduce(mpz_dig_t *digits, const mpz_t *number, const gpusnek_divisor_t *divisor) {
    if (number->len < divisor->count) {
        gpusnek_pad(digits, divisor->count, number);
    } else {
        gpusnek_divide(NULL, digits, number->dig, number->len, divisor);
    }
}

// digits[0, modulus->len) = |base ** exponent % modulus|, for a nonnegative exponent.
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
        gpusnek_subtract_from(digits, modulus->dig, count);
    }
}

void gpusnek_mpz_power_modulo(
    mpz_t *power, const mpz_t *base, const mpz_t *exponent, const mpz_t *modulus) {
    const size_t count = modulus->len;
    const bool negative = modulus->neg;
    if (count == 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("pow() 3rd argument cannot be 0"));
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
    // Without a table of powers the computation takes more steps but less memory.
    power_modulo(digits, base, exponent, modulus, room, table, table == NULL ? 1 : window);
    m_del(mpz_dig_t, room, gpusnek_power_room(count));
    if (table != NULL) {
        m_del(mpz_dig_t, table, further);
    }
    gpusnek_adopt(power, digits, count, count, negative);
}

mp_obj_t gpusnek_small_power_modulo(mp_int_t base, mp_int_t exponent, mp_int_t modulus) {
    const mp_int_t given[3] = {base, exponent, modulus};
    mpz_t number[3];
    mpz_dig_t number_digits[3][MPZ_NUM_DIG_FOR_INT];
    mpz_dig_t digits[MPZ_NUM_DIG_FOR_INT];
    mpz_dig_t room[4 * MPZ_NUM_DIG_FOR_INT]; // gpusnek_power_room() of that many digits
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
