// What compiled code stands on. The rewritten text of this file is what the compiled tier's C++
// begins with, so all of it is inline; this unit itself makes no code.
#include "native.h"
#include "hooks.h"
#include "py/bc.h"
#include "py/bc0.h"
#include "py/builtin.h"
#include "py/objfun.h"
#include "py/runtime.h"

#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_machine.h"
#include "vm_names.h"
#include "vm_values.h"

// Branches that are left until the interpreter must look at interrupts and callbacks.
VM_INLINE int32_t tier_polls(void) {
    return vm_polls();
}

VM_INLINE void tier_give_polls(int32_t left) {
    if (left >= 0) {
        gpusnek_poll_budget = (uint32_t)left + 1;
    }
}

VM_INLINE bool tier_is_function(mp_obj_t o) {
    return mp_obj_is_obj(o) && ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type == &mp_type_fun_bc;
}

VM_INLINE qstr tier_name(const mp_code_state_t *code_state, uint32_t number) {
    return code_state->fun_bc->context->constants.qstr_table[number];
}

VM_INLINE mp_obj_t tier_constant(const mp_code_state_t *code_state, uint32_t number) {
    return code_state->fun_bc->context->constants.obj_table[number];
}

// Where a global's value is; NULL where it takes more than a look. `local`: a LOAD_NAME, which
// means a global at module level alone.
VM_INLINE mp_obj_t *tier_global(uint32_t number, qstr name, bool local) {
    const mp_map_t *map = &mp_globals_get()->map;
    if (map->is_fixed || (local && mp_locals_get() != mp_globals_get())) {
        return NULL;
    }
    mp_map_elem_t *table = VM_OWN(mp_map_elem_t, map->table);
    const vm_name_t wanted = { number, MP_OBJ_NEW_QSTR(name) };
    const int32_t at = vm_find(table, (uint32_t)map->alloc, wanted, 0);
    return at < 0 ? NULL : &table[at].value;
}

// The function and its first argument that a call of a method takes; false where it takes more.
VM_INLINE bool tier_method(mp_obj_t o, uint32_t number, qstr name, mp_obj_t *found) {
    const vm_name_t wanted = { number, MP_OBJ_NEW_QSTR(name) };
    vm_method_t method;
    if (!vm_method(o, wanted, &method)) {
        return false;
    }
    found[0] = method.function;
    found[1] = method.self;
    return true;
}

// An instance's own attribute; NULL where it takes more.
VM_INLINE mp_obj_t *tier_member(mp_obj_t o, uint32_t number, qstr name, bool store) {
    const vm_name_t wanted = { number, MP_OBJ_NEW_QSTR(name) };
    const mp_obj_type_t *type;
    mp_map_elem_t *found = vm_member(o, wanted, &type);
    if (found == NULL || (store && type->flags & MP_TYPE_FLAG_HAS_SPECIAL_ACCESSORS)) {
        return NULL;
    }
    return &found->value;
}

// The next value of the iterator in four slots of the stack; MP_OBJ_STOP_ITERATION at its end.
VM_INLINE mp_obj_t tier_next(mp_obj_t *slots) {
    return mp_iternext_allow_raise(slots[0] == MP_OBJ_NULL ? slots[1] : MP_OBJ_FROM_PTR(slots));
}

VM_INLINE void tier_iterate(mp_obj_t *slots) {
    const mp_obj_t iterator = mp_getiter(slots[0], (mp_obj_iter_buf_t *)slots);
    if (iterator != MP_OBJ_FROM_PTR(slots)) {
        slots[0] = MP_OBJ_NULL;
        slots[1] = iterator;
    }
}

// Integers and floats as words, and back.
VM_INLINE bool tier_is_int(mp_obj_t o) {
    return mp_obj_is_small_int(o);
}

VM_INLINE mp_int_t tier_int(mp_obj_t o) {
    return MP_OBJ_SMALL_INT_VALUE(o);
}

VM_INLINE bool tier_fits(mp_int_t value) {
    return MP_SMALL_INT_FITS(value);
}

VM_INLINE mp_obj_t tier_from_int(mp_int_t value) {
    return MP_OBJ_NEW_SMALL_INT(value);
}

VM_INLINE bool tier_is_float(mp_obj_t o) {
    return mp_obj_is_float(o);
}

VM_INLINE mp_float_t tier_float(mp_obj_t o) {
    return mp_obj_float_get(o);
}

VM_INLINE mp_obj_t tier_from_float(mp_float_t value) {
    return mp_obj_new_float(value);
}

VM_INLINE mp_obj_t tier_from_bool(bool value) {
    return value ? mp_const_true : mp_const_false;
}

// lhs op rhs of numbers, or `is`; MP_OBJ_NULL where it takes more.
VM_INLINE mp_obj_t tier_operator(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    return vm_binary(op, lhs, rhs);
}

// Whether a comparison of numbers holds, 0 or 1; -1 where it takes more.
VM_INLINE int tier_comparison(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    const unsigned int holds = vm_compare(lhs, rhs);
    return holds == 0 ? -1 : (int)(holds >> op & 1);
}

VM_INLINE int tier_truth(mp_obj_t o) {
    return vm_truth(o);
}

VM_INLINE mp_obj_t tier_element(mp_obj_t container, mp_obj_t index) {
    return vm_element(container, index);
}

VM_INLINE bool tier_store_element(mp_obj_t container, mp_obj_t index, mp_obj_t value) {
    return vm_element_store(container, index, value);
}

VM_INLINE mp_obj_t tier_null(void) {
    return MP_OBJ_NULL;
}

VM_INLINE mp_obj_t tier_sentinel(void) {
    return MP_OBJ_SENTINEL;
}

VM_INLINE mp_obj_t tier_none(void) {
    return mp_const_none;
}

VM_INLINE mp_obj_t tier_text(qstr name) {
    return MP_OBJ_NEW_QSTR(name);
}

VM_INLINE bool tier_is_bool(mp_obj_t o) {
    return o == mp_const_true || o == mp_const_false;
}

VM_INLINE bool tier_bool(mp_obj_t o) {
    return o == mp_const_true;
}

VM_INLINE const byte *tier_code(const gpusnek_native_t *native) {
    return (const byte *)native->code;
}

// Guard `number` hands back to the interpreter. Counts are for people: two at once may count as one.
VM_INLINE void tier_count(const gpusnek_native_t *native, uint32_t number) {
    if (native->exits != 0) {
        ((uint32_t *)native->exits)[number]++;
    }
}

// a // b and a % b as Python means them; b is not 0.
VM_INLINE mp_int_t tier_floor_divide(mp_int_t a, mp_int_t b) {
    const mp_int_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

VM_INLINE mp_int_t tier_modulo(mp_int_t a, mp_int_t b) {
    const mp_int_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

VM_INLINE bool tier_is_number(mp_obj_t o) {
    return vm_is_number(o);
}

VM_INLINE double tier_number(mp_obj_t o) {
    return vm_float(o);
}
