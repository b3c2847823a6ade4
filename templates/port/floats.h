// What the patch `exact-floats` calls from upstream's files (floats.c).
#ifndef GPUSNEK_FLOATS_H
#define GPUSNEK_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

#include "py/mpconfig.h"
#include "py/mpprint.h"

// What upstream's mp_print_float is to print. Precisions below 0 have upstream's meaning, and
// GPUSNEK_PRINT_LIKE_STR among the flags: as str, or with the precision as a number of digits.
// Texts that are longer than usual are made on the heap: may raise MemoryError.
int gpusnek_print_float(const mp_print_t *print, mp_float_t f, char format, unsigned int flags,
    char fill, int width, int precision);

// The float nearest to the unsigned number in [text, end), of which upstream's reader has found:
// `digits`, but not all of them where `cut` says so, times 10^exponent.
mp_float_t gpusnek_read_float(
    const char *text, const char *end, uint64_t digits, int exponent, bool cut);

#endif
