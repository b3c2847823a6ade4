// Machine code beside bytecode: what a launch brings of it, and where the interpreter hands over.
//
// Such code runs instructions from one at which it can be entered up to one that the interpreter
// must run, as vm_fast() does, and leaves the frame as the interpreter wants it. So it refuses
// nothing: what it does not know is slower, never wrong. porter/compiler makes it.
#ifndef GPUSNEK_NATIVE_H
#define GPUSNEK_NATIVE_H

#include "hooks.h"
#include "interp.h"
#include "py/bc.h"

extern gpusnek_natives_t gpusnek_natives;

// Those of a launch; NULL: none.
void gpusnek_native_attach(const gpusnek_natives_t *natives);

// What vm_native() does where code_state->ip is in bytecode that has machine code.
bool gpusnek_native_at(mp_code_state_t *code_state);

// Whether the launch brings any: the VM asks once a call, so that others pay next to nothing.
static inline bool vm_natives(void) {
    return porter_native() && gpusnek_natives.count != 0;
}

// Runs machine code from *ip on, where there is some. Whether the fast path must stay away: each
// instruction is looked at. No address of the VM's own ip and sp leaves it: they stay in registers.
static inline bool vm_native(const byte **ip, mp_obj_t **sp, mp_code_state_t *code_state) {
    if ((uintptr_t)*ip - gpusnek_natives.low >= gpusnek_natives.span) {
        return false;
    }
    code_state->ip = *ip;
    code_state->sp = *sp;
    const bool noted = gpusnek_native_at(code_state);
    *ip = code_state->ip;
    *sp = code_state->sp;
    return noted;
}

#endif
