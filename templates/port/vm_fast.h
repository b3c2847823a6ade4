// The bytecode interpreter's hot instructions, inlined before upstream's switch.
//
// Upstream's switch is a tree of some ten branches on a GPU, writes the instruction pointer to
// memory for each instruction, and calls a function for each operator; every call saves and
// restores registers in local memory. vm_fast() runs instructions of which it knows that they
// cannot raise, with operands that it knows, and returns at the first other one with nothing of
// it done; upstream's code then runs that. So what it does not know is slower, never wrong.
//
// Included by py/vm.c (patch `vm-fast-path`). What it does with bytecode, values and names is in the
// three headers below.
#ifndef GPUSNEK_VM_FAST_H
#define GPUSNEK_VM_FAST_H

#include "hooks.h"
#include "py/bc.h"
#include "py/bc0.h"
#include "py/runtime.h"

#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

// What an interpreter owns, as memory that is known to be its own.
#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_window.h"
#include "vm_values.h"
#include "vm_names.h"

// Sets of instructions with a name.
#define VM_BIT(op) (1u << ((op) - MP_BC_BASE_QSTR_O))
#define VM_LOCAL (VM_BIT(MP_BC_LOAD_NAME) | VM_BIT(MP_BC_STORE_NAME))
#define VM_LOAD (VM_BIT(MP_BC_LOAD_NAME) | VM_BIT(MP_BC_LOAD_GLOBAL))
#define VM_VARIABLE (VM_LOCAL | VM_LOAD | VM_BIT(MP_BC_STORE_GLOBAL))

// The value stack, whose top is in a register; what memory has in its place is old.
#define VM_BELOW(n) porter_own_load(frame, sp, -8 * (n))
#define VM_DROP(n) (sp -= 8 * (n), top = VM_BELOW(0))
#define VM_PUSH(value) (porter_own_store(frame, sp, 0, top), sp += 8, top = (value))
#define VM_LOCAL_LOAD(n) porter_own_load(frame, locals - 8 * (n), 0)
#define VM_LOCAL_STORE(n) porter_own_store(frame, locals - 8 * (n), 0, top)

// How many branches are left before upstream's code must look at interrupts and callbacks: none
// where a callback is pending, which nothing here changes.
#define VM_UNKNOWN (INT32_MIN)
VM_INLINE int32_t vm_polls(void) {
    return MP_STATE_VM(sched_state) == MP_SCHED_PENDING ? -1 : (int32_t)(gpusnek_poll_budget - 1);
}

// Whether a branch must go through upstream's code. Not every call of vm_fast gets to one.
#define VM_MUST_LOOK() \
    ((polls <= 0 && (polls != VM_UNKNOWN || (polls = vm_polls()) <= 0)) || (polls--, false))

// Instructions from *ip_ on, the stack's top at *sp_, up to one that upstream must run.
VM_INLINE void vm_fast(const byte **ip_, mp_obj_t **sp_, mp_obj_t *fastn_,
    const qstr_short_t *qstr_table, const mp_code_state_t *code_state) {
    vm_window_t code;
    vm_seek(&code, *ip_);
    int32_t polls = VM_UNKNOWN;
    mp_obj_t *const frame = *sp_;
    const uint32_t sp0 = porter_own(frame, frame);
    const uint32_t locals = porter_own(frame, fastn_);
    uint32_t sp = sp0;
    mp_obj_t top = VM_BELOW(0); // of an empty stack it is what stands below, and stays
    // The globals' table, once a name was asked for: nothing here gives a dict another one.
    mp_map_elem_t *globals = NULL;
    uint32_t table = 0;
    uint32_t alloc = 0;
    uint32_t variables = 0; // instructions that mean globals
    for (;;) {
        const unsigned int op = (unsigned int)code.bytes & 0xff;
        uint32_t size = 1;
        if (op >= MP_BC_LOAD_CONST_SMALL_INT_MULTI) {
            if (op >= MP_BC_BINARY_OP_MULTI) {
                const unsigned int kind = op - MP_BC_BINARY_OP_MULTI;
                if (kind >= MP_BINARY_OP_NUM_BYTECODE) {
                    break;
                }
                const mp_obj_t below = VM_BELOW(1);
                if (kind > MP_BINARY_OP_NOT_EQUAL) {
                    const mp_obj_t result = vm_binary(kind, below, top);
                    if (result == MP_OBJ_NULL) {
                        break;
                    }
                    sp -= 8;
                    top = result;
                } else {
                    const unsigned int holds = vm_compare(below, top);
                    if (holds == 0) {
                        break;
                    }
                    const bool truth = (holds >> kind & 1) != 0;
                    // A conditional jump mostly follows: take it along.
                    const unsigned int next = vm_byte(&code, 1);
                    if ((next == MP_BC_POP_JUMP_IF_TRUE || next == MP_BC_POP_JUMP_IF_FALSE)
                        && !VM_MUST_LOOK()) {
                        VM_DROP(2);
                        vm_branch(&code, 2, truth == (next == MP_BC_POP_JUMP_IF_TRUE));
                        continue;
                    }
                    sp -= 8;
                    top = truth ? mp_const_true : mp_const_false;
                }
            } else if (op >= MP_BC_UNARY_OP_MULTI) {
                break;
            } else if (op >= MP_BC_STORE_FAST_MULTI) {
                VM_LOCAL_STORE(op - MP_BC_STORE_FAST_MULTI);
                VM_DROP(1);
            } else if (op >= MP_BC_LOAD_FAST_MULTI) {
                const mp_obj_t value = VM_LOCAL_LOAD(op - MP_BC_LOAD_FAST_MULTI);
                if (value == MP_OBJ_NULL) {
                    break;
                }
                VM_PUSH(value);
            } else {
                const mp_int_t value = (mp_int_t)op - MP_BC_LOAD_CONST_SMALL_INT_MULTI
                    - MP_BC_LOAD_CONST_SMALL_INT_MULTI_EXCESS;
                // Counting: `+ constant`.
                if (vm_byte(&code, 1) == MP_BC_BINARY_OP_MULTI + MP_BINARY_OP_INPLACE_ADD
                    && value >= 0 && vm_is_short(top)) {
                    top += (mp_uint_t)value << 1;
                    size = 2;
                } else {
                    VM_PUSH(MP_OBJ_NEW_SMALL_INT(value));
                }
            }
        } else if (op < MP_BC_BASE_VINT_E && op >= MP_BC_BASE_QSTR_O) { // a name follows
            const uint32_t number = vm_operand(&code, &size);
            const uint32_t slot = number % VM_NAMES;
            const uint32_t last = vm_name_position[slot];
            const vm_name_t name = { number, MP_OBJ_NEW_QSTR(qstr_table[number]) };
            const unsigned int bit = VM_BIT(op);
            if (bit & VM_VARIABLE) {
                if (variables == 0) {
                    const mp_map_t *map = &mp_globals_get()->map;
                    if (map->is_fixed) {
                        break; // a constant module's, and so in nobody's own memory
                    }
                    globals = VM_OWN(mp_map_elem_t, map->table);
                    table = porter_own(globals, globals);
                    alloc = (uint32_t)map->alloc;
                    variables = mp_locals_get() == mp_globals_get()
                        ? VM_VARIABLE : VM_VARIABLE & ~VM_LOCAL;
                }
                if (!(bit & variables)) {
                    break;
                }
                uint32_t entry = table + 16 * last;
                mp_obj_t value = MP_OBJ_NULL;
                bool found = false;
                if (last < alloc) { // both at once: it mostly is there
                    const mp_obj_t key = porter_own_load(globals, entry, 0);
                    value = porter_own_load(globals, entry, 8);
                    found = key == name.key;
                }
                if (!found) {
                    const int32_t at = vm_search(globals, alloc, name.key, slot);
                    if (at < 0) {
                        break;
                    }
                    entry = table + 16 * (uint32_t)at;
                    value = porter_own_load(globals, entry, 8);
                }
                if (bit & VM_LOAD) {
                    VM_PUSH(value);
                } else {
                    porter_own_store(globals, entry, 8, top);
                    VM_DROP(1);
                }
            } else if (op == MP_BC_LOAD_CONST_STRING) {
                VM_PUSH(name.key);
            } else if (op == MP_BC_LOAD_ATTR) {
                const mp_obj_type_t *type;
                const mp_map_elem_t *found = vm_member(top, name, &type);
                if (found == NULL) {
                    break;
                }
                top = found->value;
            } else if (op == MP_BC_STORE_ATTR) {
                const mp_obj_type_t *type;
                mp_map_elem_t *found = vm_member(top, name, &type);
                const mp_obj_t value = VM_BELOW(1); // there is none: it is `del`
                if (found == NULL || value == MP_OBJ_NULL
                    || type->flags & MP_TYPE_FLAG_HAS_SPECIAL_ACCESSORS) {
                    break;
                }
                found->value = value;
                VM_DROP(2);
            } else if (op == MP_BC_LOAD_METHOD) {
                vm_method_t method;
                if (!vm_method(top, name, &method)) {
                    break;
                }
                top = method.function;
                VM_PUSH(method.self);
            } else {
                break;
            }
        } else if (op == MP_BC_JUMP || op == MP_BC_POP_JUMP_IF_TRUE
            || op == MP_BC_POP_JUMP_IF_FALSE) {
            int truth = 1;
            if (op != MP_BC_JUMP) {
                truth = vm_truth(top);
                if (truth < 0) {
                    break;
                }
                truth = truth == (op == MP_BC_POP_JUMP_IF_TRUE);
            }
            if (VM_MUST_LOOK()) {
                break;
            }
            if (op != MP_BC_JUMP) {
                VM_DROP(1);
            }
            vm_branch(&code, 1, truth);
            continue;
        } else if (op >= MP_BC_DUP_TOP) {
            if (op == MP_BC_DUP_TOP_TWO) {
                const mp_obj_t below = VM_BELOW(1);
                // The end of a counting loop: go on while the top is less than what is below it.
                if (vm_byte(&code, 1) == MP_BC_ROT_TWO
                    && vm_byte(&code, 2) == MP_BC_BINARY_OP_MULTI + MP_BINARY_OP_LESS
                    && vm_byte(&code, 3) == MP_BC_POP_JUMP_IF_TRUE
                    && vm_is_short(top) && vm_is_short(below) && !VM_MUST_LOOK()) {
                    vm_branch(&code, 4, top < below);
                    continue;
                }
                const mp_obj_t value = top;
                VM_PUSH(below);
                VM_PUSH(value);
            } else if (op == MP_BC_DUP_TOP) {
                const unsigned int next = vm_byte(&code, 1) - MP_BC_STORE_FAST_MULTI;
                if (next < MP_BC_STORE_FAST_MULTI_NUM) { // the variable of a counting loop
                    VM_LOCAL_STORE(next);
                    size = 2;
                } else {
                    VM_PUSH(top);
                }
            } else if (op == MP_BC_POP_TOP) {
                VM_DROP(1);
            } else if (op == MP_BC_ROT_TWO) {
                const mp_obj_t below = VM_BELOW(1);
                porter_own_store(frame, sp, -8, top);
                top = below;
            } else if (op == MP_BC_ROT_THREE) {
                const mp_obj_t below = VM_BELOW(1);
                const mp_obj_t lowest = VM_BELOW(2);
                porter_own_store(frame, sp, -16, top);
                porter_own_store(frame, sp, -8, lowest);
                top = below;
            } else {
                break;
            }
        } else if (op == MP_BC_LOAD_SUBSCR) {
            const mp_obj_t value = vm_element(VM_BELOW(1), top);
            if (value == MP_OBJ_NULL) {
                break;
            }
            sp -= 8;
            top = value;
        } else if (op == MP_BC_STORE_SUBSCR) {
            if (!vm_element_store(VM_BELOW(1), top, VM_BELOW(2))) {
                break;
            }
            VM_DROP(3);
        } else if (op == MP_BC_LOAD_CONST_SMALL_INT) {
            unsigned int next = vm_byte(&code, 1);
            mp_uint_t value = next & 0x40 ? ~(mp_uint_t)0 : 0;
            do {
                next = vm_byte(&code, size++);
                value = (value << 7) | (next & 0x7f);
            } while (next & 0x80);
            VM_PUSH(MP_OBJ_NEW_SMALL_INT(value));
        } else if (op == MP_BC_LOAD_CONST_OBJ) {
            const uint32_t number = vm_operand(&code, &size);
            VM_PUSH(code_state->fun_bc->context->constants.obj_table[number]);
        } else if (op == MP_BC_LOAD_CONST_NONE) {
            VM_PUSH(mp_const_none);
        } else if (op == MP_BC_LOAD_CONST_FALSE) {
            VM_PUSH(mp_const_false);
        } else if (op == MP_BC_LOAD_CONST_TRUE) {
            VM_PUSH(mp_const_true);
        } else if (op == MP_BC_LOAD_FAST_N) {
            const mp_obj_t value = VM_LOCAL_LOAD(vm_operand(&code, &size));
            if (value == MP_OBJ_NULL) {
                break;
            }
            VM_PUSH(value);
        } else if (op == MP_BC_STORE_FAST_N) {
            VM_LOCAL_STORE(vm_operand(&code, &size));
            VM_DROP(1);
        } else {
            break;
        }
        vm_advance(&code, size);
    }
    porter_own_store(frame, sp, 0, top);
    if (polls >= 0) {
        gpusnek_poll_budget = (uint32_t)polls + 1;
    }
    *ip_ = code.ip;
    *sp_ = (mp_obj_t *)((char *)frame + (int32_t)(sp - sp0));
}

#else
#define vm_fast(ip, sp, fastn, qstr_table, code_state) ((void)0)
#endif

#endif
