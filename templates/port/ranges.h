// Ranges whose ends are any machine words: length, membership and iteration (patch `ranges`).
//
// The distance of two ends can exceed mp_int_t, so it is computed without a sign.
#ifndef GPUSNEK_RANGES_H
#define GPUSNEK_RANGES_H

#include "py/obj.h"

// Returns the number of items of range(start, stop, step).
static inline mp_uint_t gpusnek_range_length(mp_int_t start, mp_int_t stop, mp_int_t step) {
    if (step > 0 ? start >= stop : start <= stop) {
        return 0;
    }
    const bool up = step > 0;
    const mp_uint_t distance = up ? (mp_uint_t)stop - start : (mp_uint_t)start - stop;
    return (distance - 1) / (up ? (mp_uint_t)step : -(mp_uint_t)step) + 1;
}

// Returns the item after `item`, or `stop` if it is no machine word.
static inline mp_int_t gpusnek_range_next(mp_int_t item, mp_int_t stop, mp_int_t step) {
    const mp_int_t next = (mp_int_t)((mp_uint_t)item + (mp_uint_t)step);
    return (next < item) == (step < 0) ? next : stop;
}

// Returns the next item of an iterator, whose next item is `*item`, or MP_OBJ_STOP_ITERATION.
static inline mp_obj_t gpusnek_range_advance(mp_int_t *item, mp_int_t stop, mp_int_t step) {
    const mp_int_t now = *item;
    if (step > 0 ? now >= stop : now <= stop) {
        return MP_OBJ_STOP_ITERATION;
    }
    *item = gpusnek_range_next(now, stop, step);
    return mp_obj_new_int(now);
}

static inline void *gpusnek_range_iterator(mp_obj_t iterator) {
    return MP_OBJ_TO_PTR(iterator);
}

// Returns len(range(start, stop, step)). Raises OverflowError if it is no machine word.
mp_obj_t gpusnek_range_len(mp_int_t start, mp_int_t stop, mp_int_t step);

// Returns whether an int or bool is an item of a range, as a bool object; MP_OBJ_NULL for a value of
// another type, which may equal an item in a way that only its comparison knows.
mp_obj_t gpusnek_range_contains(mp_int_t start, mp_int_t stop, mp_int_t step, mp_obj_t value);

// The methods count() and index() of a range.
mp_obj_t gpusnek_range_count(mp_obj_t range, mp_obj_t value);
mp_obj_t gpusnek_range_index(mp_obj_t range, mp_obj_t value);

#endif
