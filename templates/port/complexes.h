// Complex numbers with CPython's results (complexes.c). The patch `numbers` calls these functions.
#ifndef GPUSNEK_COMPLEXES_H
#define GPUSNEK_COMPLEXES_H

#include "py/obj.h"

#if MICROPY_PY_BUILTINS_COMPLEX

// Return the quotient or power of two numbers. Returns MP_OBJ_NULL for other operators and for an
// operand that is no number. Raises ZeroDivisionError and OverflowError.
mp_obj_t gpusnek_complex_operation(mp_binary_op_t op, mp_float_t real, mp_float_t imag, mp_obj_t right);

// Return the absolute value. Raises OverflowError.
mp_obj_t gpusnek_complex_size(mp_obj_t value);

// Return whether complex numbers lack an operator that upstream's code refuses with its own message.
bool gpusnek_refuses_complex(mp_binary_op_t op);

// Print the repr of a complex number.
void gpusnek_print_complex(const mp_print_t *print, mp_obj_t value);

// Return complex(*args), or MP_OBJ_NULL without arguments. Raises TypeError and ValueError.
mp_obj_t gpusnek_new_complex(size_t n_args, const mp_obj_t *args);

#endif

#endif
