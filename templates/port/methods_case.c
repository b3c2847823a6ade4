// Methods of str, bytes and bytearray about case and properties of characters. A str has the
// properties and mappings of Unicode (charkinds.h). Bytes have those of ASCII.
#include "charkinds.h"
#include "methods_text.h"
#include "py/runtime.h"

#define SIGMA (0x3a3) // Greek capital letter, whose small letter has another form at a word's end
#define FINAL_SIGMA (0x3c2)

static uint32_t flags_of(unichar c, bool is_str) {
    if (c < 0x80 || is_str) {
        uint32_t flags = gpusnek_kind(c)->flags;
        if (!is_str && c >= 0x1c && c <= 0x1f) {
            flags &= ~(uint32_t)GPUSNEK_SPACE; // spaces in a str only
        }
        return flags;
    }
    return 0;
}

static void add_mapped(vstr_t *to, unichar c, gpusnek_mapping_t mapping, bool is_str) {
    if (!is_str) {
        const uint32_t flags = flags_of(c, false);
        const bool changes = flags & (mapping == GPUSNEK_TO_LOWER ? GPUSNEK_UPPER : GPUSNEK_LOWER);
        vstr_add_byte(to, (byte)(changes ? c ^ 0x20 : c));
        return;
    }
    uint32_t mapped[GPUSNEK_MAPPED];
    const size_t count = gpusnek_map_character(c, mapping, mapped);
    for (size_t i = 0; i < count; i++) {
        vstr_add_char(to, mapped[i]);
    }
}

// Returns whether the capital sigma whose UTF-8 is at `at` is the last letter of a word.
static bool is_final_sigma(gpusnek_text_t text, const byte *at) {
    const byte *const end = text.data + text.size;
    const byte *back = at;
    uint32_t flags = GPUSNEK_IGNORABLE;
    while (back > text.data && flags & GPUSNEK_IGNORABLE) {
        do {
            back--;
        } while (UTF8_IS_CONT(*back));
        const byte *read = back;
        flags = flags_of(gpusnek_next(&read, true), true);
    }
    if (flags & GPUSNEK_IGNORABLE || !(flags & GPUSNEK_CASED)) {
        return false;
    }
    gpusnek_next(&at, true);
    flags = GPUSNEK_IGNORABLE;
    while (at < end && flags & GPUSNEK_IGNORABLE) {
        flags = flags_of(gpusnek_next(&at, true), true);
    }
    return flags & GPUSNEK_IGNORABLE || !(flags & GPUSNEK_CASED);
}

// Appends the lower-case form of the character at *at, and moves *at behind it.
static void add_lower(vstr_t *to, gpusnek_text_t text, const byte **at) {
    const byte *const from = *at;
    const unichar c = gpusnek_next(at, text.is_str);
    if (c == SIGMA && text.is_str && is_final_sigma(text, from)) {
        vstr_add_char(to, FINAL_SIGMA);
    } else {
        add_mapped(to, c, GPUSNEK_TO_LOWER, text.is_str);
    }
}

// Maps each character of a text. ASCII characters map to ASCII characters.
static mp_obj_t map_text(mp_obj_t self, gpusnek_mapping_t mapping) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte first = mapping == GPUSNEK_TO_UPPER ? 'a' : 'A';
    vstr_t result;
    vstr_init_len(&result, text.size);
    byte any = 0;
    for (size_t i = 0; i < text.size; i++) {
        const byte c = text.data[i];
        any |= c;
        result.buf[i] = (char)(c ^ ((byte)(c - first) < 26 ? 0x20 : 0));
    }
    if (any < 0x80 || !text.is_str) {
        return gpusnek_new_text(text.type, &result);
    }
    result.len = 0;
    const byte *const end = text.data + text.size;
    for (const byte *at = text.data; at < end;) {
        if (mapping == GPUSNEK_TO_LOWER) {
            add_lower(&result, text, &at);
        } else {
            add_mapped(&result, gpusnek_next(&at, true), mapping, true);
        }
    }
    return gpusnek_new_text(text.type, &result);
}

mp_obj_t gpusnek_text_lower(mp_obj_t self) {
    return map_text(self, GPUSNEK_TO_LOWER);
}

mp_obj_t gpusnek_text_upper(mp_obj_t self) {
    return map_text(self, GPUSNEK_TO_UPPER);
}

mp_obj_t gpusnek_text_casefold(mp_obj_t self) {
    return map_text(self, GPUSNEK_TO_FOLDED);
}

mp_obj_t gpusnek_text_capitalize(mp_obj_t self) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte *const end = text.data + text.size;
    const byte *at = text.data;
    vstr_t result;
    vstr_init(&result, text.size + 1);
    if (at < end) {
        add_mapped(&result, gpusnek_next(&at, text.is_str), GPUSNEK_TO_TITLE, text.is_str);
    }
    while (at < end) {
        add_lower(&result, text, &at);
    }
    return gpusnek_new_text(text.type, &result);
}

mp_obj_t gpusnek_text_swapcase(mp_obj_t self) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte *const end = text.data + text.size;
    vstr_t result;
    vstr_init(&result, text.size + 1);
    for (const byte *at = text.data; at < end;) {
        const byte *read = at;
        const unichar c = gpusnek_next(&read, text.is_str);
        const uint32_t flags = flags_of(c, text.is_str);
        if (flags & GPUSNEK_UPPER) {
            add_lower(&result, text, &at);
            continue;
        }
        at = read;
        if (flags & GPUSNEK_LOWER) {
            add_mapped(&result, c, GPUSNEK_TO_UPPER, text.is_str);
        } else if (text.is_str) {
            vstr_add_char(&result, c);
        } else {
            vstr_add_byte(&result, (byte)c);
        }
    }
    return gpusnek_new_text(text.type, &result);
}

mp_obj_t gpusnek_text_title(mp_obj_t self) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte *const end = text.data + text.size;
    vstr_t result;
    vstr_init(&result, text.size + 1);
    bool inside = false; // whether the previous character is cased
    for (const byte *at = text.data; at < end;) {
        const byte *read = at;
        const unichar c = gpusnek_next(&read, text.is_str);
        if (inside) {
            add_lower(&result, text, &at);
        } else {
            add_mapped(&result, c, GPUSNEK_TO_TITLE, text.is_str);
            at = read;
        }
        inside = flags_of(c, text.is_str) & GPUSNEK_CASED;
    }
    return gpusnek_new_text(text.type, &result);
}

static mp_obj_t all_have(mp_obj_t self, uint32_t flags, bool of_empty) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte *const end = text.data + text.size;
    for (const byte *at = text.data; at < end;) {
        if (!(flags_of(gpusnek_next(&at, text.is_str), text.is_str) & flags)) {
            return mp_const_false;
        }
    }
    return mp_obj_new_bool(text.size > 0 || of_empty);
}

mp_obj_t gpusnek_text_isalnum(mp_obj_t self) {
    return all_have(self, GPUSNEK_ALPHA | GPUSNEK_DECIMAL | GPUSNEK_DIGIT | GPUSNEK_NUMERIC, false);
}

mp_obj_t gpusnek_text_isalpha(mp_obj_t self) {
    return all_have(self, GPUSNEK_ALPHA, false);
}

mp_obj_t gpusnek_text_isdecimal(mp_obj_t self) {
    return all_have(self, GPUSNEK_DECIMAL, false);
}

mp_obj_t gpusnek_text_isdigit(mp_obj_t self) {
    return all_have(self, GPUSNEK_DIGIT, false);
}

mp_obj_t gpusnek_text_isnumeric(mp_obj_t self) {
    return all_have(self, GPUSNEK_NUMERIC, false);
}

mp_obj_t gpusnek_text_isspace(mp_obj_t self) {
    return all_have(self, GPUSNEK_SPACE, false);
}

mp_obj_t gpusnek_text_isprintable(mp_obj_t self) {
    return all_have(self, GPUSNEK_PRINTABLE, true);
}

mp_obj_t gpusnek_text_isascii(mp_obj_t self) {
    const gpusnek_text_t text = gpusnek_text(self);
    byte any = 0;
    for (size_t i = 0; i < text.size; i++) {
        any |= text.data[i];
    }
    return mp_obj_new_bool(any < 0x80);
}

mp_obj_t gpusnek_text_isidentifier(mp_obj_t self) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte *const end = text.data + text.size;
    uint32_t wanted = GPUSNEK_ID_START;
    for (const byte *at = text.data; at < end; wanted = GPUSNEK_ID_CONTINUE) {
        if (!(flags_of(gpusnek_next(&at, true), true) & wanted)) {
            return mp_const_false;
        }
    }
    return mp_obj_new_bool(text.size > 0);
}

// Returns whether the text has a character with the flag `wanted`, and none with `refused`.
static mp_obj_t is_cased(mp_obj_t self, uint32_t wanted, uint32_t refused) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte *const end = text.data + text.size;
    bool found = false;
    for (const byte *at = text.data; at < end;) {
        const uint32_t flags = flags_of(gpusnek_next(&at, text.is_str), text.is_str);
        if (flags & refused) {
            return mp_const_false;
        }
        found |= (flags & wanted) != 0;
    }
    return mp_obj_new_bool(found);
}

mp_obj_t gpusnek_text_islower(mp_obj_t self) {
    return is_cased(self, GPUSNEK_LOWER, GPUSNEK_UPPER | GPUSNEK_TITLE);
}

mp_obj_t gpusnek_text_isupper(mp_obj_t self) {
    return is_cased(self, GPUSNEK_UPPER, GPUSNEK_LOWER | GPUSNEK_TITLE);
}

mp_obj_t gpusnek_text_istitle(mp_obj_t self) {
    const gpusnek_text_t text = gpusnek_text(self);
    const byte *const end = text.data + text.size;
    bool inside = false, found = false;
    for (const byte *at = text.data; at < end;) {
        const uint32_t flags = flags_of(gpusnek_next(&at, text.is_str), text.is_str);
        const bool capital = flags & (GPUSNEK_UPPER | GPUSNEK_TITLE);
        if ((capital && inside) || (flags & GPUSNEK_LOWER && !inside)) {
            return mp_const_false;
        }
        inside = capital || flags & GPUSNEK_LOWER;
        found |= inside;
    }
    return mp_obj_new_bool(found);
}

// Returns the bytes of the UTF-8 character at `at`, or 0 if the bytes before `end` begin with none.
static size_t character_bytes(const byte *at, const byte *end) {
    const byte lead = at[0];
    const size_t size = lead < 0x80 ? 1
        : lead < 0xc2 ? 0
        : lead < 0xe0 ? 2
        : lead < 0xf0 ? 3
        : lead < 0xf5 ? 4
        : 0;
    if (size > (size_t)(end - at)) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool out_of_range = (lead == 0xe0 && at[1] < 0xa0) || (lead == 0xf0 && at[1] < 0x90)
        || (lead == 0xf4 && at[1] > 0x8f);
    return out_of_range ? 0 : size;
}

// Prints the ASCII characters at the start of a text that need no escape, in one call. Returns the
// address of the next byte.
static const byte *print_unescaped(
    const mp_print_t *print, const byte *data, const byte *end, byte quote) {
    const byte *at = data;
    while (at < end && *at >= 0x20 && *at < 0x7f && *at != quote && *at != '\\') {
        at++;
    }
    if (at > data) {
        print->print_strn(print->data, (const char *)data, (size_t)(at - data));
    }
    return at;
}

void gpusnek_print_json(const mp_print_t *print, const byte *data, size_t size) {
    const byte *const end = data + size;
    mp_print_str(print, "\"");
    for (const byte *at = print_unescaped(print, data, end, '"'); at < end;
         at = print_unescaped(print, at, end, '"')) {
        const byte c = *at++;
        if (c == '"' || c == '\\') {
            mp_printf(print, "\\%c", c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            mp_printf(print, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        } else if (c < 0x20) {
            mp_printf(print, "\\u%04x", c);
        } else {
            print->print_strn(print->data, (const char *)&c, 1);
        }
    }
    mp_print_str(print, "\"");
}

// A byte that is part of no character is written as the code point that the host makes of it
// (porter/base/untrusted.py).
void gpusnek_print_quoted(const mp_print_t *print, const byte *data, size_t size) {
    const byte *const end = data + size;
    bool single = false, both = false;
    for (const byte *at = data; at < end; at++) {
        single |= *at == '\'';
        both |= *at == '"';
    }
    const char mark = single && !both ? '"' : '\'';
    const unichar quote = (byte)mark;
    print->print_strn(print->data, &mark, 1);
    for (const byte *at = print_unescaped(print, data, end, (byte)quote); at < end;
         at = print_unescaped(print, at, end, (byte)quote)) {
        const byte *const from = at;
        if (character_bytes(at, end) == 0) {
            mp_printf(print, "\\udc%02x", (unsigned int)*at++);
            continue;
        }
        const unichar c = gpusnek_next(&at, true);
        if (c == quote || c == '\\') {
            mp_printf(print, "\\%c", (int)c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            mp_printf(print, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        } else if ((c >= 0x20 && c < 0x7f) || gpusnek_kind(c)->flags & GPUSNEK_PRINTABLE) {
            print->print_strn(print->data, (const char *)from, (size_t)(at - from));
        } else if (c < 0x100) {
            mp_printf(print, "\\x%02x", (unsigned int)c);
        } else if (c < 0x10000) {
            mp_printf(print, "\\u%04x", (unsigned int)c);
        } else {
            mp_printf(print, "\\U%08x", (unsigned int)c);
        }
    }
    print->print_strn(print->data, &mark, 1);
}
