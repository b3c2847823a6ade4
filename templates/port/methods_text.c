// Methods of str, bytes and bytearray that upstream lacks, except those about case
// (methods_case.c).
#include "methods_text.h"

#include <string.h>

#include "charkinds.h"
#include "methods.h"
#include "py/objarray.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "py/unicode.h"

gpusnek_text_t gpusnek_text(mp_obj_t object) {
    gpusnek_text_t text = {NULL, 0, mp_obj_get_type(object), mp_obj_is_str(object)};
    if (text.is_str || text.type == &mp_type_bytes) {
        text.data = (const byte *)mp_obj_str_get_data(object, &text.size);
        return text;
    }
    if (text.type != &mp_type_bytearray) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("a bytes-like object is required, not '%s'"), mp_obj_get_type_str(object));
    }
    const mp_obj_array_t *const array = MP_OBJ_TO_PTR(object);
    text.data = array->items;
    text.size = array->len;
    return text;
}

gpusnek_text_t gpusnek_text_argument(gpusnek_text_t self, mp_obj_t argument) {
    if (self.is_str && !mp_obj_is_str(argument)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("argument must be str, not %s"),
            mp_obj_get_type_str(argument));
    }
    const gpusnek_text_t text = gpusnek_text(argument);
    if (text.is_str && !self.is_str) {
        mp_raise_TypeError(MP_ERROR_TEXT("a bytes-like object is required, not 'str'"));
    }
    return text;
}

mp_obj_t gpusnek_new_text(const mp_obj_type_t *type, vstr_t *vstr) {
    if (type == &mp_type_bytes) {
        return mp_obj_new_bytes_from_vstr(vstr);
    }
    if (type == &mp_type_bytearray) {
        return mp_obj_new_bytearray(vstr->len, vstr->buf);
    }
    return mp_obj_new_str_from_vstr(vstr);
}

unichar gpusnek_next(const byte **at, bool is_str) {
    const byte first = **at;
    if (first < 0x80 || !is_str) {
        ++*at;
        return first;
    }
    const unichar c = utf8_get_char(*at);
    *at = utf8_next_char(*at);
    return c;
}

size_t gpusnek_length(gpusnek_text_t text) {
    return text.is_str ? utf8_charlen(text.data, text.size) : text.size;
}

static mp_obj_t same_text(mp_obj_t self, gpusnek_text_t text, const byte *data, size_t size) {
    if (size == text.size && text.type != &mp_type_bytearray) {
        return self;
    }
    return mp_obj_new_str_of_type(text.type, data, size);
}

// Sets `fill` to the UTF-8 of the fill character: args[2], or a space. Returns its size.
static size_t read_fill(gpusnek_text_t self, size_t n_args, const mp_obj_t *args, byte fill[4]) {
    fill[0] = ' ';
    if (n_args < 3) {
        return 1;
    }
    const gpusnek_text_t text = gpusnek_text_argument(self, args[2]);
    if (gpusnek_length(text) != 1) {
        mp_raise_TypeError(MP_ERROR_TEXT("The fill character must be exactly one character long"));
    }
    memcpy(fill, text.data, text.size);
    return text.size;
}

// Returns the text with fill characters before and behind it.
static mp_obj_t pad_text(mp_obj_t self, gpusnek_text_t text, size_t before, size_t behind,
    const byte *fill, size_t fill_size) {
    if (before + behind == 0) {
        return same_text(self, text, text.data, text.size);
    }
    vstr_t result;
    vstr_init(&result, text.size + (before + behind) * fill_size + 1);
    for (size_t i = 0; i < before; i++) {
        vstr_add_strn(&result, (const char *)fill, fill_size);
    }
    vstr_add_strn(&result, (const char *)text.data, text.size);
    for (size_t i = 0; i < behind; i++) {
        vstr_add_strn(&result, (const char *)fill, fill_size);
    }
    return gpusnek_new_text(text.type, &result);
}

// Returns by how many characters the width exceeds the text's length.
static size_t lacking(gpusnek_text_t text, mp_int_t width) {
    const mp_int_t length = (mp_int_t)gpusnek_length(text);
    return width > length ? (size_t)(width - length) : 0;
}

// The methods read a number before the text: a number's `__int__` can change a bytearray.

static mp_obj_t text_center(size_t n_args, const mp_obj_t *args) {
    const mp_int_t width = mp_obj_get_int(args[1]);
    const gpusnek_text_t text = gpusnek_text(args[0]);
    byte fill[4];
    const size_t fill_size = read_fill(text, n_args, args, fill);
    const size_t pad = lacking(text, width);
    const size_t before = pad / 2 + (pad & (size_t)width & 1);
    return pad_text(args[0], text, before, pad - before, fill, fill_size);
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(gpusnek_text_center_obj, 2, 3, text_center);

mp_obj_t gpusnek_text_center(mp_obj_t self, mp_obj_t width) {
    const mp_obj_t args[] = {self, width};
    return text_center(2, args);
}

static mp_obj_t text_ljust(size_t n_args, const mp_obj_t *args) {
    const mp_int_t width = mp_obj_get_int(args[1]);
    const gpusnek_text_t text = gpusnek_text(args[0]);
    byte fill[4];
    const size_t fill_size = read_fill(text, n_args, args, fill);
    return pad_text(args[0], text, 0, lacking(text, width), fill, fill_size);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(text_ljust_obj, 2, 3, text_ljust);

static mp_obj_t text_rjust(size_t n_args, const mp_obj_t *args) {
    const mp_int_t width = mp_obj_get_int(args[1]);
    const gpusnek_text_t text = gpusnek_text(args[0]);
    byte fill[4];
    const size_t fill_size = read_fill(text, n_args, args, fill);
    return pad_text(args[0], text, lacking(text, width), 0, fill, fill_size);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(text_rjust_obj, 2, 3, text_rjust);

static mp_obj_t text_zfill(mp_obj_t self, mp_obj_t width_in) {
    const mp_int_t width = mp_obj_get_int(width_in);
    const gpusnek_text_t text = gpusnek_text(self);
    const size_t pad = lacking(text, width);
    if (pad == 0) {
        return same_text(self, text, text.data, text.size);
    }
    const size_t sign = text.size > 0 && (text.data[0] == '+' || text.data[0] == '-') ? 1 : 0;
    vstr_t result;
    vstr_init_len(&result, text.size + pad);
    memcpy(result.buf, text.data, sign);
    memset(result.buf + sign, '0', pad);
    memcpy(result.buf + sign + pad, text.data + sign, text.size - sign);
    return gpusnek_new_text(text.type, &result);
}
static MP_DEFINE_CONST_FUN_OBJ_2(text_zfill_obj, text_zfill);

static mp_obj_t text_removeprefix(mp_obj_t self, mp_obj_t prefix) {
    const gpusnek_text_t text = gpusnek_text(self), part = gpusnek_text_argument(text, prefix);
    const bool has = part.size <= text.size && memcmp(text.data, part.data, part.size) == 0;
    const size_t from = has ? part.size : 0;
    return same_text(self, text, text.data + from, text.size - from);
}
static MP_DEFINE_CONST_FUN_OBJ_2(text_removeprefix_obj, text_removeprefix);

static mp_obj_t text_removesuffix(mp_obj_t self, mp_obj_t suffix) {
    const gpusnek_text_t text = gpusnek_text(self), part = gpusnek_text_argument(text, suffix);
    const bool has = part.size <= text.size
        && memcmp(text.data + text.size - part.size, part.data, part.size) == 0;
    return same_text(self, text, text.data, text.size - (has ? part.size : 0));
}
static MP_DEFINE_CONST_FUN_OBJ_2(text_removesuffix_obj, text_removesuffix);

static mp_obj_t text_expandtabs(size_t n_args, const mp_obj_t *args) {
    const mp_int_t width = n_args > 1 ? mp_obj_get_int(args[1]) : 8;
    const gpusnek_text_t text = gpusnek_text(args[0]);
    mp_int_t column = 0;
    vstr_t result;
    vstr_init(&result, text.size + 1);
    for (size_t i = 0; i < text.size; i++) {
        const byte c = text.data[i];
        if (c == '\t') {
            if (width > 0) {
                const mp_int_t count = width - column % width;
                memset(vstr_add_len(&result, (size_t)count), ' ', (size_t)count);
                column += count;
            }
            continue;
        }
        vstr_add_byte(&result, c);
        if (c == '\n' || c == '\r') {
            column = 0;
        } else if (!text.is_str || !UTF8_IS_CONT(c)) {
            column++;
        }
    }
    return gpusnek_new_text(text.type, &result);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(text_expandtabs_obj, 1, 2, text_expandtabs);

// Returns table[key], or MP_OBJ_NULL if that raises LookupError.
static mp_obj_t look_up(mp_obj_t table, mp_obj_t key) {
    if (mp_obj_is_exact_type(table, &mp_type_dict)) {
        mp_map_elem_t *const entry = mp_map_lookup(mp_obj_dict_get_map(table), key, MP_MAP_LOOKUP);
        return entry == NULL ? MP_OBJ_NULL : entry->value;
    }
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        const mp_obj_t value = mp_obj_subscr(table, key, MP_OBJ_SENTINEL);
        nlr_pop();
        return value;
    }
    const mp_obj_t raised = MP_OBJ_FROM_PTR(nlr.ret_val);
    if (!mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(mp_obj_get_type(raised)), MP_OBJ_FROM_PTR(&mp_type_LookupError))) {
        nlr_raise(raised);
    }
    return MP_OBJ_NULL;
}

static mp_obj_t str_translate(mp_obj_t self, mp_obj_t table) {
    const gpusnek_text_t text = gpusnek_text(self);
    vstr_t result;
    vstr_init(&result, text.size + 1);
    const byte *const end = text.data + text.size;
    for (const byte *at = text.data; at < end;) {
        const unichar c = gpusnek_next(&at, true);
        const mp_obj_t to = look_up(table, MP_OBJ_NEW_SMALL_INT(c));
        if (to == MP_OBJ_NULL) {
            vstr_add_char(&result, c);
        } else if (mp_obj_is_str(to)) {
            const gpusnek_text_t part = gpusnek_text(to);
            vstr_add_strn(&result, (const char *)part.data, part.size);
        } else if (mp_obj_is_int(to)) {
            const mp_int_t number = mp_obj_get_int(to);
            if (number < 0 || number > 0x10ffff) {
                mp_raise_ValueError(MP_ERROR_TEXT("character mapping must be in range(0x110000)"));
            }
            vstr_add_char(&result, (unichar)number);
        } else if (to != mp_const_none) {
            mp_raise_TypeError(MP_ERROR_TEXT("character mapping must return integer, None or str"));
        }
    }
    return gpusnek_new_text(text.type, &result);
}
static MP_DEFINE_CONST_FUN_OBJ_2(str_translate_obj, str_translate);

static mp_obj_t bytes_translate(size_t n_args, const mp_obj_t *args) {
    const gpusnek_text_t text = gpusnek_text(args[0]);
    const byte *table = NULL;
    if (args[1] != mp_const_none) {
        const gpusnek_text_t given = gpusnek_text_argument(text, args[1]);
        if (given.size != 256) {
            mp_raise_ValueError(MP_ERROR_TEXT("translation table must be 256 characters long"));
        }
        table = given.data;
    }
    uint32_t deleted[8] = {0};
    if (n_args > 2) {
        const gpusnek_text_t given = gpusnek_text_argument(text, args[2]);
        for (size_t i = 0; i < given.size; i++) {
            deleted[given.data[i] / 32] |= (uint32_t)1 << given.data[i] % 32;
        }
    }
    vstr_t result;
    vstr_init(&result, text.size + 1);
    for (size_t i = 0; i < text.size; i++) {
        const byte c = text.data[i];
        if (!(deleted[c / 32] >> c % 32 & 1)) {
            vstr_add_byte(&result, table == NULL ? c : table[c]);
        }
    }
    return gpusnek_new_text(text.type, &result);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(bytes_translate_obj, 2, 3, bytes_translate);

static mp_obj_t str_maketrans(size_t n_args, const mp_obj_t *args) {
    const mp_obj_t result = mp_obj_new_dict(0);
    if (n_args == 1) {
        if (!mp_obj_is_dict_or_ordereddict(args[0])) {
            mp_raise_TypeError(MP_ERROR_TEXT("if you give only one argument to maketrans it must be a dict"));
        }
        const mp_map_t *const map = mp_obj_dict_get_map(args[0]);
        for (size_t i = 0; i < map->alloc; i++) {
            if (!mp_map_slot_is_filled(map, i)) {
                continue;
            }
            mp_obj_t key = map->table[i].key;
            if (mp_obj_is_str(key)) {
                const gpusnek_text_t text = gpusnek_text(key);
                if (gpusnek_length(text) != 1) {
                    mp_raise_ValueError(MP_ERROR_TEXT("string keys in translate table must be of length 1"));
                }
                const byte *at = text.data;
                key = MP_OBJ_NEW_SMALL_INT(gpusnek_next(&at, true));
            } else if (!mp_obj_is_int(key)) {
                mp_raise_TypeError(MP_ERROR_TEXT("keys in translate table must be strings or integers"));
            }
            mp_obj_dict_store(result, key, map->table[i].value);
        }
        return result;
    }
    for (size_t i = 0; i < n_args; i++) {
        if (!mp_obj_is_str(args[i])) {
            mp_raise_TypeError(MP_ERROR_TEXT("maketrans() arguments must be str"));
        }
    }
    const gpusnek_text_t from = gpusnek_text(args[0]), to = gpusnek_text(args[1]);
    if (gpusnek_length(from) != gpusnek_length(to)) {
        mp_raise_ValueError(MP_ERROR_TEXT("the first two maketrans arguments must have equal length"));
    }
    const byte *at = from.data, *into = to.data, *end = from.data + from.size;
    while (at < end) {
        const unichar key = gpusnek_next(&at, true), value = gpusnek_next(&into, true);
        mp_obj_dict_store(result, MP_OBJ_NEW_SMALL_INT(key), MP_OBJ_NEW_SMALL_INT(value));
    }
    if (n_args > 2) {
        const gpusnek_text_t deleted = gpusnek_text(args[2]);
        at = deleted.data;
        end = at + deleted.size;
        while (at < end) {
            mp_obj_dict_store(result, MP_OBJ_NEW_SMALL_INT(gpusnek_next(&at, true)), mp_const_none);
        }
    }
    return result;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(str_maketrans_fun, 1, 3, str_maketrans);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(str_maketrans_obj, MP_ROM_PTR(&str_maketrans_fun));

static mp_obj_t bytes_maketrans(mp_obj_t from_in, mp_obj_t to_in) {
    const gpusnek_text_t bytes = {NULL, 0, &mp_type_bytes, false};
    const gpusnek_text_t from = gpusnek_text_argument(bytes, from_in);
    const gpusnek_text_t to = gpusnek_text_argument(bytes, to_in);
    if (from.size != to.size) {
        mp_raise_ValueError(MP_ERROR_TEXT("maketrans arguments must have same length"));
    }
    vstr_t table;
    vstr_init_len(&table, 256);
    for (size_t i = 0; i < 256; i++) {
        table.buf[i] = (char)i;
    }
    for (size_t i = 0; i < from.size; i++) {
        table.buf[from.data[i]] = (char)to.data[i];
    }
    return mp_obj_new_bytes_from_vstr(&table);
}
static MP_DEFINE_CONST_FUN_OBJ_2(bytes_maketrans_fun, bytes_maketrans);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(bytes_maketrans_obj, MP_ROM_PTR(&bytes_maketrans_fun));

// Returns whether a replacement field's name ends at this character.
static bool ends_name(byte c) {
    return c == '.' || c == '[' || c == '!' || c == ':' || c == '}' || c == '{';
}

static mp_obj_t str_format_map(mp_obj_t self, mp_obj_t mapping) {
    if (mp_obj_is_dict_or_ordereddict(mapping)) {
        return mp_obj_str_format(1, &self, mp_obj_dict_get_map(mapping));
    }
    // mp_obj_str_format() reads values from a dict. This dict has the names of the format as keys.
    const gpusnek_text_t text = gpusnek_text(self);
    const mp_obj_t values = mp_obj_new_dict(0);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '{') {
            continue;
        }
        if (i + 1 < text.size && text.data[i + 1] == '{') {
            i++;
            continue;
        }
        size_t end = i + 1;
        while (end < text.size && !ends_name(text.data[end])) {
            end++;
        }
        if (end > i + 1) {
            const mp_obj_t name = mp_obj_new_str_via_qstr((const char *)text.data + i + 1, end - i - 1);
            mp_obj_dict_store(values, name, mp_obj_subscr(mapping, name, MP_OBJ_SENTINEL));
        }
    }
    return mp_obj_str_format(1, &self, mp_obj_dict_get_map(values));
}
static MP_DEFINE_CONST_FUN_OBJ_2(str_format_map_obj, str_format_map);

mp_obj_t gpusnek_field_value(mp_obj_t value, const char *path, size_t size) {
    size_t at = 0;
    while (at < size) {
        const bool item = path[at++] == '[';
        const size_t from = at;
        mp_int_t index = 0;
        bool number = item;
        while (at < size && (item ? path[at] != ']' : path[at] != '.' && path[at] != '[')) {
            const byte c = (byte)path[at++];
            number = number && unichar_isdigit(c) && index < 100000000;
            index = index * 10 + (c - '0');
        }
        if (at == from || (item && at == size)) {
            mp_raise_ValueError(MP_ERROR_TEXT("Empty attribute in format string"));
        }
        const qstr name = number ? MP_QSTRnull : qstr_from_strn(path + from, at - from);
        if (item) {
            at++;
            const mp_obj_t key = number ? MP_OBJ_NEW_SMALL_INT(index) : MP_OBJ_NEW_QSTR(name);
            value = mp_obj_subscr(value, key, MP_OBJ_SENTINEL);
            if (at < size && path[at] != '.' && path[at] != '[') {
                mp_raise_ValueError(MP_ERROR_TEXT("Only '.' or '[' may follow ']' in format field specifier"));
            }
        } else {
            value = mp_load_attr(value, name);
        }
    }
    return value;
}

static MP_DEFINE_CONST_FUN_OBJ_1(capitalize_obj, gpusnek_text_capitalize);
static MP_DEFINE_CONST_FUN_OBJ_1(casefold_obj, gpusnek_text_casefold);
static MP_DEFINE_CONST_FUN_OBJ_1(swapcase_obj, gpusnek_text_swapcase);
static MP_DEFINE_CONST_FUN_OBJ_1(title_obj, gpusnek_text_title);
static MP_DEFINE_CONST_FUN_OBJ_1(isalnum_obj, gpusnek_text_isalnum);
static MP_DEFINE_CONST_FUN_OBJ_1(isascii_obj, gpusnek_text_isascii);
static MP_DEFINE_CONST_FUN_OBJ_1(isdecimal_obj, gpusnek_text_isdecimal);
static MP_DEFINE_CONST_FUN_OBJ_1(isidentifier_obj, gpusnek_text_isidentifier);
static MP_DEFINE_CONST_FUN_OBJ_1(isnumeric_obj, gpusnek_text_isnumeric);
static MP_DEFINE_CONST_FUN_OBJ_1(isprintable_obj, gpusnek_text_isprintable);
static MP_DEFINE_CONST_FUN_OBJ_1(istitle_obj, gpusnek_text_istitle);

// In this order: methods of bytearray, of bytes and bytearray, of all three types, of str.
#define BYTEARRAY_OWN (6)
#define BYTES_OWN (2)
#define BYTES_METHODS (14)
static const mp_rom_map_elem_t text_table[] = {
    { MP_ROM_QSTR(MP_QSTR_clear), MP_ROM_PTR(&gpusnek_bytearray_clear_obj) },
    { MP_ROM_QSTR(MP_QSTR_copy), MP_ROM_PTR(&gpusnek_bytearray_copy_obj) },
    { MP_ROM_QSTR(MP_QSTR_insert), MP_ROM_PTR(&gpusnek_bytearray_insert_obj) },
    { MP_ROM_QSTR(MP_QSTR_pop), MP_ROM_PTR(&gpusnek_bytearray_pop_obj) },
    { MP_ROM_QSTR(MP_QSTR_remove), MP_ROM_PTR(&gpusnek_bytearray_remove_obj) },
    { MP_ROM_QSTR(MP_QSTR_reverse), MP_ROM_PTR(&gpusnek_bytearray_reverse_obj) },
    { MP_ROM_QSTR(MP_QSTR_maketrans), MP_ROM_PTR(&bytes_maketrans_obj) },
    { MP_ROM_QSTR(MP_QSTR_translate), MP_ROM_PTR(&bytes_translate_obj) },
    { MP_ROM_QSTR(MP_QSTR_capitalize), MP_ROM_PTR(&capitalize_obj) },
    { MP_ROM_QSTR(MP_QSTR_expandtabs), MP_ROM_PTR(&text_expandtabs_obj) },
    { MP_ROM_QSTR(MP_QSTR_isalnum), MP_ROM_PTR(&isalnum_obj) },
    { MP_ROM_QSTR(MP_QSTR_isascii), MP_ROM_PTR(&isascii_obj) },
    { MP_ROM_QSTR(MP_QSTR_istitle), MP_ROM_PTR(&istitle_obj) },
    { MP_ROM_QSTR(MP_QSTR_ljust), MP_ROM_PTR(&text_ljust_obj) },
    { MP_ROM_QSTR(MP_QSTR_removeprefix), MP_ROM_PTR(&text_removeprefix_obj) },
    { MP_ROM_QSTR(MP_QSTR_removesuffix), MP_ROM_PTR(&text_removesuffix_obj) },
    { MP_ROM_QSTR(MP_QSTR_rjust), MP_ROM_PTR(&text_rjust_obj) },
    { MP_ROM_QSTR(MP_QSTR_swapcase), MP_ROM_PTR(&swapcase_obj) },
    { MP_ROM_QSTR(MP_QSTR_title), MP_ROM_PTR(&title_obj) },
    { MP_ROM_QSTR(MP_QSTR_zfill), MP_ROM_PTR(&text_zfill_obj) },
    { MP_ROM_QSTR(MP_QSTR_casefold), MP_ROM_PTR(&casefold_obj) },
    { MP_ROM_QSTR(MP_QSTR_format_map), MP_ROM_PTR(&str_format_map_obj) },
    { MP_ROM_QSTR(MP_QSTR_isdecimal), MP_ROM_PTR(&isdecimal_obj) },
    { MP_ROM_QSTR(MP_QSTR_isidentifier), MP_ROM_PTR(&isidentifier_obj) },
    { MP_ROM_QSTR(MP_QSTR_isnumeric), MP_ROM_PTR(&isnumeric_obj) },
    { MP_ROM_QSTR(MP_QSTR_isprintable), MP_ROM_PTR(&isprintable_obj) },
    { MP_ROM_QSTR(MP_QSTR_maketrans), MP_ROM_PTR(&str_maketrans_obj) },
    { MP_ROM_QSTR(MP_QSTR_translate), MP_ROM_PTR(&str_translate_obj) },
};

MP_DEFINE_CONST_DICT_WITH_SIZE(gpusnek_bytearray_methods, text_table, BYTEARRAY_OWN + BYTES_METHODS);
MP_DEFINE_CONST_DICT_WITH_SIZE(gpusnek_bytes_methods, text_table + BYTEARRAY_OWN, BYTES_METHODS);
MP_DEFINE_CONST_DICT_WITH_SIZE(gpusnek_str_methods, text_table + BYTEARRAY_OWN + BYTES_OWN,
    MP_ARRAY_SIZE(text_table) - BYTEARRAY_OWN - BYTES_OWN);

size_t gpusnek_line_end(const byte *at) {
    switch (*at) {
        case 0x0b: case 0x0c: case 0x1c: case 0x1d: case 0x1e:
            return 1;
        case 0xc2: // U+0085
            return at[1] == 0x85 ? 2 : 0;
        case 0xe2: // U+2028, U+2029
            return at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9) ? 3 : 0;
        default:
            return 0;
    }
}

// Returns whether a character is white space, or one of `chars` unless that is NULL.
static bool is_stripped(const byte *at, const byte *end, const char *chars, size_t size) {
    if (chars == NULL) {
        return (gpusnek_kind(utf8_get_char(at))->flags & GPUSNEK_SPACE) != 0;
    }
    const size_t length = (size_t)(end - at);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(chars + i, at, length) == 0) {
            return true;
        }
    }
    return false;
}

mp_obj_t gpusnek_text_strip(bool left, bool right, size_t n_args, const mp_obj_t *args) {
    if (!mp_obj_is_str(args[0])) {
        return MP_OBJ_NULL;
    }
    const char *chars = NULL;
    size_t count = 0;
    if (n_args > 1 && args[1] != mp_const_none) {
        if (!mp_obj_is_str(args[1])) {
            return MP_OBJ_NULL;
        }
        chars = mp_obj_str_get_data(args[1], &count);
        size_t ascii = 0;
        while (ascii < count && (chars[ascii] & 0x80) == 0) {
            ascii++;
        }
        if (ascii == count) {
            return MP_OBJ_NULL;
        }
    }
    size_t size;
    const byte *const text = (const byte *)mp_obj_str_get_data(args[0], &size);
    const byte *start = text, *end = text + size;
    while (left && start < end) {
        const byte *const next = utf8_next_char(start);
        if (!is_stripped(start, next, chars, count)) {
            break;
        }
        start = next;
    }
    while (right && start < end) {
        const byte *last = end - 1;
        while (last > start && UTF8_IS_CONT(*last)) {
            last--;
        }
        if (!is_stripped(last, end, chars, count)) {
            break;
        }
        end = last;
    }
    const size_t left_over = (size_t)(end - start);
    return left_over == size ? args[0] : mp_obj_new_str((const char *)start, left_over);
}

const mp_obj_t *gpusnek_needle(size_t n_args, const mp_obj_t *args, mp_obj_t *copy) {
    if (!(mp_obj_is_int(args[1]) || mp_obj_is_bool(args[1])) || mp_obj_is_str(args[0])) {
        return args;
    }
    mp_int_t value = -1;
    if (mp_obj_is_bool(args[1])) {
        value = args[1] == mp_const_true;
    } else if (mp_obj_is_small_int(args[1])) {
        value = MP_OBJ_SMALL_INT_VALUE(args[1]);
    }
    if (value < 0 || value > 255) {
        mp_raise_ValueError(MP_ERROR_TEXT("byte must be in range(0, 256)"));
    }
    const byte needle = (byte)value;
    for (size_t i = 0; i < n_args && i < 4; i++) {
        copy[i] = args[i];
    }
    copy[1] = mp_obj_new_bytes(&needle, 1);
    return copy;
}
