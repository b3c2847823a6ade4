// The object `outbuf`: a byte buffer that all interpreters of a launch share, for pixels (Figure 6
// of the paper). The host allocates it and passes it in gpusnek_boot_t.
//
// Unlike a bytearray it accepts any sequence of numbers, including floats. A number outside of 0 to
// 255 becomes the nearest byte, and a fraction is truncated: 256 is white, not black.
#include <string.h>

#include "port.h"
#include "py/binary.h"
#include "py/objlist.h"
#include "py/runtime.h"

// Converts a number to a byte, saturated and truncated. Raises TypeError for other types.
static uint8_t byte_of(mp_obj_t value) {
    #if MICROPY_PY_BUILTINS_FLOAT
    if (mp_obj_is_float(value)) {
        mp_float_t number = mp_obj_float_get(value);
        return number >= 255 ? 255 : number > 0 ? (uint8_t)number : 0; // NaN becomes 0
    }
    #endif
    mp_int_t number = mp_obj_get_int(value);
    return number >= 255 ? 255 : number > 0 ? (uint8_t)number : 0;
}

// Stores the items of a buffer in `size` bytes. Raises ValueError if their number differs.
static void store_array(uint8_t *to, size_t size, const mp_buffer_info_t *from) {
    size_t width = mp_binary_get_size('@', from->typecode, NULL);
    if (from->len / width != size) {
        mp_raise_ValueError(MP_ERROR_TEXT("slice and value differ in length"));
    }
    if (from->typecode == 'B' || from->typecode == BYTEARRAY_TYPECODE) {
        memmove(to, from->buf, size); // the source may overlap: it can be a part of outbuf
        return;
    }
    for (size_t i = 0; i < size; i++) {
        to[i] = byte_of(mp_binary_get_val_array(from->typecode, from->buf, i));
    }
}

// Stores the items of any iterable in `size` bytes. Raises ValueError if their number differs.
// Propagates exceptions of the iteration and of conversions.
static void store_all(uint8_t *to, size_t size, mp_obj_t value) {
    mp_buffer_info_t from;
    if (mp_get_buffer(value, &from, MP_BUFFER_READ)) {
        store_array(to, size, &from);
        return;
    }
    if (!mp_obj_is_type(value, &mp_type_list) && !mp_obj_is_type(value, &mp_type_tuple)) {
        value = mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_list), value);
    }
    size_t i = 0;
    do {
        // Read again in each turn: converting an item may run Python code that changes the list.
        size_t count;
        mp_obj_t *items;
        mp_obj_get_array(value, &count, &items);
        if (count != size) {
            mp_raise_ValueError(MP_ERROR_TEXT("slice and value differ in length"));
        }
        if (i < size) {
            to[i] = byte_of(items[i]);
        }
    } while (++i < size);
}

// Loads or stores outbuf[index] or outbuf[start:stop]. A loaded slice is a copy in a bytes object.
static mp_obj_t outbuf_subscr(mp_obj_t self_in, mp_obj_t index, mp_obj_t value) {
    uint8_t *memory = gpusnek_boot.outbuf;
    if (value == MP_OBJ_NULL) {
        return MP_OBJ_NULL; // `del` is not supported
    }
    if (!mp_obj_is_type(index, &mp_type_slice)) {
        size_t at = mp_get_index(mp_obj_get_type(self_in), gpusnek_boot.outbuf_size, index, false);
        if (value == MP_OBJ_SENTINEL) {
            return MP_OBJ_NEW_SMALL_INT(memory[at]);
        }
        memory[at] = byte_of(value);
        return mp_const_none;
    }
    mp_bound_slice_t slice;
    if (!mp_seq_get_fast_slice_indexes(gpusnek_boot.outbuf_size, index, &slice)) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("only slices with step=1 are supported"));
    }
    size_t size = slice.stop - slice.start;
    if (value == MP_OBJ_SENTINEL) {
        return mp_obj_new_bytes(memory + slice.start, size);
    }
    store_all(memory + slice.start, size, value);
    return mp_const_none;
}

static mp_obj_t outbuf_unary_op(mp_unary_op_t op, mp_obj_t self_in) {
    (void)self_in;
    switch (op) {
        case MP_UNARY_OP_BOOL:
            return mp_const_true; // an outbuf is never empty
        case MP_UNARY_OP_LEN:
            return mp_obj_new_int_from_uint(gpusnek_boot.outbuf_size);
        default:
            return MP_OBJ_NULL;
    }
}

static mp_int_t outbuf_get_buffer(mp_obj_t self_in, mp_buffer_info_t *info, mp_uint_t flags) {
    (void)self_in;
    (void)flags;
    info->buf = gpusnek_boot.outbuf;
    info->len = gpusnek_boot.outbuf_size;
    info->typecode = 'B';
    return 0;
}

static void outbuf_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind) {
    (void)self_in;
    (void)kind;
    mp_printf(print, "<outbuf of %u bytes>", (unsigned)gpusnek_boot.outbuf_size);
}

static MP_DEFINE_CONST_OBJ_TYPE(
    outbuf_type,
    MP_QSTR_outbuf,
    MP_TYPE_FLAG_NONE,
    print, outbuf_print,
    unary_op, outbuf_unary_op,
    subscr, outbuf_subscr,
    buffer, outbuf_get_buffer
    );

// A single constant object: its memory is the same in all interpreters, and it has no other state.
const mp_obj_base_t gpusnek_outbuf_obj = {&outbuf_type};
