// Binary operators of long integers, for the cases of upstream's switch.
//
// `(a * x + c) % m` has a product that is no small integer, and a result that is one. Instead of
// making an object for the product, vm_chain() looks at the instructions behind the operator. As
// long as they push an integer and apply an operator, it computes them with 64 bits
// (integers_words.c). Only the last result becomes an object, if it is no small integer.
#ifndef GPUSNEK_VM_CHAIN_H
#define GPUSNEK_VM_CHAIN_H

#include "integers.h"
#include "vm_names.h"
#include "vm_window.h"

#define VM_CHAIN (6) // operators of a chain at most

// The result of operators, and the instruction behind them.
typedef struct {
    mp_obj_t value;
    const byte *ip;
} vm_chained_t;

// Returns the value that the current instruction pushes: a constant, a local variable or a global.
// MP_OBJ_NULL for other instructions. Sets *size to the bytes of the instruction.
VM_INLINE mp_obj_t vm_pushed(
    const vm_window_t *code, const mp_code_state_t *code_state, uint32_t *size) {
    const mp_obj_t *const locals = &code_state->state[code_state->n_state - 1]; // variable n: [-n]
    const mp_module_context_t *const context = code_state->fun_bc->context;
    const unsigned int op = vm_byte(code, 0);
    *size = 1;
    if (op >= MP_BC_LOAD_FAST_MULTI && op < MP_BC_LOAD_FAST_MULTI + MP_BC_LOAD_FAST_MULTI_NUM) {
        return locals[-(mp_int_t)(op - MP_BC_LOAD_FAST_MULTI)];
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
        return locals[-(mp_int_t)operand];
    }
    if (op == MP_BC_LOAD_CONST_OBJ) {
        return context->constants.obj_table[operand];
    }
    const mp_map_t *map = &mp_globals_get()->map;
    const vm_name_t name = {operand, MP_OBJ_NEW_QSTR(context->constants.qstr_table[operand])};
    const int32_t at = vm_find(map->table, (uint32_t)map->alloc, name, 0);
    return at < 0 ? MP_OBJ_NULL : map->table[at].value;
}

// Records for the profiler that a pair of instructions runs as part of a chain.
VM_INLINE void vm_chain_counts(const mp_code_state_t *code_state, const byte *ip, uint32_t size) {
    void *const counts = porter_profile_frame(
        code_state, code_state->prev, code_state->fun_bc->bytecode, code_state->fun_bc);
    porter_profile_bytecode(counts, ip);
    porter_profile_bytecode(counts, ip + size);
}

// Executes pairs of instructions that push an integer and apply an operator to it and to `result`,
// until the result is a small integer. `ip`: the first of them. May raise.
static __attribute__((noinline)) vm_chained_t vm_chain(
    const mp_code_state_t *code_state, const byte *ip, gpusnek_word_t result) {
    vm_window_t code;
    vm_seek(&code, ip);
    for (int length = 1; length < VM_CHAIN && !gpusnek_word_is_small(result); length++) {
        uint32_t size;
        const mp_obj_t next = vm_pushed(&code, code_state, &size);
        if (next == MP_OBJ_NULL) {
            break;
        }
        const gpusnek_word_t operand = gpusnek_word_of(next);
        if (!operand.fits) {
            break;
        }
        const unsigned int op = vm_byte(&code, size) - MP_BC_BINARY_OP_MULTI;
        const gpusnek_word_t longer = gpusnek_word_apply(op, result, operand);
        if (!longer.fits) {
            break;
        }
        vm_chain_counts(code_state, code.ip, size);
        vm_advance(&code, size + 1);
        result = longer;
    }
    const vm_chained_t done = {gpusnek_word_object(result), code.ip};
    return done;
}

// Executes a binary operator in upstream's switch, and moves *ip behind a chain of them. `*ip`: the
// instruction behind the operator.
VM_INLINE mp_obj_t vm_binary_op(unsigned int op, mp_obj_t lhs, mp_obj_t rhs, const byte **ip,
    const mp_code_state_t *code_state) {
    if (mp_obj_is_small_int(lhs) && mp_obj_is_small_int(rhs)) {
        const gpusnek_word_t result =
            gpusnek_word_apply(op, gpusnek_word_of_small(lhs), gpusnek_word_of_small(rhs));
        if (result.fits && gpusnek_word_is_small(result)) {
            return gpusnek_word_small(result);
        }
        if (result.fits) {
            const vm_chained_t chain = vm_chain(code_state, *ip, result);
            *ip = chain.ip;
            return chain.value;
        }
    }
    return mp_binary_op((mp_binary_op_t)op, lhs, rhs);
}

#endif
