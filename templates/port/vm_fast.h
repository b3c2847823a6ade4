// The bytecode interpreter's hot instructions, inlined before upstream's switch.
//
// Upstream's switch is a tree of some ten branches on a GPU, writes the instruction pointer to
// memory for each instruction, and calls a function for each operator; every call saves and
// restores registers in local memory. vm_fast() runs instructions of which it knows that they
// cannot raise, with operands that it knows, and returns at the first other one with nothing of
// it done; upstream's code then runs that. So what it does not know is slower, never wrong.
//
// Included by py/vm.c (patch `vm-fast-path`).
#ifndef GPUSNEK_VM_FAST_H
#define GPUSNEK_VM_FAST_H

#include "hooks.h"
#include "py/binary.h"
#include "py/bc.h"
#include "py/bc0.h"
#include "py/objarray.h"
#include "py/objlist.h"
#include "py/objmodule.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "py/smallint.h"

#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

// What an interpreter owns, as memory that is known to be its own.
#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

// The bytecode from an instruction on; on a GPU, where every access takes long, eight bytes at a
// time. Words are aligned, so no byte is read that does not share one with a byte of the code.
typedef struct {
    const byte *ip;
    uint64_t bytes; // from there on: `left` ones, the first lowest; at least the first
    uint32_t left; // from 1 to 8; 0 where bytes are read one by one
} vm_window_t;

// To the instruction at ip.
VM_INLINE void vm_seek(vm_window_t *code, const byte *ip) {
    code->ip = ip;
    if (porter_prefers_words()) {
        const uint32_t before = (uint32_t)(uintptr_t)ip % 8;
        code->bytes = *(const uint64_t *)(ip - before) >> (8 * before);
        code->left = 8 - before;
    } else {
        code->bytes = *ip;
        code->left = 0;
    }
}

// The byte `at` after the instruction's first; it must be there.
VM_INLINE unsigned int vm_byte(const vm_window_t *code, uint32_t at) {
    return at < code->left ? (uint32_t)(code->bytes >> (8 * at)) & 0xff : code->ip[at];
}

// On to the instruction that follows this one, which has `size` bytes.
VM_INLINE void vm_advance(vm_window_t *code, uint32_t size) {
    if (size < code->left) {
        code->ip += size;
        code->bytes >>= 8 * size;
        code->left -= size;
    } else {
        vm_seek(code, code->ip + size);
    }
}

// The instruction's operand, seven bits a byte, the highest first; *size: bytes of both.
VM_INLINE uint32_t vm_operand(const vm_window_t *code, uint32_t *size) {
    uint32_t at = 1;
    uint32_t next = vm_byte(code, at++);
    uint32_t value = next & 0x7f;
    while (next & 0x80) {
        next = vm_byte(code, at++);
        value = (value << 7) | (next & 0x7f);
    }
    *size = at;
    return value;
}

// A jump whose distance, one byte or two, is `at` bytes on; or past it where it is not taken.
VM_INLINE void vm_branch(vm_window_t *code, uint32_t at, bool taken) {
    const uint32_t first = vm_byte(code, at++);
    int32_t distance = (int32_t)first - 0x40;
    if (first & 0x80) {
        distance = (int32_t)((first & 0x7f) | (vm_byte(code, at++) << 7)) - 0x4000;
    }
    if (taken) {
        vm_seek(code, code->ip + (int32_t)at + distance);
    } else {
        vm_advance(code, at);
    }
}

// Where names were found last: positions in the table of a map, by the name's number in the code;
// attributes are looked up half way round. What stands there is compared, so a position may be
// anything.
#define VM_NAMES (64)
#define VM_ATTRIBUTES (VM_NAMES / 2)
static uint8_t vm_name_position[VM_NAMES];

// A name as an instruction has it: its number, and the object that it is as a key.
typedef struct {
    uint32_t number;
    mp_obj_t key;
} vm_name_t;

// The position of a name in a map's table of `alloc` entries, looked for in all of them; -1 where
// it is not there, or looking would take long. `slot`: of vm_name_position.
VM_INLINE int32_t vm_search(const mp_map_elem_t *table, uint32_t alloc, mp_obj_t key,
    uint32_t slot) {
    if (alloc <= 2 * VM_NAMES) {
        for (uint32_t at = 0; at < alloc; at++) {
            if (table[at].key == key) {
                vm_name_position[slot] = (uint8_t)at;
                return (int32_t)at;
            }
        }
    }
    return -1;
}

// The same, looked for first where it was last. `shift` is 0 or VM_ATTRIBUTES.
VM_INLINE int32_t vm_find(const mp_map_elem_t *table, uint32_t alloc, vm_name_t name,
    uint32_t shift) {
    const uint32_t slot = (name.number + shift) % VM_NAMES;
    const uint32_t last = vm_name_position[slot];
    if (last < alloc && table[last].key == name.key) {
        return (int32_t)last;
    }
    return vm_search(table, alloc, name.key, slot);
}

VM_INLINE bool vm_is_number(mp_obj_t o) {
    return mp_obj_is_small_int(o) || mp_obj_is_float(o);
}

VM_INLINE mp_float_t vm_float(mp_obj_t o) {
    return mp_obj_is_float(o) ? mp_obj_float_get(o) : (mp_float_t)MP_OBJ_SMALL_INT_VALUE(o);
}

// Whether `o` counts as true: 0 or 1; -1 where it takes more than a look at the word.
VM_INLINE int vm_truth(mp_obj_t o) {
    if (o == mp_const_true) {
        return 1;
    }
    if (o == mp_const_false || o == mp_const_none) {
        return 0;
    }
    return mp_obj_is_small_int(o) ? MP_OBJ_SMALL_INT_VALUE(o) != 0 : -1;
}

// Integers from 0 up to 2**31 are those with this upper half; the lower one is twice the value + 1.
#define VM_SHORT (UINT32_C(0x00010000))

VM_INLINE bool vm_is_short(mp_obj_t o) {
    return (uint32_t)(o >> 32) == VM_SHORT;
}

// lhs op rhs of two such integers; MP_OBJ_NULL where upstream must do it. `op` is one in place.
VM_INLINE mp_obj_t vm_short_op(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    if (op == MP_BINARY_OP_INPLACE_ADD) {
        return lhs + (uint32_t)rhs - 1;
    }
    const uint32_t a = (uint32_t)lhs >> 1, b = (uint32_t)rhs >> 1;
    uint64_t result;
    switch (op) {
        case MP_BINARY_OP_INPLACE_SUBTRACT:
            return MP_OBJ_NEW_SMALL_INT((int64_t)a - (int64_t)b);
        case MP_BINARY_OP_INPLACE_AND:
            return lhs & rhs;
        case MP_BINARY_OP_INPLACE_OR:
            return lhs | rhs;
        case MP_BINARY_OP_INPLACE_MULTIPLY:
            result = (uint64_t)a * b;
            if (result >> (MP_SMALL_INT_BITS - 1)) {
                return MP_OBJ_NULL;
            }
            break;
        case MP_BINARY_OP_INPLACE_FLOOR_DIVIDE:
            if (b == 0) {
                return MP_OBJ_NULL;
            }
            result = a / b;
            break;
        case MP_BINARY_OP_INPLACE_MODULO:
            if (b == 0) {
                return MP_OBJ_NULL;
            }
            result = a % b;
            break;
        case MP_BINARY_OP_INPLACE_TRUE_DIVIDE:
            return b == 0 ? MP_OBJ_NULL : mp_obj_new_float((mp_float_t)a / (mp_float_t)b);
        case MP_BINARY_OP_INPLACE_XOR:
            result = a ^ b;
            break;
        case MP_BINARY_OP_INPLACE_LSHIFT:
            if (b > 14) {
                return MP_OBJ_NULL;
            }
            result = (uint64_t)a << b;
            break;
        case MP_BINARY_OP_INPLACE_RSHIFT:
            result = b > 31 ? 0 : a >> b;
            break;
        default:
            return MP_OBJ_NULL;
    }
    return MP_OBJ_NEW_SMALL_INT(result);
}

// The same of any two small integers.
VM_INLINE mp_obj_t vm_int_op(unsigned int op, mp_int_t lhs, mp_int_t rhs) {
    mp_int_t result;
    switch (op) {
        case MP_BINARY_OP_INPLACE_ADD:
            result = lhs + rhs;
            break;
        case MP_BINARY_OP_INPLACE_SUBTRACT:
            result = lhs - rhs;
            break;
        case MP_BINARY_OP_INPLACE_MULTIPLY:
            if ((int32_t)lhs != lhs || (int32_t)rhs != rhs) {
                return MP_OBJ_NULL;
            }
            result = lhs * rhs;
            break;
        case MP_BINARY_OP_INPLACE_TRUE_DIVIDE:
            return rhs == 0 ? MP_OBJ_NULL
                : mp_obj_new_float((mp_float_t)lhs / (mp_float_t)rhs);
        case MP_BINARY_OP_INPLACE_AND:
            result = lhs & rhs;
            break;
        case MP_BINARY_OP_INPLACE_OR:
            result = lhs | rhs;
            break;
        case MP_BINARY_OP_INPLACE_XOR:
            result = lhs ^ rhs;
            break;
        case MP_BINARY_OP_INPLACE_RSHIFT:
            if (rhs < 0 || rhs > 46) {
                return MP_OBJ_NULL;
            }
            result = lhs >> rhs;
            break;
        default:
            return MP_OBJ_NULL;
    }
    return MP_SMALL_INT_FITS(result) ? MP_OBJ_NEW_SMALL_INT(result) : MP_OBJ_NULL;
}

VM_INLINE mp_obj_t vm_float_op(unsigned int op, mp_float_t lhs, mp_float_t rhs) {
    switch (op) {
        case MP_BINARY_OP_INPLACE_ADD:
            return mp_obj_new_float(lhs + rhs);
        case MP_BINARY_OP_INPLACE_SUBTRACT:
            return mp_obj_new_float(lhs - rhs);
        case MP_BINARY_OP_INPLACE_MULTIPLY:
            return mp_obj_new_float(lhs * rhs);
        case MP_BINARY_OP_INPLACE_TRUE_DIVIDE:
            return rhs == 0 ? MP_OBJ_NULL : mp_obj_new_float(lhs / rhs);
        default:
            return MP_OBJ_NULL;
    }
}

// Which comparisons hold, by how two numbers lie.
#define VM_HOLDS(op) (1u << MP_BINARY_OP_##op)
#define VM_HOLD(lhs, rhs) \
    ((lhs) < (rhs) ? VM_HOLDS(LESS) | VM_HOLDS(LESS_EQUAL) | VM_HOLDS(NOT_EQUAL) \
        : (lhs) == (rhs) ? VM_HOLDS(EQUAL) | VM_HOLDS(LESS_EQUAL) | VM_HOLDS(MORE_EQUAL) \
        : (lhs) > (rhs) ? VM_HOLDS(MORE) | VM_HOLDS(MORE_EQUAL) | VM_HOLDS(NOT_EQUAL) \
        : VM_HOLDS(NOT_EQUAL)) // not a number

// The comparisons that hold between lhs and rhs; 0 where they are not two numbers.
VM_INLINE unsigned int vm_compare(mp_obj_t lhs, mp_obj_t rhs) {
    if (mp_obj_is_small_int(lhs) && mp_obj_is_small_int(rhs)) {
        const int64_t left = (int64_t)(lhs << 16), right = (int64_t)(rhs << 16);
        return VM_HOLD(left, right);
    }
    if (vm_is_number(lhs) && vm_is_number(rhs)) {
        // (A small integer has 47 bits, so it is a float exactly.)
        const mp_float_t left = vm_float(lhs), right = vm_float(rhs);
        return VM_HOLD(left, right);
    }
    return 0;
}

// lhs op rhs of two numbers, or `is`; MP_OBJ_NULL where upstream must do it. `op` is no comparison.
VM_INLINE mp_obj_t vm_binary(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    if (op >= MP_BINARY_OP_OR) {
        op -= MP_BINARY_OP_OR - MP_BINARY_OP_INPLACE_OR;
    }
    if (vm_is_short(lhs) && vm_is_short(rhs)) {
        const mp_obj_t result = vm_short_op(op, lhs, rhs);
        if (result != MP_OBJ_NULL) {
            return result;
        }
    } else if (mp_obj_is_float(lhs) && mp_obj_is_float(rhs)) {
        return vm_float_op(op, mp_obj_float_get(lhs), mp_obj_float_get(rhs));
    }
    if (op == MP_BINARY_OP_IS) {
        return lhs == rhs ? mp_const_true : mp_const_false;
    }
    if (mp_obj_is_small_int(lhs) && mp_obj_is_small_int(rhs)) {
        return vm_int_op(op, MP_OBJ_SMALL_INT_VALUE(lhs), MP_OBJ_SMALL_INT_VALUE(rhs));
    }
    if (vm_is_number(lhs) && vm_is_number(rhs)) {
        return vm_float_op(op, vm_float(lhs), vm_float(rhs));
    }
    return MP_OBJ_NULL;
}

// Whether an access of `size` bytes at `at` is aligned: what arrays hold is, views need not be.
VM_INLINE bool vm_aligned(const void *at, size_t size) {
    return ((uintptr_t)at & (size - 1)) == 0;
}

// Where an element of a buffer is: items[at], of a typecode as array's.
typedef struct {
    void *items;
    size_t at;
    unsigned int typecode;
    bool writable;
} vm_place_t;

// Element i of a bytearray, array or memoryview of that type; false where there is none.
VM_INLINE bool vm_place(mp_obj_t container, const mp_obj_type_t *type, mp_int_t i,
    vm_place_t *place) {
    const bool view = type == &mp_type_memoryview;
    if (!view && type != &mp_type_bytearray && type != &mp_type_array) {
        return false;
    }
    const mp_obj_array_t *array = VM_OWN(mp_obj_array_t, MP_OBJ_TO_PTR(container));
    if ((mp_uint_t)i >= array->len) {
        return false;
    }
    place->items = array->items;
    place->at = (view ? array->free : 0) + (size_t)i; // a view's offset
    place->typecode = view
        ? array->typecode & ~MP_OBJ_ARRAY_TYPECODE_FLAG_RW : array->typecode;
    place->writable = !view || (array->typecode & MP_OBJ_ARRAY_TYPECODE_FLAG_RW) != 0;
    return true;
}

// The element of a list, tuple, bytearray, array or memoryview; MP_OBJ_NULL for anything else.
VM_INLINE mp_obj_t vm_element(mp_obj_t container, mp_obj_t index) {
    if (!mp_obj_is_obj(container) || !mp_obj_is_small_int(index)) {
        return MP_OBJ_NULL;
    }
    const mp_int_t i = MP_OBJ_SMALL_INT_VALUE(index);
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(container))->type;
    if (type == &mp_type_list) {
        const mp_obj_list_t *list = VM_OWN(mp_obj_list_t, MP_OBJ_TO_PTR(container));
        return (mp_uint_t)i < list->len ? VM_OWN(mp_obj_t, list->items)[i] : MP_OBJ_NULL;
    }
    vm_place_t place;
    if (!vm_place(container, type, i, &place)) {
        if (type != &mp_type_tuple) {
            return MP_OBJ_NULL;
        }
        const mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(container); // may be a constant
        return (mp_uint_t)i < tuple->len ? tuple->items[i] : MP_OBJ_NULL;
    }
    if (place.typecode == 'f' && vm_aligned(place.items, sizeof(float))) {
        return mp_obj_new_float((mp_float_t)((const float *)place.items)[place.at]);
    }
    if (place.typecode == 'B' || place.typecode == BYTEARRAY_TYPECODE) {
        return MP_OBJ_NEW_SMALL_INT(((const uint8_t *)place.items)[place.at]);
    }
    if (place.typecode == 'd' && vm_aligned(place.items, sizeof(double))) {
        return mp_obj_new_float(((const double *)place.items)[place.at]);
    }
    if (place.typecode == 'i' && vm_aligned(place.items, sizeof(int32_t))) {
        return MP_OBJ_NEW_SMALL_INT((mp_int_t)((const int32_t *)place.items)[place.at]);
    }
    return MP_OBJ_NULL;
}

// container[index] = value of a list or of a writable buffer; false where upstream must do it.
VM_INLINE bool vm_element_store(mp_obj_t container, mp_obj_t index, mp_obj_t value) {
    // No value: it is `del`.
    if (!mp_obj_is_obj(container) || !mp_obj_is_small_int(index) || value == MP_OBJ_NULL) {
        return false;
    }
    const mp_int_t i = MP_OBJ_SMALL_INT_VALUE(index);
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(container))->type;
    if (type == &mp_type_list) {
        mp_obj_list_t *list = VM_OWN(mp_obj_list_t, MP_OBJ_TO_PTR(container));
        if ((mp_uint_t)i >= list->len) {
            return false;
        }
        VM_OWN(mp_obj_t, list->items)[i] = value;
        return true;
    }
    vm_place_t place;
    if (!vm_place(container, type, i, &place) || !place.writable) {
        return false;
    }
    if (place.typecode == 'f' && vm_is_number(value) && vm_aligned(place.items, sizeof(float))) {
        ((float *)place.items)[place.at] = (float)vm_float(value);
        return true;
    }
    if ((place.typecode == 'B' || place.typecode == BYTEARRAY_TYPECODE)
        && mp_obj_is_small_int(value)) {
        const mp_int_t byte_value = MP_OBJ_SMALL_INT_VALUE(value);
        if (0 <= byte_value && byte_value <= 255) {
            ((uint8_t *)place.items)[place.at] = (uint8_t)byte_value;
            return true;
        }
    }
    return false;
}

// The attribute `name` that an instance of a Python class has itself; NULL for anything else.
VM_INLINE mp_map_elem_t *vm_member(mp_obj_t o, vm_name_t name, const mp_obj_type_t **type) {
    if (!mp_obj_is_obj(o)) {
        return NULL;
    }
    *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (!mp_obj_is_instance_type(*type)) {
        return NULL;
    }
    const mp_map_t *members = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
    mp_map_elem_t *table = VM_OWN(mp_map_elem_t, members->table);
    const int32_t at = vm_find(table, (uint32_t)members->alloc, name, VM_ATTRIBUTES);
    return at < 0 ? NULL : &table[at];
}

// What an attribute search for calling finds: the function, and what its first argument is.
typedef struct {
    mp_obj_t function;
    mp_obj_t self; // or MP_OBJ_NULL
} vm_method_t;

// What a map says of a name; MP_OBJ_NULL where it is not there.
VM_INLINE mp_obj_t vm_entry(const mp_map_t *map, vm_name_t name) {
    const int32_t at = vm_find(map->table, (uint32_t)map->alloc, name, VM_ATTRIBUTES);
    return at < 0 ? MP_OBJ_NULL : map->table[at].value;
}

// The method `name` of an instance of a Python class, of a builtin type or in a module, in the
// simplest cases; false for anything else.
VM_INLINE bool vm_method(mp_obj_t o, vm_name_t name, vm_method_t *method) {
    if (!mp_obj_is_obj(o) || name.key == MP_OBJ_NEW_QSTR(MP_QSTR___class__)
        || name.key == MP_OBJ_NEW_QSTR(MP_QSTR___next__)) {
        return false;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    method->self = MP_OBJ_NULL;
    if (type == &mp_type_module) {
        method->function = vm_entry(&((const mp_obj_module_t *)MP_OBJ_TO_PTR(o))->globals->map,
            name);
        return method->function != MP_OBJ_NULL;
    }
    const bool instance = mp_obj_is_instance_type(type);
    if (instance) { // its own attributes come first
        const mp_map_t *own = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
        if (own->alloc > VM_NAMES || vm_find(VM_OWN(mp_map_elem_t, own->table),
            (uint32_t)own->alloc, name, 0) >= 0) {
            return false;
        }
    } else if (MP_OBJ_TYPE_HAS_SLOT(type, attr)) {
        return false;
    }
    for (;;) {
        const mp_obj_dict_t *dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        if (dict == NULL || dict->map.alloc > 2 * VM_NAMES) {
            return false; // not searched, so no base class may answer
        }
        method->function = vm_entry(&dict->map, name);
        if (method->function != MP_OBJ_NULL || !instance) {
            break;
        }
        type = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
        if (type == NULL || type->base.type != &mp_type_type || !mp_obj_is_instance_type(type)) {
            return false; // no base class, or not one of Python's
        }
    }
    if (method->function == MP_OBJ_NULL || !mp_obj_is_obj(method->function)) {
        return false;
    }
    const mp_obj_type_t *kind = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(method->function))->type;
    if (!(kind->flags & MP_TYPE_FLAG_BINDS_SELF)
        || (instance && kind->flags & MP_TYPE_FLAG_BUILTIN_FUN)) {
        return false;
    }
    method->self = o;
    return true;
}

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
