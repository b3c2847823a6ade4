// The runtime library of native code that is inlined. The rewriter's output of this file is the
// beginning of each C++ file that porter/compiler generates. All functions are inline; the unit
// itself compiles to no code. native_slow.c and native_calls.c have the functions that are called.
//
// A function returns false, NULL or MP_OBJ_NULL for a case that it does not support, and has
// changed nothing then. Native code then calls the slow path or takes a side exit.
#include "native.h"
#include "native_calls.h"
#include "hooks.h"
#include "py/bc.h"
#include "py/bc0.h"
#include "py/builtin.h"
#include "py/objfun.h"
#include "py/objtype.h"
#include "py/runtime.h"

// Native code exists for NaN boxing (representation D) only.
#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_machine.h"
#include "vm_values.h"
#include "native_slow.h"

// Returns how many steps may be taken before the interpreter must poll; negative if a callback is
// pending (vm_polls()). Native code keeps this number in a register.
VM_INLINE int32_t tier_polls(void) {
    return vm_polls();
}

// Writes the remaining steps back, before a call or a side exit.
VM_INLINE void tier_give_polls(int32_t left) {
    if (left >= 0) {
        gpusnek_poll_budget = (uint32_t)left + 1;
    }
}

// Returns whether native code must take a side exit, so that the interpreter calls `o`. The first
// reason is recursion, which through a native frame would use the C stack: for Python callables,
// and for objects that call one in turn, such as bound methods. The second reason is gc.collect():
// in the native C frame the collector would find references that no Python variable has any more.
// So builtin functions without arguments are called by the interpreter too.
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
        && type != &mp_type_gen_wrap; // its call creates a generator and runs no code
}

VM_INLINE qstr tier_name(const mp_code_state_t *code_state, uint32_t number) {
    return code_state->fun_bc->context->constants.qstr_table[number];
}

VM_INLINE mp_obj_t tier_constant(const mp_code_state_t *code_state, uint32_t number) {
    return code_state->fun_bc->context->constants.obj_table[number];
}

// ---- Boxing and unboxing of integers and floats ----

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

// Returns whether a global is still in the same dict entry, with the same value: the guard of a
// speculation on globals. found: the entry now (tier_find()); place and value: at an earlier time.
VM_INLINE bool tier_same(const mp_obj_t *found, const mp_obj_t *place, mp_obj_t value) {
    return found == place && found != NULL && *found == value;
}

// Multiplies; returns whether the product overflows 64 bits.
VM_INLINE bool tier_multiply(mp_int_t a, mp_int_t b, mp_int_t *product) {
    return __builtin_mul_overflow(a, b, product);
}

// Shifts left; returns true, with *result undefined, if the result is not a small integer or b is
// not in 0 to 46.
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

// Counts a deoptimization at guard `number`, for reports. The increment is not atomic: two lanes at
// the same time may count as one.
VM_INLINE void tier_count(const gpusnek_native_t *native, uint32_t number) {
    if (native->exits != 0) {
        ((uint32_t *)native->exits)[number]++;
    }
}

// a // b and a % b with Python's rounding towards minus infinity; b is not 0.
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

// ---- Elements of lists, tuples and buffers, unboxed ----
// These functions return false if the index is out of range or the element has another type.

// Converts a negative index, which counts from the end, to one from the start.
VM_INLINE mp_int_t tier_index(mp_int_t i, size_t length) {
    return i < 0 ? i + (mp_int_t)length : i;
}

VM_INLINE const mp_obj_type_t *tier_type(mp_obj_t o) {
    return mp_obj_is_obj(o) ? ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type : NULL;
}

// Returns the address of an element of a list or tuple; NULL for other types, or out of range.
VM_INLINE const mp_obj_t *tier_item(mp_obj_t container, const mp_obj_type_t *type, mp_int_t i) {
    size_t length;
    const mp_obj_t *items;
    if (type == &mp_type_list) {
        const mp_obj_list_t *list = VM_OWN(mp_obj_list_t, MP_OBJ_TO_PTR(container));
        length = list->len;
        items = VM_OWN(mp_obj_t, list->items);
    } else if (type == &mp_type_tuple) {
        const mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(container); // may be in constant memory
        length = tuple->len;
        items = tuple->items;
    } else {
        return NULL;
    }
    i = tier_index(i, length);
    return (mp_uint_t)i < length ? &items[i] : NULL;
}

// Locates element i of a buffer, as vm_place() but with negative indexes.
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

// Loads a float from a list, tuple or buffer.
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

// Loads a small integer from a list, tuple or buffer.
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

// Store an element of a list or a writable buffer; return false if the slow path must.
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

// Advances the iterator in four stack slots if it is one over a range. Returns 1 and the next
// value, 0 at the end, and -1 for other iterators (tier_range_type).
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
    const mp_int_t after = (mp_int_t)((mp_uint_t)next + (mp_uint_t)step); // wraps at the end
    slots[1] = (mp_obj_t)((after < next) == (step < 0) ? after : end);
    *value = next;
    return 1;
}

// ---- Elements through a view ----
// A view (tier_view()) is the address of a container's elements, their number, and a code of their
// type. Native code hoists it out of a loop.

// Returns whether index *i is in range; makes a negative index one from the start.
VM_INLINE bool tier_within(uint64_t length, mp_int_t *i) {
    if ((mp_uint_t)*i < length) {
        return true;
    }
    *i += (mp_int_t)length;
    return (mp_uint_t)*i < length;
}

// Loads an element of a list or tuple as an object.
VM_INLINE bool tier_view_object(const void *items, uint64_t length, uint32_t code, mp_int_t i,
    mp_obj_t *value) {
    if (code > TIER_TUPLE || !tier_within(length, &i)) {
        return false;
    }
    *value = ((const mp_obj_t *)items)[i];
    return true;
}

// Loads a float element.
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

// Loads an integer element.
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

// Stores an object in a list.
VM_INLINE bool tier_view_store_object(const void *items, uint64_t length, uint32_t code,
    mp_int_t i, mp_obj_t value) {
    if (code != TIER_LIST || !tier_within(length, &i)) {
        return false;
    }
    VM_OWN(mp_obj_t, (void *)items)[i] = value;
    return true;
}

// Stores a float in a buffer of floats, or boxed in a list.
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

// Stores an integer in a buffer whose typecode can represent it, or boxed in a list.
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

// ---- Calls from native code (porter/compiler/frames.py) ----

// Returns `o` as a Python function; NULL for other objects, including closures.
VM_INLINE mp_obj_fun_bc_t *tier_function(mp_obj_t o) {
    return mp_obj_is_obj(o)
        && ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type == &mp_type_fun_bc
        ? MP_OBJ_TO_PTR(o) : NULL;
}

// Returns whether native code resolves a call of `o` itself: a Python function, closure or class.
VM_INLINE bool tier_is_called(mp_obj_t o) {
    if (!mp_obj_is_obj(o)) {
        return false;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    return type == &mp_type_fun_bc || type == &mp_type_closure
        || (type == &mp_type_type
            && mp_obj_is_instance_type((const mp_obj_type_t *)MP_OBJ_TO_PTR(o)));
}

// Returns the offset of a function's bytecode from that of `native`, in bytes. For functions of
// other programs the offset is beyond the size of native's bytecode.
VM_INLINE size_t tier_callee(const mp_obj_fun_bc_t *function, const gpusnek_native_t *native) {
    return (uintptr_t)function->bytecode - native->code;
}

// Returns whether native code may call: more than half of the C stack is left (J4 of native.h).
VM_INLINE bool tier_may_call(void) {
    volatile int here; // an address in the current frame, as in mp_cstack_usage()
    return (mp_uint_t)(MP_STATE_THREAD(stack_top) - (char *)&here)
        < MP_STATE_THREAD(stack_limit) / 2;
}

// Takes steps; returns false, and takes none, if the interpreter must take them.
VM_INLINE bool tier_take(uint32_t steps) {
    if (tier_polls() >= (int32_t)steps) {
        gpusnek_poll_budget -= steps;
        return true;
    }
    return tier_draw(steps);
}

// Returns whether the pystack has space for a frame and the number of arguments is valid.
VM_INLINE bool tier_has_room(size_t count, size_t state, size_t handlers, size_t positional,
    size_t defaults) {
    return count <= positional && count + defaults >= positional
        && MP_STATE_THREAD(pystack_cur) + VM_FRAME_BYTES(state, handlers)
        <= MP_STATE_THREAD(pystack_end);
}

// Creates the frame of a call for which tier_has_room() returned true, and makes its globals
// current. The function gets `before` arguments of `call`, then those at `arguments`, `count` in
// all, then defaults. ip: the function's first instruction.
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

// Creates the frame of a call with `given` arguments, as mp_obj_fun_bc_prepare_codestate() does for
// a function without cells, keyword arguments, *args and **kwargs. Returns NULL if that would
// raise, or if the interpreter must poll. call: NULL for a plain function. steps: of the call.
// state: slots of the frame. handlers: slots of its exception stack. ip: the function's first
// instruction. Raises MemoryError if a new object does not fit into the heap.
VM_INLINE mp_code_state_t *tier_frame(mp_code_state_t *caller, mp_obj_fun_bc_t *function,
    tier_call_t *call, const mp_obj_t *arguments, size_t given, size_t state, size_t handlers,
    size_t positional, size_t defaults, uint32_t steps, const byte *ip) {
    size_t before = 0;
    if (call != NULL) {
        before = call->count + (call->type != NULL);
        steps += call->steps;
    }
    // Steps are taken before the allocation, which takes steps itself.
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

// Creates the frame of a call of a plain function. Also returns NULL at the end of a window of
// steps. It calls no function, so that the caller saves few registers.
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

// Takes a step; returns whether the interpreter must poll at it.
VM_INLINE bool tier_step(void) {
    if (tier_take(1)) {
        return false;
    }
    gpusnek_poll_budget--;
    return true;
}

// Takes the step of a return; returns false if the interpreter must execute the return.
VM_INLINE bool tier_may_return(void) {
    return tier_take(1);
}

// Removes the frame of a call and restores the caller's globals. Returns the call's value, which is
// on top of the frame's stack.
VM_INLINE mp_obj_t tier_return(mp_code_state_t *called) {
    mp_globals_set(called->old_globals);
    MP_STATE_THREAD(pystack_cur) = (uint8_t *)called;
    return *called->sp;
}

VM_INLINE bool tier_is_not_implemented(mp_obj_t value) {
    return value == mp_const_notimplemented;
}

// Returns the jump buffer of the innermost exception handler in C: that of the interpreter's VM.
VM_INLINE const void *tier_landing(void) {
    return MP_STATE_THREAD(nlr_top)->jmpbuf;
}

// Returns the state of this lane's entry into native code, which tier_end() needs.
VM_INLINE uint32_t tier_begun(void) {
    return gpusnek_native_begun;
}

// Reports that this lane leaves native code. begun: the result of tier_begun() at its start.
VM_INLINE void tier_end(uint32_t begun) {
    porter_native_end(gpusnek_meetings, begun);
}

// Makes the interpreter continue in frame `next` (J2 of native.h).
VM_INLINE void tier_go_on(mp_code_state_t *next) {
    gpusnek_native_next = next;
}

#endif
