// What upstream's files call where the patches `float-text` and `float-reading` say so (floats.c).
#ifndef GPUSNEK_FLOATS_H
#define GPUSNEK_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

#include "py/mpconfig.h"
#include "py/mpprint.h"

// Does the work of upstream's mp_print_float. A precision of MP_FLOAT_REPR_PREC asks for repr, any
// other one below 0 for the default. With GPUSNEK_PRINT_LIKE_STR among the flags the text is what
// str gives, or has `precision` digits. Makes texts that are longer than usual on the heap, and may
// raise MemoryError.
int gpusnek_print_float(const mp_print_t *print, mp_float_t f, char format, unsigned int flags,
    char fill, int width, int precision);

// Returns the float nearest to the unsigned number in [text, end). Upstream's reader has found that
// it is digits * 10^exponent, or, where `cut` says so, that it begins with these digits.
mp_float_t gpusnek_read_float(
    const char *text, const char *end, uint64_t digits, int exponent, bool cut);

#endif
