// Slow paths of native code. They are functions, because inlined code would make the generated C++
// large and slow to compile. native_slow.h has the contracts.
#include "native_slow.h"
#include "hooks.h"
#include "metaclass.h"
#include "native.h"
#include "port.h"
#include "py/bc0.h"
#include "py/builtin.h"
#include "py/emitglue.h"
#include "py/objfun.h"
#include "py/objlist.h"
#include "py/objtuple.h"
#include "py/runtime.h"

// Native code exists for NaN boxing (representation D) only.
#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

#include "vm_machine.h"
#include "vm_names.h"
#include "vm_values.h"

#define MOST_RESTS (15) // the longest backoff passes by 2**15 entries of native code
// Steps per base class that mp_obj_class_lookup() searches (the rewriter's rule `polls`). Without the
// patch `classes` its loop contains a loop.
#if GPUSNEK_PATCH_CLASSES
#define TURN (1)
#else
#define TURN (16)
#endif

// Returns name number `number` of the running code.
static vm_name_t wanted(const mp_code_state_t *code_state, uint32_t number) {
    const vm_name_t name = {
        number, MP_OBJ_NEW_QSTR(code_state->fun_bc->context->constants.qstr_table[number])
    };
    return name;
}

mp_obj_t *tier_find(const mp_code_state_t *code_state, uint32_t number, bool local) {
    const mp_map_t *map = &mp_globals_get()->map;
    if (map->is_fixed || (local && mp_locals_get() != mp_globals_get())) {
        return NULL;
    }
    mp_map_elem_t *table = VM_OWN(mp_map_elem_t, map->table);
    const vm_name_t name = wanted(code_state, number);
    const int32_t at = vm_find(table, (uint32_t)map->alloc, name, 0);
    if (at >= 0) {
        return &table[at].value;
    }
    if (map->alloc <= 2 * VM_NAMES) {
        return NULL;
    }
    mp_map_elem_t *found = mp_map_lookup((mp_map_t *)map, name.key, MP_MAP_LOOKUP);
    return found == NULL ? NULL : &found->value;
}

mp_obj_t tier_load(const mp_code_state_t *code_state, uint32_t number, bool local) {
    const mp_obj_t *found = tier_find(code_state, number, local);
    if (found != NULL) {
        return *found;
    }
    if (local && mp_locals_get() != mp_globals_get()) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t key = wanted(code_state, number).key;
    mp_map_elem_t *builtin;
    #if MICROPY_CAN_OVERRIDE_BUILTINS
    if (MP_STATE_VM(mp_module_builtins_override_dict) != NULL) {
        builtin = mp_map_lookup(&MP_STATE_VM(mp_module_builtins_override_dict)->map, key,
            MP_MAP_LOOKUP);
        if (builtin != NULL) {
            return builtin->value;
        }
    }
    #endif
    builtin = mp_map_lookup((mp_map_t *)&mp_module_builtins_globals.map, key, MP_MAP_LOOKUP);
    return builtin == NULL ? MP_OBJ_NULL : builtin->value;
}

mp_obj_t tier_member(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number) {
    const mp_obj_type_t *type;
    const vm_name_t name = wanted(code_state, number);
    const mp_map_elem_t *found = vm_member(o, name, &type);
    if (found != NULL) {
        return found->value;
    }
    vm_method_t method;
    return mp_obj_is_type(o, &mp_type_module) && vm_method(o, name, &method)
        ? method.function : MP_OBJ_NULL;
}

bool tier_store_member(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number,
    mp_obj_t value) {
    const mp_obj_type_t *type;
    mp_map_elem_t *found = vm_member(o, wanted(code_state, number), &type);
    if (found == NULL || value == MP_OBJ_NULL
        || type->flags & MP_TYPE_FLAG_HAS_SPECIAL_ACCESSORS) {
        return false;
    }
    found->value = value;
    return true;
}

bool tier_method(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number, mp_obj_t *found) {
    vm_method_t method;
    if (!vm_method(o, wanted(code_state, number), &method)) {
        return false;
    }
    found[0] = method.function;
    found[1] = method.self;
    return true;
}

// Returns the only base class; NULL if this is `object`.
static const mp_obj_type_t *base_of(const mp_obj_type_t *type) {
    const mp_obj_type_t *base = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
    return base == &mp_type_object ? NULL : base;
}

bool tier_is_plain(const mp_obj_type_t *type) {
    for (int depth = 0; depth < VM_MAX_CLASSES; depth++) {
        if (type == NULL) {
            return true;
        }
        if (type->base.type != &mp_type_type || !mp_obj_is_instance_type(type)
            || (type->flags & GPUSNEK_TYPE_FLAG_HAS_METACLASS)) {
            return false;
        }
        const mp_obj_dict_t *dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        if (dict == NULL || dict->map.alloc > 2 * VM_NAMES || !dict->map.all_keys_are_qstrs) {
            return false; // not searched (N3 of vm_names.h)
        }
        type = base_of(type);
    }
    return false;
}

mp_obj_t tier_class_entry(const mp_obj_type_t *type, qstr name, uint32_t *steps) {
    const vm_name_t wanted = {name, MP_OBJ_NEW_QSTR(name)};
    mp_obj_t found = MP_OBJ_NULL;
    for (int depth = 0; depth < VM_MAX_CLASSES; depth++) {
        found = vm_entry(&MP_OBJ_TYPE_GET_SLOT(type, locals_dict)->map, wanted);
        type = base_of(type);
        if (found != MP_OBJ_NULL || type == NULL) {
            break;
        }
        *steps += TURN;
    }
    return found;
}

mp_obj_t tier_make_function(const mp_code_state_t *code_state, uint32_t child, size_t count,
    const mp_obj_t *given) {
    const mp_obj_fun_bc_t *function = code_state->fun_bc;
    const mp_proto_fun_t made = function->child_table[child];
    return count == 0 ? mp_make_function_from_proto_fun(made, function->context, given)
        : mp_make_closure_from_proto_fun(made, function->context, count, given);
}

mp_obj_t tier_operator(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    return vm_binary(op, lhs, rhs);
}

mp_obj_t tier_comparison(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    const unsigned int holds = vm_compare(lhs, rhs);
    if (holds != 0) {
        return mp_obj_new_bool(holds >> op & 1);
    }
    // Interned strings are equal if they are the same object.
    if ((op == MP_BINARY_OP_EQUAL || op == MP_BINARY_OP_NOT_EQUAL)
        && mp_obj_is_qstr(lhs) && mp_obj_is_qstr(rhs)) {
        return mp_obj_new_bool((lhs == rhs) == (op == MP_BINARY_OP_EQUAL));
    }
    return MP_OBJ_NULL;
}

int tier_truth(mp_obj_t o) {
    const int known = vm_truth(o);
    if (known >= 0) {
        return known;
    }
    if (mp_obj_is_float(o)) {
        return mp_obj_float_get(o) != 0;
    }
    const mp_obj_type_t *type = mp_obj_get_type(o);
    if (type == &mp_type_list) {
        return ((const mp_obj_list_t *)MP_OBJ_TO_PTR(o))->len != 0;
    }
    if (type == &mp_type_tuple) {
        return ((const mp_obj_tuple_t *)MP_OBJ_TO_PTR(o))->len != 0;
    }
    if (type == &mp_type_str || type == &mp_type_bytes || type == &mp_type_dict) {
        return mp_obj_is_true(o);
    }
    return -1;
}

mp_obj_t tier_element(mp_obj_t container, mp_obj_t index) {
    return vm_element(container, index);
}

bool tier_store_element(mp_obj_t container, mp_obj_t index, mp_obj_t value) {
    return vm_element_store(container, index, value);
}

mp_obj_t tier_slice(mp_obj_t container, mp_obj_t start, mp_obj_t stop, mp_obj_t step,
    mp_obj_t value) {
    #ifdef MP_TYPE_FLAG_SUBSCR_ALLOWS_STACK_SLICE
    if (mp_obj_get_type(container)->flags & MP_TYPE_FLAG_SUBSCR_ALLOWS_STACK_SLICE) {
        mp_obj_slice_t slice = {{&mp_type_slice}, start, stop, step};
        return mp_obj_subscr(container, MP_OBJ_FROM_PTR(&slice), value);
    }
    #endif
    return mp_obj_subscr(container, mp_obj_new_slice(start, stop, step), value);
}

// Returns the size in bytes of an element that native code accesses itself; 0 for other typecodes.
static size_t bytes_of(unsigned int typecode) {
    switch (typecode) {
        case 'B':
        case 'b':
            return 1;
        case 'H':
        case 'h':
            return 2;
        case 'I':
        case 'i':
        case 'f':
            return 4;
        case 'd':
            return 8;
        default:
            return 0;
    }
}

// Returns the view of a bytearray, array or memoryview (tier_view()).
static const void *view_of_buffer(mp_obj_t o, const mp_obj_type_t *type, uint64_t *size) {
    const mp_obj_array_t *array = MP_OBJ_TO_PTR(o);
    const bool view = type == &mp_type_memoryview;
    unsigned int typecode = array->typecode;
    unsigned int constant = 0;
    if (view) {
        constant = typecode & MP_OBJ_ARRAY_TYPECODE_FLAG_RW ? 0 : TIER_CONSTANT;
        typecode &= ~MP_OBJ_ARRAY_TYPECODE_FLAG_RW;
    }
    if (typecode == BYTEARRAY_TYPECODE) {
        typecode = 'B';
    }
    const size_t bytes = bytes_of(typecode);
    const char *items = (const char *)array->items + (view ? array->free * bytes : 0);
    if (bytes == 0 || !vm_aligned(items, bytes)) {
        *size = 0;
        return NULL;
    }
    *size = (uint64_t)array->len << 8 | typecode | constant;
    return items;
}

const void *tier_view(mp_obj_t o, uint64_t *size) {
    *size = 0;
    if (o == MP_OBJ_NULL || !mp_obj_is_obj(o)) {
        return NULL;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (type == &mp_type_list) {
        const mp_obj_list_t *list = MP_OBJ_TO_PTR(o);
        *size = (uint64_t)list->len << 8 | TIER_LIST;
        return list->items;
    }
    if (type == &mp_type_tuple) {
        const mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(o);
        *size = (uint64_t)tuple->len << 8 | TIER_TUPLE;
        return tuple->items;
    }
    if (type == &mp_type_bytearray || type == &mp_type_array || type == &mp_type_memoryview) {
        return view_of_buffer(o, type, size);
    }
    return NULL;
}

bool tier_unpack(mp_obj_t sequence, size_t count, mp_obj_t *items) {
    if (!mp_obj_is_type(sequence, &mp_type_tuple) && !mp_obj_is_type(sequence, &mp_type_list)) {
        return false;
    }
    size_t length;
    mp_obj_t *found;
    mp_obj_get_array(sequence, &length, &found);
    if (length != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = found[count - 1 - i];
    }
    return true;
}

const mp_obj_type_t *tier_range_type;

mp_obj_t tier_quick_next(mp_obj_t *slots) {
    if (slots[0] == MP_OBJ_NULL) {
        return MP_OBJ_SENTINEL;
    }
    // Iterators on the stack are those of lists, tuples, strings, sets, arrays and ranges.
    const mp_obj_type_t *type = ((const mp_obj_base_t *)slots)->type;
    return type == &mp_type_polymorph_iter || type == tier_range_type
        ? mp_iternext(MP_OBJ_FROM_PTR(slots)) : MP_OBJ_SENTINEL;
}

mp_obj_t tier_next(mp_obj_t *slots) {
    return mp_iternext_allow_raise(slots[0] == MP_OBJ_NULL ? slots[1] : MP_OBJ_FROM_PTR(slots));
}

// Sets tier_range_type from the first iterator over a range, if its layout is as tier_range_next()
// expects. The struct is private to upstream's file, so the test advances a copy and compares the
// slots.
static void learn_range(const mp_obj_t *slots) {
    mp_obj_t copy[MP_OBJ_ITER_BUF_NSLOTS];
    for (size_t i = 0; i < MP_OBJ_ITER_BUF_NSLOTS; i++) {
        copy[i] = slots[i];
    }
    const mp_obj_t first = mp_iternext(MP_OBJ_FROM_PTR(copy));
    if (mp_obj_is_small_int(first) && MP_OBJ_SMALL_INT_VALUE(first) == (mp_int_t)slots[1]
        && copy[0] == slots[0] && copy[1] == slots[1] + slots[3] && copy[2] == slots[2]
        && copy[3] == slots[3]) {
        tier_range_type = ((const mp_obj_base_t *)slots)->type;
    }
}

void tier_iterate(mp_obj_t *slots) {
    const bool range = mp_obj_is_type(slots[0], &mp_type_range);
    const mp_obj_t iterator = mp_getiter(slots[0], (mp_obj_iter_buf_t *)slots);
    if (iterator != MP_OBJ_FROM_PTR(slots)) {
        slots[0] = MP_OBJ_NULL;
        slots[1] = iterator;
    } else if (range && tier_range_type == NULL) {
        learn_range(slots);
    }
}

// Returns whether native code must take a side exit at a poll: a callback is pending, or other
// lanes of the warp wait for this one. The latter starts a backoff.
static bool must_leave(void) {
    const bool hasty = gpusnek_native_hasty;
    gpusnek_native_hasty = false;
    if (MP_STATE_VM(sched_state) == MP_SCHED_PENDING) {
        return true;
    }
    if (!porter_native_holds(&gpusnek_native_rounds, hasty)) {
        return false;
    }
    // Exponential backoff: a program whose interpreters wait for each other will do so again, and
    // the VM lets all lanes make progress.
    gpusnek_native_rest = (uint16_t)(1 << gpusnek_native_rests);
    gpusnek_native_rests += gpusnek_native_rests < MOST_RESTS;
    return true;
}

bool tier_draw(uint32_t steps) {
    if (must_leave()) {
        return false;
    }
    // Polls at the same steps as single steps would. Windows are larger than `steps`, except for
    // the last one of a limit.
    for (int windows = 0; windows < 4 && steps >= gpusnek_poll_budget; windows++) {
        steps -= gpusnek_poll_budget;
        gpusnek_poll_budget = 0;
        gpusnek_poll_quietly();
    }
    gpusnek_poll_budget -= steps;
    return true;
}

bool tier_look(void) {
    if (gpusnek_poll_budget != 1 || must_leave()) {
        return false;
    }
    gpusnek_poll_budget = 0;
    gpusnek_poll_quietly();
    if (MP_STATE_VM(sched_state) == MP_SCHED_PENDING) {
        gpusnek_poll_budget++; // the interpreter's branch takes this step again
        return false;
    }
    return true;
}

#endif
