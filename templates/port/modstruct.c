// The module `struct` with CPython's formats, functions and messages, in place of upstream's.
//
// A format is read anew by each call: first as a whole, by measure(), which raises its errors, and
// then field by field.
//
// Invariant T1: nothing runs Python code between the look-up of a buffer's memory and its last use.
// A program's method that converts a value can change the length of the buffer. So pack_into()
// converts all values first.
#include <string.h>

#include "buffers.h"
#include "checkself.h"
#include "encodings.h"
#include "itemrange.h"
#include "py/binary.h"
#include "py/objexcept.h"
#include "py/objint.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"

#define MOST_BYTES ((size_t)INT64_MAX) // of a format

MP_DEFINE_CONST_OBJ_TYPE(gpusnek_type_struct_error, MP_QSTR_error, MP_TYPE_FLAG_NONE,
    make_new, mp_obj_exception_make_new, print, mp_obj_exception_print, attr,
    mp_obj_exception_attr, parent, &mp_type_ValueError);

// The part of a format that was not read yet.
typedef struct {
    const char *at;
    const char *end;
    bool native; // native sizes and alignment
    bool big; // big-endian
    size_t size; // bytes of the fields before `at`
} format_t;

typedef struct {
    char code;
    size_t count; // repetitions; for `s` and `p` the number of bytes
    size_t item; // bytes of one repetition
    size_t at; // offset of the first byte
} field_t;

static _Noreturn void raise_error(mp_rom_error_text_t text) {
    mp_raise_msg(&gpusnek_type_struct_error, text);
}

// Raise struct.error with a text in which each '#' is the next number.
static _Noreturn void raise_numbers(const char *text, const mp_int_t *numbers) {
    vstr_t message;
    mp_print_t print;
    vstr_init_print(&message, 80, &print);
    for (; *text != '\0'; text++) {
        if (*text == '#') {
            mp_obj_print_helper(&print, mp_obj_new_int(*numbers++), PRINT_STR);
        } else {
            mp_print_strn(&print, text, 1, 0, 0, 0);
        }
    }
    nlr_raise(mp_obj_new_exception_arg1(
        &gpusnek_type_struct_error, mp_obj_new_str_from_vstr(&message)));
}

static format_t open_format(mp_obj_t object) {
    if (!mp_obj_is_str_or_bytes(object)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("Struct() argument 1 must be a str or bytes object, not %s"),
            mp_obj_get_type_str(object));
    }
    size_t size;
    const char *const text = mp_obj_str_get_data(object, &size);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\0') {
            raise_error(MP_ERROR_TEXT("embedded null character"));
        }
        if ((text[i] & 0x80) != 0 && mp_obj_is_str(object)) {
            const mp_obj_t ascii[] = {object, MP_OBJ_NEW_QSTR(MP_QSTR_ascii)};
            gpusnek_encode(2, ascii); // raises UnicodeEncodeError
        }
    }
    format_t format = {text, text + size, true, MP_ENDIANNESS_BIG, 0};
    if (size > 0 && strchr("@=<>!", *text) != NULL) {
        format.native = *text == '@';
        format.big = *text == '>' || *text == '!' || (MP_ENDIANNESS_BIG && *text != '<');
        format.at++;
    }
    return format;
}

static size_t size_of(char code, bool native) {
    switch (code) {
        case 'x': case 'b': case 'B': case 'c': case 's': case 'p': case '?':
            return 1;
        case 'h': case 'H': case 'e':
            return 2;
        case 'i': case 'I': case 'f':
            return 4;
        case 'l': case 'L':
            return native ? 8 : 4;
        case 'q': case 'Q': case 'd':
            return 8;
        case 'n': case 'N': case 'P':
            return native ? 8 : 0;
        default:
            return 0;
    }
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static _Noreturn void raise_long_format(void) {
    raise_error(MP_ERROR_TEXT("total struct size too long"));
}

// Read the next field. Returns false at the end of the format.
static bool next_field(format_t *format, field_t *field) {
    while (format->at < format->end && (*format->at == ' ' || (*format->at >= '\t' && *format->at <= '\r'))) {
        format->at++;
    }
    if (format->at >= format->end) {
        return false;
    }
    size_t count = 1;
    if (is_digit(*format->at)) {
        count = 0;
        for (; format->at < format->end && is_digit(*format->at); format->at++) {
            const size_t digit = (size_t)(*format->at - '0');
            if (count > (MOST_BYTES - digit) / 10) {
                raise_long_format();
            }
            count = count * 10 + digit;
        }
        if (format->at >= format->end) {
            raise_error(MP_ERROR_TEXT("repeat count given without format specifier"));
        }
    }
    field->code = *format->at++;
    field->count = count;
    field->item = size_of(field->code, format->native);
    if (field->item == 0) {
        raise_error(MP_ERROR_TEXT("bad char in struct format"));
    }
    size_t at = format->size;
    if (format->native) {
        if (at > MOST_BYTES - 8) {
            if (field->item > 1) {
                raise_long_format();
            }
        } else {
            at = (at + field->item - 1) & ~(field->item - 1);
        }
    }
    field->at = at;
    if (count > (MOST_BYTES - at) / field->item) {
        raise_long_format();
    }
    format->size = at + count * field->item;
    return true;
}

// Return the number of values of a field.
static size_t values_of(const field_t *field) {
    return field->code == 'x' ? 0 : field->code == 's' || field->code == 'p' ? 1 : field->count;
}

// Return the size of a format, and the number of its values.
static size_t measure(format_t format, size_t *values) {
    field_t field;
    size_t total = 0;
    while (next_field(&format, &field)) {
        total += values_of(&field);
    }
    *values = total;
    return format.size;
}

// ---- Packing ----

static mp_obj_t native_base(mp_obj_t value, const mp_obj_type_t *type) {
    return mp_obj_is_obj(value) ? mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(type))
                                : MP_OBJ_NULL;
}

static bool is_plain_int(mp_obj_t value) {
    return mp_obj_is_small_int(value) || mp_obj_is_exact_type(value, &mp_type_int);
}

static mp_obj_t to_integer(mp_obj_t value) {
    if (is_plain_int(value)) {
        return value;
    }
    if (mp_obj_is_bool(value)) {
        return MP_OBJ_NEW_SMALL_INT(value == mp_const_true);
    }
    if (mp_obj_is_instance_type(mp_obj_get_type(value))) {
        const mp_obj_t base = native_base(value, &mp_type_int);
        if (base != MP_OBJ_NULL && is_plain_int(base)) {
            return base;
        }
        mp_obj_t call[2];
        mp_load_method_maybe(value, MP_QSTR___index__, call);
        if (call[0] != MP_OBJ_NULL) {
            const mp_obj_t result = mp_call_method_n_kw(0, 0, call);
            if (is_plain_int(result)) {
                return result;
            }
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("__index__ returned non-int (type %s)"), mp_obj_get_type_str(result));
        }
    }
    raise_error(MP_ERROR_TEXT("required argument is not an integer"));
}

// Convert a value so that storing it runs no Python code. Raises struct.error for a wrong type.
static mp_obj_t plain_value(char code, mp_obj_t value) {
    switch (code) {
        case 's': case 'p': {
            const mp_obj_t text = native_base(value, &mp_type_bytes);
            if (text != MP_OBJ_NULL) {
                return text;
            }
            if (native_base(value, &mp_type_bytearray) == MP_OBJ_NULL) {
                raise_error(code == 's' ? MP_ERROR_TEXT("argument for 's' must be a bytes object")
                                        : MP_ERROR_TEXT("argument for 'p' must be a bytes object"));
            }
            return native_base(value, &mp_type_bytearray);
        }
        case 'c': {
            const mp_obj_t text = native_base(value, &mp_type_bytes);
            size_t size = 0;
            if (text != MP_OBJ_NULL) {
                mp_obj_str_get_data(text, &size);
            }
            if (size != 1) {
                raise_error(MP_ERROR_TEXT("char format requires a bytes object of length 1"));
            }
            return text;
        }
        case '?':
            return mp_obj_new_bool(mp_obj_is_true(value));
        #if MICROPY_PY_BUILTINS_FLOAT
        case 'e': case 'f': case 'd': {
            if (mp_obj_is_float(value)) {
                return value;
            }
            mp_float_t number;
            if (!mp_obj_get_float_maybe(value, &number)) {
                raise_error(MP_ERROR_TEXT("required argument is not a float"));
            }
            return mp_obj_new_float(number);
        }
        #endif
        default:
            return to_integer(value);
    }
}

static void check_range(const field_t *field, mp_obj_t value) {
    const int bits = 8 * (int)field->item;
    if (field->code == 'P') {
        if (gpusnek_outside(value, bits, mp_obj_int_sign(value) < 0) != 0) {
            raise_error(MP_ERROR_TEXT("int too large to convert"));
        }
        return;
    }
    const bool with_sign = field->code >= 'a';
    if (gpusnek_outside(value, bits, with_sign) == 0) {
        return;
    }
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 80, &print);
    mp_printf(&print, "'%c' format requires ", field->code);
    const mp_uint_t most = ~(mp_uint_t)0 >> (64 - bits + with_sign);
    mp_obj_print_helper(&print, mp_obj_new_int(with_sign ? -(mp_int_t)most - 1 : 0), PRINT_STR);
    mp_print_str(&print, " <= number <= ");
    mp_obj_print_helper(&print, mp_obj_new_int_from_uint(most), PRINT_STR);
    nlr_raise(mp_obj_new_exception_arg1(
        &gpusnek_type_struct_error, mp_obj_new_str_from_vstr(&text)));
}

#if MICROPY_PY_BUILTINS_FLOAT
typedef union {
    double number;
    uint64_t bits;
} double_bits_t;

typedef union {
    float number;
    uint32_t bits;
} float_bits_t;

static _Noreturn void raise_large_float(char code) {
    mp_raise_msg_varg(&mp_type_OverflowError,
        MP_ERROR_TEXT("float too large to pack with %c format"), code);
}

// Return the nearest float of 16 bits, ties to even.
static uint16_t half_of(double number) {
    const double_bits_t own = {.number = number};
    const uint16_t sign = (uint16_t)(own.bits >> 48 & 0x8000);
    const int exponent = (int)(own.bits >> 52 & 0x7ff) - 1023;
    const uint64_t fraction = own.bits & ~(uint64_t)0 >> 12;
    if (exponent == 1024) {
        return (uint16_t)(sign | 0x7c00 | (fraction != 0 ? 0x200 : 0));
    }
    if (exponent < -25) {
        return sign;
    }
    if (exponent > 15) {
        raise_large_float('e');
    }
    const uint64_t whole = fraction | (uint64_t)1 << 52;
    const int dropped = exponent >= -14 ? 42 : 28 - exponent; // bits
    uint64_t kept = whole >> dropped;
    const uint64_t rest = whole & (((uint64_t)1 << dropped) - 1);
    const uint64_t tie = (uint64_t)1 << (dropped - 1);
    kept += rest > tie || (rest == tie && (kept & 1) != 0);
    if (exponent >= -14) {
        kept += ((uint64_t)(exponent + 15) << 10) - 0x400;
    }
    if (kept >= 0x7c00) {
        raise_large_float('e');
    }
    return (uint16_t)(sign | kept);
}

static double double_of_half(uint32_t half) {
    const uint32_t exponent = half >> 10 & 31;
    const uint64_t fraction = half & 0x3ff;
    double_bits_t result;
    if (exponent == 0) {
        result.number = (double)fraction * 0x1p-24;
    } else {
        result.bits = (uint64_t)(exponent == 31 ? 2047 : exponent + 1008) << 52 | fraction << 42;
    }
    result.bits |= (uint64_t)(half >> 15) << 63;
    return result.number;
}

static uint64_t float_word(const format_t *format, const field_t *field, mp_obj_t value) {
    const double_bits_t own = {.number = mp_obj_get_float_to_d(value)};
    if (field->code == 'd') {
        return own.bits;
    }
    if (field->code == 'e') {
        return half_of(own.number);
    }
    const float_bits_t single = {.number = (float)own.number};
    if (!format->native && (single.bits & 0x7fffffff) == 0x7f800000
        && (own.bits >> 52 & 0x7ff) != 0x7ff) {
        raise_large_float('f');
    }
    return single.bits;
}
#endif

// Store a plain value of a field.
static void store(const format_t *format, const field_t *field, mp_obj_t value, byte *to) {
    switch (field->code) {
        case 's': case 'p': {
            mp_buffer_info_t text;
            mp_get_buffer_raise(value, &text, MP_BUFFER_READ);
            size_t room = field->count;
            if (field->code == 'p') {
                if (room == 0) {
                    return;
                }
                room--;
                const size_t shown = text.len < room ? text.len : room;
                *to++ = (byte)(shown < 255 ? shown : 255);
            }
            const size_t used = text.len < room ? text.len : room;
            memcpy(to, text.buf, used);
            memset(to + used, 0, room - used);
            return;
        }
        case 'c': {
            size_t size;
            *to = (byte)*mp_obj_str_get_data(value, &size);
            return;
        }
        case '?':
            *to = value == mp_const_true;
            return;
        #if MICROPY_PY_BUILTINS_FLOAT
        case 'e': case 'f': case 'd': {
            uint64_t word = float_word(format, field, value);
            for (size_t i = 0; i < field->item; i++, word >>= 8) {
                to[format->big ? field->item - 1 - i : i] = (byte)word;
            }
            return;
        }
        #endif
        default:
            check_range(field, value);
            if (mp_obj_is_small_int(value)) {
                mp_binary_set_int(field->item, format->big, to, (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(value));
            } else {
                mp_obj_int_to_bytes_impl(value, format->big, field->item, to);
            }
    }
}

static void pack(format_t format, size_t size, byte *to, const mp_obj_t *values) {
    memset(to, 0, size);
    field_t field;
    while (next_field(&format, &field)) {
        const size_t count = values_of(&field);
        for (size_t i = 0; i < count; i++) {
            store(&format, &field, plain_value(field.code, *values++), to + field.at + i * field.item);
        }
    }
}

static void check_count(const char *function, size_t expected, size_t got) {
    if (expected == got) {
        return;
    }
    vstr_t text;
    vstr_init(&text, 64);
    vstr_add_str(&text, function);
    vstr_add_str(&text, " expected # items for packing (got #)");
    const mp_int_t numbers[] = {(mp_int_t)expected, (mp_int_t)got};
    raise_numbers(vstr_null_terminated_str(&text), numbers);
}

static mp_obj_t struct_pack(size_t n_args, const mp_obj_t *args) {
    if (n_args == 0) {
        mp_raise_TypeError(MP_ERROR_TEXT("missing format argument"));
    }
    const format_t format = open_format(args[0]);
    size_t count;
    const size_t size = measure(format, &count);
    check_count("pack", count, n_args - 1);
    vstr_t result;
    vstr_init_len(&result, size);
    pack(format, size, (byte *)result.buf, args + 1);
    return mp_obj_new_bytes_from_vstr(&result);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(struct_pack_obj, 0, struct_pack);

// Return the number of an offset. Raises TypeError, and `error` beyond the range of mp_int_t.
static mp_int_t read_offset(mp_obj_t object, const mp_obj_type_t *error, mp_rom_error_text_t text) {
    if (mp_obj_is_exact_type(object, &mp_type_int) && gpusnek_outside(object, 64, true) != 0) {
        mp_raise_msg(error, text);
    }
    return mp_obj_get_int(object);
}

// Return the first byte of `size` bytes at an offset of a buffer. Raises struct.error if the buffer
// has fewer.
static byte *part_of(const mp_buffer_info_t *buffer, mp_int_t offset, size_t size, bool packs) {
    const mp_int_t length = (mp_int_t)buffer->len;
    if (offset < 0) {
        if (size > (size_t)0 - (size_t)offset) {
            const mp_int_t numbers[] = {(mp_int_t)size, offset};
            raise_numbers(packs ? "no space to pack # bytes at offset #"
                                : "not enough data to unpack # bytes at offset #", numbers);
        }
        if (offset < -length) {
            const mp_int_t numbers[] = {offset, length};
            raise_numbers("offset # out of range for #-byte buffer", numbers);
        }
        offset += length;
    }
    if (offset > length || size > (size_t)(length - offset)) {
        const mp_int_t numbers[] = {(mp_int_t)(size + (size_t)offset), (mp_int_t)size, offset, length};
        raise_numbers(packs
            ? "pack_into requires a buffer of at least # bytes for packing # bytes at offset # (actual buffer size is #)"
            : "unpack_from requires a buffer of at least # bytes for unpacking # bytes at offset # (actual buffer size is #)",
            numbers);
    }
    return (byte *)buffer->buf + offset;
}

// Return the values without instances of Python classes.
static const mp_obj_t *plain_values(format_t format, size_t count, const mp_obj_t *values) {
    size_t at = 0;
    while (at < count && !mp_obj_is_instance_type(mp_obj_get_type(values[at]))) {
        at++;
    }
    if (at == count) {
        return values;
    }
    mp_obj_t *const plain = m_new(mp_obj_t, count);
    at = 0;
    field_t field;
    while (next_field(&format, &field)) {
        const size_t number = values_of(&field);
        for (size_t i = 0; i < number && at < count; i++, at++) {
            plain[at] = plain_value(field.code, values[at]);
        }
    }
    return plain;
}

static mp_obj_t struct_pack_into(size_t n_args, const mp_obj_t *args) {
    if (n_args == 0) {
        mp_raise_TypeError(MP_ERROR_TEXT("missing format argument"));
    }
    const format_t format = open_format(args[0]);
    size_t count;
    const size_t size = measure(format, &count);
    if (n_args < 3) {
        raise_error(n_args == 1 ? MP_ERROR_TEXT("pack_into expected buffer argument")
                                : MP_ERROR_TEXT("pack_into expected offset argument"));
    }
    check_count("pack_into", count, n_args - 3);
    const mp_int_t offset = read_offset(args[2], &mp_type_IndexError,
        MP_ERROR_TEXT("cannot fit 'int' into an index-sized integer"));
    const mp_obj_t *const values = plain_values(format, count, args + 3);
    mp_buffer_info_t buffer; // T1
    if (!mp_get_buffer(args[1], &buffer, MP_BUFFER_WRITE)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("argument must be read-write bytes-like object, not %s"),
            mp_obj_get_type_str(args[1]));
    }
    pack(format, size, part_of(&buffer, offset, size, true), values);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(struct_pack_into_obj, 0, struct_pack_into);

// ---- Unpacking ----

static mp_obj_t load(const format_t *format, const field_t *field, const byte *from) {
    switch (field->code) {
        case 's':
            return mp_obj_new_bytes(from, field->count);
        case 'p': {
            if (field->count == 0) {
                return mp_const_empty_bytes;
            }
            const size_t size = *from < field->count ? *from : field->count - 1;
            return mp_obj_new_bytes(from + 1, size);
        }
        case 'c':
            return mp_obj_new_bytes(from, 1);
        case '?':
            return mp_obj_new_bool(*from != 0);
        default:
            break;
    }
    const bool with_sign = field->code >= 'a';
    const uint64_t word = (uint64_t)mp_binary_get_int(field->item, with_sign, format->big, from);
    switch (field->code) {
        #if MICROPY_PY_BUILTINS_FLOAT
        case 'e':
            return mp_obj_new_float_from_d(double_of_half((uint32_t)(word & 0xffff)));
        case 'f': {
            const float_bits_t single = {.bits = (uint32_t)word};
            return mp_obj_new_float_from_f(single.number);
        }
        case 'd': {
            const double_bits_t number = {.bits = word};
            return mp_obj_new_float_from_d(number.number);
        }
        #endif
        default:
            return with_sign ? mp_obj_new_int((mp_int_t)word) : mp_obj_new_int_from_uint(word);
    }
}

static mp_obj_t unpack(format_t format, size_t count, const byte *from) {
    mp_obj_tuple_t *const result = MP_OBJ_TO_PTR(mp_obj_new_tuple(count, NULL));
    size_t at = 0;
    field_t field;
    while (next_field(&format, &field)) {
        const size_t number = values_of(&field);
        for (size_t i = 0; i < number && at < count; i++, at++) {
            result->items[at] = load(&format, &field, from + field.at + i * field.item);
        }
    }
    return MP_OBJ_FROM_PTR(result);
}

static mp_obj_t struct_unpack(mp_obj_t format_in, mp_obj_t data) {
    const format_t format = open_format(format_in);
    size_t count;
    const size_t size = measure(format, &count);
    mp_buffer_info_t buffer;
    gpusnek_get_bytes(data, &buffer);
    if (buffer.len != size) {
        const mp_int_t numbers[] = {(mp_int_t)size};
        raise_numbers("unpack requires a buffer of # bytes", numbers);
    }
    return unpack(format, count, buffer.buf);
}
static MP_DEFINE_CONST_FUN_OBJ_2(struct_unpack_obj, struct_unpack);

static mp_obj_t struct_unpack_from(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    static const mp_arg_t allowed[] = {
        { MP_QSTR_buffer, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        { MP_QSTR_offset, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_INT(0)} },
    };
    mp_arg_val_t values[MP_ARRAY_SIZE(allowed)];
    mp_arg_parse_all(n_args - 1, args + 1, keywords, MP_ARRAY_SIZE(allowed), allowed, values);
    const format_t format = open_format(args[0]);
    size_t count;
    const size_t size = measure(format, &count);
    const mp_int_t offset = read_offset(values[1].u_obj, &mp_type_OverflowError,
        MP_ERROR_TEXT("Python int too large to convert to C ssize_t"));
    mp_buffer_info_t buffer; // T1
    gpusnek_get_bytes(values[0].u_obj, &buffer);
    return unpack(format, count, part_of(&buffer, offset, size, false));
}
static MP_DEFINE_CONST_FUN_OBJ_KW(struct_unpack_from_obj, 1, struct_unpack_from);

static mp_obj_t struct_calcsize(mp_obj_t format) {
    size_t count;
    return mp_obj_new_int_from_uint(measure(open_format(format), &count));
}
static MP_DEFINE_CONST_FUN_OBJ_1(struct_calcsize_obj, struct_calcsize);

// ---- Iterators ----

typedef struct {
    mp_obj_base_t base;
    mp_obj_t format;
    mp_obj_t data;
    size_t at; // bytes read
} iterator_t;

static mp_obj_t iterator_next(mp_obj_t self_in) {
    iterator_t *const self = MP_OBJ_TO_PTR(self_in);
    const format_t format = open_format(self->format);
    size_t count;
    const size_t size = measure(format, &count);
    mp_buffer_info_t buffer;
    gpusnek_get_bytes(self->data, &buffer);
    if (self->at > buffer.len || size > buffer.len - self->at) {
        return MP_OBJ_STOP_ITERATION;
    }
    const byte *const from = (const byte *)buffer.buf + self->at;
    self->at += size;
    return unpack(format, count, from);
}

extern const mp_obj_type_t gpusnek_unpack_iterator_type;

static mp_obj_t iterator_hint(mp_obj_t self_in) {
    gpusnek_check_self(self_in, &gpusnek_unpack_iterator_type);
    const iterator_t *const self = MP_OBJ_TO_PTR(self_in);
    size_t count;
    const size_t size = measure(open_format(self->format), &count);
    mp_buffer_info_t buffer;
    gpusnek_get_bytes(self->data, &buffer);
    return mp_obj_new_int_from_uint(self->at > buffer.len ? 0 : (buffer.len - self->at) / size);
}
static MP_DEFINE_CONST_FUN_OBJ_1(iterator_hint_obj, iterator_hint);

static const mp_rom_map_elem_t iterator_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___length_hint__), MP_ROM_PTR(&iterator_hint_obj) },
};
static MP_DEFINE_CONST_DICT(iterator_locals, iterator_locals_table);

MP_DEFINE_CONST_OBJ_TYPE(gpusnek_unpack_iterator_type, MP_QSTR_unpack_iterator,
    MP_TYPE_FLAG_ITER_IS_ITERNEXT, iter, iterator_next, locals_dict, &iterator_locals);

static mp_obj_t struct_iter_unpack(mp_obj_t format, mp_obj_t data) {
    size_t count;
    const size_t size = measure(open_format(format), &count);
    if (size == 0) {
        raise_error(MP_ERROR_TEXT("cannot iteratively unpack with a struct of length 0"));
    }
    mp_buffer_info_t buffer;
    gpusnek_get_bytes(data, &buffer);
    if (buffer.len % size != 0) {
        const mp_int_t numbers[] = {(mp_int_t)size};
        raise_numbers("iterative unpacking requires a buffer of a multiple of # bytes", numbers);
    }
    iterator_t *const self = mp_obj_malloc(iterator_t, &gpusnek_unpack_iterator_type);
    self->format = format;
    self->data = data;
    self->at = 0;
    return MP_OBJ_FROM_PTR(self);
}
static MP_DEFINE_CONST_FUN_OBJ_2(struct_iter_unpack_obj, struct_iter_unpack);

// ---- struct.Struct ----

typedef struct {
    mp_obj_base_t base;
    mp_obj_t format; // str
} struct_t;

extern const mp_obj_type_t gpusnek_struct_type;

static mp_obj_t format_of(mp_obj_t self) {
    gpusnek_check_self(self, &gpusnek_struct_type);
    return ((const struct_t *)MP_OBJ_TO_PTR(self))->format;
}

static mp_obj_t struct_make_new(
    const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    static const mp_arg_t allowed[] = {
        { MP_QSTR_format, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
    };
    mp_arg_val_t values[1];
    mp_arg_parse_all_kw_array(n_args, n_kw, args, 1, allowed, values);
    const mp_obj_t given = values[0].u_obj;
    size_t count;
    measure(open_format(given), &count);
    struct_t *const self = mp_obj_malloc(struct_t, type);
    size_t size;
    const char *const text = mp_obj_str_get_data(given, &size);
    self->format = mp_obj_is_str(given) ? given : mp_obj_new_str(text, size);
    return MP_OBJ_FROM_PTR(self);
}

static void struct_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    mp_print_str(print, "Struct(");
    mp_obj_print_helper(print, ((const struct_t *)MP_OBJ_TO_PTR(self))->format, PRINT_REPR);
    mp_print_str(print, ")");
}

#define FEW (8) // arguments whose copy is on the C stack

// Return the arguments with the format in the place of the Struct. few: memory for FEW arguments.
static const mp_obj_t *with_format(size_t n_args, const mp_obj_t *args, mp_obj_t *few) {
    mp_obj_t *const copy = n_args <= FEW ? few : m_new(mp_obj_t, n_args);
    memcpy(copy, args, n_args * sizeof(mp_obj_t));
    copy[0] = format_of(args[0]);
    return copy;
}

static mp_obj_t object_pack(size_t n_args, const mp_obj_t *args) {
    mp_obj_t few[FEW];
    return struct_pack(n_args, with_format(n_args, args, few));
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(object_pack_obj, 1, object_pack);

static mp_obj_t object_pack_into(size_t n_args, const mp_obj_t *args) {
    mp_obj_t few[FEW];
    return struct_pack_into(n_args, with_format(n_args, args, few));
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(object_pack_into_obj, 1, object_pack_into);

static mp_obj_t object_unpack(mp_obj_t self, mp_obj_t data) {
    return struct_unpack(format_of(self), data);
}
static MP_DEFINE_CONST_FUN_OBJ_2(object_unpack_obj, object_unpack);

static mp_obj_t object_unpack_from(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_t copy[] = {format_of(args[0]), n_args > 1 ? args[1] : MP_OBJ_NULL,
        n_args > 2 ? args[2] : MP_OBJ_NULL};
    return struct_unpack_from(n_args, n_args > MP_ARRAY_SIZE(copy) ? args : copy, keywords);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(object_unpack_from_obj, 1, object_unpack_from);

static mp_obj_t object_iter_unpack(mp_obj_t self, mp_obj_t data) {
    return struct_iter_unpack(format_of(self), data);
}
static MP_DEFINE_CONST_FUN_OBJ_2(object_iter_unpack_obj, object_iter_unpack);

static void struct_attr(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    if (attr == MP_QSTR_format) {
        dest[0] = format_of(self);
    } else if (attr == MP_QSTR_size) {
        dest[0] = struct_calcsize(format_of(self));
    } else {
        dest[1] = MP_OBJ_SENTINEL; // a method
    }
}

static const mp_rom_map_elem_t struct_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_pack), MP_ROM_PTR(&object_pack_obj) },
    { MP_ROM_QSTR(MP_QSTR_pack_into), MP_ROM_PTR(&object_pack_into_obj) },
    { MP_ROM_QSTR(MP_QSTR_unpack), MP_ROM_PTR(&object_unpack_obj) },
    { MP_ROM_QSTR(MP_QSTR_unpack_from), MP_ROM_PTR(&object_unpack_from_obj) },
    { MP_ROM_QSTR(MP_QSTR_iter_unpack), MP_ROM_PTR(&object_iter_unpack_obj) },
};
static MP_DEFINE_CONST_DICT(struct_locals, struct_locals_table);

MP_DEFINE_CONST_OBJ_TYPE(gpusnek_struct_type, MP_QSTR_Struct, MP_TYPE_FLAG_NONE, make_new,
    struct_make_new, print, struct_print, attr, struct_attr, locals_dict, &struct_locals);

static const mp_rom_map_elem_t struct_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_struct) },
    { MP_ROM_QSTR(MP_QSTR_calcsize), MP_ROM_PTR(&struct_calcsize_obj) },
    { MP_ROM_QSTR(MP_QSTR_pack), MP_ROM_PTR(&struct_pack_obj) },
    { MP_ROM_QSTR(MP_QSTR_pack_into), MP_ROM_PTR(&struct_pack_into_obj) },
    { MP_ROM_QSTR(MP_QSTR_unpack), MP_ROM_PTR(&struct_unpack_obj) },
    { MP_ROM_QSTR(MP_QSTR_unpack_from), MP_ROM_PTR(&struct_unpack_from_obj) },
    { MP_ROM_QSTR(MP_QSTR_iter_unpack), MP_ROM_PTR(&struct_iter_unpack_obj) },
    { MP_ROM_QSTR(MP_QSTR_Struct), MP_ROM_PTR(&gpusnek_struct_type) },
    { MP_ROM_QSTR(MP_QSTR_error), MP_ROM_PTR(&gpusnek_type_struct_error) },
};
static MP_DEFINE_CONST_DICT(struct_globals, struct_globals_table);

const mp_obj_module_t mp_module_struct = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&struct_globals,
};

MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_struct, mp_module_struct);
