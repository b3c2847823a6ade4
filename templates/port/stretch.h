// Yields in long loops over the digits of a number. These loops take no steps and do not poll, so
// that diverged lanes of the warp would wait until their end. natural.h and the patch `integers`
// use these functions.
#ifndef GPUSNEK_STRETCH_H
#define GPUSNEK_STRETCH_H

#include <stddef.h>

#include "hooks.h"

// Digits between two yields, a power of two. Numbers of nearly all programs are shorter, and their
// loops never yield.
#define GPUSNEK_STRETCH (512)

// Yields once in GPUSNEK_STRETCH digits. Called in each turn of a loop whose index `at` advances by
// `step`, 1 or 4.
static inline void gpusnek_stretch(size_t at, size_t step) {
    if (__builtin_expect((~at & (GPUSNEK_STRETCH - step)) == 0, 0)) {
        porter_yield();
    }
}

// Yields once before a loop of upstream's code over a number of at least GPUSNEK_STRETCH digits.
static inline void gpusnek_long_row(size_t digits) {
    if (__builtin_expect(digits >= GPUSNEK_STRETCH, 0)) {
        porter_yield();
    }
}

#endif
