// Instances of Python classes: `__new__` of native types, the native part of an instance,
// `__getattribute__`, assignment to `__class__`, and the methods of `object` (instances.c).
#ifndef GPUSNEK_INSTANCES_H
#define GPUSNEK_INSTANCES_H

#include "py/obj.h"
#include "py/objtype.h"

// Of a Python class that has `__getattribute__`. The flag has no other meaning for such a class,
// because its instances are no functions.
#define GPUSNEK_TYPE_FLAG_GETATTRIBUTE (MP_TYPE_FLAG_BUILTIN_FUN)

// Returns whether objects of a type are instances of a Python class without `__getattribute__`.
static inline bool gpusnek_is_plain_instance(const mp_obj_type_t *type) {
    return (type->flags & (MP_TYPE_FLAG_INSTANCE_TYPE | GPUSNEK_TYPE_FLAG_GETATTRIBUTE)) == MP_TYPE_FLAG_INSTANCE_TYPE;
}

// Loads `__new__` or `__init__` of a native type, or of the native base of a class. Leaves dest for
// other names and classes.
void gpusnek_native_method(const mp_obj_type_t *type, qstr attr, mp_obj_t *dest);

// Makes the native part of a new instance before its `__init__` runs. `has_init`: a Python class has
// that method. The arguments are those of the class.
void gpusnek_begin_native(mp_obj_instance_t *self, const mp_obj_type_t *native_base, bool has_init,
    size_t n_args, size_t n_kw, const mp_obj_t *args);

// Calls `__init__` of the native base with the arguments behind the instance, args[0]. Returns false if
// the native part has to be made anew: `__init__` of a list drops its items. Raises TypeError.
bool gpusnek_init_native(size_t n_args, const mp_obj_t *args, mp_map_t *keywords);

// Marks a new class that has `__getattribute__`.
void gpusnek_mark_getattribute(mp_obj_type_t *type, size_t count, const mp_obj_t *bases);

// Loads an attribute by `__getattribute__` of the class. Returns false if the instance has to search.
bool gpusnek_get_attribute(mp_obj_t self, qstr attr, mp_obj_t *dest);

// Stores a value in `__class__`, or deletes it if the value is MP_OBJ_NULL. Raises TypeError.
void gpusnek_assign_class(mp_obj_t self, mp_obj_t value);

// Methods of `object`. gpusnek_object_attribute() loads one of a class whose bases lack it, and
// `__module__`.
extern const mp_obj_dict_t gpusnek_object_methods;
void gpusnek_object_attribute(const mp_obj_type_t *type, qstr attr, mp_obj_t *dest);

// Loads a method of `object` that an instance's classes lack. Returns false for other names.
bool gpusnek_object_method(mp_obj_t self, qstr attr, mp_obj_t *dest);

// Raises TypeError for a class that has neither `__init__` nor `__new__` and got arguments.
void gpusnek_check_no_arguments(const mp_obj_type_t *type);

// As mp_unary_op(), of the native part of an instance.
mp_obj_t gpusnek_unary_of_part(mp_unary_op_t op, mp_obj_t part);

// Calls the function of a static method.
mp_obj_t gpusnek_call_static(mp_obj_t self, size_t n_args, size_t n_kw, const mp_obj_t *args);

#endif
