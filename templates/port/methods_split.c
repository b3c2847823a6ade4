// split and rsplit at white space, rsplit at a separator, empty texts beyond the end, and hex with a
// separator, for py/objstr.c (patch `builtin-types`), and ascii().
#include <string.h>

#include "methods_text.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "py/unicode.h"

// Returns the size of the white space character at `at`, or 0. A text ends with NUL, so the bytes
// behind the first can be read one by one. `at` may be inside a character.
static inline size_t space_size(const byte *at, bool is_str) {
    const byte c = *at;
    if (c < 0x80) {
        return (c == ' ') | ((unsigned)c - 9u < 5u) | (is_str & ((unsigned)c - 0x1cu < 4u));
    }
    if (!is_str) {
        return 0;
    }
    switch (c) {
        case 0xc2: // U+0085, U+00A0
            return at[1] == 0x85 || at[1] == 0xa0 ? 2 : 0;
        case 0xe1: // U+1680
            return at[1] == 0x9a && at[2] == 0x80 ? 3 : 0;
        case 0xe2: // U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F
            if (at[1] == 0x80) {
                return at[2] <= 0x8a || at[2] == 0xa8 || at[2] == 0xa9 || at[2] == 0xaf ? 3 : 0;
            }
            return at[1] == 0x81 && at[2] == 0x9f ? 3 : 0;
        case 0xe3: // U+3000
            return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
        default:
            return 0;
    }
}

// Returns the size of the white space character that ends at `end`, or 0.
static size_t space_before(const byte *start, const byte *end, bool is_str) {
    const byte *at = end - 1;
    while (is_str && at > start && UTF8_IS_CONT(*at)) {
        at--;
    }
    return space_size(at, is_str);
}

static void add_part(mp_obj_t list, const gpusnek_text_t *text, const byte *from, const byte *to) {
    mp_obj_list_append(list, mp_obj_new_str_of_type(text->type, from, (size_t)(to - from)));
}

static void reverse(mp_obj_t list_in) {
    mp_obj_list_t *const list = MP_OBJ_TO_PTR(list_in);
    for (size_t i = 0; i < list->len / 2; i++) {
        const mp_obj_t item = list->items[i];
        list->items[i] = list->items[list->len - 1 - i];
        list->items[list->len - 1 - i] = item;
    }
}

mp_obj_t gpusnek_text_split(size_t n_args, const mp_obj_t *args) {
    if (n_args > 1 && args[1] != mp_const_none) {
        return MP_OBJ_NULL;
    }
    mp_int_t splits = n_args > 2 ? mp_obj_get_int(args[2]) : -1;
    const gpusnek_text_t text = gpusnek_text(args[0]);
    const mp_obj_t list = mp_obj_new_list(0, NULL);
    const byte *at = text.data;
    const byte *const end = at + text.size;
    for (;;) {
        for (size_t size; at < end && (size = space_size(at, text.is_str)) > 0;) {
            at += size;
        }
        if (at >= end) {
            return list;
        }
        const byte *const start = at;
        if (splits == 0) {
            at = end;
        } else {
            splits -= splits > 0;
        }
        while (at < end && space_size(at, text.is_str) == 0) {
            at++;
        }
        add_part(list, &text, start, at);
    }
}

// rsplit(None, splits)
static mp_obj_t split_spaces(const gpusnek_text_t *text, mp_int_t splits) {
    const mp_obj_t list = mp_obj_new_list(0, NULL);
    const byte *const start = text->data;
    const byte *end = start + text->size;
    for (;;) {
        for (size_t size; end > start && (size = space_before(start, end, text->is_str)) > 0;) {
            end -= size;
        }
        if (end <= start) {
            break;
        }
        const byte *at = end;
        if (splits == 0) {
            at = start;
        }
        splits--;
        while (at > start && space_before(start, at, text->is_str) == 0) {
            at--;
        }
        add_part(list, text, at, end);
        end = at;
    }
    reverse(list);
    return list;
}

mp_obj_t gpusnek_text_rsplit(size_t n_args, const mp_obj_t *args) {
    mp_int_t splits = n_args > 2 ? mp_obj_get_int(args[2]) : -1;
    if (splits < 0) {
        if (n_args < 2 || args[1] == mp_const_none) {
            return MP_OBJ_NULL;
        }
        splits = MP_SSIZE_MAX; // upstream splits from the left: separators may overlap
    }
    const gpusnek_text_t text = gpusnek_text(args[0]);
    if (args[1] == mp_const_none) {
        return split_spaces(&text, splits);
    }
    if (mp_obj_is_instance_type(mp_obj_get_type(args[1]))) { // upstream knows subclasses of str
        return MP_OBJ_NULL;
    }
    const gpusnek_text_t separator = gpusnek_text_argument(text, args[1]);
    if (separator.size == 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("empty separator"));
    }
    const mp_obj_t list = mp_obj_new_list(0, NULL);
    size_t end = text.size;
    mp_int_t left = splits;
    for (size_t at = end; left > 0 && at >= separator.size;) {
        at--;
        const size_t from = at + 1 - separator.size;
        if (memcmp(text.data + from, separator.data, separator.size) == 0) {
            add_part(list, &text, text.data + at + 1, text.data + end);
            end = from;
            at = from;
            left--;
        }
    }
    add_part(list, &text, text.data, text.data + end);
    reverse(list);
    return list;
}

// Sets *value to a position that is an integer, and returns whether it is one. Calls no `__index__`,
// which the caller did before, and which can change a bytearray.
static bool read_position(mp_obj_t position, mp_int_t *value) {
    return mp_obj_is_int(position) && mp_obj_get_int_maybe(position, value);
}

bool gpusnek_no_range(size_t n_args, const mp_obj_t *args) {
    mp_int_t start = 0;
    if (n_args < 3 || (args[2] != mp_const_none && !read_position(args[2], &start))) {
        return false;
    }
    const mp_int_t length = (mp_int_t)gpusnek_length(gpusnek_text(args[0]));
    mp_int_t end = length;
    if (n_args > 3 && args[3] != mp_const_none && !read_position(args[3], &end)) {
        return false;
    }
    start = start < 0 ? MAX(start + length, 0) : start;
    end = end < 0 ? MAX(end + length, 0) : MIN(end, length);
    return start > end;
}

mp_obj_t gpusnek_hex(size_t n_args, const mp_obj_t *args, const mp_obj_type_t *type) {
    mp_int_t group = n_args > 2 ? mp_obj_get_int(args[2]) : 1;
    mp_buffer_info_t buffer;
    const gpusnek_text_t separator = gpusnek_text(args[1]);
    if (gpusnek_length(separator) != 1) {
        mp_raise_ValueError(MP_ERROR_TEXT("sep must be length 1."));
    }
    if (separator.data[0] >= 0x80) {
        mp_raise_ValueError(MP_ERROR_TEXT("sep must be ASCII."));
    }
    mp_get_buffer_raise(args[0], &buffer, MP_BUFFER_READ);
    const bool from_end = group >= 0;
    const size_t each = from_end ? (size_t)group : (size_t)0 - (size_t)group;
    vstr_t text;
    vstr_init(&text, buffer.len * 2 + (each == 0 ? 0 : buffer.len / each) + 1);
    for (size_t i = 0; i < buffer.len; i++) {
        if (i > 0 && each > 0 && (from_end ? buffer.len - i : i) % each == 0) {
            vstr_add_byte(&text, separator.data[0]);
        }
        const byte value = ((const byte *)buffer.buf)[i];
        vstr_add_byte(&text, (byte)"0123456789abcdef"[value >> 4]);
        vstr_add_byte(&text, (byte)"0123456789abcdef"[value & 15]);
    }
    if (type == &mp_type_bytes) {
        return mp_obj_new_bytes_from_vstr(&text);
    }
    return mp_obj_new_str_from_vstr(&text);
}

static mp_obj_t builtin_ascii(mp_obj_t value) {
    vstr_t shown;
    mp_print_t print;
    vstr_init_print(&shown, 16, &print);
    mp_obj_print_helper(&print, value, PRINT_REPR);
    size_t ascii = 0;
    while (ascii < shown.len && !(shown.buf[ascii] & 0x80)) {
        ascii++;
    }
    if (ascii == shown.len) {
        return mp_obj_new_str_from_vstr(&shown);
    }
    const mp_obj_t repr = mp_obj_new_str_from_vstr(&shown);
    const gpusnek_text_t text = gpusnek_text(repr);
    vstr_t result;
    vstr_init_print(&result, text.size + 16, &print);
    for (const byte *at = text.data, *const end = at + text.size; at < end;) {
        const unichar c = gpusnek_next(&at, true);
        if (c < 0x80) {
            vstr_add_byte(&result, (byte)c);
        } else {
            mp_printf(&print, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
        }
    }
    return mp_obj_new_str_from_vstr(&result);
}
MP_DEFINE_CONST_FUN_OBJ_1(gpusnek_ascii_obj, builtin_ascii);
