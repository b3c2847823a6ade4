// The str in an instance of a subclass of str.
#ifndef GPUSNEK_TEXTCLASS_H
#define GPUSNEK_TEXTCLASS_H

#include "py/obj.h"
#include "py/objtype.h"

static inline bool gpusnek_is_instance(mp_obj_t value) {
    return mp_obj_is_obj(value)
        && mp_obj_is_instance_type(((mp_obj_base_t *)MP_OBJ_TO_PTR(value))->type);
}

// Return the str of an instance of a subclass of str, or MP_OBJ_NULL for another object.
static inline mp_obj_t gpusnek_native_text(mp_obj_t value) {
    if (!gpusnek_is_instance(value)) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t text = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_str));
    return text != value ? text : MP_OBJ_NULL;
}

// Return the str of an instance of a subclass of str, or the instance of another class itself. Not
// inlined, so that g++ inlines its caller, which reads every str.
static MP_NOINLINE mp_obj_t gpusnek_text_of(mp_obj_t instance) {
    const mp_obj_t text = gpusnek_native_text(instance);
    return text != MP_OBJ_NULL ? text : instance;
}

#endif
