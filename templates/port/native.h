// Native code: the transfer of control between the bytecode interpreter and the compiled tier.
//
// porter/compiler makes native code of bytecode; a launch passes its table by
// gpusnek_native_attach(). py/vm.c (patch `vm-fast-path`) calls vm_native() before the fast path.
//
// Protocol:
//   * Native code is entered at an entry of the bytecode: `ip`, `sp` and the exception stack are in
//     the frame (code_state). It executes instructions up to the first unsupported one, or up to a
//     guard that fails. There it writes the interpreter's state back to the frame and returns (side
//     exit). So unsupported code costs time and never changes a result.
//   * Native code calls native code of the same program directly, with frames like the
//     interpreter's. If a callee stops before it returns, all native callers return, and
//     gpusnek_native_next is the callee's frame. The interpreter continues there.
//
// Invariants:
//   J1  While the interpreter runs, each frame has the state that the interpreter would have given
//       it.
//   J2  gpusnek_native_next is NULL unless native code has just returned, or raised, in another
//       frame than it was entered with.
//   J3  Lanes of a warp enter native code together (vm_meet()). porter_native_begin() and
//       porter_native_end() report to other lanes which lanes run native code.
//   J4  Native code does not check the C stack. It is entered, and calls, only while less than half
//       of the stack is used.
#ifndef GPUSNEK_NATIVE_H
#define GPUSNEK_NATIVE_H

#include "hooks.h"
#include "interp.h"
#include "py/bc.h"
#include "reconvergence.h"

// The size in bytes of a frame on the pystack, as mp_obj_fun_bc_prepare_codestate() allocates it.
// state: slots; handlers: entries of the exception stack.
#define VM_FRAME_BYTES(state, handlers) \
    ((sizeof(mp_code_state_t) + (state) * sizeof(mp_obj_t) + (handlers) * sizeof(mp_exc_stack_t) \
    + MICROPY_PYSTACK_ALIGN - 1) & ~(size_t)(MICROPY_PYSTACK_ALIGN - 1))

extern gpusnek_natives_t gpusnek_natives;

// Install the native code of a launch, and remove it at the launch's end. natives: NULL if there is
// none.
void gpusnek_native_attach(const gpusnek_natives_t *natives);
void gpusnek_native_detach(void);

// The frame in which the interpreter must continue, if native code was entered with another one
// (J2).
extern mp_code_state_t *gpusnek_native_next;

extern uint32_t gpusnek_native_begun; // the result of porter_native_begin() at the last entry
extern uint32_t gpusnek_native_rounds; // the count of porter_native_holds() (hooks.h)
extern bool gpusnek_native_hasty; // whether the lane has used atomics since the last poll

// Backoff of a lane that had to leave native code because other lanes waited for it: how many
// entries it still passes by, and the logarithm (base 2) of how many it passes by next time.
extern uint16_t gpusnek_native_rest;
extern uint8_t gpusnek_native_rests;

// How the VM continues. VM_INTERPRETED: with the fast path. VM_AWAY: with upstream's switch (in a
// profiling run), or in gpusnek_native_next if it is not NULL. VM_AGAIN: with the next turn of its
// loop, at the same instruction, because the lane waits for others (vm_meet.h).
typedef enum { VM_INTERPRETED, VM_AWAY, VM_AGAIN } vm_natively_t;

// Enters native code, or records type feedback, if code_state->ip is in bytecode with native code.
// Called by vm_native(). May raise; then gpusnek_native_next can be the frame that raised.
vm_natively_t gpusnek_native_at(mp_code_state_t *code_state);

// Makes the frames of native callees part of the pystack again, up to gpusnek_native_next. An
// exception has freed all pystack memory that was allocated since the interpreter's last
// nlr_push().
void gpusnek_native_keep(void);

// Returns whether the launch has native code. The VM calls it once per run of its loop.
static inline bool vm_natives(void) {
    return porter_native() && gpusnek_natives.count != 0;
}

// Runs native code from *ip on, if there is any, and updates *ip and *sp. Inlined, and no address
// of the VM's locals `ip` and `sp` escapes, so that they stay in registers.
static inline vm_natively_t vm_native(const byte **ip, mp_obj_t **sp, mp_code_state_t *code_state,
    const mp_exc_stack_t *exc_stack, const mp_exc_stack_t *exc_sp) {
    if ((uintptr_t)*ip - gpusnek_natives.low >= gpusnek_natives.span) {
        return VM_INTERPRETED;
    }
    code_state->ip = *ip;
    code_state->sp = *sp;
    code_state->exc_sp_idx = MP_CODE_STATE_EXC_SP_IDX_FROM_PTR(exc_stack, exc_sp);
    const vm_natively_t natively = gpusnek_native_at(code_state);
    *ip = code_state->ip;
    *sp = code_state->sp;
    return natively;
}

// Returns whether an exception comes from the frame gpusnek_native_next, and restores the pystack
// then. Called at the VM's exception handler.
static inline bool vm_native_raised(void) {
    if (!porter_native() || __builtin_expect(gpusnek_native_next == NULL, 1)) {
        return false;
    }
    gpusnek_native_keep();
    return true;
}

// Returns the frame gpusnek_native_next and sets it to NULL (J2).
static inline mp_code_state_t *vm_native_next(void) {
    mp_code_state_t *const next = gpusnek_native_next;
    gpusnek_native_next = NULL;
    return next;
}

#endif
