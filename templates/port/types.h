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
    size_t count;
    mp_obj_t pairs[]; // names and values
} gpusnek_class_keywords_t;

// Calls __build_class__ with keyword arguments: with an object of them as the last argument. Raises
// TypeError.
mp_obj_t gpusnek_build_class(size_t n_args, size_t n_kw, const mp_obj_t *args);

// Removes the keyword arguments from the arguments of __build_class__, and returns them, or NULL.
const gpusnek_class_keywords_t *gpusnek_take_keywords(size_t *n_args, const mp_obj_t *args);

// Calls __init_subclass__ of the bases of a new class. `keywords` may be NULL.
void gpusnek_class_created(mp_obj_t class_, const gpusnek_class_keywords_t *keywords);

// object.__init_subclass__, which takes no keyword arguments.
extern const mp_obj_dict_t gpusnek_object_methods;

#endif
