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

// Keyword arguments of a class statement, in the arguments of its call.
typedef struct {
    size_t count;
    const mp_obj_t *pairs; // names and values
} gpusnek_class_keywords_t;

// Calls __build_class__ with keyword arguments.
mp_obj_t gpusnek_build_class(size_t n_args, size_t n_kw, const mp_obj_t *args);

// Returns the keyword arguments of the class statement whose __build_class__ begins.
gpusnek_class_keywords_t gpusnek_take_keywords(void);

// Calls __init_subclass__ of the bases of a new class.
void gpusnek_class_created(mp_obj_t class_, gpusnek_class_keywords_t keywords);

// object.__init_subclass__, which takes no keyword arguments.
extern const mp_obj_dict_t gpusnek_object_methods;

#endif
