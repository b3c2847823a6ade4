// The check of the first argument of a built-in method.
//
// Upstream's mp_check_self() is empty, because mp_convert_member_lookup() checks this argument for a
// method that a program takes from a class. It does not see the methods in the port's tables
// (methods.c), so these check it themselves.
#ifndef GPUSNEK_CHECKSELF_H
#define GPUSNEK_CHECKSELF_H

#include "py/runtime.h"

// Raise TypeError if `self` is not an object of `type` itself.
static inline void gpusnek_check_self(mp_obj_t self, const mp_obj_type_t *type) {
    if (!mp_obj_is_exact_type(self, type)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("argument should be a '%q' not a '%q'"),
            type->name, mp_obj_get_type(self)->name);
    }
}

#endif
