// Deserialization of CPython's marshal format, version 2 (unmarshal.h). Each get_...() returns one
// type.
#include "unmarshal.h"

#include <string.h>

#include "py/objint.h"
#include "py/objlist.h"
#include "py/objtuple.h"
#include "py/runtime.h"

#define HEAD (5) // bytes of a code and a 32-bit number
#define LONG_DIGIT_BITS (15)
#define SHORT_DIGITS (4) // a long of up to 4 digits, 60 bits, fits a signed 64-bit integer

static double get_double(const byte *at) {
    double value;
    memcpy(&value, at, sizeof(value));
    return value;
}

// Returns a long of more than SHORT_DIGITS digits: packs its digits into bytes.
static mp_obj_t get_big(const byte *at, uint32_t count) {
    const size_t size = (size_t)count * LONG_DIGIT_BITS / 8 + 1;
    byte *bytes = m_new0(byte, size);
    for (uint32_t i = 0; i < count; i++) {
        const size_t bit = (size_t)i * LONG_DIGIT_BITS;
        const uint32_t digit = gpusnek_marshal_digit(at, i) << bit % 8;
        for (size_t k = 0; k < 3 && bit / 8 + k < size; k++) {
            bytes[bit / 8 + k] |= (byte)(digit >> (8 * k));
        }
    }
    mp_obj_t value = mp_obj_int_from_bytes_impl(false, size, bytes);
    m_del(byte, bytes, size);
    return gpusnek_marshal_i32(at) < 0 ? mp_unary_op(MP_UNARY_OP_NEGATIVE, value) : value;
}

static mp_obj_t get_long(const byte *at) {
    const uint32_t count = gpusnek_marshal_digits(at);
    if (count > SHORT_DIGITS) {
        return get_big(at, count);
    }
    int64_t value = 0;
    for (uint32_t i = count; i-- > 0;) {
        value = value << LONG_DIGIT_BITS | gpusnek_marshal_digit(at, i);
    }
    return mp_obj_new_int_from_ll(gpusnek_marshal_i32(at) < 0 ? -value : value);
}

// Returns the value of an extension of marshal.h: (StopIteration, bytes) is a bytearray,
// (StopIteration, typecode, bytes) an array.
static mp_obj_t special(const mp_obj_tuple_t *items) {
    if (items->len == 2) {
        mp_buffer_info_t buffer;
        mp_get_buffer_raise(items->items[1], &buffer, MP_BUFFER_READ);
        return mp_obj_new_bytearray(buffer.len, buffer.buf);
    }
    return mp_call_function_2(MP_OBJ_FROM_PTR(&mp_type_array), items->items[1], items->items[2]);
}

// Returns a tuple, or the value of an extension if its first item is StopIteration.
static mp_obj_t get_tuple(const byte **at, uint32_t count) {
    mp_obj_tuple_t *items = MP_OBJ_TO_PTR(mp_obj_new_tuple(count, NULL));
    const bool wrapped = count > 0 && **at == 'S';
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 && wrapped) {
            items->items[i] = mp_const_none;
            ++*at;
        } else {
            items->items[i] = gpusnek_unmarshal(at);
        }
    }
    return wrapped ? special(items) : MP_OBJ_FROM_PTR(items);
}

static mp_obj_t get_list(const byte **at, uint32_t count) {
    mp_obj_t list = mp_obj_new_list(0, NULL);
    for (uint32_t i = 0; i < count; i++) {
        mp_obj_list_append(list, gpusnek_unmarshal(at));
    }
    return list;
}

static mp_obj_t get_dict(const byte **at) {
    mp_obj_t dict = mp_obj_new_dict(0);
    while (**at != '0') {
        mp_obj_t key = gpusnek_unmarshal(at);
        mp_obj_dict_store(dict, key, gpusnek_unmarshal(at));
    }
    ++*at;
    return dict;
}

static mp_obj_t get_set(const byte **at, uint32_t count, bool frozen) {
    mp_obj_t set = mp_obj_new_set(0, NULL);
    for (uint32_t i = 0; i < count; i++) {
        mp_obj_set_store(set, gpusnek_unmarshal(at));
    }
    return frozen ? mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_frozenset), set) : set;
}

static mp_obj_t get_container(const byte **at, byte code, uint32_t count) {
    switch (code) {
        case '(':
            return get_tuple(at, count);
        case '[':
            return get_list(at, count);
        default:
            return get_set(at, count, code == '>');
    }
}

static mp_obj_t get_text(const byte **at, byte code, uint32_t length) {
    const char *text = (const char *)*at;
    *at += length;
    return code == 'u' ? mp_obj_new_str(text, length) : mp_obj_new_bytes((const byte *)text, length);
}

mp_obj_t gpusnek_unmarshal(const byte **at) {
    const byte *start = *at;
    switch (*start) {
        case 'N':
        case 'T':
        case 'F':
        case '.':
            ++*at;
            return *start == 'N' ? mp_const_none
                : *start == '.' ? MP_OBJ_FROM_PTR(&mp_const_ellipsis_obj)
                : mp_obj_new_bool(*start == 'T');
        case 'i':
        case 'l':
        case 'g':
        case 'y':
            *at = gpusnek_marshal_skip(start);
            return *start == 'i' ? mp_obj_new_int(gpusnek_marshal_i32(start))
                : *start == 'l' ? get_long(start)
                : *start == 'g' ? mp_obj_new_float((mp_float_t)get_double(start + 1))
                : mp_obj_new_complex((mp_float_t)get_double(start + 1),
                (mp_float_t)get_double(start + 1 + sizeof(double)));
        case '{':
            ++*at;
            return get_dict(at);
        case 'u':
        case 's':
            *at += HEAD;
            return get_text(at, *start, (uint32_t)gpusnek_marshal_i32(start));
        default:
            *at += HEAD;
            return get_container(at, *start, (uint32_t)gpusnek_marshal_i32(start));
    }
}

const byte *gpusnek_marshal_skip(const byte *at) {
    switch (*at) {
        case 'N':
        case 'T':
        case 'F':
        case '.':
        case 'S':
            return at + 1;
        case 'i':
            return at + HEAD;
        case 'l':
            return at + HEAD + 2 * gpusnek_marshal_digits(at);
        case 'g':
            return at + 1 + sizeof(double);
        case 'y':
            return at + 1 + 2 * sizeof(double);
        default:
            return at + HEAD + (uint32_t)gpusnek_marshal_i32(at);
    }
}
