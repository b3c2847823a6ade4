// Attributes of built-in types that upstream lacks. The patch `methods` calls gpusnek_method() where
// upstream's search for an attribute has failed.
#ifndef GPUSNEK_METHODS_H
#define GPUSNEK_METHODS_H

#include "py/obj.h"

// Finds an attribute of a built-in type. `self`: the object, or MP_OBJ_NULL to get the attribute of
// the type. `own_type`: the class that a class method gets. Sets dest as mp_load_method_maybe(), and
// returns true, if there is one.
bool gpusnek_method(mp_obj_t self, const mp_obj_type_t *type, const mp_obj_type_t *own_type,
    qstr name, mp_obj_t *dest);

// Calls a function with `native` in place of the first of its arguments.
mp_obj_t gpusnek_call_native(mp_obj_t function, mp_obj_t native, size_t n_args, size_t n_kw,
    const mp_obj_t *args);

// An attribute that is computed from the object.
typedef struct {
    mp_obj_base_t base;
    mp_fun_1_t get;
} gpusnek_getter_t;
extern const mp_obj_type_t gpusnek_getter_type;
#define GPUSNEK_GETTER(name, function) \
    static const gpusnek_getter_t name = {{&gpusnek_getter_type}, function}

// Methods of one type or of related types.
extern const mp_obj_dict_t gpusnek_str_methods;
extern const mp_obj_dict_t gpusnek_bytes_methods;
extern const mp_obj_dict_t gpusnek_int_methods;
extern const mp_obj_dict_t gpusnek_float_methods;

#endif
