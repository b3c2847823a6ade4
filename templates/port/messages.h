// Messages of exceptions that need more than another text: operators, calls of functions, imports.
// The patch `messages` calls these functions where upstream raises.
#ifndef GPUSNEK_MESSAGES_H
#define GPUSNEK_MESSAGES_H

#include "py/bc.h"
#include "py/obj.h"
#include "py/objfun.h"
#include "py/runtime0.h"

// An operator that the type of its operand lacks.
_Noreturn void gpusnek_raise_unary(mp_unary_op_t op, mp_obj_t operand);
// An operator that the types of its operands lack.
_Noreturn void gpusnek_raise_binary(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);
// A call with another number of positional arguments, without keyword arguments.
_Noreturn void gpusnek_raise_positional(const mp_obj_fun_bc_t *function, size_t given);
// A call that lacks arguments. last: the slot of the first argument; the others follow downwards.
_Noreturn void gpusnek_raise_missing(const mp_obj_fun_bc_t *function, const mp_obj_t *last, bool keyword_only);
// A keyword argument that the function has no parameter for (`again`: that it was given twice).
_Noreturn void gpusnek_raise_keyword(const mp_obj_fun_bc_t *function, mp_obj_t name, bool again);
// A call of a built-in function that does not fit its signature (MP_OBJ_FUN_MAKE_SIG).
void gpusnek_raise_count(mp_obj_t function, size_t n_args, size_t n_kw, const mp_obj_t *args, uint32_t signature);
#define GPUSNEK_FITS_SIGNATURE(n_args, n_kw, signature) \
    ((n_args) >= (signature) >> 17 && (n_args) <= ((signature) >> 1 & 0xffff) && ((n_kw) == 0 || ((signature) & 1)))
_Noreturn void gpusnek_raise_no_module(qstr name);
_Noreturn void gpusnek_raise_no_name(mp_obj_t module, qstr name);
// A value that list.index() or tuple.index() does not find.
_Noreturn void gpusnek_raise_not_found(mp_obj_t sequence, mp_obj_t value);
// Returns the ValueError of a text that is no float.
mp_obj_t gpusnek_no_float(const char *text, size_t length);
// Raises NameError if a dict lacks a name that is deleted.
void gpusnek_check_defined(mp_obj_dict_t *names, qstr name);
// Raises IndexError if a number is no index of the list that it assigns to or deletes from.
void gpusnek_check_assignment(mp_obj_t list, mp_obj_t index);
// mp_get_index() for list.pop().
size_t gpusnek_pop_index(const mp_obj_type_t *type, size_t length, mp_obj_t index, bool is_slice);

// Raise the TypeErrors of int(argument), and of item `index` of the argument of join().
_Noreturn void gpusnek_raise_no_number(mp_const_obj_t argument);
_Noreturn void gpusnek_raise_item(const mp_obj_type_t *type, size_t index, mp_obj_t item);

#if MICROPY_PY_BUILTINS_FLOAT
// Return the argument of float() as a float. Raises TypeError.
mp_float_t gpusnek_float_argument(mp_obj_t argument);
#endif

// Return an iterator of a value that is unpacked, as mp_getiter(), with the message of unpacking.
mp_obj_t gpusnek_unpacked_iter(mp_obj_t value, mp_obj_iter_buf_t *buffer);

#endif
