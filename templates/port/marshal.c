// Serialization of Python values in CPython's marshal format, version 2, which every CPython reads.
// values.c writes results for the host by these functions. The format is binary, so that numbers in
// containers arrive exactly. marshal.h describes the extension for types that the format lacks.
#include <string.h>

#include "marshal.h"
#include "classes.h"
#include "py/binary.h"
#include "py/builtin.h"
#include "py/cstack.h"
#include "py/objarray.h"
#include "py/objint.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"

#define LONG_DIGIT_BITS (15) // of a digit of an int in the format

mp_obj_t gpusnek_native_part(mp_obj_t value) {
    if (!mp_obj_is_obj(value)) {
        return value;
    }
    if (!mp_obj_is_instance_type(mp_obj_get_type(value))) {
        #if GPUSNEK_PATCH_CLASSES
        value = gpusnek_members_copy(value);
        #endif
        return value;
    }
    mp_obj_t part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_dict));
    if (part == MP_OBJ_NULL) {
        part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_tuple));
    }
    if (part == MP_OBJ_NULL) {
        part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_list));
    }
    if (part == MP_OBJ_NULL) {
        part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_set));
    }
    if (part == MP_OBJ_NULL) {
        part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_frozenset));
    }
    if (part == MP_OBJ_NULL) {
        part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_str));
    }
    if (part == MP_OBJ_NULL) {
        part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_bytes));
    }
    if (part == MP_OBJ_NULL) {
        part = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(&mp_type_int));
    }
    // Before __init__ of the native base, a function stands for the native part.
    return part == MP_OBJ_NULL || mp_obj_is_callable(part) ? value : part;
}

static void put_u32(vstr_t *to, uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) {
        vstr_add_byte(to, (byte)(value >> shift));
    }
}

static void patch_u32(vstr_t *to, size_t at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        to->buf[at + i] = (char)(value >> (8 * i));
    }
}

static void put_bytes(vstr_t *to, char code, const void *data, size_t length) {
    vstr_add_byte(to, (byte)code);
    put_u32(to, (uint32_t)length);
    vstr_add_strn(to, data, length);
}

static void put_count(vstr_t *to, char code, size_t count) {
    vstr_add_byte(to, (byte)code);
    put_u32(to, (uint32_t)count);
}

void gpusnek_marshal_str(vstr_t *to, const char *text, size_t length) {
    put_bytes(to, 'u', text, length);
}

void gpusnek_marshal_tuple(vstr_t *to, size_t count) {
    put_count(to, '(', count);
}

// Appends an int: its sign and digits of 15 bits, the least significant first. `digits` has `count`
// digits of MPZ_DIG_SIZE bits.
static void put_long(vstr_t *to, bool negative, const mpz_dig_t *digits, size_t count) {
    size_t at = to->len;
    put_count(to, 'l', 0);
    uint64_t pending = 0;
    int bits = 0;
    size_t written = 0;
    size_t significant = 0; // digits without leading zeros, which CPython refuses
    for (size_t i = 0; i < count || bits > 0;) {
        while (bits < LONG_DIGIT_BITS && i < count) {
            pending |= (uint64_t)digits[i++] << bits;
            bits += MPZ_DIG_SIZE;
        }
        const uint32_t digit = (uint32_t)pending & ((1u << LONG_DIGIT_BITS) - 1);
        vstr_add_byte(to, (byte)digit);
        vstr_add_byte(to, (byte)(digit >> 8));
        pending >>= LONG_DIGIT_BITS;
        bits -= LONG_DIGIT_BITS;
        written++;
        significant = digit ? written : significant;
    }
    to->len = at + 5 + 2 * significant;
    patch_u32(to, at + 1, (uint32_t)(negative ? -(int32_t)significant : (int32_t)significant));
}

// Appends a small integer: in 32 bits if it fits, otherwise as an int of digits.
static void put_small_int(vstr_t *to, mp_int_t value) {
    if (value >= INT32_MIN && value <= INT32_MAX) {
        put_count(to, 'i', (uint32_t)value);
        return;
    }
    mpz_dig_t digits[8 * sizeof(value) / MPZ_DIG_SIZE];
    mp_uint_t rest = value < 0 ? -(mp_uint_t)value : (mp_uint_t)value;
    for (size_t i = 0; i < MP_ARRAY_SIZE(digits); i++) {
        digits[i] = (mpz_dig_t)rest;
        rest >>= MPZ_DIG_SIZE;
    }
    put_long(to, value < 0, digits, MP_ARRAY_SIZE(digits));
}

static void put_double(vstr_t *to, double value) {
    vstr_add_strn(to, (const char *)&value, sizeof(value)); // every target is little-endian
}

// Reads the list again for each element: a __repr__ may change the list that contains its object.
static void put_list(vstr_t *to, mp_obj_t value, bool *wrapped) {
    size_t count;
    mp_obj_t *items;
    mp_obj_list_get(value, &count, &items);
    put_count(to, '[', count);
    for (size_t i = 0; i < count; i++) {
        size_t now;
        mp_obj_list_get(value, &now, &items);
        gpusnek_marshal(to, i < now ? items[i] : mp_const_none, wrapped);
    }
}

static void put_tuple(vstr_t *to, mp_obj_t value, bool *wrapped) {
    size_t count;
    mp_obj_t *items;
    mp_obj_tuple_get(value, &count, &items);
    gpusnek_marshal_tuple(to, count);
    for (size_t i = 0; i < count; i++) {
        gpusnek_marshal(to, items[i], wrapped);
    }
}

// Appends a dict. Values are read before the key is written, because a __repr__ may change the
// dict.
static void put_dict(vstr_t *to, mp_obj_t value, bool *wrapped) {
    mp_map_t *map = mp_obj_dict_get_map(value);
    vstr_add_byte(to, '{');
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i)) {
            const mp_obj_t item = map->table[i].value;
            gpusnek_marshal(to, map->table[i].key, wrapped);
            gpusnek_marshal(to, item, wrapped);
        }
    }
    vstr_add_byte(to, '0');
}

#if MICROPY_PY_BUILTINS_SET
// Appends a set or frozenset, and its size when all items are written.
static void put_set(vstr_t *to, char code, mp_obj_t value, bool *wrapped) {
    mp_obj_iter_buf_t buffer;
    mp_obj_t iterator = mp_getiter(value, &buffer);
    const size_t at = to->len;
    uint32_t count = 0;
    put_count(to, code, 0);
    for (mp_obj_t item; (item = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION; count++) {
        gpusnek_marshal(to, item, wrapped);
    }
    patch_u32(to, at + 1, count);
}
#endif

#if MICROPY_PY_BUILTINS_COMPLEX
static void put_complex(vstr_t *to, mp_obj_t value) {
    mp_float_t real;
    mp_float_t imaginary;
    mp_obj_complex_get(value, &real, &imaginary);
    vstr_add_byte(to, 'y');
    put_double(to, (double)real);
    put_double(to, (double)imaginary);
}
#endif

// Appends a value of a type that the format lacks, as marshal.h describes it.
static void put_wrapped(vstr_t *to, mp_obj_t value, bool *wrapped) {
    const mp_obj_type_t *type = mp_obj_get_type(value);
    mp_buffer_info_t buffer;
    (void)type;
    *wrapped = true;
    #if MICROPY_PY_BUILTINS_BYTEARRAY
    if (type == &mp_type_bytearray && mp_get_buffer(value, &buffer, MP_BUFFER_READ)) {
        gpusnek_marshal_tuple(to, 2);
        vstr_add_byte(to, 'S');
        put_bytes(to, 's', buffer.buf, buffer.len);
        return;
    }
    #endif
    #if MICROPY_PY_ARRAY
    if (type == &mp_type_array && mp_get_buffer(value, &buffer, MP_BUFFER_READ)) {
        const char typecode = (char)buffer.typecode;
        gpusnek_marshal_tuple(to, 3);
        vstr_add_byte(to, 'S');
        gpusnek_marshal_str(to, &typecode, 1);
        put_bytes(to, 's', buffer.buf, buffer.len);
        return;
    }
    #endif
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    mp_obj_print_helper(&print, value, PRINT_REPR);
    gpusnek_marshal_tuple(to, 2);
    vstr_add_byte(to, 'S');
    gpusnek_marshal_str(to, text.buf, text.len);
    vstr_clear(&text);
}

// Appends a list, tuple, dict or set; returns false for other types.
static bool put_container(vstr_t *to, mp_obj_t value, bool *wrapped) {
    if (mp_obj_is_type(value, &mp_type_list)) {
        put_list(to, value, wrapped);
    } else if (MP_OBJ_TYPE_GET_SLOT_OR_NULL(mp_obj_get_type(value), iter) == mp_obj_tuple_getiter) {
        put_tuple(to, value, wrapped); // also a namedtuple
    } else if (mp_obj_is_dict_or_ordereddict(value)) {
        put_dict(to, value, wrapped);
    #if MICROPY_PY_BUILTINS_SET
    } else if (mp_obj_is_type(value, &mp_type_set)) {
        put_set(to, '<', value, wrapped);
    #endif
    #if MICROPY_PY_BUILTINS_SET && MICROPY_PY_BUILTINS_FROZENSET
    } else if (mp_obj_is_type(value, &mp_type_frozenset)) {
        put_set(to, '>', value, wrapped);
    #endif
    } else {
        return false;
    }
    return true;
}

void gpusnek_marshal(vstr_t *to, mp_obj_t value, bool *wrapped) {
    value = gpusnek_native_part(value);
    mp_cstack_check();
    if (value == mp_const_none) {
        vstr_add_byte(to, 'N');
    } else if (mp_obj_is_bool(value)) {
        vstr_add_byte(to, value == mp_const_true ? 'T' : 'F');
    } else if (value == MP_OBJ_FROM_PTR(&mp_const_ellipsis_obj)) {
        vstr_add_byte(to, '.');
    } else if (mp_obj_is_small_int(value)) {
        put_small_int(to, MP_OBJ_SMALL_INT_VALUE(value));
    } else if (mp_obj_is_int(value)) {
        const mpz_t *big = &((const mp_obj_int_t *)MP_OBJ_TO_PTR(value))->mpz;
        put_long(to, big->neg, big->dig, big->len);
    } else if (mp_obj_is_float(value)) {
        vstr_add_byte(to, 'g');
        put_double(to, (double)mp_obj_float_get(value));
    #if MICROPY_PY_BUILTINS_COMPLEX
    } else if (mp_obj_is_type(value, &mp_type_complex)) {
        put_complex(to, value);
    #endif
    } else if (mp_obj_is_str(value) || mp_obj_is_type(value, &mp_type_bytes)) {
        size_t length;
        const char *text = mp_obj_str_get_data(value, &length);
        put_bytes(to, mp_obj_is_str(value) ? 'u' : 's', text, length);
    } else if (!put_container(to, value, wrapped)) {
        put_wrapped(to, value, wrapped);
    }
}
