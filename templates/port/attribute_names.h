// The built-in function `dir` (attribute_names.c).
#ifndef GPUSNEK_ATTRIBUTE_NAMES_H
#define GPUSNEK_ATTRIBUTE_NAMES_H

#include "py/obj.h"

// Returns the sorted names of an object, or those of the scope. Calls `__dir__` of a Python class.
mp_obj_t gpusnek_dir(size_t n_args, const mp_obj_t *args);

// Returns what object.__dir__() does: the names of an instance of a Python class, or of such a class.
mp_obj_t gpusnek_names_of(mp_obj_t object);

#endif
