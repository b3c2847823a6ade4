// Entering native code, and recording type feedback for the compiler; native.h has the protocol.
#include "native.h"

#include <string.h>

#include "py/cstack.h"
#include "py/objfun.h"
#include "py/runtime.h"
#include "vm_meet.h"

#define LEAST_RESTS (6) // the first backoff passes by 2**6 entries

gpusnek_natives_t gpusnek_natives;
mp_code_state_t *gpusnek_native_next;
uint32_t gpusnek_native_begun;
uint32_t gpusnek_native_rounds;
bool gpusnek_native_hasty;
uint16_t gpusnek_native_rest;
uint8_t gpusnek_native_rests;

void gpusnek_native_attach(const gpusnek_natives_t *natives) {
    gpusnek_native_next = NULL; // the last launch may have ended in native code
    gpusnek_native_rest = 0;
    gpusnek_native_rests = LEAST_RESTS;
    if (natives == NULL) {
        memset(&gpusnek_natives, 0, sizeof(gpusnek_natives));
    } else {
        gpusnek_natives = *natives;
        if (natives->count != 0) {
            porter_native_join(true);
        }
    }
}

void gpusnek_native_detach(void) {
    if (gpusnek_natives.count != 0) {
        porter_native_join(false);
    }
}

// Returns the native code of the bytecode that contains `ip`, or NULL: a binary search in the
// table, which is sorted by address.
static const gpusnek_native_t *native_of(const byte *ip) {
    const gpusnek_native_t *each = (const gpusnek_native_t *)gpusnek_natives.each;
    size_t low = 0;
    size_t high = gpusnek_natives.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (each[middle].code <= (uintptr_t)ip) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return NULL;
    }
    const gpusnek_native_t *native = &each[low - 1];
    return (uintptr_t)ip - native->code < native->size ? native : NULL;
}

// Returns the type of a value for type feedback (GPUSNEK_SEEN_*). The value may be a word of an
// iterator on the stack, which is not a pointer, so `o` is not dereferenced.
static uint8_t kind_of(mp_obj_t o) {
    if (o == MP_OBJ_NULL) {
        return GPUSNEK_SEEN_OTHER;
    }
    return mp_obj_is_small_int(o) ? GPUSNEK_SEEN_INT
        : mp_obj_is_float(o) ? GPUSNEK_SEEN_FLOAT
        : o == mp_const_true || o == mp_const_false ? GPUSNEK_SEEN_BOOL : GPUSNEK_SEEN_OTHER;
}

vm_natively_t gpusnek_native_at(mp_code_state_t *code_state) {
    const gpusnek_native_t *native = native_of(code_state->ip);
    if (native == NULL) {
        return VM_INTERPRETED;
    }
    const size_t at = (uintptr_t)code_state->ip - native->code;
    uint8_t *seen = (uint8_t *)native->seen;
    if (seen != NULL) {
        if (code_state->sp >= code_state->state) {
            seen[at] |= kind_of(*code_state->sp);
        }
        return VM_AWAY;
    }
    const unsigned int entry = ((const uint16_t *)native->entries)[at];
    // Half of the C stack is left for native code and its callees (J4).
    const bool may = entry != 0 && mp_cstack_usage() < MP_STATE_THREAD(stack_limit) / 2;
    const bool enters = may && gpusnek_native_rest == 0;
    gpusnek_native_rest -= may && !enters;
    // Lanes that entered one by one would stay diverged until the end of the native code (J3).
    if (enters && !vm_meet(code_state->ip, code_state)) {
        return VM_AGAIN;
    }
    const uint32_t begun = porter_native_begin(gpusnek_meetings, enters);
    if (enters) {
        gpusnek_native_begun = begun;
        gpusnek_native_run_t run = (gpusnek_native_run_t)porter_native_run(native->run);
        run(code_state, entry, native);
        if (gpusnek_native_next != NULL) {
            gpusnek_poll_budget++; // the interpreter takes the frame's first step again
            return VM_AWAY;
        }
    }
    porter_native_end(gpusnek_meetings, begun); // for lanes that waited as well
    return VM_INTERPRETED;
}

void gpusnek_native_keep(void) {
    mp_code_state_t *const frame = gpusnek_native_next;
    const byte *ip = frame->fun_bc->bytecode;
    size_t state, handlers, flags, positional, keyword, defaults;
    MP_BC_PRELUDE_SIG_DECODE_INTO(ip, state, handlers, flags, positional, keyword, defaults);
    (void)flags;
    (void)positional;
    (void)keyword;
    (void)defaults;
    MP_STATE_THREAD(pystack_cur) = (uint8_t *)frame + VM_FRAME_BYTES(state, handlers);
}
