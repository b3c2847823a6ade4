// The instructions of the fast path, one function per family of opcodes; the table in vm_fast()
// calls them.
//
// A function executes its instruction and returns true. For operand types that it does not support
// it returns false and has changed nothing (invariant F2 of vm_fast.h). vm_jump_on() and
// vm_dup_two() support all operands; they return whether they jumped (VM_JUMPS in vm_fast.h).
//
// Some functions execute a sequence of instructions at once (superinstructions): a comparison and a
// conditional jump, `+ constant`, the end of a counting loop. vm_along() counts the others for the
// profiler. A jump into such a sequence is harmless: each instruction can run by itself.
#ifndef GPUSNEK_VM_FAMILIES_H
#define GPUSNEK_VM_FAMILIES_H

#include "py/bc0.h"
#include "vm_machine.h"
#include "vm_names.h"
#include "vm_values.h"

// ---- Operators ----

// Evaluates a comparison of two numbers, MP_BINARY_OP_LESS to MP_BINARY_OP_NOT_EQUAL, into *truth.
VM_INLINE bool vm_comparison(const vm_t *vm, unsigned int kind, bool *truth) {
    const unsigned int holds = vm_compare(vm_below(vm, 1), vm->top);
    *truth = (holds >> kind & 1) != 0;
    return holds != 0;
}

// Completes a comparison: pushes `truth`, or executes the conditional jump that usually follows.
// Returns whether it executed the jump.
VM_INLINE bool vm_jump_on(vm_t *vm, bool truth) {
    const unsigned int next = vm_byte(&vm->code, 1);
    if ((next == MP_BC_POP_JUMP_IF_TRUE || next == MP_BC_POP_JUMP_IF_FALSE) && !vm_must_look(vm)) {
        vm_along(vm, 1);
        vm_pop(vm, 2);
        vm_branch(&vm->code, 2, truth == (next == MP_BC_POP_JUMP_IF_TRUE));
        return true;
    }
    vm_join(vm, truth ? mp_const_true : mp_const_false);
    return false;
}

// Executes a binary operator that is not a comparison.
VM_INLINE bool vm_operator(vm_t *vm, unsigned int kind) {
    const mp_obj_t result = vm_binary(kind, vm_below(vm, 1), vm->top);
    return result != MP_OBJ_NULL && vm_join(vm, result);
}

// ---- Constants ----

// Pushes a small integer, or executes it together with a following `+=` of a nonnegative integer.
VM_INLINE bool vm_small_int(vm_t *vm, mp_int_t value) {
    // A short integer contains twice its value in the lower half of the word.
    if (vm_byte(&vm->code, 1) == MP_BC_BINARY_OP_MULTI + MP_BINARY_OP_INPLACE_ADD
        && value >= 0 && vm_is_short(vm->top)) {
        vm_along(vm, 1);
        vm->top += (mp_uint_t)value << 1;
        vm->size = 2;
        return true;
    }
    return vm_push(vm, MP_OBJ_NEW_SMALL_INT(value));
}

// Pushes the integer operand.
VM_INLINE bool vm_long_small_int(vm_t *vm) {
    const mp_int_t value = vm_signed_operand(&vm->code, &vm->size);
    return vm_push(vm, MP_OBJ_NEW_SMALL_INT(value));
}

VM_INLINE bool vm_constant(vm_t *vm, uint32_t number) {
    return vm_push(vm, vm->code_state->fun_bc->context->constants.obj_table[number]);
}

// ---- Variables of a function ----

// Pushes a local variable; an unbound one is left to upstream's code, which raises.
VM_INLINE bool vm_load_fast(vm_t *vm, uint32_t number) {
    const mp_obj_t value = vm_local(vm, number);
    return value != MP_OBJ_NULL && vm_push(vm, value);
}

VM_INLINE bool vm_store_fast(vm_t *vm, uint32_t number) {
    vm_set_local(vm, number);
    return vm_pop(vm, 1);
}

// ---- Names ----

// Finds the globals' table. Returns false for a constant module, whose table is not in the memory
// of the interpreter.
VM_INLINE bool vm_open_globals(vm_t *vm) {
    const mp_map_t *map = &mp_globals_get()->map;
    if (map->is_fixed) {
        return false;
    }
    vm->globals = VM_OWN(mp_map_elem_t, map->table);
    vm->table = porter_own(vm->globals, vm->globals);
    vm->alloc = (uint32_t)map->alloc;
    vm->variables = mp_locals_get() == mp_globals_get() ? VM_VARIABLE : VM_VARIABLE & ~VM_LOCAL;
    return true;
}

// Loads or stores an existing global. `bit`: the instruction's bit in VM_VARIABLE.
VM_INLINE bool vm_variable(vm_t *vm, unsigned int bit, vm_name_t name) {
    if (vm->variables == 0 && !vm_open_globals(vm)) {
        return false;
    }
    if (!(bit & vm->variables)) {
        return false;
    }
    const uint32_t slot = name.number % VM_NAMES;
    const uint32_t last = vm_name_position[slot];
    uint32_t entry = vm->table + 16 * last;
    mp_obj_t value = MP_OBJ_NULL;
    bool found = false;
    if (last < vm->alloc) { // loads key and value together: the cached index is usually right
        const mp_obj_t key = porter_own_load(vm->globals, entry, 0);
        value = porter_own_load(vm->globals, entry, 8);
        found = key == name.key;
    }
    if (!found) {
        const int32_t at = vm_search(vm->globals, vm->alloc, name.key, slot);
        if (at < 0) {
            return false;
        }
        entry = vm->table + 16 * (uint32_t)at;
        value = porter_own_load(vm->globals, entry, 8);
    }
    if (bit & VM_LOAD) {
        return vm_push(vm, value);
    }
    porter_own_store(vm->globals, entry, 8, vm->top);
    return vm_pop(vm, 1);
}

// Loads an instance's own attribute.
VM_INLINE bool vm_load_attribute(vm_t *vm, vm_name_t name) {
    const mp_obj_type_t *type;
    const mp_map_elem_t *found = vm_member(vm->top, name, &type);
    if (found == NULL) {
        return false;
    }
    vm->top = found->value;
    return true;
}

// Stores to an existing own attribute of an instance, unless its class has special accessors.
VM_INLINE bool vm_store_attribute(vm_t *vm, vm_name_t name) {
    const mp_obj_type_t *type;
    mp_map_elem_t *found = vm_member(vm->top, name, &type);
    const mp_obj_t value = vm_below(vm, 1); // MP_OBJ_NULL: `del`
    if (found == NULL || value == MP_OBJ_NULL
        || type->flags & MP_TYPE_FLAG_HAS_SPECIAL_ACCESSORS) {
        return false;
    }
    found->value = value;
    return vm_pop(vm, 2);
}

// Replaces an object by a method's function and its first argument.
VM_INLINE bool vm_load_method(vm_t *vm, vm_name_t name) {
    vm_method_t method;
    if (!vm_method(vm->top, name, &method)) {
        return false;
    }
    vm->top = method.function;
    return vm_push(vm, method.self);
}

// ---- Jumps ----

// Executes a jump, or a conditional jump on a bool, None or small integer.
VM_INLINE bool vm_jump(vm_t *vm, unsigned int op) {
    int truth = 1;
    if (op != MP_BC_JUMP) {
        truth = vm_truth(vm->top);
        if (truth < 0) {
            return false;
        }
        truth = truth == (op == MP_BC_POP_JUMP_IF_TRUE);
    }
    if (vm_must_look(vm)) {
        return false;
    }
    if (op != MP_BC_JUMP) {
        vm_pop(vm, 1);
    }
    vm_branch(&vm->code, 1, truth);
    return true;
}

// ---- The stack's order ----

// Duplicates the two topmost values. At the end of a counting loop, executes the next three
// instructions as well: the loop continues while the top is less than the value below it. Returns
// whether it executed the jump.
VM_INLINE bool vm_dup_two(vm_t *vm) {
    const mp_obj_t below = vm_below(vm, 1);
    if (vm_byte(&vm->code, 1) == MP_BC_ROT_TWO
        && vm_byte(&vm->code, 2) == MP_BC_BINARY_OP_MULTI + MP_BINARY_OP_LESS
        && vm_byte(&vm->code, 3) == MP_BC_POP_JUMP_IF_TRUE
        && vm_is_short(vm->top) && vm_is_short(below) && !vm_must_look(vm)) {
        vm_along(vm, 1);
        vm_along(vm, 2);
        vm_along(vm, 3);
        vm_branch(&vm->code, 4, vm->top < below);
        return true;
    }
    const mp_obj_t value = vm->top;
    vm_push(vm, below);
    vm_push(vm, value);
    return false;
}

// Duplicates the top, or executes DUP_TOP and a following STORE_FAST together.
VM_INLINE bool vm_dup(vm_t *vm) {
    const unsigned int next = vm_byte(&vm->code, 1) - MP_BC_STORE_FAST_MULTI;
    if (next < MP_BC_STORE_FAST_MULTI_NUM) { // stores to the variable of a counting loop as well
        vm_along(vm, 1);
        vm_set_local(vm, next);
        vm->size = 2;
        return true;
    }
    return vm_push(vm, vm->top);
}

// Exchanges the two topmost values.
VM_INLINE bool vm_rotate_two(vm_t *vm) {
    const mp_obj_t below = vm_below(vm, 1);
    porter_own_store(vm->frame, vm->sp, -8, vm->top);
    vm->top = below;
    return true;
}

// Moves the top below the next two values.
VM_INLINE bool vm_rotate_three(vm_t *vm) {
    const mp_obj_t below = vm_below(vm, 1);
    const mp_obj_t lowest = vm_below(vm, 2);
    porter_own_store(vm->frame, vm->sp, -16, vm->top);
    porter_own_store(vm->frame, vm->sp, -8, lowest);
    vm->top = below;
    return true;
}

// ---- Elements ----

// Replaces container and index by the element.
VM_INLINE bool vm_load_element(vm_t *vm) {
    const mp_obj_t value = vm_element(vm_below(vm, 1), vm->top);
    return value != MP_OBJ_NULL && vm_join(vm, value);
}

// Stores to an element; pops value, container and index.
VM_INLINE bool vm_store_element(vm_t *vm) {
    if (!vm_element_store(vm_below(vm, 1), vm->top, vm_below(vm, 2))) {
        return false;
    }
    return vm_pop(vm, 3);
}

#endif
