// Encodings of str and bytes: UTF-8, ASCII and Latin-1, with the error handlers of CPython that need
// no registry.
#include "encodings.h"

#include <string.h>

#include "methods_text.h"
#include "py/objexcept.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "py/unicode.h"

MP_DEFINE_CONST_OBJ_TYPE(
    gpusnek_type_UnicodeEncodeError,
    MP_QSTR_UnicodeEncodeError,
    MP_TYPE_FLAG_NONE,
    make_new, mp_obj_exception_make_new,
    print, mp_obj_exception_print,
    attr, mp_obj_exception_attr,
    parent, &mp_type_UnicodeError
    );

MP_DEFINE_CONST_OBJ_TYPE(
    gpusnek_type_UnicodeDecodeError,
    MP_QSTR_UnicodeDecodeError,
    MP_TYPE_FLAG_NONE,
    make_new, mp_obj_exception_make_new,
    print, mp_obj_exception_print,
    attr, mp_obj_exception_attr,
    parent, &mp_type_UnicodeError
    );

typedef enum {
    UTF_8,
    ASCII,
    LATIN_1,
} codec_t;

// Replacement for a byte that is not decoded.
#define REPLACEMENT (0xfffd)

static codec_t codec_of(mp_obj_t name) {
    static const struct {
        const char *name;
        codec_t codec;
    } known[] = {
        { "utf8", UTF_8 }, { "u8", UTF_8 }, { "utf", UTF_8 }, { "cp65001", UTF_8 }, { "ascii", ASCII }, { "usascii", ASCII },
        { "646", ASCII }, { "latin1", LATIN_1 }, { "latin", LATIN_1 }, { "iso88591", LATIN_1 },
        { "l1", LATIN_1 }, { "8859", LATIN_1 },
    };
    if (!mp_obj_is_str(name)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("argument 'encoding' must be str, not %s"),
            mp_obj_get_type_str(name));
    }
    const gpusnek_text_t text = gpusnek_text(name);
    char plain[10];
    size_t length = 0;
    for (size_t i = 0; i < text.size && length < sizeof(plain); i++) {
        const byte c = text.data[i];
        if (c != '-' && c != '_' && c != ' ') {
            plain[length++] = (char)unichar_tolower(c);
        }
    }
    for (size_t i = 0; i < MP_ARRAY_SIZE(known); i++) {
        if (strlen(known[i].name) == length && memcmp(known[i].name, plain, length) == 0) {
            return known[i].codec;
        }
    }
    mp_raise_msg_varg(&mp_type_LookupError, MP_ERROR_TEXT("unknown encoding: %s"),
        mp_obj_str_get_str(name));
}

static const char *name_of(codec_t codec) {
    return codec == UTF_8 ? "utf-8" : codec == ASCII ? "ascii" : "latin-1";
}

static _Noreturn void raise_handler(mp_obj_t handler) {
    mp_raise_msg_varg(&mp_type_LookupError, MP_ERROR_TEXT("unknown error handler name '%s'"),
        mp_obj_str_get_str(handler));
}

static _Noreturn void raise_unicode(const mp_obj_type_t *type, codec_t codec, mp_obj_t object,
    size_t start, size_t end, const char *reason) {
    const char *const name = name_of(codec);
    const mp_obj_t args[] = {mp_obj_new_str(name, strlen(name)), object, MP_OBJ_NEW_SMALL_INT(start),
        MP_OBJ_NEW_SMALL_INT(end), mp_obj_new_str(reason, strlen(reason))};
    nlr_raise(mp_obj_new_exception_args(type, MP_ARRAY_SIZE(args), args));
}

static bool is_handler(mp_obj_t handler, qstr name) {
    return mp_obj_is_str(handler) && mp_obj_str_equal(handler, MP_OBJ_NEW_QSTR(name));
}

mp_obj_t gpusnek_encode(size_t n_args, const mp_obj_t *args) {
    const codec_t codec = codec_of(args[1]);
    if (codec == UTF_8) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t handler = n_args > 2 ? args[2] : MP_OBJ_NEW_QSTR(MP_QSTR_strict);
    const unichar limit = codec == ASCII ? 0x80 : 0x100;
    const gpusnek_text_t text = gpusnek_text(args[0]);
    const byte *const end = text.data + text.size;
    vstr_t bytes;
    mp_print_t print;
    vstr_init_print(&bytes, text.size + 1, &print);
    size_t position = 0;
    for (const byte *at = text.data; at < end; position++) {
        const unichar c = gpusnek_next(&at, true);
        if (c < limit) {
            vstr_add_byte(&bytes, (byte)c);
        } else if (is_handler(handler, MP_QSTR_strict)) {
            raise_unicode(&gpusnek_type_UnicodeEncodeError, codec, args[0], position, position + 1,
                codec == ASCII ? "ordinal not in range(128)" : "ordinal not in range(256)");
        } else if (is_handler(handler, MP_QSTR_replace)) {
            vstr_add_byte(&bytes, '?');
        } else if (is_handler(handler, MP_QSTR_xmlcharrefreplace)) {
            mp_printf(&print, "&#%d;", (int)c);
        } else if (is_handler(handler, MP_QSTR_backslashreplace)) {
            mp_printf(&print, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned int)c);
        } else if (!is_handler(handler, MP_QSTR_ignore)) {
            raise_handler(handler);
        }
    }
    return mp_obj_new_bytes_from_vstr(&bytes);
}

// Returns the number of bytes of the UTF-8 character at `at`, or 0 for bytes that are not UTF-8. Then
// *wrong is the number of bytes that CPython replaces by one replacement character.
static size_t character_size(const byte *at, size_t left, size_t *wrong) {
    const byte first = at[0];
    *wrong = 1;
    if (first < 0x80) {
        return 1;
    }
    const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        byte low = 0x80, high = 0xbf;
        if (i == 1) {
            low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
            high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        }
        if (i >= left || at[i] < low || at[i] > high) {
            *wrong = i;
            return 0;
        }
    }
    return size;
}

mp_obj_t gpusnek_decode(size_t n_args, const mp_obj_t *args) {
    const codec_t codec = codec_of(args[1]);
    mp_buffer_info_t given;
    if (mp_obj_is_str(args[0])) {
        mp_raise_TypeError(MP_ERROR_TEXT("decoding str is not supported"));
    }
    mp_get_buffer_raise(args[0], &given, MP_BUFFER_READ);
    const byte *const data = given.buf;
    if (codec == UTF_8 && utf8_check(data, given.len)) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t handler = n_args > 2 ? args[2] : MP_OBJ_NEW_QSTR(MP_QSTR_strict);
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, given.len + 1, &print);
    for (size_t at = 0; at < given.len;) {
        size_t wrong = 1, size = 1;
        if (codec == UTF_8) {
            size = character_size(data + at, given.len - at, &wrong);
        } else if (codec == ASCII) {
            size = data[at] < 0x80;
        }
        if (size > 0) {
            if (codec == LATIN_1) {
                vstr_add_char(&text, data[at]);
            } else {
                vstr_add_strn(&text, (const char *)data + at, size);
            }
            at += size;
            continue;
        }
        if (is_handler(handler, MP_QSTR_strict)) {
            const char *const reason = codec == ASCII ? "ordinal not in range(128)"
                : at + wrong == given.len && data[at] >= 0xc2 && data[at] <= 0xf4 ? "unexpected end of data"
                : data[at] >= 0xc2 && data[at] <= 0xf4 ? "invalid continuation byte" : "invalid start byte";
            raise_unicode(&gpusnek_type_UnicodeDecodeError, codec, mp_obj_new_bytes(data, given.len), at,
                at + wrong, reason);
        } else if (is_handler(handler, MP_QSTR_replace)) {
            vstr_add_char(&text, REPLACEMENT);
        } else if (is_handler(handler, MP_QSTR_backslashreplace)) {
            for (size_t i = 0; i < wrong; i++) {
                mp_printf(&print, "\\x%02x", (unsigned int)data[at + i]);
            }
        } else if (!is_handler(handler, MP_QSTR_ignore)) {
            raise_handler(handler);
        }
        at += wrong;
    }
    return mp_obj_new_str_from_vstr(&text);
}
