// Printing and reading of floats (floats.c), for upstream's files with the patch `float-text`.
#ifndef GPUSNEK_FLOATS_H
#define GPUSNEK_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

#include "py/mpconfig.h"
#include "py/mpprint.h"
#include "py/obj.h"

// Replacement of upstream's mp_print_float(). A precision of MP_FLOAT_REPR_PREC means repr, any
// other negative precision means the default. With GPUSNEK_PRINT_LIKE_STR among the flags, print
// the result of str(), or `precision` digits. Returns the number of printed characters. Allocates
// long texts in the heap, and may raise MemoryError.
int gpusnek_print_float(const mp_print_t *print, mp_float_t f, char format, unsigned int flags,
    char fill, int width, int precision);

// Return the float nearest to the unsigned number in [text, end). Upstream's parser supplies its
// value, digits * 10^exponent. `cut`: the number begins with `digits` and may have more digits.
mp_float_t gpusnek_read_float(
    const char *text, const char *end, uint64_t digits, int exponent, bool cut);

// Return x ** y. Raise OverflowError if the result of finite operands is infinite.
mp_float_t gpusnek_float_power(mp_float_t x, mp_float_t y);

// Raise the ZeroDivisionError of zero to a negative power.
void gpusnek_raise_zero_power(void);

// Raise OverflowError("math range error").
void gpusnek_raise_math_range(void);

// Whether a function of module math, `gamma` the logarithm of gamma, that is infinite at the finite
// x has no pole there.
bool gpusnek_is_large_result(mp_float_t x, bool gamma);

#endif
