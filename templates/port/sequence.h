// Comparing sequences, for py/sequence.c (patch `sequence-comparison`).
#ifndef GPUSNEK_SEQUENCE_H
#define GPUSNEK_SEQUENCE_H

#include "compare.h"
#include "py/obj.h"

// The index of the first items that differ, or `length`. One loop with one end, in a function of
// its own: there interpreters that compare different items meet again.
static MP_NOINLINE size_t gpusnek_first_difference(const mp_obj_t *left, const mp_obj_t *right,
    size_t length) {
    size_t i = 0;
    while (i < length && gpusnek_equal(left[i], right[i])) {
        i++;
    }
    return i;
}

#endif
