// The module `_json` tests whether upstream's C module `json` reads a text as CPython does. Upstream's
// module accepts texts that are not JSON. The frozen module `json` passes it valid texts only, and
// decodes all other texts in Python, which raises CPython's exceptions.
#include <string.h>

#include "port.h"
#include "py/runtime.h"

#define MOST_DEPTH 64 // one bit of an integer for each open array or object
#define MOST_DIGITS 4000 // CPython refuses integers of more than 4,300 digits

static const byte *skip_space(const byte *p, const byte *end) {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
    }
    return p;
}

static const byte *skip_digits(const byte *p, const byte *end) {
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    return p;
}

// Returns the end of the number at `p`, or NULL.
static const byte *skip_number(const byte *p, const byte *end) {
    if (p < end && *p == '-') {
        p++;
    }
    const byte *digits = p;
    p = skip_digits(p, end);
    if (p == digits || (*digits == '0' && p - digits > 1) || p - digits > MOST_DIGITS) {
        return NULL;
    }
    if (p < end && *p == '.') {
        digits = ++p;
        p = skip_digits(p, end);
        if (p == digits) {
            return NULL;
        }
    }
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-')) {
            p++;
        }
        digits = p;
        p = skip_digits(p, end);
        if (p == digits) {
            return NULL;
        }
    }
    return p;
}

// Returns the code unit of the four hexadecimal digits at `p`, or -1.
static int hexadecimal(const byte *p, const byte *end) {
    if (end - p < 4) {
        return -1;
    }
    int unit = 0;
    for (int i = 0; i < 4; i++) {
        const int c = p[i], letter = c | 0x20;
        if (c >= '0' && c <= '9') {
            unit = unit * 16 + (c - '0');
        } else if (letter >= 'a' && letter <= 'f') {
            unit = unit * 16 + (letter - 'a' + 10);
        } else {
            return -1;
        }
    }
    return unit;
}

// Returns the end of the string whose first quote is at `p`, or NULL. Surrogates are left to the
// frozen module: upstream's does not join pairs.
static const byte *skip_string(const byte *p, const byte *end) {
    if (p == end || *p != '"') {
        return NULL;
    }
    for (p++; p < end && *p != '"'; p++) {
        if (*p < ' ') {
            return NULL;
        }
        if (*p == '\\') {
            if (++p == end) {
                return NULL;
            }
            if (*p == 'u') {
                const int unit = hexadecimal(p + 1, end);
                if (unit < 0 || (unit >= 0xD800 && unit < 0xE000)) {
                    return NULL;
                }
                p += 4;
            } else if (*p == '\0' || strchr("\"\\/bfnrt", *p) == NULL) {
                return NULL;
            }
        }
    }
    return p < end ? p + 1 : NULL;
}

static const byte *skip_word(const byte *p, const byte *end, const char *word, size_t length) {
    return (size_t)(end - p) >= length && memcmp(p, word, length) == 0 ? p + length : NULL;
}

// Returns the end of the value at `p` that is no array or object, or NULL.
static const byte *skip_scalar(const byte *p, const byte *end) {
    switch (p < end ? *p : 0) {
        case '"':
            return skip_string(p, end);
        case 't':
            return skip_word(p, end, "true", 4);
        case 'f':
            return skip_word(p, end, "false", 5);
        case 'n':
            return skip_word(p, end, "null", 4);
        default:
            return skip_number(p, end);
    }
}

// Returns the end of an object's key at `p` and of the colon behind it, or NULL.
static const byte *skip_key(const byte *p, const byte *end) {
    p = skip_string(p, end);
    if (p == NULL) {
        return NULL;
    }
    p = skip_space(p, end);
    return p < end && *p == ':' ? skip_space(p + 1, end) : NULL;
}

static bool is_valid(const byte *p, const byte *end) {
    uint64_t objects = 0; // bit 0: the innermost open container is an object
    int depth = 0;
    p = skip_space(p, end);
    for (;;) {
        // A value begins at p.
        const bool object = p < end && *p == '{';
        if (object || (p < end && *p == '[')) {
            p = skip_space(p + 1, end);
            if (p < end && *p == (object ? '}' : ']')) {
                p++; // empty
            } else {
                if (depth == MOST_DEPTH) {
                    return false;
                }
                depth++;
                objects = objects << 1 | object;
                if (object && (p = skip_key(p, end)) == NULL) {
                    return false;
                }
                continue;
            }
        } else if ((p = skip_scalar(p, end)) == NULL) {
            return false;
        }
        // A value ended before p.
        for (;;) {
            p = skip_space(p, end);
            if (depth == 0) {
                return p == end;
            }
            if (p == end) {
                return false;
            }
            const bool inside = objects & 1;
            if (*p == (inside ? '}' : ']')) {
                p++;
                depth--;
                objects >>= 1;
                continue;
            }
            if (*p != ',') {
                return false;
            }
            p = skip_space(p + 1, end);
            if (inside && (p = skip_key(p, end)) == NULL) {
                return false;
            }
            break;
        }
    }
}

// valid(text: str) -> bool: whether upstream's `json.loads` reads the text as CPython does. False
// says nothing about the text: it may be deeper than MOST_DEPTH, or have surrogates.
static mp_obj_t json_valid(mp_obj_t text) {
    size_t length;
    const byte *data = (const byte *)mp_obj_str_get_data(text, &length);
    return mp_obj_new_bool(is_valid(data, data + length));
}
static MP_DEFINE_CONST_FUN_OBJ_1(json_valid_obj, json_valid);

static const mp_rom_map_elem_t json_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR__json) },
    { MP_ROM_QSTR(MP_QSTR_valid), MP_ROM_PTR(&json_valid_obj) },
};
static MP_DEFINE_CONST_DICT(json_globals, json_globals_table);

const mp_obj_module_t mp_module__json = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&json_globals,
};

MP_REGISTER_MODULE(MP_QSTR__json, mp_module__json);
