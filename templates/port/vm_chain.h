// Chains of operators with long intermediate results, for vm_families.h.
//
// `(a * x + c) % m` has a product that is no small integer, and a result that is one. Instead of
// making an object for the product, vm_chain() looks at the instructions behind the operator. As
// long as they push an integer and apply an operator, it computes them with 64 bits. It changes
// nothing: if the result does not become a small integer, each instruction is executed by itself.
#ifndef GPUSNEK_VM_CHAIN_H
#define GPUSNEK_VM_CHAIN_H

#include "integers.h"
#include "vm_machine.h"
#include "vm_names.h"

#define VM_CHAIN (6) // operators of a chain at most

// The part of vm_t that a chain reads. It is passed by value, because a vm_t with an address would
// not be in registers.
typedef struct {
    mp_obj_t *frame;
    uint32_t locals;
    const qstr_short_t *qstr_table;
    const mp_code_state_t *code_state;
    void *counts;
} vm_reads_t;

// The result of vm_chain(): the bytes of all instructions, 0 if they were not executed.
typedef struct {
    mp_obj_t value;
    mp_uint_t size;
} vm_chained_t;

// Returns the value that the current instruction pushes: a constant, a local variable or a global.
// MP_OBJ_NULL for other instructions. Sets *size to the bytes of the instruction.
VM_INLINE mp_obj_t vm_pushed(const vm_window_t *code, const vm_reads_t *vm, uint32_t *size) {
    const unsigned int op = vm_byte(code, 0);
    *size = 1;
    if (op >= MP_BC_LOAD_FAST_MULTI && op < MP_BC_LOAD_FAST_MULTI + MP_BC_LOAD_FAST_MULTI_NUM) {
        return porter_own_load(vm->frame, vm->locals - 8 * (op - MP_BC_LOAD_FAST_MULTI), 0);
    }
    if (op >= MP_BC_LOAD_CONST_SMALL_INT_MULTI
        && op < MP_BC_LOAD_CONST_SMALL_INT_MULTI + MP_BC_LOAD_CONST_SMALL_INT_MULTI_NUM) {
        return MP_OBJ_NEW_SMALL_INT((mp_int_t)op - MP_BC_LOAD_CONST_SMALL_INT_MULTI
            - MP_BC_LOAD_CONST_SMALL_INT_MULTI_EXCESS);
    }
    if (op == MP_BC_LOAD_CONST_SMALL_INT) {
        return MP_OBJ_NEW_SMALL_INT(vm_signed_operand(code, size));
    }
    if (op != MP_BC_LOAD_FAST_N && op != MP_BC_LOAD_CONST_OBJ && op != MP_BC_LOAD_GLOBAL) {
        return MP_OBJ_NULL;
    }
    const uint32_t operand = vm_operand(code, size);
    if (op == MP_BC_LOAD_FAST_N) {
        return porter_own_load(vm->frame, vm->locals - 8 * operand, 0);
    }
    if (op == MP_BC_LOAD_CONST_OBJ) {
        return vm->code_state->fun_bc->context->constants.obj_table[operand];
    }
    const mp_map_t *map = &mp_globals_get()->map;
    const vm_name_t name = {operand, MP_OBJ_NEW_QSTR(vm->qstr_table[operand])};
    const int32_t at = vm_find(map->table, (uint32_t)map->alloc, name, 0);
    return at < 0 ? MP_OBJ_NULL : map->table[at].value;
}

// Executes the binary operator `kind` at `ip` on two small integers, and the pairs of instructions
// behind it, until the result is a small integer. Not inlined, because it is rarely called.
static __attribute__((noinline)) vm_chained_t vm_chain(
    const byte *ip, unsigned int kind, mp_obj_t lhs, mp_obj_t rhs, vm_reads_t vm) {
    const vm_chained_t none = {MP_OBJ_NULL, 0};
    gpusnek_word_t result, operand;
    gpusnek_word_of(lhs, &result);
    gpusnek_word_of(rhs, &operand);
    vm_window_t code;
    vm_seek(&code, ip);
    const byte *along[2 * VM_CHAIN]; // for the profiler
    uint32_t size = 1;
    for (int length = 1; length <= VM_CHAIN; length++) {
        if (!gpusnek_word_apply(kind, &result, operand)) {
            return none;
        }
        vm_advance(&code, size);
        const mp_obj_t value = gpusnek_word_small(result);
        if (value != MP_OBJ_NULL) {
            for (int i = 0; i < 2 * (length - 1); i++) {
                porter_profile_bytecode(vm.counts, along[i]);
            }
            const vm_chained_t done = {value, (mp_uint_t)(code.ip - ip)};
            return done;
        }
        const mp_obj_t next = vm_pushed(&code, &vm, &size);
        if (next == MP_OBJ_NULL || !gpusnek_word_of(next, &operand)) {
            return none;
        }
        along[2 * length - 2] = code.ip;
        vm_advance(&code, size);
        along[2 * length - 1] = code.ip;
        kind = vm_byte(&code, 0) - MP_BC_BINARY_OP_MULTI;
        size = 1;
    }
    return none;
}

#endif
