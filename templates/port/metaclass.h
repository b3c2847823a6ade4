// The metaclass of a class. metaclasses.c explains it.
#ifndef GPUSNEK_METACLASS_H
#define GPUSNEK_METACLASS_H

#include "py/obj.h"

#define GPUSNEK_TYPE_FLAG_METACLASS (0x1000) // the class derives from `type`
#define GPUSNEK_TYPE_FLAG_HAS_METACLASS (0x2000) // the class's metaclass is not `type` (M2)
#define GPUSNEK_TYPE_FLAG_RAW_STORE (0x0800) // the next store ignores the metaclass (M3)

// Of the type object of each class that a program makes. The last slot is for the metaclass.
#define GPUSNEK_CLASS_SLOTS (13)

// Returns whether an object is a class with a metaclass other than `type`.
static inline bool gpusnek_has_metaclass(mp_const_obj_t o) {
    return mp_obj_is_exact_type(o, &mp_type_type)
           && (((const mp_obj_type_t *)MP_OBJ_TO_PTR(o))->flags & GPUSNEK_TYPE_FLAG_HAS_METACLASS) != 0;
}

extern const mp_obj_type_t mp_type_closure; // py/objclosure.c; not in a header

// Returns type(o). All functions of a program have one type, and so have all built-in functions.
static inline const mp_obj_type_t *gpusnek_class_of(mp_const_obj_t o) {
    const mp_obj_type_t *const type = mp_obj_get_type(o);
    if (type == &mp_type_type) {
        const mp_obj_type_t *const self = (const mp_obj_type_t *)MP_OBJ_TO_PTR(o);
        return (self->flags & GPUSNEK_TYPE_FLAG_HAS_METACLASS) != 0
            ? (const mp_obj_type_t *)self->slots[GPUSNEK_CLASS_SLOTS - 1] : type;
    }
    if ((type->flags & (MP_TYPE_FLAG_BUILTIN_FUN | MP_TYPE_FLAG_INSTANCE_TYPE)) == MP_TYPE_FLAG_BUILTIN_FUN) {
        return &mp_type_fun_builtin_var;
    }
    return type == &mp_type_gen_wrap || type == &mp_type_closure ? &mp_type_fun_bc : type;
}

// Returns whether an object is `type` or derives from it.
static inline bool gpusnek_is_metaclass(mp_const_obj_t o) {
    return o == MP_OBJ_FROM_PTR(&mp_type_type) || (mp_obj_is_exact_type(o, &mp_type_type)
        && (((const mp_obj_type_t *)MP_OBJ_TO_PTR(o))->flags & GPUSNEK_TYPE_FLAG_METACLASS) != 0);
}

// Returns the most derived of a metaclass and those of the bases. Raises TypeError if none
// of them derives from all others.
// In classes.c.
const mp_obj_type_t *gpusnek_derived_metaclass(const mp_obj_type_t *meta, size_t count, const mp_obj_t *bases);

#endif
