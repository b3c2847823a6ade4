// Comparison of lists and tuples, item by item. The patch `sequence-comparison` calls
// gpusnek_compare_items() in py/sequence.c.
//
// As in upstream's code, `<` and `<=` exchange the operands: they compare `right > left`, item by
// item, so that the methods of the right sequence's items are called.
#ifndef GPUSNEK_SEQUENCE_H
#define GPUSNEK_SEQUENCE_H

#include "compare.h"
#include "py/obj.h"
#include "py/runtime.h"

// Returns the index of the first items that differ, or `length`. Propagates exceptions of
// comparisons. The function has one loop with one exit and is not inlined, so that the lanes of a
// warp reconverge at its end.
static MP_NOINLINE size_t gpusnek_first_difference(const mp_obj_t *left, const mp_obj_t *right,
    size_t length) {
    size_t i = 0;
    while (i < length && gpusnek_equal(left[i], right[i])) {
        i++;
    }
    return i;
}

// Returns whether left op right; `op` is a comparison other than `!=`. May raise.
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
