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
#include "py/objtuple.h"
#include "py/runtime.h"
#include "py/smallint.h"

#if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D && MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE

// What an interpreter owns, as memory that is known to be its own.
#define VM_OWN(type, pointer) ((type *)porter_private(pointer))
#define VM_INLINE static inline __attribute__((always_inline))

// Where names were found last: positions in the table of the globals, by qstr.
#define VM_NAMES (64)
static uint8_t vm_name_position[VM_NAMES];

// The entry of `name` among the globals; NULL where there is none, or looking would take long.
VM_INLINE mp_map_elem_t *vm_global(qstr name) {
    const mp_map_t *map = &mp_globals_get()->map;
    if (map->is_fixed) {
        return NULL; // a constant module's, and so in nobody's own memory
    }
    const mp_obj_t key = MP_OBJ_NEW_QSTR(name);
    mp_map_elem_t *table = VM_OWN(mp_map_elem_t, map->table);
    const size_t alloc = map->alloc;
    size_t at = vm_name_position[name % VM_NAMES];
    if (at < alloc && table[at].key == key) {
        return &table[at];
    }
    if (alloc > 2 * VM_NAMES) {
        return NULL;
    }
    for (at = 0; at < alloc; at++) {
        if (table[at].key == key) {
            vm_name_position[name % VM_NAMES] = (uint8_t)at;
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

// lhs op rhs of two small integers; MP_OBJ_NULL where upstream must do it. `op` is none in place.
VM_INLINE mp_obj_t vm_int_op(unsigned int op, mp_int_t lhs, mp_int_t rhs) {
    mp_int_t result;
    const bool short_operands = (int32_t)lhs == lhs && (int32_t)rhs == rhs;
    switch (op) {
        case MP_BINARY_OP_ADD:
            result = lhs + rhs;
            break;
        case MP_BINARY_OP_SUBTRACT:
            result = lhs - rhs;
            break;
        case MP_BINARY_OP_MULTIPLY:
            if (!short_operands) {
                return MP_OBJ_NULL;
            }
            result = lhs * rhs;
            break;
        case MP_BINARY_OP_FLOOR_DIVIDE:
            if (!short_operands || lhs < 0 || rhs <= 0) {
                return MP_OBJ_NULL;
            }
            result = (mp_int_t)((uint32_t)lhs / (uint32_t)rhs);
            break;
        case MP_BINARY_OP_MODULO:
            if (!short_operands || lhs < 0 || rhs <= 0) {
                return MP_OBJ_NULL;
            }
            result = (mp_int_t)((uint32_t)lhs % (uint32_t)rhs);
            break;
        case MP_BINARY_OP_TRUE_DIVIDE:
            return rhs == 0 ? MP_OBJ_NULL
                : mp_obj_new_float((mp_float_t)lhs / (mp_float_t)rhs);
        case MP_BINARY_OP_AND:
            result = lhs & rhs;
            break;
        case MP_BINARY_OP_OR:
            result = lhs | rhs;
            break;
        case MP_BINARY_OP_XOR:
            result = lhs ^ rhs;
            break;
        case MP_BINARY_OP_LSHIFT:
            if (!short_operands || rhs < 0 || rhs > 14) {
                return MP_OBJ_NULL;
            }
            result = (mp_int_t)((mp_uint_t)lhs << rhs);
            break;
        case MP_BINARY_OP_RSHIFT:
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
        case MP_BINARY_OP_ADD:
            return mp_obj_new_float(lhs + rhs);
        case MP_BINARY_OP_SUBTRACT:
            return mp_obj_new_float(lhs - rhs);
        case MP_BINARY_OP_MULTIPLY:
            return mp_obj_new_float(lhs * rhs);
        case MP_BINARY_OP_TRUE_DIVIDE:
            return rhs == 0 ? MP_OBJ_NULL : mp_obj_new_float(lhs / rhs);
        default:
            return MP_OBJ_NULL;
    }
}

#define VM_COMPARE(op, lhs, rhs) \
    ((op) == MP_BINARY_OP_LESS ? (lhs) < (rhs) : (op) == MP_BINARY_OP_MORE ? (lhs) > (rhs) \
        : (op) == MP_BINARY_OP_EQUAL ? (lhs) == (rhs) : (op) == MP_BINARY_OP_LESS_EQUAL \
        ? (lhs) <= (rhs) : (op) == MP_BINARY_OP_MORE_EQUAL ? (lhs) >= (rhs) : (lhs) != (rhs))

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

// How far a jump goes, from the instruction behind it on: one byte or two.
VM_INLINE mp_int_t vm_distance(const byte **at) {
    const byte *ip = *at;
    if (ip[0] & 0x80) {
        *at = ip + 2;
        return ((ip[0] & 0x7f) | (ip[1] << 7)) - 0x4000;
    }
    *at = ip + 1;
    return (mp_int_t)ip[0] - 0x40;
}

// Whether a branch must go through upstream's code, which looks at interrupts and callbacks.
VM_INLINE bool vm_must_look(void) {
    if (gpusnek_poll_budget <= 1 || MP_STATE_VM(sched_state) == MP_SCHED_PENDING) {
        return true;
    }
    gpusnek_poll_budget--;
    return false;
}

// Instructions from *ip_ on, the stack's top at *sp_, up to one that upstream must run.
VM_INLINE void vm_fast(const byte **ip_, mp_obj_t **sp_, mp_obj_t *fastn_,
    const qstr_short_t *qstr_table, const mp_code_state_t *code_state) {
    const byte *ip = *ip_;
    mp_obj_t *const sp0 = VM_OWN(mp_obj_t, *sp_);
    mp_obj_t *sp = sp0;
    mp_obj_t *fastn = VM_OWN(mp_obj_t, fastn_);
    for (;;) {
        const unsigned int op = *ip;
        if (op >= MP_BC_LOAD_CONST_SMALL_INT_MULTI) {
            if (op >= MP_BC_BINARY_OP_MULTI) {
                unsigned int kind = op - MP_BC_BINARY_OP_MULTI;
                if (kind >= MP_BINARY_OP_NUM_BYTECODE) {
                    break;
                }
                const mp_obj_t lhs = sp[-1], rhs = sp[0];
                const bool ints = mp_obj_is_small_int(lhs) && mp_obj_is_small_int(rhs);
                if (kind <= MP_BINARY_OP_NOT_EQUAL) {
                    bool truth;
                    if (ints) { // words of small integers compare as the integers do
                        const int64_t left = (int64_t)(lhs << 16), right = (int64_t)(rhs << 16);
                        truth = VM_COMPARE(kind, left, right);
                    } else if (vm_is_number(lhs) && vm_is_number(rhs)) {
                        // (A small integer has 47 bits, so it is a float exactly.)
                        const mp_float_t left = vm_float(lhs), right = vm_float(rhs);
                        truth = VM_COMPARE(kind, left, right);
                    } else {
                        break;
                    }
                    // A conditional jump mostly follows: take it along.
                    const unsigned int next = ip[1];
                    if ((next == MP_BC_POP_JUMP_IF_TRUE || next == MP_BC_POP_JUMP_IF_FALSE)
                        && !vm_must_look()) {
                        ip += 2;
                        const mp_int_t distance = vm_distance(&ip);
                        sp -= 2;
                        if (truth == (next == MP_BC_POP_JUMP_IF_TRUE)) {
                            ip += distance;
                        }
                        continue;
                    }
                    *--sp = truth ? mp_const_true : mp_const_false;
                    ip++;
                    continue;
                }
                if (kind >= MP_BINARY_OP_INPLACE_OR && kind <= MP_BINARY_OP_INPLACE_POWER) {
                    kind += MP_BINARY_OP_OR - MP_BINARY_OP_INPLACE_OR;
                }
                mp_obj_t result;
                if (ints) {
                    result = vm_int_op(kind, MP_OBJ_SMALL_INT_VALUE(lhs),
                        MP_OBJ_SMALL_INT_VALUE(rhs));
                } else if (vm_is_number(lhs) && vm_is_number(rhs)) {
                    result = vm_float_op(kind, vm_float(lhs), vm_float(rhs));
                } else if (kind == MP_BINARY_OP_IS) {
                    result = lhs == rhs ? mp_const_true : mp_const_false;
                } else {
                    break;
                }
                if (result == MP_OBJ_NULL) {
                    break;
                }
                *--sp = result;
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
                *++sp = MP_OBJ_NEW_SMALL_INT((mp_int_t)op - MP_BC_LOAD_CONST_SMALL_INT_MULTI
                    - MP_BC_LOAD_CONST_SMALL_INT_MULTI_EXCESS);
            }
            ip++;
            continue;
        }
        if (op == MP_BC_LOAD_NAME || op == MP_BC_LOAD_GLOBAL
            || op == MP_BC_STORE_NAME || op == MP_BC_STORE_GLOBAL) {
            if ((op == MP_BC_LOAD_NAME || op == MP_BC_STORE_NAME)
                && mp_locals_get() != mp_globals_get()) {
                break;
            }
            const byte *at = ip + 1;
            mp_map_elem_t *found = vm_global(qstr_table[vm_uint(&at)]);
            if (found == NULL) {
                break;
            }
            if (op == MP_BC_LOAD_NAME || op == MP_BC_LOAD_GLOBAL) {
                *++sp = found->value;
            } else {
                found->value = *sp--;
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
            ip++;
            const mp_int_t distance = vm_distance(&ip);
            if (truth) {
                ip += distance;
            }
            continue;
        }
        if (op == MP_BC_DUP_TOP) {
            sp[1] = sp[0];
            sp++;
        } else if (op == MP_BC_DUP_TOP_TWO) {
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
            const byte *at = ip + 1;
            const mp_uint_t which = vm_uint(&at);
            *++sp = code_state->fun_bc->context->constants.obj_table[which];
            ip = at;
            continue;
        } else if (op == MP_BC_LOAD_CONST_STRING) {
            const byte *at = ip + 1;
            *++sp = MP_OBJ_NEW_QSTR(qstr_table[vm_uint(&at)]);
            ip = at;
            continue;
        } else if (op == MP_BC_LOAD_CONST_NONE) {
            *++sp = mp_const_none;
        } else if (op == MP_BC_LOAD_CONST_FALSE) {
            *++sp = mp_const_false;
        } else if (op == MP_BC_LOAD_CONST_TRUE) {
            *++sp = mp_const_true;
        } else if (op == MP_BC_LOAD_FAST_N) {
            const byte *at = ip + 1;
            const mp_obj_t value = fastn[-(mp_int_t)vm_uint(&at)];
            if (value == MP_OBJ_NULL) {
                break;
            }
            *++sp = value;
            ip = at;
            continue;
        } else if (op == MP_BC_STORE_FAST_N) {
            const byte *at = ip + 1;
            fastn[-(mp_int_t)vm_uint(&at)] = *sp--;
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
