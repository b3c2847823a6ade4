// Printing of containers that contain themselves (printing.c).
#ifndef GPUSNEK_PRINTING_H
#define GPUSNEK_PRINTING_H

#include "py/obj.h"

// Return whether values of a type may contain themselves, and upstream's function prints them.
static inline bool gpusnek_is_nested(const mp_obj_type_t *type) {
    return type == &mp_type_list || type == &mp_type_tuple || type == &mp_type_dict
        || type == &mp_type_set || type == &mp_type_ordereddict
        #if GPUSNEK_PATCH_DEQUE
        || type == &mp_type_deque
        #endif
        ;
}

// Print a container by its type's function, or `[...]` if the same container is being printed.
void gpusnek_print_nested(const mp_print_t *print, mp_obj_t object, mp_print_kind_t kind);

#endif
