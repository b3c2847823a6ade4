// Tables of sets with CPython's order: a set of numbers, or of tuples of numbers, is iterated,
// printed and popped in CPython's order. Programs, and the tests that judge them, depend on it.
// settype.c implements the types on these functions.
//
// Each function may raise what a program's `__hash__` or `__eq__` raises, RuntimeError if one of
// them changed the table that is searched (changed.h), TypeError for a key without a hash, and
// MemoryError.
#ifndef GPUSNEK_SETTABLE_H
#define GPUSNEK_SETTABLE_H

#include "py/obj.h"
#include "py/runtime0.h"

// Returns whether the set has the key.
bool gpusnek_set_has(mp_set_t *set, mp_obj_t key);

// Inserts a key, unless the set has it.
void gpusnek_set_add(mp_set_t *set, mp_obj_t key);

// Removes a key. Returns whether the set had it.
bool gpusnek_set_discard(mp_set_t *set, mp_obj_t key);

// Removes the key that CPython's set.pop() removes, and returns it; MP_OBJ_NULL if the set is empty.
mp_obj_t gpusnek_set_pop(mp_set_t *set);

// Removes all keys and frees the table.
void gpusnek_set_empty(mp_set_t *set);

// Enlarges the table for `more` keys, as CPython does before it merges a set or a dict of that size.
// Without memory for it, keeps the table.
void gpusnek_set_reserve(mp_set_t *set, size_t more);

// Inserts all keys of another set, in the order of its table.
void gpusnek_set_merge(mp_set_t *set, mp_set_t *other);

// Rebuilds the table if more than a quarter of its slots are tombstones.
void gpusnek_set_trim(mp_set_t *set);

// Replaces the table by that of another set, which is empty afterwards.
void gpusnek_set_take(mp_set_t *set, mp_set_t *other);

// Returns the result of an operator on a view of a dict's keys or items; MP_OBJ_NULL if the operator
// does not apply to it (settype.c). `keys`: the dict in place of a view of its keys, or the view.
mp_obj_t gpusnek_view_operation(mp_binary_op_t op, mp_obj_t keys, mp_obj_t other);

#endif
