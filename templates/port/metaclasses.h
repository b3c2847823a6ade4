// Metaclasses: classes that derive from `type`, and the classes they make (metaclasses.c).
#ifndef GPUSNEK_METACLASSES_H
#define GPUSNEK_METACLASSES_H

#include "metaclass.h"

// Marks a new class that is a metaclass or has one.
void gpusnek_begin_class(mp_obj_type_t *type, size_t count, const mp_obj_t *bases);

// Returns type(name, bases, dict) if a base has a metaclass, or else MP_OBJ_NULL.
mp_obj_t gpusnek_make_by_metaclass(const mp_obj_t *args);

// In py/objtype.c: makes a class.
mp_obj_t gpusnek_make_class(qstr name, mp_obj_t bases, mp_obj_t dict);

// Loads, stores or deletes an attribute of a class with a metaclass. Returns false if the class does.
bool gpusnek_metaclass_attribute(mp_obj_t self, qstr attr, mp_obj_t *dest);

// Loads an attribute that a class with a metaclass lacks.
void gpusnek_metaclass_lookup(mp_obj_t self, qstr attr, mp_obj_t *dest);

// Calls a special method of a metaclass with the class and at most one more argument. Returns
// MP_OBJ_NULL if the metaclass lacks it.
mp_obj_t gpusnek_metaclass_special(mp_obj_t self, qstr name, mp_obj_t argument);

// Returns the result of isinstance() or issubclass() if the class, or one of a tuple, has a metaclass
// with the special method `name`, or else MP_OBJ_NULL.
mp_obj_t gpusnek_metaclass_check(mp_obj_t object, mp_obj_t classes, qstr name);

// Subscribes a class as mp_obj_subscr(). Returns MP_OBJ_NULL if the metaclass has no method for it.
mp_obj_t gpusnek_metaclass_subscript(mp_obj_t self, mp_obj_t index, mp_obj_t value);

// Calls `__call__` of the class's metaclass. Returns MP_OBJ_NULL if the metaclass lacks it.
mp_obj_t gpusnek_metaclass_call(mp_obj_t self, size_t n_args, size_t n_kw, const mp_obj_t *args);

// Prints a class by `__str__` or `__repr__` of the metaclass. Returns false if it lacks both.
bool gpusnek_metaclass_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind);

// The slots of `type`.
mp_obj_t gpusnek_class_unary_op(mp_unary_op_t op, mp_obj_t self);
mp_obj_t gpusnek_class_binary_op(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);
mp_obj_t gpusnek_class_getiter(mp_obj_t self, mp_obj_iter_buf_t *buffer);
extern const mp_obj_dict_t gpusnek_type_methods;

#endif
