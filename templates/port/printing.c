// Printing of containers that contain themselves, with CPython's `[...]`.
//
// Invariant R1: gpusnek_printed is the list of the containers whose print functions run, in frames on
// the C stack. An early exit of gpusnek_print_nested() restores it.
#include "printing.h"

#include "py/runtime.h"

typedef struct printed {
    mp_obj_t object;
    const struct printed *outer;
} printed_t;

static const printed_t *gpusnek_printed;

static const char *mark_of(const mp_obj_type_t *type) {
    if (type == &mp_type_tuple) {
        return "(...)";
    }
    if (type == &mp_type_dict) {
        return "{...}";
    }
    if (type == &mp_type_set) {
        return "set(...)";
    }
    return type == &mp_type_ordereddict ? "..." : "[...]";
}

void gpusnek_print_nested(const mp_print_t *print, mp_obj_t object, mp_print_kind_t kind) {
    const mp_obj_type_t *const type = mp_obj_get_type(object);
    const printed_t *const outer = gpusnek_printed;
    for (const printed_t *at = outer; at != NULL; at = at->outer) {
        if (at->object == object) {
            mp_print_str(print, mark_of(type));
            return;
        }
    }
    const printed_t own = {object, outer};
    gpusnek_printed = &own;
    MP_OBJ_TYPE_GET_SLOT(type, print)(print, object, kind);
    gpusnek_printed = outer;
}
