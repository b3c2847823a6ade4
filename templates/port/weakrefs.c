// Callbacks of weak references wait here until no C of upstream's is at work.
#include "weakrefs.h"

#include "py/gc.h"
#include "py/mpstate.h"
#include "py/runtime.h"

// The first reference; each has the next one in a field of its own.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_weakrefs);
static mp_obj_t *last_next; // that field of the last one
static mp_sched_node_t pending;

bool gpusnek_lives(const void *object) {
    const size_t block =
        ((uintptr_t)object - (uintptr_t)MP_STATE_MEM(area).gc_pool_start) / MICROPY_BYTES_PER_GC_BLOCK;
    enum { MARKED = 3 }; // two bits of the table for each block (py/gc.c)
    return ((MP_STATE_MEM(area).gc_alloc_table_start[block / 4] >> (2 * (block & 3))) & 3) == MARKED;
}

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

void gpusnek_weakrefs_ended(mp_sched_callback_t call) {
    if (MP_STATE_VM(gpusnek_weakrefs) != MP_OBJ_NULL) {
        mp_sched_schedule_node(&pending, call); // once is enough: it calls all
    }
}
