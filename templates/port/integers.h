// Arithmetic of upstream's big integers (mpz_t) by natural.h, and of integers of at most 64 bits
// (integers_words.c). The patch `integers` calls these functions in place of upstream's (integers.c,
// integers_power.c, integers_text.c). All may raise MemoryError. A result may be one of the
// operands.
#ifndef GPUSNEK_INTEGERS_H
#define GPUSNEK_INTEGERS_H

#include "py/mpprint.h"
#include "py/mpz.h"
#include "py/obj.h"
#include "py/objint.h"
#include "py/runtime0.h"
#include "py/smallint.h"

// An integer as sign and magnitude; 0 may have either sign. If not `fits`, it has no value here. A
// GPU passes it in registers.
typedef struct {
    uint64_t magnitude;
    bool negative;
    bool fits;
} gpusnek_word_t;

// Return the value of a small integer.
static inline gpusnek_word_t gpusnek_word_of_small(mp_obj_t object) {
    const mp_int_t value = MP_OBJ_SMALL_INT_VALUE(object);
    const gpusnek_word_t word = {
        value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0, true};
    return word;
}

static inline bool gpusnek_word_is_small(gpusnek_word_t word) {
    return word.magnitude <= (uint64_t)MP_SMALL_INT_MAX + word.negative;
}

// Return a small integer of a word that is one.
static inline mp_obj_t gpusnek_word_small(gpusnek_word_t word) {
    const mp_int_t value = (mp_int_t)word.magnitude;
    return MP_OBJ_NEW_SMALL_INT(word.negative ? -value : value);
}

// Return an int. May raise.
mp_obj_t gpusnek_word_object(gpusnek_word_t word);

// Return the value of an int. Longer numbers and other objects do not fit.
gpusnek_word_t gpusnek_word_of(mp_obj_t object);

// Return a op b; `op` is an mp_binary_op_t. A result whose magnitude exceeds 64 bits, that of a
// division by 0, and those of other operators do not fit.
gpusnek_word_t gpusnek_word_apply(unsigned int op, gpusnek_word_t a, gpusnek_word_t b);

// Return lhs op rhs of integers; MP_OBJ_NULL where an operand or the result does not fit.
mp_obj_t gpusnek_word_op(unsigned int op, mp_obj_t lhs, mp_obj_t rhs);

// Whether an operand of upstream's mp_obj_int_binary_op() may fit; the others need no call.
static inline bool gpusnek_may_fit(mp_obj_t object) {
    return mp_obj_is_small_int(object) || (mp_obj_is_exact_type(object, &mp_type_int)
        && ((const mp_obj_int_t *)MP_OBJ_TO_PTR(object))->mpz.len <= 2);
}

// Return an int that is no small integer, whatever its value.
mp_obj_t gpusnek_new_word(uint64_t magnitude, bool negative);

// product = a * b.
void gpusnek_mpz_multiply(mpz_t *product, const mpz_t *a, const mpz_t *b);

// Floor division; the divisor is not 0. `quotient` or `remainder` may be NULL.
void gpusnek_mpz_divide(mpz_t *quotient, mpz_t *remainder, const mpz_t *number, const mpz_t *by);

// Return `a & b` or `a % b` without allocating, if the operands are not negative and the result
// fits a digit. Return MP_OBJ_NULL otherwise, and for other operations.
mp_obj_t gpusnek_mpz_short(mp_binary_op_t op, const mpz_t *a, const mpz_t *b);

// power = base ** exponent; 0 for a negative exponent.
void gpusnek_mpz_power(mpz_t *power, const mpz_t *base, const mpz_t *exponent);
// power = base ** exponent % modulus; 0 for a negative exponent. Raises ValueError if the modulus
// is 0.
void gpusnek_mpz_power_modulo(
    mpz_t *power, const mpz_t *base, const mpz_t *exponent, const mpz_t *modulus);

// Return pow(base, exponent, modulus) of small integers without allocating, or MP_OBJ_NULL if the
// exponent is negative or the modulus is 0.
mp_obj_t gpusnek_small_power_modulo(mp_int_t base, mp_int_t exponent, mp_int_t modulus);

// Return the nearest float, or an infinity.
#if MICROPY_PY_BUILTINS_FLOAT
mp_float_t gpusnek_mpz_float(const mpz_t *number);
#endif

// Set `number` to the value of the digits at the start of `text`; return the number of digits.
size_t gpusnek_mpz_read(mpz_t *number, const char *text, size_t length, bool negative,
    unsigned int base);

// Write `number` in `base` with `prefix`, without group separators and with a terminating zero
// byte. Return its length. `letter`: the digit of value 10, 'a' or 'A'.
size_t gpusnek_mpz_write(
    const mpz_t *number, unsigned int base, const char *prefix, char letter, char *text);

#define GPUSNEK_SMALL_TEXT (20) // maximum size of a 64-bit integer in base 10, with its sign

// Write a small integer in base 10 into the bytes before `end`, at most GPUSNEK_SMALL_TEXT. Return
// the address of its first character.
char *gpusnek_write_small(mp_int_t value, char *end);

// Print a small integer in base 10. Return false, and print nothing, for other objects.
bool gpusnek_print_small(const mp_print_t *print, mp_obj_t value);

#endif
