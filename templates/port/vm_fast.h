// The bytecode interpreter's hot instructions, inlined before upstream's switch.
//
// Upstream's switch is a tree of some ten branches on a GPU, writes the instruction pointer to
// memory for each instruction, and calls a function for each operator; every call saves and
// restores registers in local memory. vm_fast() runs instructions of which it knows that they
// cannot raise, with operands that it knows. At the first other one it returns with nothing of it
// done, and upstream's code runs that one. So what it does not know is slower, never wrong.
//
// Included by py/vm.c (patch `vm-fast-path`). The table in vm_fast() says which instructions it
// runs, vm_families.h what each of them does. A new one is a function there and a line in the
// table.
#ifndef GPUSNEK_VM_FAST_H
#define GPUSNEK_VM_FAST_H

#include "hooks.h"
#include "py/bc.h"
#include "py/bc0.h"
#include "py/runtime.h"

// gpusnek_vm_natives: the program has native code. gpusnek_vm_waits: the lane waits for lanes of its
// warp that are behind.
#undef GPUSNEK_VM_STATE
#define GPUSNEK_VM_STATE \
    const bool gpusnek_vm_natives = vm_natives(); \
    vm_natively_t gpusnek_vm_natively = VM_INTERPRETED; \
    bool gpusnek_vm_waits = false;

#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

// What an interpreter owns, as memory that is known to be its own.
#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_families.h"

// The lines of the table in vm_fast(). `which` tells the opcodes of a line; `run` runs one of them,
// and is false where upstream must run it. A line of VM_JUMPS also has `jumped`, which is true
// where `code` is already at the instruction to go on with. The table is read from the top, so a
// line that names only its lowest opcode ends where the line above begins. A group is one question
// for many opcodes.
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
#define VM_REST { break; } // opcodes that no line of the group, or of the table, is for
#define VM_END VM_REST } else

// Instructions from *ip_ on, the stack's top at *sp_, up to one that upstream must run.
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
    vm.top = vm_below(&vm, 0); // of an empty stack it is what stands below, and stays
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

        VM_GROUP(op >= MP_BC_LOAD_CONST_SMALL_INT_MULTI) // the operand is part of the opcode
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
        VM_GROUP(op < MP_BC_BASE_VINT_E && op >= MP_BC_BASE_QSTR_O) // a name follows
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
#define vm_fast(ip, sp, fastn, qstr_table, code_state) \
    porter_profile_bytecode(porter_profile_frame(code_state, (code_state)->prev, \
        (code_state)->fun_bc->bytecode, (code_state)->fun_bc), *(ip))
#endif

#endif
