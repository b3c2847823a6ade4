// Comparing keys and sequences without a call where a look is enough.
#ifndef GPUSNEK_COMPARE_H
#define GPUSNEK_COMPARE_H

#include "py/obj.h"

// Whether an object is equal to one of its kind only if it is the same object.
static inline bool gpusnek_is_word(mp_obj_t o) {
    return mp_obj_is_small_int(o) | mp_obj_is_qstr(o);
}

// Whether two objects are not equal at first sight.
static inline bool gpusnek_words_differ(mp_obj_t a, mp_obj_t b) {
    return (a != b) & gpusnek_is_word(a) & gpusnek_is_word(b);
}

// Whether two objects are equal; calls nothing for words.
static inline bool gpusnek_equal(mp_obj_t a, mp_obj_t b) {
    return (a == b && gpusnek_is_word(a)) || (!gpusnek_words_differ(a, b) && mp_obj_equal(a, b));
}

#endif
