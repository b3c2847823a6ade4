// What an interpreter lacked that an exception ended: heap, pystack or C stack.
#include "exceptions.h"
#include "port.h"
#include "py/mpstate.h"
#include "py/objexcept.h"
#include "py/runtime.h"

static size_t refused; // bytes of the last allocation that found no room, 0 for none
static int lack;

void gpusnek_refused(size_t size) {
    if (gpusnek_recording()) {
        return; // an exception's __str__ lacks memory, not the program
    }
    // A heap that is locked has room, and no size would help.
    refused = MP_STATE_THREAD(gc_lock_depth) > 0 ? 0 : size;
}

void gpusnek_lack_start(void) {
    refused = 0;
    lack = GPUSNEK_LACK_NOTHING;
}

static bool raised_here(mp_obj_t exception, const mp_obj_type_t *type) {
    return mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(mp_obj_get_type(exception)),
        MP_OBJ_FROM_PTR(type));
}

void gpusnek_lack_of(mp_obj_t exception) {
    if (lack != GPUSNEK_LACK_NOTHING) {
        return; // what came first: the report of a deep recursion may find no room in the heap
    }
    if (raised_here(exception, &mp_type_MemoryError)) {
        lack = refused > 0 ? GPUSNEK_LACK_HEAP : GPUSNEK_LACK_NOTHING; // else a program raised it
    } else if (raised_here(exception, &mp_type_RuntimeError)) {
        // As py/pystack.c and py/runtime.c raise them.
        const mp_obj_t value = mp_obj_exception_get_value(exception);
        if (value == MP_OBJ_NEW_QSTR(MP_QSTR_pystack_space_exhausted)) {
            lack = GPUSNEK_LACK_PYSTACK;
        } else if (value
            == MP_OBJ_NEW_QSTR(MP_QSTR_maximum_space_recursion_space_depth_space_exceeded)) {
            lack = GPUSNEK_LACK_STACK;
        }
    }
}

int gpusnek_lack(uint64_t *bytes) {
    *bytes = lack == GPUSNEK_LACK_HEAP ? refused : 0;
    return lack;
}
