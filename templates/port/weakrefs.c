// The queue of weak references whose callbacks are due; weakrefs.h has the protocol.
#include "weakrefs.h"

#include "py/mpstate.h"
#include "py/runtime.h"

// The first reference. Each reference has the next one in the field that its caller passed.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_weakrefs);
static mp_obj_t *last_next; // the `next` field of the last reference

void gpusnek_weakref_waits(mp_obj_t reference, mp_obj_t *next) {
    *next = MP_OBJ_NULL;
    if (MP_STATE_VM(gpusnek_weakrefs) == MP_OBJ_NULL) {
        MP_STATE_VM(gpusnek_weakrefs) = reference;
    } else {
        *last_next = reference;
    }
    last_next = next;
}

mp_obj_t gpusnek_weakref_waiting(void) {
    return MP_STATE_VM(gpusnek_weakrefs);
}

void gpusnek_weakref_called(mp_obj_t next) {
    MP_STATE_VM(gpusnek_weakrefs) = next;
}
