// Upstream's integers of any size by natural.h: what the patch `integers` calls in upstream's place
// (integers.c, integers_power.c, integers_text.c). All may raise MemoryError; results may be
// operands.
#ifndef GPUSNEK_INTEGERS_H
#define GPUSNEK_INTEGERS_H

#include "py/mpz.h"
#include "py/obj.h"
#include "py/runtime0.h"

void gpusnek_mpz_multiply(mpz_t *product, const mpz_t *a, const mpz_t *b);

// Rounds down. The divisor is not 0; of the results one may be NULL.
void gpusnek_mpz_divide(mpz_t *quotient, mpz_t *remainder, const mpz_t *number, const mpz_t *by);

// The value of `a & b` or `a % b` where a digit has room for it, one of them being of one digit: no
// memory is taken. Else MP_OBJ_NULL, for other operations too.
mp_obj_t gpusnek_mpz_short(mp_binary_op_t op, const mpz_t *a, const mpz_t *b);

// A negative exponent gives 0.
void gpusnek_mpz_power(mpz_t *power, const mpz_t *base, const mpz_t *exponent);
void gpusnek_mpz_power_modulo(
    mpz_t *power, const mpz_t *base, const mpz_t *exponent, const mpz_t *modulus);

// The same of small integers, without memory; MP_OBJ_NULL where the exponent is negative or
// the modulus 0.
mp_obj_t gpusnek_small_power_modulo(mp_int_t base, mp_int_t exponent, mp_int_t modulus);

// The nearest float, or an infinity.
#if MICROPY_PY_BUILTINS_FLOAT
mp_float_t gpusnek_mpz_float(const mpz_t *number);
#endif

// Reads the digits with which text begins, and returns how many.
size_t gpusnek_mpz_read(mpz_t *number, const char *text, size_t length, bool negative,
    unsigned int base);

// Writes a text without commas, which ends in a zero byte, and returns its length.
size_t gpusnek_mpz_write(
    const mpz_t *number, unsigned int base, const char *prefix, char letter, char *text);

#endif
