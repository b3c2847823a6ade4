// Compiled code beside the bytecode: what a launch brings, and where the interpreter hands over.
//
// Compiled code runs instructions from one at which it can be entered up to one that the
// interpreter must run, as vm_fast() does, and leaves the frame as the interpreter wants it. So it
// refuses nothing: what it does not know is slower, never wrong.
#ifndef GPUSNEK_COMPILED_H
#define GPUSNEK_COMPILED_H

#include "hooks.h"
#include "interp.h"
#include "py/bc.h"

extern gpusnek_compiled_t gpusnek_compiled;

// Runs compiled code from *ip on, if it can be entered there.
static inline void vm_compiled(const byte **ip, mp_obj_t **sp, mp_code_state_t *code_state) {
    const uintptr_t at = (uintptr_t)*ip - (uintptr_t)gpusnek_compiled.code;
    if (at < gpusnek_compiled.size && gpusnek_compiled.entries[at] != 0) {
        code_state->ip = *ip;
        code_state->sp = *sp;
        gpusnek_compiled.run(code_state, gpusnek_compiled.entries[at]);
        *ip = code_state->ip;
        *sp = code_state->sp;
    }
}

#endif
