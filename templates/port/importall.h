// Imports of names: `from module import *` and `from module import name` (importall.c).
#ifndef GPUSNEK_IMPORTALL_H
#define GPUSNEK_IMPORTALL_H

#include "py/obj.h"

// Stores the names that `module.__all__` lists, and returns true; false without `__all__`.
bool gpusnek_import_all(mp_obj_t module);

// Call the `__getattr__` of a module with a name. Return MP_OBJ_NULL if a frozen module lacks the
// name: the caller then raises the exception that a module without `__getattr__` raises.
mp_obj_t gpusnek_module_getattr(mp_obj_t function, mp_obj_t name);

// As mp_load_method_maybe(); an AttributeError means that there is no attribute.
void gpusnek_load_to_import(mp_obj_t module, qstr name, mp_obj_t *dest);

// As mp_import_name() of the last part of a dotted name, which `from package import name` looks for.
// Raises ImportError if the package lacks the name.
mp_obj_t gpusnek_import_submodule(qstr dotted, mp_obj_t fromlist, mp_obj_t level);

#endif
