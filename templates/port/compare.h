// Equality tests that avoid a call of mp_obj_equal(): small integers and interned strings
// ("words"), and short tuples of these. maps.h, changed.c and patched upstream files use them.
#ifndef GPUSNEK_COMPARE_H
#define GPUSNEK_COMPARE_H

#include "py/obj.h"
#include "py/objtuple.h"

#define GPUSNEK_SHORT_TUPLE (8) // items; loops up to this length need no safepoint poll

// Return whether the object is a word: it equals another word only if both are the same object.
static inline bool gpusnek_is_word(mp_obj_t o) {
    return mp_obj_is_small_int(o) | mp_obj_is_qstr(o);
}

// Return whether two objects are different words, and therefore unequal.
static inline bool gpusnek_words_differ(mp_obj_t a, mp_obj_t b) {
    return (a != b) & gpusnek_is_word(a) & gpusnek_is_word(b);
}

static inline bool gpusnek_is_short_tuple(mp_obj_t o) {
    return mp_obj_is_exact_type(o, &mp_type_tuple)
           && ((const mp_obj_tuple_t *)MP_OBJ_TO_PTR(o))->len <= GPUSNEK_SHORT_TUPLE;
}

// Return whether two objects are short tuples of equal words.
static inline bool gpusnek_same_words(mp_obj_t a, mp_obj_t b) {
    if (!gpusnek_is_short_tuple(a) || !gpusnek_is_short_tuple(b)) {
        return false;
    }
    const mp_obj_tuple_t *const left = MP_OBJ_TO_PTR(a), *const right = MP_OBJ_TO_PTR(b);
    if (left->len != right->len) {
        return false;
    }
    size_t i = 0;
    while (i < left->len && left->items[i] == right->items[i] && gpusnek_is_word(left->items[i])) {
        ++i;
    }
    return i == left->len;
}

// Return whether two items of containers are the same object or equal. Compares words without a
// call; otherwise raises what __eq__ raises.
static inline bool gpusnek_equal(mp_obj_t a, mp_obj_t b) {
    return a == b || (!gpusnek_words_differ(a, b) && mp_obj_equal(a, b));
}

#endif
