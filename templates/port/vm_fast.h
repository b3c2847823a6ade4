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

// Where names were found last: positions in the table of a map, by qstr; attributes are looked up
// half way round. What stands there is compared, so a position may be anything.
#define VM_NAMES (64)
#define VM_ATTRIBUTES (VM_NAMES / 2)
static uint8_t vm_name_position[VM_NAMES];

// The entry of `name` in a map's table of `alloc` entries; NULL where there is none, or looking
// would take long. `shift` is 0 or VM_ATTRIBUTES.
VM_INLINE mp_map_elem_t *vm_find(mp_map_elem_t *table, size_t alloc, qstr name, size_t shift) {
    const mp_obj_t key = MP_OBJ_NEW_QSTR(name);
    uint8_t *const position = &vm_name_position[(name + shift) % VM_NAMES];
    size_t at = *position;
    if (at < alloc && table[at].key == key) {
        return &table[at];
    }
    if (alloc > 2 * VM_NAMES) {
        return NULL;
    }
    for (at = 0; at < alloc; at++) {
        if (table[at].key == key) {
            *position = (uint8_t)at;
            return &table[at];
        }
    }
    return NULL;
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
    const mp_obj_array_t *array = MP_OBJ_TO_PTR(container);
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
    if (type == &mp_type_tuple) {
        const mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(container); // may be a constant
        return (mp_uint_t)i < tuple->len ? tuple->items[i] : MP_OBJ_NULL;
    }
    vm_place_t place;
    if (!vm_place(container, type, i, &place)) {
        return MP_OBJ_NULL;
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
VM_INLINE mp_map_elem_t *vm_member(mp_obj_t o, qstr name, const mp_obj_type_t **type) {
    if (!mp_obj_is_obj(o)) {
        return NULL;
    }
    *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (!mp_obj_is_instance_type(*type)) {
        return NULL;
    }
    const mp_map_t *members = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
    return vm_find(VM_OWN(mp_map_elem_t, members->table), members->alloc, name, VM_ATTRIBUTES);
}

// A variable-length number: its bytes' low seven bits, the highest first.
VM_INLINE mp_uint_t vm_uint(const byte **at) {
    const byte *ip = *at;
    mp_uint_t value = *ip & 0x7f;
    while (*ip++ & 0x80) {
        value = (value << 7) | (*ip & 0x7f);
    }
    *at = ip;
    return value;
}

// Where a jump leads whose distance, one byte or two, is at ip; behind it where it is not taken.
VM_INLINE const byte *vm_branch(const byte *ip, bool taken) {
    mp_int_t distance = (mp_int_t)ip[0] - 0x40;
    if (ip[0] & 0x80) {
        distance = ((ip[0] & 0x7f) | (ip[1] << 7)) - 0x4000;
        ip++;
    }
    ip++;
    return taken ? ip + distance : ip;
}

// Whether a branch must go through upstream's code, which looks at interrupts and callbacks.
VM_INLINE bool vm_must_look(void) {
    const uint32_t left = gpusnek_poll_budget - 1;
    if ((int32_t)left <= 0) {
        return true;
    }
    gpusnek_poll_budget = left;
    return false;
}

// What an attribute search for calling finds: the function, and what its first argument is.
typedef struct {
    mp_obj_t function;
    mp_obj_t self; // or MP_OBJ_NULL
} vm_method_t;

// The method `name` of an instance of a Python class, of a builtin type or in a module, in the
// simplest cases; false for anything else.
VM_INLINE bool vm_method(mp_obj_t o, qstr name, vm_method_t *method) {
    if (!mp_obj_is_obj(o) || name == MP_QSTR___class__ || name == MP_QSTR___next__) {
        return false;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (type == &mp_type_module) {
        const mp_map_t *names = &((const mp_obj_module_t *)MP_OBJ_TO_PTR(o))->globals->map;
        const mp_map_elem_t *found = vm_find(names->table, names->alloc, name, VM_ATTRIBUTES);
        if (found == NULL) {
            return false;
        }
        method->function = found->value;
        method->self = MP_OBJ_NULL;
        return true;
    }
    const bool instance = mp_obj_is_instance_type(type);
    if (instance) { // its own attributes come first
        const mp_map_t *own = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
        if (own->alloc > VM_NAMES
            || vm_find(VM_OWN(mp_map_elem_t, own->table), own->alloc, name, 0) != NULL) {
            return false;
        }
    } else if (MP_OBJ_TYPE_HAS_SLOT(type, attr)) {
        return false;
    }
    const mp_map_elem_t *found;
    for (;;) {
        const mp_obj_dict_t *dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        if (dict == NULL || dict->map.alloc > 2 * VM_NAMES) {
            return false; // not searched, so no base class may answer
        }
        found = vm_find(dict->map.table, dict->map.alloc, name, VM_ATTRIBUTES);
        if (found != NULL || !instance) {
            break;
        }
        type = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
        if (type == NULL || type->base.type != &mp_type_type || !mp_obj_is_instance_type(type)) {
            return false; // no base class, or not one of Python's
        }
    }
    if (found == NULL || !mp_obj_is_obj(found->value)) {
        return false;
    }
    const mp_obj_type_t *kind = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(found->value))->type;
    if (!(kind->flags & MP_TYPE_FLAG_BINDS_SELF)
        || (instance && kind->flags & MP_TYPE_FLAG_BUILTIN_FUN)) {
        return false;
    }
    method->function = found->value;
    method->self = o;
    return true;
}

// The operand of an instruction at ip: a qstr or a number.
#define VM_OPERAND(at) const byte *at = ip + 1; const mp_uint_t operand = vm_uint(&at)

// Sets of instructions with a name.
#define VM_BIT(op) (1u << ((op) - MP_BC_BASE_QSTR_O))
#define VM_LOCAL (VM_BIT(MP_BC_LOAD_NAME) | VM_BIT(MP_BC_STORE_NAME))
#define VM_LOAD (VM_BIT(MP_BC_LOAD_NAME) | VM_BIT(MP_BC_LOAD_GLOBAL))
#define VM_VARIABLE (VM_LOCAL | VM_LOAD | VM_BIT(MP_BC_STORE_GLOBAL))

// Instructions from *ip_ on, the stack's top at *sp_, up to one that upstream must run.
VM_INLINE void vm_fast(const byte **ip_, mp_obj_t **sp_, mp_obj_t *fastn_,
    const qstr_short_t *qstr_table, const mp_code_state_t *code_state) {
    if (MP_STATE_VM(sched_state) == MP_SCHED_PENDING) {
        return; // upstream's next branch runs the callback; nothing below makes one pending
    }
    const byte *ip = *ip_;
    mp_obj_t *const sp0 = VM_OWN(mp_obj_t, *sp_);
    mp_obj_t *sp = sp0;
    mp_obj_t *const fastn = VM_OWN(mp_obj_t, fastn_);
    // The globals, once a name was asked for: nothing here gives a dict another table.
    mp_map_elem_t *globals = NULL;
    size_t alloc = 0;
    bool at_module = false; // the locals are the globals
    for (;;) {
        const unsigned int op = *ip;
        if (op >= MP_BC_LOAD_CONST_SMALL_INT_MULTI) {
            if (op >= MP_BC_BINARY_OP_MULTI) {
                const unsigned int kind = op - MP_BC_BINARY_OP_MULTI;
                if (kind >= MP_BINARY_OP_NUM_BYTECODE) {
                    break;
                }
                if (kind > MP_BINARY_OP_NOT_EQUAL) {
                    const mp_obj_t result = vm_binary(kind, sp[-1], sp[0]);
                    if (result == MP_OBJ_NULL) {
                        break;
                    }
                    *--sp = result;
                    ip++;
                    continue;
                }
                const unsigned int holds = vm_compare(sp[-1], sp[0]);
                if (holds == 0) {
                    break;
                }
                const bool truth = (holds >> kind & 1) != 0;
                // A conditional jump mostly follows: take it along.
                const unsigned int next = ip[1];
                if ((next == MP_BC_POP_JUMP_IF_TRUE || next == MP_BC_POP_JUMP_IF_FALSE)
                    && !vm_must_look()) {
                    sp -= 2;
                    ip = vm_branch(ip + 2, truth == (next == MP_BC_POP_JUMP_IF_TRUE));
                    continue;
                }
                *--sp = truth ? mp_const_true : mp_const_false;
                ip++;
                continue;
            }
            if (op >= MP_BC_UNARY_OP_MULTI) {
                break;
            }
            if (op >= MP_BC_STORE_FAST_MULTI) {
                fastn[(int)MP_BC_STORE_FAST_MULTI - (int)op] = *sp--;
            } else if (op >= MP_BC_LOAD_FAST_MULTI) {
                const mp_obj_t value = fastn[(int)MP_BC_LOAD_FAST_MULTI - (int)op];
                if (value == MP_OBJ_NULL) {
                    break;
                }
                *++sp = value;
            } else {
                const mp_int_t value = (mp_int_t)op - MP_BC_LOAD_CONST_SMALL_INT_MULTI
                    - MP_BC_LOAD_CONST_SMALL_INT_MULTI_EXCESS;
                // Counting: `+ constant`.
                if (ip[1] == MP_BC_BINARY_OP_MULTI + MP_BINARY_OP_INPLACE_ADD && value >= 0
                    && vm_is_short(*sp)) {
                    *sp += (mp_uint_t)value << 1;
                    ip += 2;
                    continue;
                }
                *++sp = MP_OBJ_NEW_SMALL_INT(value);
            }
            ip++;
            continue;
        }
        if (op < MP_BC_BASE_VINT_E && op >= MP_BC_BASE_QSTR_O) { // a name follows
            VM_OPERAND(at);
            const qstr name = qstr_table[operand];
            const unsigned int bit = VM_BIT(op);
            if (bit & VM_VARIABLE) {
                if (globals == NULL) {
                    const mp_map_t *map = &mp_globals_get()->map;
                    if (map->is_fixed) {
                        break; // a constant module's, and so in nobody's own memory
                    }
                    globals = VM_OWN(mp_map_elem_t, map->table);
                    alloc = map->alloc;
                    at_module = mp_locals_get() == mp_globals_get();
                }
                if (!at_module && bit & VM_LOCAL) {
                    break;
                }
                mp_map_elem_t *found = vm_find(globals, alloc, name, 0);
                if (found == NULL) {
                    break;
                }
                if (bit & VM_LOAD) {
                    *++sp = found->value;
                } else {
                    found->value = *sp--;
                }
                ip = at;
                continue;
            }
            if (op == MP_BC_LOAD_CONST_STRING) {
                *++sp = MP_OBJ_NEW_QSTR(name);
                ip = at;
                continue;
            }
            if (op == MP_BC_LOAD_ATTR) {
                const mp_obj_type_t *type;
                const mp_map_elem_t *found = vm_member(*sp, name, &type);
                if (found == NULL) {
                    break;
                }
                *sp = found->value;
            } else if (op == MP_BC_STORE_ATTR) {
                const mp_obj_type_t *type;
                mp_map_elem_t *found = vm_member(*sp, name, &type);
                // Without a value it is `del`.
                if (found == NULL || sp[-1] == MP_OBJ_NULL
                    || type->flags & MP_TYPE_FLAG_HAS_SPECIAL_ACCESSORS) {
                    break;
                }
                found->value = sp[-1];
                sp -= 2;
            } else if (op == MP_BC_LOAD_METHOD) {
                vm_method_t method;
                if (!vm_method(*sp, name, &method)) {
                    break;
                }
                sp[0] = method.function;
                *++sp = method.self;
            } else {
                break;
            }
            ip = at;
            continue;
        }
        if (op == MP_BC_JUMP || op == MP_BC_POP_JUMP_IF_TRUE || op == MP_BC_POP_JUMP_IF_FALSE) {
            int truth = 1;
            if (op != MP_BC_JUMP) {
                truth = vm_truth(*sp);
                if (truth < 0) {
                    break;
                }
                truth = truth == (op == MP_BC_POP_JUMP_IF_TRUE);
            }
            if (vm_must_look()) {
                break;
            }
            sp -= op != MP_BC_JUMP;
            ip = vm_branch(ip + 1, truth);
            continue;
        }
        if (op == MP_BC_DUP_TOP) {
            const unsigned int next = ip[1] - MP_BC_STORE_FAST_MULTI;
            if (next < MP_BC_STORE_FAST_MULTI_NUM) { // the variable of a counting loop
                fastn[-(int)next] = *sp;
                ip += 2;
                continue;
            }
            sp[1] = sp[0];
            sp++;
        } else if (op == MP_BC_DUP_TOP_TWO) {
            // The end of a counting loop: go on while the top is less than what is below it.
            if (ip[1] == MP_BC_ROT_TWO && ip[2] == MP_BC_BINARY_OP_MULTI + MP_BINARY_OP_LESS
                && ip[3] == MP_BC_POP_JUMP_IF_TRUE && vm_is_short(sp[0]) && vm_is_short(sp[-1])
                && !vm_must_look()) {
                ip = vm_branch(ip + 4, sp[0] < sp[-1]);
                continue;
            }
            sp[1] = sp[-1];
            sp[2] = sp[0];
            sp += 2;
        } else if (op == MP_BC_ROT_TWO) {
            const mp_obj_t top = sp[0];
            sp[0] = sp[-1];
            sp[-1] = top;
        } else if (op == MP_BC_ROT_THREE) {
            const mp_obj_t top = sp[0];
            sp[0] = sp[-1];
            sp[-1] = sp[-2];
            sp[-2] = top;
        } else if (op == MP_BC_POP_TOP) {
            sp--;
        } else if (op == MP_BC_LOAD_SUBSCR) {
            const mp_obj_t value = vm_element(sp[-1], sp[0]);
            if (value == MP_OBJ_NULL) {
                break;
            }
            *--sp = value;
        } else if (op == MP_BC_STORE_SUBSCR) {
            if (!vm_element_store(sp[-1], sp[0], sp[-2])) {
                break;
            }
            sp -= 3;
        } else if (op == MP_BC_LOAD_CONST_SMALL_INT) {
            const byte *at = ip + 1;
            mp_uint_t value = *at & 0x40 ? ~(mp_uint_t)0 : 0;
            do {
                value = (value << 7) | (*at & 0x7f);
            } while ((*at++ & 0x80) != 0);
            *++sp = MP_OBJ_NEW_SMALL_INT(value);
            ip = at;
            continue;
        } else if (op == MP_BC_LOAD_CONST_OBJ) {
            VM_OPERAND(at);
            *++sp = code_state->fun_bc->context->constants.obj_table[operand];
            ip = at;
            continue;
        } else if (op == MP_BC_LOAD_CONST_NONE) {
            *++sp = mp_const_none;
        } else if (op == MP_BC_LOAD_CONST_FALSE) {
            *++sp = mp_const_false;
        } else if (op == MP_BC_LOAD_CONST_TRUE) {
            *++sp = mp_const_true;
        } else if (op == MP_BC_LOAD_FAST_N) {
            VM_OPERAND(at);
            const mp_obj_t value = fastn[-(mp_int_t)operand];
            if (value == MP_OBJ_NULL) {
                break;
            }
            *++sp = value;
            ip = at;
            continue;
        } else if (op == MP_BC_STORE_FAST_N) {
            VM_OPERAND(at);
            fastn[-(mp_int_t)operand] = *sp--;
            ip = at;
            continue;
        } else {
            break;
        }
        ip++;
    }
    *ip_ = ip;
    *sp_ += (int32_t)(sp - sp0); // not sp itself, lest both kinds of address are kept
}

#else
#define vm_fast(ip, sp, fastn, qstr_table, code_state) ((void)0)
#endif

#endif
