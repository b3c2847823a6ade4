// Where lanes of a warp meet whose ways have parted: before each instruction of upstream's switch.
//
// Included by py/vm.c (patch `vm-fast-path`). On the host twin, and in builds made with
// `--no-reconverge`, nothing of it is left.
#ifndef GPUSNEK_VM_MEET_H
#define GPUSNEK_VM_MEET_H

#include "hooks.h"
#include "native.h"
#include "py/bc.h"
#include "py/mpstate.h"

// How deep in calls an interpreter is. Frames are of the pystack, and so is what C code puts there.
#if MICROPY_ENABLE_PYSTACK
#define VM_DEPTH() \
    ((uint32_t)(MP_STATE_THREAD(pystack_cur) - MP_STATE_THREAD(pystack_start)) \
        / sizeof(mp_obj_t))
#else
#define VM_DEPTH() (0)
#endif

// Whether the instruction at `ip` may run now. If not, the VM goes round its loop, and asks again:
// a loop of its own, here, would end for all lanes together, those that run and those that wait. A
// place is one in a function: interpreters may have a copy of the code each, and functions that
// share places by chance only wait where they need not.
static inline __attribute__((always_inline)) bool vm_meet(
    const byte *ip, const mp_code_state_t *code_state) {
    if (MP_LIKELY(!porter_parted(*ip))) {
        return true;
    }
    const uint32_t place = (uint32_t)(ip - code_state->fun_bc->bytecode);
    return porter_meet(gpusnek_meetings, place << 8 | *ip, VM_DEPTH());
}

#endif
