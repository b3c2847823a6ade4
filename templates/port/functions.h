// Attributes of functions: f.calls = 0, and the names that functools.update_wrapper() assigns.
//
// Problem: a function object has no field for attributes, and most functions have none.
//
// Mechanism: a table of the interpreter maps a function to its attributes. The first assignment
// makes the table and the function's entry. A program that assigns none pays one test of a pointer
// for each lookup in a function.
//
// Invariant: an entry keeps its function alive, so no other object has the function's address.
#ifndef GPUSNEK_FUNCTIONS_H
#define GPUSNEK_FUNCTIONS_H

#include "py/obj.h"

// Loads, stores or deletes an attribute of a function or closure, with the arguments of the slot
// `attr` of a type. Returns false if the type has to search. Raises TypeError, AttributeError and
// MemoryError.
bool gpusnek_function_attribute(mp_obj_t function, qstr attribute, mp_obj_t *dest);

// Returns the `__qualname__` of a function, whose name is `name`: that of a method begins with its
// class. Searches the globals of the function's module and the classes there. Returns MP_QSTRnull if
// they lack the function. Raises MemoryError.
qstr gpusnek_function_path(mp_obj_t function, qstr name);

#endif
