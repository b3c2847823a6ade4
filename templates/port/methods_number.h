// Methods of numbers (methods_number.c) that patches call in py/objint.c, and properties of ints for
// numbers.c and itemrange.c.
#ifndef GPUSNEK_METHODS_NUMBER_H
#define GPUSNEK_METHODS_NUMBER_H

#include "py/obj.h"

// int.to_bytes(length=1, byteorder="big", signed=False); args[0] is the number. Raises
// OverflowError if the number does not fit.
mp_obj_t gpusnek_int_to_bytes(size_t n_args, const mp_obj_t *args);
// int.from_bytes(bytes, byteorder="big", signed=False); args[0] is the class.
mp_obj_t gpusnek_int_from_bytes(size_t n_args, const mp_obj_t *args);

// Returns the number of bits of the absolute value of an int.
size_t gpusnek_bit_length(mp_obj_t number);
// Returns whether the absolute value of an int is a power of two.
bool gpusnek_is_power_of_two(mp_obj_t number);

#endif
