// Operators and checks of array.array (methods_array.c). The patch `array-memory` calls them.
#ifndef GPUSNEK_ARRAYS_H
#define GPUSNEK_ARRAYS_H

#include "py/obj.h"

// Return the result of an operator of an array, or MP_OBJ_NULL if upstream's code computes it. Raises
// TypeError for operands of a wrong type.
mp_obj_t gpusnek_array_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);

// Return whether array.extend(other) adds the items of an iterable, not the bytes of a buffer. Raises
// TypeError for an array of another typecode.
bool gpusnek_extends_by_items(mp_obj_t array, mp_obj_t other);

// Check the arguments of array.array(). Raises TypeError and ValueError.
void gpusnek_check_new_array(size_t n_args, const mp_obj_t *args);

// Print the bytes of a bytearray, as mp_str_print_quoted() does with `bytes`, which is true, and with a
// backslash before each single quote.
void gpusnek_print_bytearray(const mp_print_t *print, const byte *data, size_t size, bool bytes);

#endif
