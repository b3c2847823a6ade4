// Names of classes with their modules, and the texts of classes and instances that show them
// (classnames.c). The patch `classes` calls these functions.
#ifndef GPUSNEK_CLASSNAMES_H
#define GPUSNEK_CLASSNAMES_H

#include "py/obj.h"
#include "py/objtype.h"

// Returns the attribute `__module__` of a class.
mp_obj_t gpusnek_class_module(const mp_obj_type_t *type);

// Stores `__module__` in the dict of a class that type() makes. A class statement has stored it.
void gpusnek_set_module(const mp_obj_type_t *type);

// Prints `module.Outer.Inner`. Omits the module `builtins`, and `__main__` unless `main`.
void gpusnek_print_class_name(const mp_print_t *print, const mp_obj_type_t *type, bool main);

// Prints the default texts of a class and of an instance. The arguments between are those of
// upstream's call.
void gpusnek_print_class(const mp_print_t *print, const mp_obj_type_t *type);
void gpusnek_print_object(const mp_print_t *print, mp_obj_t object);

// Prints an instance that has a native part and whose class defines neither `__str__` nor the method
// that `kind` asks for. Returns false if the native part prints itself.
bool gpusnek_print_native_part(const mp_print_t *print, mp_obj_instance_t *self, mp_print_kind_t kind);

#endif
