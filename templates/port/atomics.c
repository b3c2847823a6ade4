// gpu.atomic_add() and its relatives: atomic read-modify-write operations on one item of a buffer.
//
// The module `gpu` exports these function objects. porter_atomic() (hooks.h) performs the
// operation.
//
// Invariant: each operation sets gpusnek_native_hasty, because a program may use an atomic as a
// lock and spin until another lane of its warp releases it. Native code then yields to the warp
// sooner (porter_native_holds).
#include <string.h>

#include "hooks.h"
#include "native.h"
#include "port.h"
#include "py/binary.h"
#include "py/runtime.h"

typedef struct _item_t {
    char typecode;
    void *address;
} item_t;

// Return the item at `index` of `buffer`. Raises TypeError for an unsupported typecode, IndexError,
// and ValueError if the item is not aligned to its size.
static item_t find_item(mp_obj_t buffer, mp_obj_t index) {
    mp_buffer_info_t info;
    mp_get_buffer_raise(buffer, &info, MP_BUFFER_RW);
    if (info.typecode == 0 || strchr("iIlLqQfd", info.typecode) == NULL) {
        mp_raise_TypeError(MP_ERROR_TEXT("atomics need items of typecode i, I, l, L, q, Q, f or d"));
    }
    size_t align;
    size_t size = mp_binary_get_size('@', info.typecode, &align);
    size_t at = mp_get_index(mp_obj_get_type(buffer), info.len / size, index, false);
    item_t item = {(char)info.typecode, (char *)info.buf + at * size};
    if ((uintptr_t)item.address % size != 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("unaligned memory"));
    }
    return item;
}

static void check_range(bool fits) {
    if (!fits) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("value does not fit the item"));
    }
}

// Return the low 64 bits of an integer; raise OverflowError if they do not represent `value`.
// mp_obj_get_int() rejects the minimum of int64_t and the upper half of uint64_t.
static uint64_t int_bits(bool is_unsigned, mp_obj_t value) {
    if (!mp_obj_is_exact_type(value, &mp_type_int)) {
        value = mp_obj_new_int(mp_obj_get_int(value));
    }
    uint64_t bits = (uint64_t)mp_obj_int_get_truncated(value);
    check_range(mp_obj_equal(value, is_unsigned ? mp_obj_new_int_from_ull(bits)
        : mp_obj_new_int_from_ll((int64_t)bits)));
    return bits;
}

// Return the item's byte representation of `value`, zero-extended to 64 bits. Raises OverflowError
// or TypeError if the item cannot hold the value.
static uint64_t to_bits(char typecode, mp_obj_t value) {
    uint64_t bits = 0;
    if (typecode == 'f') {
        float number = (float)mp_obj_get_float(value);
        memcpy(&bits, &number, sizeof number);
    } else if (typecode == 'd') {
        double number = (double)mp_obj_get_float(value);
        memcpy(&bits, &number, sizeof number);
    } else {
        bits = int_bits(typecode == 'I' || typecode == 'L' || typecode == 'Q', value);
        check_range(typecode != 'i' || (int64_t)bits == (int32_t)bits);
        check_range(typecode != 'I' || bits == (uint32_t)bits);
    }
    return bits;
}

// Return the Python number that an item's bytes represent; the inverse of to_bits().
static mp_obj_t from_bits(char typecode, uint64_t bits) {
    if (typecode == 'f') {
        float number;
        memcpy(&number, &bits, sizeof number);
        return mp_obj_new_float((mp_float_t)number);
    }
    if (typecode == 'd') {
        double number;
        memcpy(&number, &bits, sizeof number);
        return mp_obj_new_float((mp_float_t)number);
    }
    if (typecode == 'i') {
        return mp_obj_new_int((int32_t)bits);
    }
    if (typecode == 'I') {
        return mp_obj_new_int_from_uint((uint32_t)bits);
    }
    return typecode == 'l' || typecode == 'q' ? mp_obj_new_int_from_ll((int64_t)bits)
        : mp_obj_new_int_from_ull(bits);
}

// Apply one PORTER_ATOMIC_* operation to an item and return the item's previous value.
static mp_obj_t change(int operation, mp_obj_t buffer, mp_obj_t index, mp_obj_t value) {
    item_t item = find_item(buffer, index);
    uint64_t operand = to_bits(item.typecode, value);
    gpusnek_native_hasty = true;
    return from_bits(item.typecode,
        porter_atomic(operation, item.typecode, item.address, operand, 0));
}

static mp_obj_t atomic_add(mp_obj_t buffer, mp_obj_t index, mp_obj_t value) {
    return change(PORTER_ATOMIC_ADD, buffer, index, value);
}
MP_DEFINE_CONST_FUN_OBJ_3(gpusnek_atomic_add_obj, atomic_add);

static mp_obj_t atomic_min(mp_obj_t buffer, mp_obj_t index, mp_obj_t value) {
    return change(PORTER_ATOMIC_MIN, buffer, index, value);
}
MP_DEFINE_CONST_FUN_OBJ_3(gpusnek_atomic_min_obj, atomic_min);

static mp_obj_t atomic_max(mp_obj_t buffer, mp_obj_t index, mp_obj_t value) {
    return change(PORTER_ATOMIC_MAX, buffer, index, value);
}
MP_DEFINE_CONST_FUN_OBJ_3(gpusnek_atomic_max_obj, atomic_max);

static mp_obj_t atomic_exchange(mp_obj_t buffer, mp_obj_t index, mp_obj_t value) {
    return change(PORTER_ATOMIC_EXCHANGE, buffer, index, value);
}
MP_DEFINE_CONST_FUN_OBJ_3(gpusnek_atomic_exchange_obj, atomic_exchange);

// atomic_cas(buffer, index, expected, value): compare and swap; returns the previous value.
static mp_obj_t atomic_cas(size_t n_args, const mp_obj_t *args) {
    (void)n_args;
    item_t item = find_item(args[0], args[1]);
    uint64_t expected = to_bits(item.typecode, args[2]);
    uint64_t value = to_bits(item.typecode, args[3]);
    gpusnek_native_hasty = true;
    return from_bits(item.typecode,
        porter_atomic(PORTER_ATOMIC_CAS, item.typecode, item.address, value, expected));
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(gpusnek_atomic_cas_obj, 4, 4, atomic_cas);
