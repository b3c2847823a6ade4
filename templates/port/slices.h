// Interface of the port's slices (slices.c), which the patch `builtin-types` calls in py/obj.c.
#ifndef GPUSNEK_SLICES_H
#define GPUSNEK_SLICES_H

#include "py/obj.h"
#include "py/runtime0.h"

static inline bool gpusnek_is_slice(mp_obj_t object) {
    return mp_obj_is_obj(object)
        && ((const mp_obj_base_t *)MP_OBJ_TO_PTR(object))->type == &mp_type_slice;
}

// Performs base[index], base[index] = value or del base[index], as mp_obj_subscr(), where upstream
// has no code for it: slices with a step other than 1, slices with bounds of more than 46 bits, any
// iterable as a new part of a list, deletions from bytearray and array, and subscripts of types.
// `index` has no number that runs Python code (gpusnek_plain_index()). Returns MP_OBJ_NULL if
// upstream must perform the operation. *index and *value may then have changed to equivalent
// objects that upstream accepts. Raises CPython's exceptions.
mp_obj_t gpusnek_subscript(mp_obj_t base, mp_obj_t *index, mp_obj_t *value);

// Performs `list *= times`. Returns the list, or MP_OBJ_NULL if `times` is no integer.
mp_obj_t gpusnek_repeat_list(mp_obj_t list, mp_obj_t times);

// Returns whether in-place operations change the object: it is a built-in container that can change.
bool gpusnek_changes_in_place(mp_obj_t object);

// The comparisons of slices: those of tuples of their three parts.
mp_obj_t gpusnek_slice_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);

#endif
