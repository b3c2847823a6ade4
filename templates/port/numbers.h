// Rounding, division, comparison and reading of numbers with CPython's results and messages
// (numbers.c).
#ifndef GPUSNEK_NUMBERS_H
#define GPUSNEK_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "py/obj.h"
#include "py/objtype.h"
#include "py/runtime0.h"

// Return the message of the ZeroDivisionError of an operation of ints, or of floats.
mp_rom_error_text_t gpusnek_zero_division(mp_binary_op_t op, bool floats);

// Return the result of an operation whose left operand is a bool: a bool for `&`, `|` and `^` of two
// bools, MP_OBJ_NULL for an operation that bool does not support, and MP_OBJ_SENTINEL if the int that
// equals the bool has the same result.
mp_obj_t gpusnek_bool_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);

// Return round(*args), or MP_OBJ_NULL if upstream's function computes it.
mp_obj_t gpusnek_round(size_t n_args, const mp_obj_t *args);

static inline bool gpusnek_is_shift(mp_binary_op_t op) {
    return op == MP_BINARY_OP_LSHIFT || op == MP_BINARY_OP_RSHIFT
        || op == MP_BINARY_OP_INPLACE_LSHIFT || op == MP_BINARY_OP_INPLACE_RSHIFT;
}

// Return the result of a shift by a big int, or MP_OBJ_NULL for other operations.
mp_obj_t gpusnek_big_shift(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);

// Return pow(base, exponent, modulus) for a negative exponent, or MP_OBJ_NULL for another one.
// Raises CPython's errors of a modulus that is 0 and of operands that are not int.
mp_obj_t gpusnek_inverse_power(mp_obj_t base, mp_obj_t exponent, mp_obj_t modulus);

// Return the float nearest to the quotient of two ints; the divisor is not 0.
mp_obj_t gpusnek_divide_ints(mp_obj_t number, mp_obj_t by);

// Compare a float with a big int exactly: the result of `value op number`, or MP_OBJ_NULL if `op`
// is no comparison.
mp_obj_t gpusnek_compare_float(mp_binary_op_t op, mp_float_t value, mp_obj_t number);

// Return whether an operand is an instance that no number is a part of. `__float__` of its class serves
// float(), and no operation.
bool gpusnek_is_foreign(mp_obj_t operand);
static inline bool gpusnek_is_no_number(mp_obj_t operand) {
    return mp_obj_is_obj(operand) && mp_obj_is_instance_type(mp_obj_get_type(operand))
           && gpusnek_is_foreign(operand);
}

// Return the float nearest to a big int. Raises OverflowError beyond the range of floats.
mp_float_t gpusnek_big_float(mp_obj_t number);

// Whether the underscore at `at` in [from, top) is between two digits or after a prefix.
bool gpusnek_is_separator(const char *from, const char *at, const char *top);

// Return the int or float of a text with decimal digits that are not ASCII, or raise the error of
// a text that is no number. `base`: that of int(), or -1 for float().
mp_obj_t gpusnek_other_number(const char *text, size_t length, int base);

// Return float(text). Raises ValueError for a text that is no number.
struct _mp_lexer_t;
mp_obj_t gpusnek_read_float_text(
    const char *text, size_t length, bool imaginary, struct _mp_lexer_t *lexer);

#endif
