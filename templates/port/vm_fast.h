// The fast path of the bytecode interpreter: hot instructions, inlined before upstream's switch.
//
// Problem: on a GPU upstream's switch is a tree of about ten branches. It writes the instruction
// pointer to memory for each instruction and calls a function for each operator. Every call saves
// and restores registers in local memory.
//
// Mechanism: vm_fast() keeps the machine state (vm_t) in registers and executes instructions whose
// opcode and operand types it supports. At the first other instruction it returns, and upstream's
// switch executes that instruction.
//
// Invariants:
//   F1  An instruction of the fast path does not raise, allocate or run Python code.
//   F2  A function of vm_families.h executes its instruction completely, or returns false and has
//       changed nothing. So an unsupported operand costs time and never changes a result.
//   F3  vm_t.top is the top of the stack. Memory at `sp` is stale until vm_push() or the end of
//       vm_fast() writes it.
//   F4  Each branch takes a step, as in upstream's loop. The last step of a window (limits.c) is
//       left to upstream's code, which polls there.
//   F5  No instruction of the fast path resizes a dict, so the globals' table stays in place.
//
// Included by py/vm.c (patch `vm-fast-path`). The table in vm_fast() dispatches opcodes to the
// functions of vm_families.h. A new instruction needs a function there and a line in the table.
#ifndef GPUSNEK_VM_FAST_H
#define GPUSNEK_VM_FAST_H

#include "hooks.h"
#include "py/bc.h"
#include "py/bc0.h"
#include "py/runtime.h"

// Locals of each run of upstream's loop. gpusnek_vm_natives: whether the launch has native code.
// gpusnek_vm_natively: the last result of vm_native(). gpusnek_vm_waits: whether the lane waits at
// the reconvergence point (vm_meet.h).
#undef GPUSNEK_VM_STATE
#define GPUSNEK_VM_STATE \
    const bool gpusnek_vm_natives = vm_natives(); \
    vm_natively_t gpusnek_vm_natively = VM_INTERPRETED; \
    bool gpusnek_vm_waits = false;

#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

// A pointer to memory that only this interpreter accesses: with arenas in local memory the compiler
// then uses instructions for local memory (porter_private() in hooks.h).
#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_chain.h"
#include "vm_families.h"

// Binary operators of upstream's switch (patch `vm-fast-path`).
#define gpusnek_vm_binary_op(op, lhs, rhs) vm_binary_op(op, lhs, rhs, &ip, code_state)

// The lines of the table in vm_fast(), an if-else chain. `which` selects the opcodes of a line.
// `run` executes the instruction and is false if upstream's switch must (F2). VM_JUMPS also has
// `jumped`: true if `code` is already at the next instruction. A line that tests only its lowest
// opcode ends where the line above begins. VM_GROUP tests once for the opcodes of several lines.
#define VM_FAMILY(which, run) \
    if (which) { \
        if (MP_UNLIKELY(!(run))) { \
            break; \
        } \
    } else
#define VM_JUMPS(which, run, jumped) \
    if (which) { \
        if (MP_UNLIKELY(!(run))) { \
            break; \
        } \
        if (jumped) { \
            continue; \
        } \
    } else
#define VM_GROUP(which) if (which) {
#define VM_REST { break; } // opcodes without a line in the group or table
#define VM_END VM_REST } else

// Executes instructions from *ip_ up to the first that upstream's switch must execute. Updates *ip_
// and *sp_ (the top of the value stack) and the remaining steps. Called once in each turn of the
// VM's loop, unless the lane waits.
VM_INLINE void vm_fast(const byte **ip_, mp_obj_t **sp_, mp_obj_t *fastn_,
    const qstr_short_t *qstr_table, const mp_code_state_t *code_state) {
    vm_t vm;
    vm.counts = porter_profile_frame(
        code_state, code_state->prev, code_state->fun_bc->bytecode, code_state->fun_bc);
    vm_seek(&vm.code, *ip_);
    vm.polls = VM_UNKNOWN;
    vm.frame = *sp_;
    const uint32_t sp0 = porter_own(vm.frame, vm.frame);
    vm.locals = porter_own(vm.frame, fastn_);
    vm.sp = sp0;
    vm.top = vm_below(&vm, 0); // of an empty stack: the word below, which is written back unchanged
    vm.qstr_table = qstr_table;
    vm.code_state = code_state;
    vm.globals = NULL;
    vm.table = 0;
    vm.alloc = 0;
    vm.variables = 0;
    for (;;) {
        porter_trace_bytecode(vm.code.ip, 1);
        porter_profile_bytecode(vm.counts, vm.code.ip);
        const unsigned int op = (unsigned int)vm.code.bytes & 0xff;
        vm.size = 1;
        bool truth;

        VM_GROUP(op >= MP_BC_LOAD_CONST_SMALL_INT_MULTI) // the opcode contains the operand
            VM_GROUP(op >= MP_BC_BINARY_OP_MULTI)
                const unsigned int kind = op - MP_BC_BINARY_OP_MULTI;
                VM_FAMILY(kind >= MP_BINARY_OP_NUM_BYTECODE, false)
                VM_FAMILY(kind > MP_BINARY_OP_NOT_EQUAL, vm_operator(&vm, kind))
                VM_JUMPS(true, vm_comparison(&vm, kind, &truth), vm_jump_on(&vm, truth))
            VM_END
            VM_FAMILY(op >= MP_BC_UNARY_OP_MULTI, false)
            VM_FAMILY(op >= MP_BC_STORE_FAST_MULTI, vm_store_fast(&vm, op - MP_BC_STORE_FAST_MULTI))
            VM_FAMILY(op >= MP_BC_LOAD_FAST_MULTI, vm_load_fast(&vm, op - MP_BC_LOAD_FAST_MULTI))
            VM_FAMILY(true, vm_small_int(&vm, (mp_int_t)op - MP_BC_LOAD_CONST_SMALL_INT_MULTI
                - MP_BC_LOAD_CONST_SMALL_INT_MULTI_EXCESS))
        VM_END
        VM_GROUP(op < MP_BC_BASE_VINT_E && op >= MP_BC_BASE_QSTR_O) // the operand is a name
            const vm_name_t name = vm_name(&vm);
            VM_FAMILY(VM_BIT(op) & VM_VARIABLE, vm_variable(&vm, VM_BIT(op), name))
            VM_FAMILY(op == MP_BC_LOAD_CONST_STRING, vm_push(&vm, name.key))
            VM_FAMILY(op == MP_BC_LOAD_ATTR, vm_load_attribute(&vm, name))
            VM_FAMILY(op == MP_BC_STORE_ATTR, vm_store_attribute(&vm, name))
            VM_FAMILY(op == MP_BC_LOAD_METHOD, vm_load_method(&vm, name))
        VM_END
        VM_JUMPS(op == MP_BC_JUMP || op == MP_BC_POP_JUMP_IF_TRUE || op == MP_BC_POP_JUMP_IF_FALSE,
            vm_jump(&vm, op), true)
        VM_GROUP(op >= MP_BC_DUP_TOP)
            VM_JUMPS(op == MP_BC_DUP_TOP_TWO, true, vm_dup_two(&vm))
            VM_FAMILY(op == MP_BC_DUP_TOP, vm_dup(&vm))
            VM_FAMILY(op == MP_BC_POP_TOP, vm_pop(&vm, 1))
            VM_FAMILY(op == MP_BC_ROT_TWO, vm_rotate_two(&vm))
            VM_FAMILY(op == MP_BC_ROT_THREE, vm_rotate_three(&vm))
        VM_END
        VM_FAMILY(op == MP_BC_LOAD_SUBSCR, vm_load_element(&vm))
        VM_FAMILY(op == MP_BC_STORE_SUBSCR, vm_store_element(&vm))
        VM_FAMILY(op == MP_BC_LOAD_CONST_SMALL_INT, vm_long_small_int(&vm))
        VM_FAMILY(op == MP_BC_LOAD_CONST_OBJ, vm_constant(&vm, vm_operand(&vm.code, &vm.size)))
        VM_FAMILY(op == MP_BC_LOAD_CONST_NONE, vm_push(&vm, mp_const_none))
        VM_FAMILY(op == MP_BC_LOAD_CONST_FALSE, vm_push(&vm, mp_const_false))
        VM_FAMILY(op == MP_BC_LOAD_CONST_TRUE, vm_push(&vm, mp_const_true))
        VM_FAMILY(op == MP_BC_LOAD_FAST_N, vm_load_fast(&vm, vm_operand(&vm.code, &vm.size)))
        VM_FAMILY(op == MP_BC_STORE_FAST_N, vm_store_fast(&vm, vm_operand(&vm.code, &vm.size)))
        VM_REST

        vm_advance(&vm.code, vm.size);
    }
    porter_own_store(vm.frame, vm.sp, 0, vm.top);
    if (vm.polls >= 0) {
        gpusnek_poll_budget = (uint32_t)vm.polls + 1;
    }
    porter_trace_bytecode(vm.code.ip, 0);
    *ip_ = vm.code.ip;
    *sp_ = (mp_obj_t *)((char *)vm.frame + (int32_t)(vm.sp - sp0));
}

#else
#define gpusnek_vm_binary_op(op, lhs, rhs) mp_binary_op((mp_binary_op_t)(op), lhs, rhs)
#define vm_fast(ip, sp, fastn, qstr_table, code_state) \
    porter_profile_bytecode(porter_profile_frame(code_state, (code_state)->prev, \
        (code_state)->fun_bc->bytecode, (code_state)->fun_bc), *(ip))
#endif

#endif
