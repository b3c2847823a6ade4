// What compiled code stands on. The rewritten text of this file is what the compiled tier's C++
// begins with, so all of it is inline; this unit itself makes no code.
#include "native.h"
#include "native_calls.h"
#include "hooks.h"
#include "py/bc.h"
#include "py/bc0.h"
#include "py/builtin.h"
#include "py/objfun.h"
#include "py/objtype.h"
#include "py/runtime.h"

// Of objects of other representations there is no machine code.
#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_machine.h"
#include "vm_values.h"
#include "native_slow.h"

// Branches that are left until the interpreter must look at interrupts and callbacks.
VM_INLINE int32_t tier_polls(void) {
    return vm_polls();
}

VM_INLINE void tier_give_polls(int32_t left) {
    if (left >= 0) {
        gpusnek_poll_budget = (uint32_t)left + 1;
    }
}

// Whether the interpreter calls `o`, from its own frame: in its loop, or by code that calls Python
// in turn. C's stack then holds no frame of machine code, and recursion goes as deep as without it.
// Nor does it in functions without arguments, such as gc.collect(): in such a frame the collector
// finds what no variable holds any more.
VM_INLINE bool tier_is_interpreted(mp_obj_t o) {
    if (!mp_obj_is_obj(o)) {
        return true;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (type == &mp_type_type) {
        return mp_obj_is_instance_type((const mp_obj_type_t *)MP_OBJ_TO_PTR(o)) != 0;
    }
    return type != &mp_type_fun_builtin_var && type != &mp_type_fun_builtin_1
        && type != &mp_type_fun_builtin_2 && type != &mp_type_fun_builtin_3
        && type != &mp_type_gen_wrap; // which makes a generator and runs nothing
}

VM_INLINE qstr tier_name(const mp_code_state_t *code_state, uint32_t number) {
    return code_state->fun_bc->context->constants.qstr_table[number];
}

VM_INLINE mp_obj_t tier_constant(const mp_code_state_t *code_state, uint32_t number) {
    return code_state->fun_bc->context->constants.obj_table[number];
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

// Whether a global is still where it was, with the same value.
VM_INLINE bool tier_same(const mp_obj_t *found, const mp_obj_t *place, mp_obj_t value) {
    return found == place && found != NULL && *found == value;
}

// Whether a * b has more than 64 bits; otherwise it is in *product.
VM_INLINE bool tier_multiply(mp_int_t a, mp_int_t b, mp_int_t *product) {
    return __builtin_mul_overflow(a, b, product);
}

// Whether a << b is no small integer, or b no count; otherwise it is in *result.
VM_INLINE bool tier_shift(mp_int_t a, mp_int_t b, mp_int_t *result) {
    if ((mp_uint_t)b > 46) {
        return true;
    }
    *result = (mp_int_t)((mp_uint_t)a << b);
    return *result >> b != a || !MP_SMALL_INT_FITS(*result);
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

// Guard `number` hands back to the interpreter. Counts are for people: two at once may count as
// one.
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

// Elements of lists, tuples and buffers as the numbers that they are, without an object between.
// False where there is no such element or it is of another kind.

// An index from the end as one from the start.
VM_INLINE mp_int_t tier_index(mp_int_t i, size_t length) {
    return i < 0 ? i + (mp_int_t)length : i;
}

VM_INLINE const mp_obj_type_t *tier_type(mp_obj_t o) {
    return mp_obj_is_obj(o) ? ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type : NULL;
}

// Where an element of a list or tuple is, or NULL.
VM_INLINE const mp_obj_t *tier_item(mp_obj_t container, const mp_obj_type_t *type, mp_int_t i) {
    size_t length;
    const mp_obj_t *items;
    if (type == &mp_type_list) {
        const mp_obj_list_t *list = VM_OWN(mp_obj_list_t, MP_OBJ_TO_PTR(container));
        length = list->len;
        items = VM_OWN(mp_obj_t, list->items);
    } else if (type == &mp_type_tuple) {
        const mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(container); // may be a constant
        length = tuple->len;
        items = tuple->items;
    } else {
        return NULL;
    }
    i = tier_index(i, length);
    return (mp_uint_t)i < length ? &items[i] : NULL;
}

// Element i of a buffer; false where there is none.
VM_INLINE bool tier_place(mp_obj_t container, const mp_obj_type_t *type, mp_int_t i,
    vm_place_t *place) {
    if (type == NULL) {
        return false;
    }
    if (i < 0 && (type == &mp_type_bytearray || type == &mp_type_array
        || type == &mp_type_memoryview)) {
        i += (mp_int_t)VM_OWN(mp_obj_array_t, MP_OBJ_TO_PTR(container))->len;
    }
    return vm_place(container, type, i, place);
}

VM_INLINE bool tier_float_element(mp_obj_t container, mp_int_t i, mp_float_t *value) {
    const mp_obj_type_t *type = tier_type(container);
    vm_place_t place;
    if (tier_place(container, type, i, &place)) {
        if (place.typecode == 'f' && vm_aligned(place.items, sizeof(float))) {
            *value = (mp_float_t)((const float *)place.items)[place.at];
            return true;
        }
        if (place.typecode == 'd' && vm_aligned(place.items, sizeof(double))) {
            *value = ((const double *)place.items)[place.at];
            return true;
        }
        return false;
    }
    const mp_obj_t *item = tier_item(container, type, i);
    if (item == NULL || !mp_obj_is_float(*item)) {
        return false;
    }
    *value = mp_obj_float_get(*item);
    return true;
}

VM_INLINE bool tier_int_element(mp_obj_t container, mp_int_t i, mp_int_t *value) {
    const mp_obj_type_t *type = tier_type(container);
    const mp_obj_t *item = tier_item(container, type, i);
    if (item != NULL) {
        *value = MP_OBJ_SMALL_INT_VALUE(*item);
        return mp_obj_is_small_int(*item);
    }
    vm_place_t place;
    if (!tier_place(container, type, i, &place)) {
        return false;
    }
    if (place.typecode == 'B' || place.typecode == BYTEARRAY_TYPECODE) {
        *value = ((const uint8_t *)place.items)[place.at];
        return true;
    }
    if (place.typecode == 'i' && vm_aligned(place.items, sizeof(int32_t))) {
        *value = ((const int32_t *)place.items)[place.at];
        return true;
    }
    return false;
}

// container[i] = value of a list or a writable buffer; false where it takes more.
VM_INLINE bool tier_store_item(mp_obj_t container, const mp_obj_type_t *type, mp_int_t i,
    mp_obj_t value) {
    if (type != &mp_type_list) {
        return false;
    }
    mp_obj_list_t *list = VM_OWN(mp_obj_list_t, MP_OBJ_TO_PTR(container));
    i = tier_index(i, list->len);
    if ((mp_uint_t)i >= list->len) {
        return false;
    }
    VM_OWN(mp_obj_t, list->items)[i] = value;
    return true;
}

VM_INLINE bool tier_store_float(mp_obj_t container, mp_int_t i, mp_float_t value) {
    const mp_obj_type_t *type = tier_type(container);
    vm_place_t place;
    if (tier_place(container, type, i, &place)) {
        if (!place.writable) {
            return false;
        }
        if (place.typecode == 'f' && vm_aligned(place.items, sizeof(float))) {
            ((float *)place.items)[place.at] = (float)value;
            return true;
        }
        if (place.typecode == 'd' && vm_aligned(place.items, sizeof(double))) {
            ((double *)place.items)[place.at] = value;
            return true;
        }
        return false;
    }
    return tier_store_item(container, type, i, mp_obj_new_float(value));
}

VM_INLINE bool tier_store_int(mp_obj_t container, mp_int_t i, mp_int_t value) {
    const mp_obj_type_t *type = tier_type(container);
    vm_place_t place;
    if (!tier_place(container, type, i, &place)) {
        return tier_store_item(container, type, i, MP_OBJ_NEW_SMALL_INT(value));
    }
    if (!place.writable) {
        return false;
    }
    if ((place.typecode == 'B' || place.typecode == BYTEARRAY_TYPECODE)
        && (mp_uint_t)value <= 255) {
        ((uint8_t *)place.items)[place.at] = (uint8_t)value;
        return true;
    }
    if (place.typecode == 'i' && (int32_t)value == value
        && vm_aligned(place.items, sizeof(int32_t))) {
        ((int32_t *)place.items)[place.at] = (int32_t)value;
        return true;
    }
    if (place.typecode == 'f' && vm_aligned(place.items, sizeof(float))) {
        ((float *)place.items)[place.at] = (float)value;
        return true;
    }
    if (place.typecode == 'd' && vm_aligned(place.items, sizeof(double))) {
        ((double *)place.items)[place.at] = (double)value;
        return true;
    }
    return false;
}

// The next value of a range over which the four slots iterate: 1, 0 at its end, -1 for anything
// else.
VM_INLINE int tier_range_next(mp_obj_t *slots, mp_int_t *value) {
    if (slots[0] == MP_OBJ_NULL || slots[0] != (mp_obj_t)(uintptr_t)tier_range_type) {
        return -1;
    }
    const mp_int_t next = (mp_int_t)slots[1], end = (mp_int_t)slots[2], step = (mp_int_t)slots[3];
    if (step > 0 ? next >= end : next <= end) {
        return 0;
    }
    if (!MP_SMALL_INT_FITS(next)) {
        return -1;
    }
    slots[1] = (mp_obj_t)(next + step);
    *value = next;
    return 1;
}

// ---- Elements through a view (tier_view) ----

// Whether there is such an element; an index from the end becomes one from the start.
VM_INLINE bool tier_within(uint64_t length, mp_int_t *i) {
    if ((mp_uint_t)*i < length) {
        return true;
    }
    *i += (mp_int_t)length;
    return (mp_uint_t)*i < length;
}

VM_INLINE bool tier_view_object(const void *items, uint64_t length, uint32_t code, mp_int_t i,
    mp_obj_t *value) {
    if (code > TIER_TUPLE || !tier_within(length, &i)) {
        return false;
    }
    *value = ((const mp_obj_t *)items)[i];
    return true;
}

VM_INLINE bool tier_view_float(const void *items, uint64_t length, uint32_t code, mp_int_t i,
    mp_float_t *value) {
    if (!tier_within(length, &i)) {
        return false;
    }
    code &= ~TIER_CONSTANT;
    if (code == 'f') {
        *value = (mp_float_t)((const float *)items)[i];
        return true;
    }
    if (code == 'd') {
        *value = ((const double *)items)[i];
        return true;
    }
    const mp_obj_t item = code <= TIER_TUPLE ? ((const mp_obj_t *)items)[i] : MP_OBJ_NULL;
    *value = mp_obj_float_get(item);
    return mp_obj_is_float(item);
}

VM_INLINE bool tier_view_int(const void *items, uint64_t length, uint32_t code, mp_int_t i,
    mp_int_t *value) {
    if (!tier_within(length, &i)) {
        return false;
    }
    if (code <= TIER_TUPLE) {
        const mp_obj_t item = ((const mp_obj_t *)items)[i];
        *value = MP_OBJ_SMALL_INT_VALUE(item);
        return mp_obj_is_small_int(item);
    }
    switch (code & ~TIER_CONSTANT) {
        case 'B':
            *value = ((const uint8_t *)items)[i];
            return true;
        case 'b':
            *value = ((const int8_t *)items)[i];
            return true;
        case 'H':
            *value = ((const uint16_t *)items)[i];
            return true;
        case 'h':
            *value = ((const int16_t *)items)[i];
            return true;
        case 'I':
            *value = ((const uint32_t *)items)[i];
            return true;
        case 'i':
            *value = ((const int32_t *)items)[i];
            return true;
        default:
            return false;
    }
}

VM_INLINE bool tier_view_store_object(const void *items, uint64_t length, uint32_t code,
    mp_int_t i, mp_obj_t value) {
    if (code != TIER_LIST || !tier_within(length, &i)) {
        return false;
    }
    VM_OWN(mp_obj_t, (void *)items)[i] = value;
    return true;
}

VM_INLINE bool tier_view_store_float(const void *items, uint64_t length, uint32_t code,
    mp_int_t i, mp_float_t value) {
    if (!tier_within(length, &i)) {
        return false;
    }
    if (code == 'f') {
        ((float *)items)[i] = (float)value;
        return true;
    }
    if (code == 'd') {
        ((double *)items)[i] = value;
        return true;
    }
    return tier_view_store_object(items, length, code, i, mp_obj_new_float(value));
}

VM_INLINE bool tier_view_store_int(const void *items, uint64_t length, uint32_t code, mp_int_t i,
    mp_int_t value) {
    if (!tier_within(length, &i)) {
        return false;
    }
    if (code == 'B' && (mp_uint_t)value <= 255) {
        ((uint8_t *)items)[i] = (uint8_t)value;
        return true;
    }
    if (code == 'i' && (int32_t)value == value) {
        ((int32_t *)items)[i] = (int32_t)value;
        return true;
    }
    if (code == 'f') {
        ((float *)items)[i] = (float)value;
        return true;
    }
    if (code == 'd') {
        ((double *)items)[i] = (double)value;
        return true;
    }
    return tier_view_store_object(items, length, code, i, MP_OBJ_NEW_SMALL_INT(value));
}

// ---- Calls of machine code (porter/compiler/frames.py) ----

// The Python function that `o` is itself, or NULL.
VM_INLINE mp_obj_fun_bc_t *tier_function(mp_obj_t o) {
    return mp_obj_is_obj(o)
        && ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type == &mp_type_fun_bc
        ? MP_OBJ_TO_PTR(o) : NULL;
}

// Whether machine code looks for what a call of `o` runs: it is a Python function, a closure or a
// class of Python's.
VM_INLINE bool tier_is_called(mp_obj_t o) {
    if (!mp_obj_is_obj(o)) {
        return false;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    return type == &mp_type_fun_bc || type == &mp_type_closure
        || (type == &mp_type_type
            && mp_obj_is_instance_type((const mp_obj_type_t *)MP_OBJ_TO_PTR(o)));
}

// Where its bytecode begins, in bytes from that of `native`; beyond its size for others.
VM_INLINE size_t tier_callee(const mp_obj_fun_bc_t *function, const gpusnek_native_t *native) {
    return (uintptr_t)function->bytecode - native->code;
}

// Whether machine code may call: half of C's stack is left.
VM_INLINE bool tier_may_call(void) {
    volatile int here; // as mp_cstack_usage() has it
    return (mp_uint_t)(MP_STATE_THREAD(stack_top) - (char *)&here)
        < MP_STATE_THREAD(stack_limit) / 2;
}

// Takes steps; false where the interpreter must.
VM_INLINE bool tier_take(uint32_t steps) {
    if (tier_polls() >= (int32_t)steps) {
        gpusnek_poll_budget -= steps;
        return true;
    }
    return tier_draw(steps);
}

// Whether there is room for a frame, and the arguments are as many as the function takes.
VM_INLINE bool tier_has_room(size_t count, size_t state, size_t handlers, size_t positional,
    size_t defaults) {
    return count <= positional && count + defaults >= positional
        && MP_STATE_THREAD(pystack_cur) + VM_FRAME_BYTES(state, handlers)
        <= MP_STATE_THREAD(pystack_end);
}

// The frame of a call with `given` arguments behind those of `call`, for which there is room.
VM_INLINE mp_code_state_t *tier_new_frame(mp_code_state_t *caller, mp_obj_fun_bc_t *function,
    tier_call_t *call, const mp_obj_t *arguments, size_t count, size_t before, size_t state,
    size_t handlers, size_t positional, size_t defaults, const byte *ip) {
    uint8_t *const at = MP_STATE_THREAD(pystack_cur);
    MP_STATE_THREAD(pystack_cur) = at + VM_FRAME_BYTES(state, handlers);
    mp_code_state_t *const made = (mp_code_state_t *)at;
    made->fun_bc = function;
    made->ip = ip;
    made->sp = made->state - 1;
    made->n_state = (uint16_t)state;
    made->exc_sp_idx = 0;
    made->old_globals = mp_globals_get();
    made->prev = caller;
    for (size_t i = 0; i < state - positional; i++) {
        made->state[i] = MP_OBJ_NULL;
    }
    for (size_t i = 0; i < before; i++) {
        made->state[state - 1 - i] = call->before[i];
    }
    for (size_t i = before; i < positional; i++) {
        made->state[state - 1 - i] = i < count
            ? arguments[i - before] : function->extra_args[i - (positional - defaults)];
    }
    mp_globals_set(function->context->module.globals);
    return made;
}

// The frame of a call with `given` arguments, as mp_obj_fun_bc_prepare_codestate() makes it of a
// function without cells, keywords and arguments of any number; NULL where that would raise, or the
// interpreter must look at interrupts. call: NULL of a plain function. steps: that it takes; state:
// slots; handlers: of exceptions; ip: where the function begins.
VM_INLINE mp_code_state_t *tier_frame(mp_code_state_t *caller, mp_obj_fun_bc_t *function,
    tier_call_t *call, const mp_obj_t *arguments, size_t given, size_t state, size_t handlers,
    size_t positional, size_t defaults, uint32_t steps, const byte *ip) {
    size_t before = 0;
    if (call != NULL) {
        before = call->count + (call->type != NULL);
        steps += call->steps;
    }
    // Steps first: an allocation takes some too.
    if (!tier_has_room(given + before, state, handlers, positional, defaults)
        || !tier_take(steps)) {
        return NULL;
    }
    if (call != NULL && call->type != NULL) {
        tier_new_object(call);
    }
    return tier_new_frame(caller, function, call, arguments, given + before, before, state, handlers,
        positional, defaults, ip);
}

// The same of a plain function; NULL also where the steps are the last ones of a window. It calls
// nothing, so that whoever calls it has little to keep.
VM_INLINE mp_code_state_t *tier_plain_frame(mp_code_state_t *caller, mp_obj_fun_bc_t *function,
    const mp_obj_t *arguments, size_t given, size_t state, size_t handlers, size_t positional,
    size_t defaults, uint32_t steps, const byte *ip) {
    if (!tier_has_room(given, state, handlers, positional, defaults)
        || tier_polls() < (int32_t)steps) {
        return NULL;
    }
    gpusnek_poll_budget -= steps;
    return tier_new_frame(caller, function, NULL, arguments, given, 0, state, handlers, positional,
        defaults, ip);
}

// Takes a step; whether the interpreter must look at interrupts in it.
VM_INLINE bool tier_step(void) {
    if (tier_take(1)) {
        return false;
    }
    gpusnek_poll_budget--;
    return true;
}

// Takes the step of a return; false where the interpreter must.
VM_INLINE bool tier_may_return(void) {
    return tier_take(1);
}

// Takes the frame of a call away; its value, which was on top of its stack.
VM_INLINE mp_obj_t tier_return(mp_code_state_t *called) {
    mp_globals_set(called->old_globals);
    MP_STATE_THREAD(pystack_cur) = (uint8_t *)called;
    return *called->sp;
}

VM_INLINE bool tier_is_not_implemented(mp_obj_t value) {
    return value == mp_const_notimplemented;
}

// Where an exception lands that this interpreter's VM is to handle.
VM_INLINE const void *tier_landing(void) {
    return MP_STATE_THREAD(nlr_top)->jmpbuf;
}

// Machine code ends in this lane; begun: gpusnek_native_begun when it began.
VM_INLINE uint32_t tier_begun(void) {
    return gpusnek_native_begun;
}

VM_INLINE void tier_end(uint32_t begun) {
    porter_native_end(gpusnek_meetings, begun);
}

VM_INLINE void tier_go_on(mp_code_state_t *next) {
    gpusnek_native_next = next;
}

#endif
