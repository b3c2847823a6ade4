// Inline arithmetic, comparison and element access on boxed values, for vm_fast.h and native code.
//
// Values are words of object representation D (NaN boxing): a small integer of 47 bits, a float, or
// a pointer to an object. Each function handles the types that need no call, raises nothing and
// returns MP_OBJ_NULL or false for the rest, which upstream's code then executes.
#ifndef GPUSNEK_VM_VALUES_H
#define GPUSNEK_VM_VALUES_H

#include "hooks.h"
#include "py/binary.h"
#include "py/objarray.h"
#include "py/objlist.h"
#include "py/objtuple.h"
#include "py/runtime0.h"
#include "py/smallint.h"

VM_INLINE bool vm_is_number(mp_obj_t o) {
    return mp_obj_is_small_int(o) || mp_obj_is_float(o);
}

VM_INLINE mp_float_t vm_float(mp_obj_t o) {
    return mp_obj_is_float(o) ? mp_obj_float_get(o) : (mp_float_t)MP_OBJ_SMALL_INT_VALUE(o);
}

// Returns the truth value of `o`, 0 or 1; -1 if the word alone does not determine it.
VM_INLINE int vm_truth(mp_obj_t o) {
    if (o == mp_const_true) {
        return 1;
    }
    if (o == mp_const_false || o == mp_const_none) {
        return 0;
    }
    return mp_obj_is_small_int(o) ? MP_OBJ_SMALL_INT_VALUE(o) != 0 : -1;
}

// Short integers, 0 <= value < 2**31, have this upper half; the lower half is twice the value, plus
// 1.
#define VM_SHORT (UINT32_C(0x00010000))

VM_INLINE bool vm_is_short(mp_obj_t o) {
    return (uint32_t)(o >> 32) == VM_SHORT;
}

// Returns lhs op rhs of two short integers; MP_OBJ_NULL if upstream's code must compute it. `op` is
// an in-place operator.
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

// Returns lhs op rhs of two small integers; MP_OBJ_NULL if the result does not fit a small integer,
// or if upstream's code must compute it. `op` is an in-place operator.
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

// Returns lhs op rhs of two floats; MP_OBJ_NULL if upstream's code must compute it. `op` is an
// in-place operator.
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

// The bit set of the comparisons that hold between two numbers, by number of the operator.
#define VM_HOLDS(op) (1u << MP_BINARY_OP_##op)
#define VM_HOLD(lhs, rhs) \
    ((lhs) < (rhs) ? VM_HOLDS(LESS) | VM_HOLDS(LESS_EQUAL) | VM_HOLDS(NOT_EQUAL) \
        : (lhs) == (rhs) ? VM_HOLDS(EQUAL) | VM_HOLDS(LESS_EQUAL) | VM_HOLDS(MORE_EQUAL) \
        : (lhs) > (rhs) ? VM_HOLDS(MORE) | VM_HOLDS(MORE_EQUAL) | VM_HOLDS(NOT_EQUAL) \
        : VM_HOLDS(NOT_EQUAL)) // not a number

// Returns the bit set of the comparisons that hold between lhs and rhs; 0 unless both are numbers.
VM_INLINE unsigned int vm_compare(mp_obj_t lhs, mp_obj_t rhs) {
    if (mp_obj_is_small_int(lhs) && mp_obj_is_small_int(rhs)) {
        const int64_t left = (int64_t)(lhs << 16), right = (int64_t)(rhs << 16);
        return VM_HOLD(left, right);
    }
    if (vm_is_number(lhs) && vm_is_number(rhs)) {
        // The conversion is exact: a small integer has 47 bits.
        const mp_float_t left = vm_float(lhs), right = vm_float(rhs);
        return VM_HOLD(left, right);
    }
    return 0;
}

// Returns lhs op rhs of two numbers, or `lhs is rhs` of any objects; MP_OBJ_NULL if upstream's code
// must compute it. `op` is not an order or equality comparison.
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

// Returns whether an access of `size` bytes at `at` is aligned. Items of arrays are; a memoryview
// may start anywhere.
VM_INLINE bool vm_aligned(const void *at, size_t size) {
    return ((uintptr_t)at & (size - 1)) == 0;
}

// The location of an element of a buffer: items[at], with a typecode of the module array.
typedef struct {
    void *items;
    size_t at;
    unsigned int typecode;
    bool writable;
} vm_place_t;

// Locates element i of a bytearray, array or memoryview; `type` is the container's type. Returns
// false for other types, and for an index out of range.
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
    place->at = (view ? array->free : 0) + (size_t)i; // a memoryview keeps its offset in `free`
    place->typecode = view
        ? array->typecode & ~MP_OBJ_ARRAY_TYPECODE_FLAG_RW : array->typecode;
    place->writable = !view || (array->typecode & MP_OBJ_ARRAY_TYPECODE_FLAG_RW) != 0;
    return true;
}

// Returns the element of a list, tuple, bytearray, array or memoryview; MP_OBJ_NULL for other
// containers, negative indexes, and typecodes that the fast path lacks.
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
        const mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(container); // may be in constant memory
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

// Stores an element of a list or of a writable buffer; returns false if upstream's code must.
VM_INLINE bool vm_element_store(mp_obj_t container, mp_obj_t index, mp_obj_t value) {
    // The value MP_OBJ_NULL means `del`.
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

#endif
