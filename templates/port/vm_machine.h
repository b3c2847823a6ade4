// What the loop of vm_fast.h keeps in registers: its place in the bytecode, the value stack, the
// branches that are left, the globals' table.
#ifndef GPUSNEK_VM_MACHINE_H
#define GPUSNEK_VM_MACHINE_H

#include "hooks.h"
#include "py/bc.h"
#include "py/runtime.h"
#include "vm_window.h"

// One run of the loop. Every function that takes it is inlined, so its fields are registers.
typedef struct {
    vm_window_t code;
    uint32_t size; // bytes of the instruction
    // The value stack. Positions are numbers of porter_own() from `frame`.
    mp_obj_t *frame; // its top when the loop began
    uint32_t sp;     // its top now
    mp_obj_t top;    // what is there; what memory has in its place is old
    uint32_t locals; // variable 0 of the function; variable n is 8 * n bytes below it
    int32_t polls;   // branches until upstream must look at interrupts, or VM_UNKNOWN
    const qstr_short_t *qstr_table;
    const mp_code_state_t *code_state;
    // The globals' table, once a name was asked for: nothing here gives a dict another one.
    mp_map_elem_t *globals;
    uint32_t table;     // its position
    uint32_t alloc;     // its entries
    void *counts;       // what porter_profile_frame gave
    uint32_t variables; // set of the instructions that mean globals; none before the table is known
} vm_t;

// The instruction `at` bytes behind this one's first is taken along.
VM_INLINE void vm_along(const vm_t *vm, uint32_t at) {
    porter_profile_bytecode(vm->counts, vm->code.ip + at);
}

// What stands n below the top of the stack in memory.
VM_INLINE mp_obj_t vm_below(const vm_t *vm, int n) {
    return porter_own_load(vm->frame, vm->sp, -8 * n);
}

// vm_push, vm_pop and vm_join return true, so that a function can end with them.
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

// Pops two values and pushes one.
VM_INLINE bool vm_join(vm_t *vm, mp_obj_t value) {
    vm->sp -= 8;
    vm->top = value;
    return true;
}

VM_INLINE mp_obj_t vm_local(const vm_t *vm, uint32_t n) {
    return porter_own_load(vm->frame, vm->locals - 8 * n, 0);
}

// Stores the stack's top in variable n.
VM_INLINE void vm_set_local(const vm_t *vm, uint32_t n) {
    porter_own_store(vm->frame, vm->locals - 8 * n, 0, vm->top);
}

// How many branches are left before upstream's code must look at interrupts and callbacks: none
// where a callback is pending, which nothing here changes.
#define VM_UNKNOWN (INT32_MIN)
VM_INLINE int32_t vm_polls(void) {
    return MP_STATE_VM(sched_state) == MP_SCHED_PENDING ? -1 : (int32_t)(gpusnek_poll_budget - 1);
}

// Whether a branch must go through upstream's code; takes one of those that are left. Not every
// run of the loop gets to a branch, so the first one asks how many there are.
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
