// Out-of-memory diagnosis: which resource the exception that ended a program ran out of, heap,
// pystack or C stack.
//
// The allocator (patch `fail-allocation`) reports failed allocations through gpusnek_refused().
// lifecycle.c classifies the uncaught exception by gpusnek_lack_of(). The host reads the result by
// gpusnek_lack() and prints advice.
#include "exceptions.h"
#include "freeblocks.h"
#include "missing.h"
#include "port.h"
#include "py/mpstate.h"
#include "py/objexcept.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "raised.h"

static size_t refused; // bytes, the size of the last allocation that failed; 0: none
static int lack; // GPUSNEK_LACK_*
static int ran_out; // GPUSNEK_LACK_*, of the first exhaustion of the program or its calls

void gpusnek_refused(size_t size) {
    if (gpusnek_recording()) {
        return; // an exception's __str__ ran out of memory while its record was written
    }
    // An allocation in a locked heap fails whatever the heap's size is.
    refused = MP_STATE_THREAD(gc_lock_depth) > 0 ? 0 : size;
    if (refused > 0) {
        gpusnek_note_lack(GPUSNEK_LACK_HEAP);
        // The collection before the failure takes time by the size of the heap.
        gpusnek_look_soon(MP_STATE_MEM(area).gc_alloc_table_byte_len / GPUSNEK_TABLE_PER_STEP);
    }
}

void gpusnek_note_lack(int resource) {
    if (ran_out == GPUSNEK_LACK_NOTHING) {
        ran_out = resource;
    }
}

int gpusnek_ran_out(void) {
    return ran_out;
}

void gpusnek_lack_of_program(void) {
    ran_out = GPUSNEK_LACK_NOTHING;
    gpusnek_lack_start();
}

void gpusnek_lack_start(void) {
    refused = 0;
    lack = GPUSNEK_LACK_NOTHING;
    gpusnek_missing_start();
}

const MP_DEFINE_STR_OBJ(gpusnek_pystack_text, "maximum recursion depth exceeded");

static bool raised_here(mp_obj_t exception, const mp_obj_type_t *type) {
    return mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(mp_obj_get_type(exception)),
        MP_OBJ_FROM_PTR(type));
}

void gpusnek_lack_of(mp_obj_t exception) {
    gpusnek_missing_of(mp_obj_is_native_exception_instance(exception)
        ? MP_OBJ_TO_PTR(exception) : NULL);
    if (lack != GPUSNEK_LACK_NOTHING) {
        return; // keep the first cause: reporting a deep recursion may fail to allocate
    }
    if (raised_here(exception, &mp_type_MemoryError)) {
        // Without a failed allocation the program itself raised the MemoryError.
        lack = refused > 0 ? GPUSNEK_LACK_HEAP : GPUSNEK_LACK_NOTHING;
    } else if (mp_obj_get_type(exception) == &mp_type_RuntimeError
        || mp_obj_get_type(exception) == &gpusnek_type_RecursionError) {
        // The messages of py/pystack.c and py/runtime.c. A program's own RecursionError with one of
        // these messages counts too; a subclass does not.
        const mp_obj_t value = mp_obj_exception_get_value(exception);
        if (value == MP_OBJ_FROM_PTR(&gpusnek_pystack_text)
            || value == MP_OBJ_NEW_QSTR(MP_QSTR_pystack_space_exhausted)) {
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
