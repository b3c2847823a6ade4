// The reconvergence point of the bytecode interpreter: before each instruction of upstream's
// switch.
//
// Problem: the VM's loop has many exits, and the compiler puts no convergence barrier into it.
// Lanes of a warp that diverge in one instruction stay diverged, and the hardware runs the paths
// one after the other.
//
// Mechanism: py/vm.c (patch `vm-fast-path`) calls vm_meet() after the fast path and before
// upstream's switch. The hook porter_parted() detects divergence: an incomplete active mask, or
// different opcodes. Only then does the hook porter_meet() (runtime/reconvergence.cu) collect the
// waiting lanes and select the lanes that run next: those with the deepest call stack, and among
// these those at the lowest bytecode offset.
//
// States: of a lane between two instructions. If vm_meet() returned true, the lane runs the
// instruction. If it returned false, the lane waits (`gpusnek_vm_waits` in vm_fast.h) and calls
// vm_meet() again, at the same instruction, in the next turn of the VM's loop. native.c also calls
// vm_meet(), before a lane enters native code; a waiting lane then returns VM_AGAIN to the VM's
// loop.
//
// Invariants:
//   M1  A waiting lane executes no instruction between two calls. The VM skips the fast path and
//       native code while `gpusnek_vm_waits` is set, and after VM_AGAIN it asks for native code
//       again. So `ip`, place and depth are the same in each call.
//   M2  vm_meet() contains no loop. The compiler would reconverge all lanes at the loop's end, and
//       lanes that may run would wait there for lanes that may not.
//   M3  place and depth are hints. Equal places of different functions only delay a lane.
//
// Progress: each call of porter_meet() ends after a bounded number of polls, and a lane that has
// waited for a bounded number of calls runs even if it was not selected.
//
// Memory order: this file reads the interpreter's own state only. porter_meet() synchronizes the
// lanes in shared memory and says how.
//
// On the host twin, and in builds made with `--no-reconverge`, porter_parted() is a constant, so
// the compiler removes all of this.
#ifndef GPUSNEK_VM_MEET_H
#define GPUSNEK_VM_MEET_H

#include "hooks.h"
#include "py/bc.h"
#include "py/mpstate.h"
#include "reconvergence.h"

// The depth of the interpreter's call stack: the used words of its pystack, 8 bytes each. Buffers
// that C code allocates from the pystack count too.
#if MICROPY_ENABLE_PYSTACK
#define VM_DEPTH() \
    ((uint32_t)(MP_STATE_THREAD(pystack_cur) - MP_STATE_THREAD(pystack_start)) \
        / sizeof(mp_obj_t))
#else
#define VM_DEPTH() (0)
#endif

// Returns whether the instruction at `ip` may run now; otherwise the VM's loop calls again (M2).
// The place is an offset within the function, because interpreters may have separate copies of the
// bytecode (M3).
static inline __attribute__((always_inline)) bool vm_meet(
    const byte *ip, const mp_code_state_t *code_state) {
    if (MP_LIKELY(!porter_parted(*ip))) {
        return true;
    }
    const uint32_t place = (uint32_t)(ip - code_state->fun_bc->bytecode);
    return porter_meet(gpusnek_meetings, place << 8 | *ip, VM_DEPTH());
}

#endif
