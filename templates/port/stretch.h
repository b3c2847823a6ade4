// Long rows of digits on a GPU, beside others of the warp that run something else.
#ifndef GPUSNEK_STRETCH_H
#define GPUSNEK_STRETCH_H

#include <stddef.h>

#include "hooks.h"

// A row may be long, and takes no step: once in so many of its digits, a power of two, the other
// interpreters of a GPU's warp may run. Rows that are shorter by a step and more, those of nearly all
// programs, never stop.
#define GPUSNEK_STRETCH (512)

// `at` goes through a row of digits by `step`, a power of two: 1 or 4.
static inline void gpusnek_stretch(size_t at, size_t step) {
    if (__builtin_expect((~at & (GPUSNEK_STRETCH - step)) == 0, 0)) {
        porter_yield();
    }
}

// The same once for a whole row, before a pass over its digits that upstream's code makes.
static inline void gpusnek_long_row(size_t digits) {
    if (__builtin_expect(digits >= GPUSNEK_STRETCH, 0)) {
        porter_yield();
    }
}

#endif
