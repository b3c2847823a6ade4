// Machine code beside bytecode: what a launch brings of it, and where the interpreter hands over.
//
// Such code runs instructions from one at which it can be entered up to one that the interpreter
// must run, as vm_fast() does, and leaves the frame as the interpreter wants it. So it refuses
// nothing: what it does not know is slower, never wrong. porter/compiler makes it.
//
// Machine code calls machine code of the same program itself, with the frames that the interpreter
// would make. Where one of those called does not come to its end, all of them return, and the
// interpreter goes on in that one's frame.
#ifndef GPUSNEK_NATIVE_H
#define GPUSNEK_NATIVE_H

#include "hooks.h"
#include "interp.h"
#include "py/bc.h"

// What a frame takes of the Python stack, as mp_obj_fun_bc_prepare_codestate() has it.
#define VM_FRAME_BYTES(state, handlers) \
    ((sizeof(mp_code_state_t) + (state) * sizeof(mp_obj_t) + (handlers) * sizeof(mp_exc_stack_t) \
    + MICROPY_PYSTACK_ALIGN - 1) & ~(size_t)(MICROPY_PYSTACK_ALIGN - 1))

extern gpusnek_natives_t gpusnek_natives;
extern uint32_t gpusnek_meetings[PORTER_MEETING_WORDS]; // limits.c

// Those of a launch; NULL: none.
void gpusnek_native_attach(const gpusnek_natives_t *natives);
void gpusnek_native_detach(void);

// The frame in which the interpreter goes on, where that is another one than machine code was
// entered with.
extern mp_code_state_t *gpusnek_native_next;

// What porter_native_begin() gave this lane, for machine code's end; what porter_native_holds() keeps;
// and whether it has used atomics since then.
extern uint32_t gpusnek_native_begun;
extern uint32_t gpusnek_native_rounds;
extern bool gpusnek_native_hasty;

// How often this lane is not to enter machine code that it might, for it had to leave some; and how
// often the next time, as a power of two.
extern uint16_t gpusnek_native_rest;
extern uint8_t gpusnek_native_rests;

// What comes next: the fast path; an instruction of upstream's switch, for each is looked at or
// gpusnek_native_next is set; or the same question again, for this lane waits for others.
typedef enum { VM_INTERPRETED, VM_AWAY, VM_AGAIN } vm_natively_t;

// What vm_native() does where code_state->ip is in bytecode that has machine code.
vm_natively_t gpusnek_native_at(mp_code_state_t *code_state);

// Makes the frames called from machine code the Python stack's again, up to gpusnek_native_next: to
// raise is to give up what was added since the interpreter's last nlr_push().
void gpusnek_native_keep(void);

// Whether the launch brings any: the VM asks once a call, so that others pay next to nothing.
static inline bool vm_natives(void) {
    return porter_native() && gpusnek_natives.count != 0;
}

// Runs machine code from *ip on, where there is some. No address of the VM's own ip and sp leaves it:
// they stay in registers.
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

// Whether an exception comes from the frame gpusnek_native_next.
static inline bool vm_native_raised(void) {
    if (!porter_native() || __builtin_expect(gpusnek_native_next == NULL, 1)) {
        return false;
    }
    gpusnek_native_keep();
    return true;
}

// Takes that frame.
static inline mp_code_state_t *vm_native_next(void) {
    mp_code_state_t *const next = gpusnek_native_next;
    gpusnek_native_next = NULL;
    return next;
}

#endif
