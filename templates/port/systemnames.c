// Names of module `sys` that a program can replace, or that a frozen module has (systemnames.h).
// The patch `streams` calls this code.
#include "systemnames.h"

#include <string.h>

#include "genhdr/mpversion.h"
#include "port.h"
#include "py/builtin.h"
#include "py/frozenmod.h"
#include "py/mperrno.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"

enum { STREAM_IN, STREAM_OUT, STREAM_ERR, STREAMS };

// The objects that replace sys.stdin, sys.stdout and sys.stderr; MP_OBJ_NULL: not replaced.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_streams[3]);

extern struct _mp_dummy_t mp_sys_stdin_obj;
extern struct _mp_dummy_t mp_sys_stdout_obj;
extern struct _mp_dummy_t mp_sys_stderr_obj;

#define LANGUAGE "3.13.0" // of CPython

const mp_obj_str_t gpusnek_version_obj = {{&mp_type_str}, 0,
    sizeof(LANGUAGE " (" MICROPY_BANNER_NAME_AND_VERSION ")") - 1,
    (const byte *)LANGUAGE " (" MICROPY_BANNER_NAME_AND_VERSION ")"};

const gpusnek_version_t gpusnek_version_info_obj = {{&gpusnek_version_type}, 5,
    {MP_ROM_INT(3), MP_ROM_INT(13), MP_ROM_INT(0), MP_ROM_QSTR(MP_QSTR_final), MP_ROM_INT(0)}};

static const qstr version_fields[] = {
    MP_QSTR_major, MP_QSTR_minor, MP_QSTR_micro, MP_QSTR_releaselevel, MP_QSTR_serial
};

static void version_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    mp_print_str(print, "sys.version_info");
    mp_obj_attrtuple_print_helper(print, version_fields, (mp_obj_tuple_t *)MP_OBJ_TO_PTR(self));
}

static void version_attr(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    for (size_t i = 0; i < MP_ARRAY_SIZE(version_fields); i++) {
        if (version_fields[i] == attr) {
            dest[0] = ((const mp_obj_tuple_t *)MP_OBJ_TO_PTR(self))->items[i];
            return;
        }
    }
    dest[1] = MP_OBJ_SENTINEL; // a method
}

MP_DEFINE_CONST_OBJ_TYPE(gpusnek_version_type, MP_QSTR_version_info,
    MP_TYPE_FLAG_EQ_CHECKS_OTHER_TYPE | MP_TYPE_FLAG_ITER_IS_GETITER, print, version_print, unary_op, mp_obj_tuple_unary_op, binary_op, mp_obj_tuple_binary_op, attr,
    version_attr, subscr, mp_obj_tuple_subscr, iter, mp_obj_tuple_getiter, parent, &mp_type_tuple);

static mp_obj_t own_stream(int which) {
    return which == STREAM_IN ? MP_OBJ_FROM_PTR(&mp_sys_stdin_obj)
        : which == STREAM_OUT ? MP_OBJ_FROM_PTR(&mp_sys_stdout_obj)
        : MP_OBJ_FROM_PTR(&mp_sys_stderr_obj);
}

static mp_obj_t stream(int which) {
    const mp_obj_t replaced = MP_STATE_VM(gpusnek_streams)[which];
    return replaced != MP_OBJ_NULL ? replaced : own_stream(which);
}

// Load a name of the frozen module `_sys`.
static bool load_frozen(qstr attribute, mp_obj_t *dest) {
    #if MICROPY_MODULE_FROZEN
    if (strncmp(qstr_str(attribute), "__", 2) == 0) {
        return false; // those of the module `_sys` itself
    }
    int kind;
    void *data;
    const char file[] = "_sys.py";
    if (mp_find_frozen_module(file, &kind, &data) != MP_IMPORT_STAT_FILE) {
        return false;
    }
    const mp_obj_t module = mp_import_name(MP_QSTR__sys, mp_const_none, MP_OBJ_NEW_SMALL_INT(0));
    mp_obj_t found[2] = { MP_OBJ_NULL, MP_OBJ_NULL };
    mp_load_method_maybe(module, attribute, found);
    if (found[0] == MP_OBJ_NULL) {
        return false;
    }
    dest[0] = found[0];
    return true;
    #else
    return false;
    #endif
}

bool gpusnek_system_attribute(qstr attribute, mp_obj_t *dest) {
    const int which = attribute == MP_QSTR_stdin ? STREAM_IN
        : attribute == MP_QSTR_stdout ? STREAM_OUT
        : attribute == MP_QSTR_stderr ? STREAM_ERR : STREAMS;
    if (which == STREAMS) {
        return dest[0] == MP_OBJ_NULL && attribute != MP_QSTR_path && load_frozen(attribute, dest);
    }
    if (dest[0] == MP_OBJ_NULL) {
        dest[0] = stream(which);
    } else if (dest[1] != MP_OBJ_NULL) {
        MP_STATE_VM(gpusnek_streams)[which] = dest[1] == own_stream(which) ? MP_OBJ_NULL : dest[1];
        dest[0] = MP_OBJ_NULL; // done
    }
    return true;
}

bool gpusnek_streams_replaced(void) {
    return MP_STATE_VM(gpusnek_streams)[STREAM_IN] != MP_OBJ_NULL
        || MP_STATE_VM(gpusnek_streams)[STREAM_OUT] != MP_OBJ_NULL;
}

static mp_obj_t keyword(mp_map_t *keywords, qstr name) {
    const mp_map_elem_t *const found =
        mp_map_lookup(keywords, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP);
    return found == NULL ? mp_const_none : found->value;
}

static void write_to(mp_obj_t file, mp_obj_t text) {
    mp_obj_t call[3];
    mp_load_method(file, MP_QSTR_write, call);
    call[2] = text;
    mp_call_method_n_kw(1, 0, call);
}

static mp_obj_t text_of(mp_obj_t value) {
    return mp_obj_is_str(value) ? value
        : mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_str), value);
}

static mp_obj_t separator(mp_obj_t value, qstr name, qstr otherwise) {
    if (value == mp_const_none) {
        return MP_OBJ_NEW_QSTR(otherwise);
    }
    if (!mp_obj_is_str(value)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q must be None or a string, not %s"),
            name, mp_obj_get_type_str(value));
    }
    return value;
}

bool gpusnek_print_by_write(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_t replaced = MP_STATE_VM(gpusnek_streams)[STREAM_OUT];
    if (keywords->used == 0 && replaced == MP_OBJ_NULL) {
        return false;
    }
    const mp_obj_t given = keyword(keywords, MP_QSTR_file);
    const mp_obj_t file = given != mp_const_none ? given : stream(STREAM_OUT);
    const mp_obj_t sep = keyword(keywords, MP_QSTR_sep);
    const mp_obj_t end = keyword(keywords, MP_QSTR_end);
    size_t known = 0;
    bool has_none = false;
    for (size_t i = 0; i < keywords->alloc; i++) {
        if (mp_map_slot_is_filled(keywords, i)) {
            const mp_obj_t key = keywords->table[i].key;
            known += key == MP_OBJ_NEW_QSTR(MP_QSTR_file) || key == MP_OBJ_NEW_QSTR(MP_QSTR_sep)
                || key == MP_OBJ_NEW_QSTR(MP_QSTR_end);
            has_none = has_none || keywords->table[i].value == mp_const_none;
        }
    }
    if (known < keywords->used) {
        return false; // upstream's code raises TypeError
    }
    const bool own = file == own_stream(STREAM_OUT) || file == own_stream(STREAM_ERR);
    const bool texts = (sep == mp_const_none || mp_obj_is_str(sep))
        && (end == mp_const_none || mp_obj_is_str(end));
    if (own && !has_none && texts) {
        return false;
    }
    if (file == mp_const_none) {
        return true; // sys.stdout = None: there is no output
    }
    const mp_obj_t between = separator(sep, MP_QSTR_sep, MP_QSTR__space_);
    const mp_obj_t last = separator(end, MP_QSTR_end, MP_QSTR__0x0a_);
    for (size_t i = 0; i < n_args; i++) {
        if (i > 0) {
            write_to(file, between);
        }
        write_to(file, text_of(args[i]));
    }
    write_to(file, last);
    return true;
}

mp_obj_t gpusnek_input_by_readline(mp_obj_t prompt) {
    if (prompt != MP_OBJ_NULL && stream(STREAM_OUT) != mp_const_none) {
        write_to(stream(STREAM_OUT), text_of(prompt));
    }
    mp_obj_t call[2];
    mp_load_method(stream(STREAM_IN), MP_QSTR_readline, call);
    const mp_obj_t line = mp_call_method_n_kw(0, 0, call);
    if (!mp_obj_is_str(line)) {
        mp_raise_TypeError(MP_ERROR_TEXT("object.readline() returned non-string"));
    }
    size_t size;
    const char *const text = mp_obj_str_get_data(line, &size);
    if (size == 0) {
        mp_raise_msg(&mp_type_EOFError, MP_ERROR_TEXT("EOF when reading a line"));
    }
    return text[size - 1] == '\n' ? mp_obj_new_str(text, size - 1) : line;
}

_Noreturn void gpusnek_raise_at_end(const mp_obj_type_t *type) {
    if (type == &mp_type_EOFError) {
        mp_raise_msg(type, MP_ERROR_TEXT("EOF when reading a line"));
    }
    mp_raise_type(type);
}

mp_obj_t gpusnek_open_stream(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_t file = n_args > 0 ? args[0] : keyword(keywords, MP_QSTR_file);
    if (!mp_obj_is_small_int(file)) {
        return MP_OBJ_NULL;
    }
    const mp_int_t which = MP_OBJ_SMALL_INT_VALUE(file);
    if (which < STREAM_IN || which > STREAM_ERR) {
        mp_raise_OSError(MP_EBADF);
    }
    const mp_obj_t own = own_stream((int)which);
    const mp_obj_t mode = n_args > 1 ? args[1] : keyword(keywords, MP_QSTR_mode);
    if (mp_obj_is_str(mode) && strchr(mp_obj_str_get_str(mode), 'b') != NULL) {
        return mp_load_attr(own, MP_QSTR_buffer);
    }
    return own;
}

// Sizes in bytes of CPython 3.13, on 64 bits.
enum {
    SIZE_OF_NONE = 16, SIZE_OF_FLOAT = 24, SIZE_OF_INT = 24, SIZE_OF_DIGIT = 4, SIZE_OF_BYTES = 33,
    SIZE_OF_ASCII = 41, SIZE_OF_LATIN = 57, SIZE_OF_UCS2 = 58, SIZE_OF_UCS4 = 60, SIZE_OF_TUPLE = 40,
    SIZE_OF_LIST = 56, SIZE_OF_ANY = 48
};

// A digit of an int has 30 bits; 0 has one digit.
static size_t size_of_int(mp_obj_t value) {
    size_t bits = 0;
    if (mp_obj_is_small_int(value)) {
        const mp_int_t small = MP_OBJ_SMALL_INT_VALUE(value);
        for (mp_uint_t rest = small < 0 ? -(mp_uint_t)small : (mp_uint_t)small; rest != 0; rest >>= 1) {
            bits++;
        }
    } else {
        const mp_obj_t length = mp_call_function_1(mp_load_attr(
            MP_OBJ_FROM_PTR(&mp_type_int), MP_QSTR_bit_length), value);
        bits = (size_t)mp_obj_get_int(length);
    }
    const size_t digits = (bits + 29) / 30;
    return SIZE_OF_INT + SIZE_OF_DIGIT * (digits == 0 ? 1 : digits);
}

// CPython stores 1, 2 or 4 bytes for each character, as its largest character needs.
static size_t size_of_text(mp_obj_t value) {
    size_t size;
    const byte *const text = (const byte *)mp_obj_str_get_data(value, &size);
    byte largest = 0;
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        largest = MAX(largest, text[i]);
        length += !UTF8_IS_CONT(text[i]);
    }
    return largest < 0x80 ? SIZE_OF_ASCII + length
        : largest < 0xc4 ? SIZE_OF_LATIN + length // characters below 0x100 begin with 0xc2 or 0xc3
        : largest < 0xf0 ? SIZE_OF_UCS2 + 2 * length : SIZE_OF_UCS4 + 4 * length;
}

mp_obj_t gpusnek_size_of(mp_unary_op_t op, mp_obj_t value) {
    size_t size = SIZE_OF_ANY;
    const mp_obj_type_t *const type = mp_obj_get_type(value);
    if (value == mp_const_none) {
        size = SIZE_OF_NONE;
    } else if (mp_obj_is_bool(value)) {
        size = SIZE_OF_INT + SIZE_OF_DIGIT;
    } else if (mp_obj_is_int(value)) {
        size = size_of_int(value);
    } else if (mp_obj_is_float(value)) {
        size = SIZE_OF_FLOAT;
    } else if (mp_obj_is_str(value)) {
        size = size_of_text(value);
    } else if (type == &mp_type_bytes) {
        mp_obj_str_get_data(value, &size);
        size += SIZE_OF_BYTES;
    } else if (type == &mp_type_tuple) {
        size = SIZE_OF_TUPLE + sizeof(mp_obj_t) * ((const mp_obj_tuple_t *)MP_OBJ_TO_PTR(value))->len;
    } else if (type == &mp_type_list) {
        const mp_obj_list_t *const list = MP_OBJ_TO_PTR(value);
        size = SIZE_OF_LIST + sizeof(mp_obj_t) * (list->len == 0 ? 0 : list->alloc);
    } else if (MP_OBJ_TYPE_HAS_SLOT(type, unary_op)) {
        const mp_obj_t found = MP_OBJ_TYPE_GET_SLOT(type, unary_op)(op, value);
        if (found != MP_OBJ_NULL) {
            return found;
        }
    }
    return mp_obj_new_int_from_uint(size);
}
