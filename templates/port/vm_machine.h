// The machine state that vm_fast.h keeps in registers: position in the bytecode, value stack,
// remaining steps and the globals' table; and the primitive operations on it.
//
// vm_fast() creates a vm_t, vm_families.h operates on it. Native code (native_*.c) uses vm_polls().
// Invariants F3 to F5 of vm_fast.h are about this state.
#ifndef GPUSNEK_VM_MACHINE_H
#define GPUSNEK_VM_MACHINE_H

#include "hooks.h"
#include "py/bc.h"
#include "py/runtime.h"
#include "vm_window.h"

// The state of one call of vm_fast(). Every function that takes it is inlined, so that its fields
// are registers.
typedef struct {
    vm_window_t code;
    uint32_t size; // of the current instruction, bytes
    // The value stack. Positions are numbers of porter_own() relative to `frame`.
    mp_obj_t *frame; // the top of the stack when vm_fast() began
    uint32_t sp;     // the position of the top of the stack
    mp_obj_t top;    // the value there; memory at `sp` is stale (F3)
    uint32_t locals; // the position of local variable 0; variable n is 8 * n bytes below it
    int32_t polls;   // branches until upstream's code must poll; VM_UNKNOWN before the first branch
    const qstr_short_t *qstr_table;
    const mp_code_state_t *code_state;
    // The globals' table, found at the first global of a call (F5).
    mp_map_elem_t *globals;
    uint32_t table;     // its position
    uint32_t alloc;     // its size in entries
    void *counts;       // the result of porter_profile_frame()
    uint32_t variables; // bit set of opcodes that access globals; 0 before the table is found
} vm_t;

// Records for the profiler that the instruction `at` bytes further on runs as part of this one.
VM_INLINE void vm_along(const vm_t *vm, uint32_t at) {
    porter_profile_bytecode(vm->counts, vm->code.ip + at);
}

// Returns the value n slots below the top of the stack, from memory: n is at least 1, or F3 does
// not hold yet.
VM_INLINE mp_obj_t vm_below(const vm_t *vm, int n) {
    return porter_own_load(vm->frame, vm->sp, -8 * n);
}

// vm_push, vm_pop and vm_join return true, so that a function of vm_families.h can end with them.
VM_INLINE bool vm_push(vm_t *vm, mp_obj_t value) {
    porter_own_store(vm->frame, vm->sp, 0, vm->top);
    vm->sp += 8;
    vm->top = value;
    return true;
}

VM_INLINE bool vm_pop(vm_t *vm, uint32_t n) {
    vm->sp -= 8 * n;
    vm->top = vm_below(vm, 0);
    return true;
}

// Replaces the two topmost values by one.
VM_INLINE bool vm_join(vm_t *vm, mp_obj_t value) {
    vm->sp -= 8;
    vm->top = value;
    return true;
}

VM_INLINE mp_obj_t vm_local(const vm_t *vm, uint32_t n) {
    return porter_own_load(vm->frame, vm->locals - 8 * n, 0);
}

// Stores the top of the stack in local variable n; does not pop it.
VM_INLINE void vm_set_local(const vm_t *vm, uint32_t n) {
    porter_own_store(vm->frame, vm->locals - 8 * n, 0, vm->top);
}

#define VM_UNKNOWN (INT32_MIN) // vm_t.polls before vm_polls() was called

// Returns how many steps may be taken before upstream's code must poll for interrupts; -1 if a
// scheduled callback is pending. The fast path schedules none, so one call per vm_fast() suffices.
VM_INLINE int32_t vm_polls(void) {
    return MP_STATE_VM(sched_state) == MP_SCHED_PENDING ? -1 : (int32_t)(gpusnek_poll_budget - 1);
}

// Returns whether upstream's code must execute a branch because it has to poll (F4); otherwise
// takes the branch's step. vm_polls() is called at the first branch, because many calls of
// vm_fast() execute no branch.
VM_INLINE bool vm_must_look(vm_t *vm) {
    if (vm->polls <= 0) {
        if (vm->polls == VM_UNKNOWN) {
            vm->polls = vm_polls();
        }
        if (vm->polls <= 0) {
            return true;
        }
    }
    vm->polls--;
    return false;
}

#endif
