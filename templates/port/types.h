// Classes: what happens when one is created, subscripts and unions of types (types.c).
#ifndef GPUSNEK_TYPES_H
#define GPUSNEK_TYPES_H

#include "py/obj.h"

// Returns type[index]: the result of __class_getitem__, or a built-in container type itself.
// Returns MP_OBJ_NULL if the type takes no subscript.
mp_obj_t gpusnek_type_subscript(mp_obj_t type, mp_obj_t index);

// Returns left | right of types or None: a tuple of types, which isinstance() takes. Returns
// MP_OBJ_NULL for other objects.
mp_obj_t gpusnek_type_union(mp_obj_t left, mp_obj_t right);

// Keyword arguments of a class statement: an object that no program can obtain.
typedef struct {
    mp_obj_base_t base;
    mp_obj_t metaclass; // or MP_OBJ_NULL
    size_t count;
    mp_obj_t pairs[]; // names and values
} gpusnek_class_keywords_t;

// Calls __build_class__ with keyword arguments: with an object of them as the last argument. Raises
// TypeError.
mp_obj_t gpusnek_build_class(size_t n_args, size_t n_kw, const mp_obj_t *args);

// Returns an object of keyword arguments that __init_subclass__ gets.
const gpusnek_class_keywords_t *gpusnek_new_keywords(size_t count, const mp_obj_t *pairs);

// Returns the object that makes a class: the type of the first base that is an instance of a Python
// class, or else the metaclass. `keywords` may be NULL. Raises TypeError if metaclasses conflict.
mp_obj_t gpusnek_class_maker(const gpusnek_class_keywords_t *keywords, size_t count, const mp_obj_t *bases);

// Makes a class of a name, bases and a dict, and calls __init_subclass__. `keywords` may be NULL.
mp_obj_t gpusnek_class_from(mp_obj_t maker, const gpusnek_class_keywords_t *keywords, const mp_obj_t *args);

// Returns the dict for the body of a class: what `__prepare__` of its metaclass returns, or a new dict.
// If it returns an instance of a class that derives from dict, this is a copy, and *namespace_ is the
// instance. Otherwise *namespace_ is MP_OBJ_NULL. *maker: the result of gpusnek_class_maker(). args: those
// of __build_class__. Raises TypeError.
mp_obj_t gpusnek_begin_namespace(const gpusnek_class_keywords_t *keywords, size_t n_args, const mp_obj_t *args,
    mp_obj_t *maker, mp_obj_t *namespace_);

// Stores what a class body assigned in a namespace of gpusnek_begin_namespace(), by its `__setitem__`, and
// returns it.
mp_obj_t gpusnek_end_namespace(mp_obj_t namespace_, mp_obj_t locals);

// Removes the keyword arguments from the arguments of __build_class__, and returns them, or NULL.
const gpusnek_class_keywords_t *gpusnek_take_keywords(size_t *n_args, const mp_obj_t *args);

// Calls __init_subclass__ of the bases of a new class. `keywords` may be NULL.
void gpusnek_class_created(mp_obj_t class_, const gpusnek_class_keywords_t *keywords);

// Create an instance of a type that has no constructor upstream: a method, a module or None. Return
// MP_OBJ_NULL for other types.
mp_obj_t gpusnek_new_instance(const mp_obj_type_t *type, size_t n_args, const mp_obj_t *args);

#endif
