// Comparing sequences, for py/sequence.c (patch `sequence-comparison`).
//
// As upstream has it, `<` and `<=` ask the items of the right sequence, with the operands exchanged.
#ifndef GPUSNEK_SEQUENCE_H
#define GPUSNEK_SEQUENCE_H

#include "compare.h"
#include "py/obj.h"
#include "py/runtime.h"

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

// Whether `left op right`, of a comparison that is not `!=`.
static inline bool gpusnek_compare_items(mp_uint_t op, const mp_obj_t *left, size_t left_length,
    const mp_obj_t *right, size_t right_length) {
    if (op == MP_BINARY_OP_EQUAL && left_length != right_length) {
        return false;
    }
    const bool exchanged = op == MP_BINARY_OP_LESS || op == MP_BINARY_OP_LESS_EQUAL;
    const mp_obj_t *const greater = exchanged ? right : left, *const less = exchanged ? left : right;
    const size_t length = left_length < right_length ? left_length : right_length;
    const size_t at = gpusnek_first_difference(greater, less, length);
    const bool strict = op == MP_BINARY_OP_LESS || op == MP_BINARY_OP_MORE;
    if (at < length) {
        const mp_binary_op_t asked = strict ? MP_BINARY_OP_MORE : MP_BINARY_OP_MORE_EQUAL;
        return op != MP_BINARY_OP_EQUAL
               && mp_binary_op(asked, greater[at], less[at]) == mp_const_true;
    }
    const size_t greater_length = exchanged ? right_length : left_length;
    const size_t less_length = exchanged ? left_length : right_length;
    return strict ? greater_length > less_length : greater_length >= less_length;
}

#endif
