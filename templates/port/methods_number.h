// Methods of numbers (methods_number.c) that the patch `int-bytes` calls in py/objint.c.
#ifndef GPUSNEK_METHODS_NUMBER_H
#define GPUSNEK_METHODS_NUMBER_H

#include "py/obj.h"

// int.to_bytes(length=1, byteorder="big", signed=False); args[0] is the number. Raises
// OverflowError if the number does not fit.
mp_obj_t gpusnek_int_to_bytes(size_t n_args, const mp_obj_t *args);
// int.from_bytes(bytes, byteorder="big", signed=False); args[0] is the class.
mp_obj_t gpusnek_int_from_bytes(size_t n_args, const mp_obj_t *args);

#endif
