// Format specifications, replacement fields and the operator %: CPython's results and messages.
//
// The patch `formats` makes upstream's functions call this file. A specification is parsed into a
// `layout_t`. Numbers are printed as ASCII digits first, then laid out: sign, prefix, digits with
// separators, the rest, and padding. Plain specifications skip the first step.
#include "formatting.h"

#include <string.h>

#include "classes.h"
#include "floats.h"
#include "integers.h"
#include "methods_text.h"
#include "py/builtin.h"
#include "py/objint.h"
#include "py/objstr.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "py/unicode.h"

#define NEST_LIMIT (2) // specifications may have fields, whose specifications may not
#define LARGEST_NUMBER (0x7fffffff)
#define FILL_SIZE (4)
#define DEFAULT_PRECISION (6)
#define WIDE (64) // characters of padding that are allocated together
#define TEXT_START (32) // bytes allocated for a text: a block of the heap

typedef struct _layout_t {
    char fill[FILL_SIZE]; // one character in UTF-8
    char fill_size;
    char align; // '<', '>', '^', '='; 0 for none
    char sign; // '+', ' ', '-'; 0 for none
    char separator; // ',', '_'; 0 for none
    bool no_negative_zero, alternate;
    int width, precision; // -1 for none
    unichar type; // 0 for none
} layout_t;

// The text of a number: digits[0..length) with a sign and a prefix before it.
typedef struct _number_t {
    char sign; // 0 for none
    const char *prefix;
    const char *text;
    size_t length, digits; // the first `digits` characters may be grouped
} number_t;

static void value_error(const char *text) {
    mp_raise_ValueError((mp_rom_error_text_t)text);
}

static const char *type_name(mp_obj_t value) {
    return qstr_str(mp_obj_get_type(value)->name);
}

static void unknown_code(unichar type, mp_obj_t value) {
    if (type > 32 && type < 128) {
        mp_raise_msg_varg(&mp_type_ValueError,
            MP_ERROR_TEXT("Unknown format code '%c' for object of type '%s'"), (int)type,
            type_name(value));
    }
    mp_raise_msg_varg(&mp_type_ValueError,
        MP_ERROR_TEXT("Unknown format code '\\x%x' for object of type '%s'"), (unsigned int)type,
        type_name(value));
}

static size_t char_size(const char *text, const char *top) {
    size_t size = 1;
    while (text + size < top && UTF8_IS_CONT((byte)text[size])) {
        size++;
    }
    return size;
}

static bool is_align(const char *text, const char *top) {
    return text < top && (*text == '<' || *text == '>' || *text == '=' || *text == '^');
}

// Read digits into *value, or -1 if the text begins with another character. Return the position
// after the digits.
static const char *read_number(const char *text, const char *top, int *value) {
    *value = -1;
    int64_t number = 0;
    const char *from = text;
    for (; text < top && unichar_isdigit((byte)*text); text++) {
        number = number * 10 + (*text - '0');
        if (number > LARGEST_NUMBER) {
            value_error("Too many decimal digits in format string");
        }
    }
    if (text > from) {
        *value = (int)number;
    }
    return text;
}

static void parse_layout(layout_t *layout, const char *text, size_t length, mp_obj_t value,
    char align, unichar type) {
    const char *top = text + length, *start = text;
    *layout = (layout_t) {
        .fill = {' '}, .fill_size = 1, .width = -1, .precision = -1, .type = type};
    bool filled = false;
    const size_t first = text < top ? char_size(text, top) : 0;
    if (first != 0 && first <= FILL_SIZE && is_align(text + first, top)) {
        memcpy(layout->fill, text, first);
        layout->fill_size = (char)first;
        layout->align = text[first];
        text += first + 1;
        filled = true;
    } else if (is_align(text, top)) {
        layout->align = *text++;
    }
    if (text < top && (*text == '+' || *text == '-' || *text == ' ')) {
        layout->sign = *text++;
    }
    if (text < top && *text == 'z') {
        layout->no_negative_zero = true;
        text++;
    }
    if (text < top && *text == '#') {
        layout->alternate = true;
        text++;
    }
    if (!filled && text < top && *text == '0') {
        layout->fill[0] = '0';
        if (layout->align == 0 && align == '>') {
            layout->align = '=';
        }
        text++;
    }
    text = read_number(text, top, &layout->width);
    if (text < top && *text == ',') {
        layout->separator = *text++;
    }
    if (text < top && *text == '_') {
        if (layout->separator != 0) {
            value_error("Cannot specify both ',' and '_'.");
        }
        layout->separator = *text++;
        if (text < top && *text == ',') {
            value_error("Cannot specify both ',' and '_'.");
        }
    }
    if (text < top && *text == '.') {
        text = read_number(text + 1, top, &layout->precision);
        if (layout->precision < 0) {
            value_error("Format specifier missing precision");
        }
    }
    if (text < top) {
        const size_t size = char_size(text, top);
        if (text + size < top) {
            mp_raise_msg_varg(&mp_type_ValueError,
                MP_ERROR_TEXT("Invalid format specifier '%.*s' for object of type '%s'"),
                (int)length, start, type_name(value));
        }
        layout->type = utf8_get_char((const byte *)text);
    }
    if (layout->separator != 0) {
        const unichar t = layout->type;
        const bool fits = t == 0 || (t < 128 && strchr("deEfFgG%", (int)t) != NULL);
        if (!fits && !(layout->separator == '_' && t < 128 && strchr("boxX", (int)t) != NULL)) {
            if (t > 32 && t < 128) {
                mp_raise_msg_varg(&mp_type_ValueError,
                    MP_ERROR_TEXT("Cannot specify '%c' with '%c'."), layout->separator, (int)t);
            }
            mp_raise_msg_varg(&mp_type_ValueError,
                MP_ERROR_TEXT("Cannot specify '%c' with '\\x%x'."), layout->separator,
                (unsigned int)t);
        }
    }
    if (layout->align == 0) {
        layout->align = align;
    }
}

static void print_fill(const mp_print_t *print, const layout_t *layout, size_t count) {
    if (count > WIDE && print->print_strn == (mp_print_strn_t)vstr_add_strn) {
        const size_t size = (size_t)layout->fill_size;
        char *const to = vstr_add_len((vstr_t *)print->data, count * size);
        for (size_t i = 0; i < count; i++) {
            memcpy(to + i * size, layout->fill, size);
        }
        return;
    }
    if (layout->fill_size == 1) {
        if (count != 0) {
            mp_print_strn(print, "", 0, 0, layout->fill[0], (int)count);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        mp_print_strn(print, layout->fill, (size_t)layout->fill_size, 0, ' ', 0);
    }
}

// Print `before` characters of padding, or none; return the number of those after the text.
static size_t pad_before(const mp_print_t *print, const layout_t *layout, size_t length) {
    if (layout->width < 0 || (size_t)layout->width <= length) {
        return 0;
    }
    const size_t missing = (size_t)layout->width - length;
    const size_t before = layout->align == '>' ? missing : layout->align == '^' ? missing / 2 : 0;
    print_fill(print, layout, before);
    return missing - before;
}

static void print_text(
    const mp_print_t *print, const layout_t *layout, const char *text, size_t size) {
    size_t length = utf8_charlen((const byte *)text, size);
    if (layout->precision >= 0 && (size_t)layout->precision < length) {
        length = (size_t)layout->precision;
        const char *top = text + size;
        size = 0;
        for (size_t i = 0; i < length; i++) {
            size += char_size(text + size, top);
        }
    }
    const size_t after = pad_before(print, layout, length);
    mp_print_strn(print, text, size, 0, ' ', 0);
    print_fill(print, layout, after);
}

// Print digits with a separator between groups, preceded by `zeros` zeros.
static void print_groups(const mp_print_t *print, const number_t *number, size_t zeros,
    char separator, size_t group) {
    const size_t count = number->digits + zeros;
    for (size_t at = 0; at < count;) {
        const size_t rest = (count - at) % group;
        const size_t size = rest == 0 ? group : rest;
        for (size_t i = at; i < at + size; i++) {
            mp_print_strn(print, i < zeros ? "0" : number->text + (i - zeros), 1, 0, ' ', 0);
        }
        at += size;
        if (at < count) {
            mp_print_strn(print, &separator, 1, 0, ' ', 0);
        }
    }
}

static void print_number(const mp_print_t *print, const layout_t *layout, const number_t *number) {
    const size_t group = layout->type < 128 && layout->type != 0
            && strchr("boxX", (int)layout->type) != NULL
        ? 4
        : 3;
    const size_t prefix = strlen(number->prefix);
    const size_t others = (number->sign != 0) + prefix + number->length - number->digits;
    const bool inner = layout->align == '=';
    size_t digits = number->digits, zeros = 0;
    const bool grouped = layout->separator != 0 && number->digits != 0;
    if (grouped) {
        digits += (number->digits - 1) / group;
        if (inner && layout->fill_size == 1 && layout->fill[0] == '0' && layout->width > 0) {
            size_t count = number->digits;
            while (others + digits < (size_t)layout->width) {
                count++;
                digits = count + (count - 1) / group;
            }
            zeros = count - number->digits;
        }
    }
    size_t after = pad_before(print, layout, others + digits);
    if (number->sign != 0) {
        mp_print_strn(print, &number->sign, 1, 0, ' ', 0);
    }
    mp_print_strn(print, number->prefix, prefix, 0, ' ', 0);
    if (inner) {
        print_fill(print, layout, after);
        after = 0;
    }
    if (grouped) {
        print_groups(print, number, zeros, layout->separator, group);
        mp_print_strn(print, number->text + number->digits, number->length - number->digits, 0,
            ' ', 0);
    } else {
        mp_print_strn(print, number->text, number->length, 0, ' ', 0);
    }
    print_fill(print, layout, after);
}

// The sign to print before a number.
static char sign_before(const layout_t *layout, bool negative) {
    return negative ? '-' : layout->sign == '+' || layout->sign == ' ' ? layout->sign : 0;
}

static void print_character(const mp_print_t *print, const layout_t *layout, mp_obj_t value) {
    mp_int_t code = -1;
    if (!mp_obj_is_small_int(value) || (code = MP_OBJ_SMALL_INT_VALUE(value)) < 0
        || code > 0x10ffff) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("%c arg not in range(0x110000)"));
    }
    vstr_t text;
    vstr_init(&text, 4);
    vstr_add_char(&text, (unichar)code);
    print_text(print, layout, text.buf, text.len);
    vstr_clear(&text);
}

// Print an int. `minimum`: the least number of digits.
static void print_int(
    const mp_print_t *print, const layout_t *layout, mp_obj_t value, int minimum) {
    unsigned int base = 10;
    number_t number = {.prefix = ""};
    char letter = 'a';
    switch (layout->type) {
        case 'b':
            base = 2;
            number.prefix = "0b";
            break;
        case 'o':
            base = 8;
            number.prefix = "0o";
            break;
        case 'x':
            base = 16;
            number.prefix = "0x";
            break;
        case 'X':
            base = 16;
            number.prefix = "0X";
            letter = 'A';
            break;
        default:
            break;
    }
    if (!layout->alternate) {
        number.prefix = "";
    }
    if (base == 10 && minimum <= 1 && mp_obj_is_small_int(value)) {
        char small[GPUSNEK_SMALL_TEXT];
        char *const end = small + sizeof(small);
        const mp_int_t n = MP_OBJ_SMALL_INT_VALUE(value);
        number.text = gpusnek_write_small(n, end) + (n < 0);
        number.sign = sign_before(layout, n < 0);
        number.length = number.digits = (size_t)(end - number.text);
        print_number(print, layout, &number);
        return;
    }
    vstr_t text;
    mp_print_t digits;
    vstr_init_print(&text, 16, &digits);
    mp_print_mp_int(&digits, value, base, letter, 0, ' ', 0, minimum);
    const bool negative = text.buf[0] == '-';
    number.sign = sign_before(layout, negative);
    number.text = text.buf + negative;
    number.length = number.digits = text.len - negative;
    print_number(print, layout, &number);
    vstr_clear(&text);
}

#if MICROPY_PY_BUILTINS_FLOAT
// Append the text of `f` without a sign: digits of the type `type` ('r' is that of repr).
static void float_digits(vstr_t *text, mp_print_t *print, mp_float_t f, const layout_t *layout) {
    char type = (char)layout->type;
    int precision = layout->precision;
    unsigned int flags = 0;
    if (type == 'n') {
        type = 'g';
    } else if (type == 0) {
        type = 'g';
        flags = GPUSNEK_PRINT_LIKE_STR;
    } else if (type == '%') {
        type = 'f';
        f *= 100;
    }
    if (flags == 0 && precision < 0) {
        precision = DEFAULT_PRECISION;
    }
    if (!layout->alternate || f - f != 0) {
        gpusnek_print_float(print, f, type, flags, ' ', 0, precision);
        return;
    }
    // '#' keeps the point, and the zeros of 'g'.
    if ((type | 0x20) == 'g' && precision >= 0) {
        const int digits = precision == 0 ? 1 : precision;
        gpusnek_print_float(print, f, 'e', 0, ' ', 0, digits - 1);
        const char *mark = strchr(vstr_null_terminated_str(text), 'e');
        int exponent = 0;
        if (mark != NULL) {
            for (const char *at = mark + 2; *at != 0; at++) {
                exponent = exponent * 10 + (*at - '0');
            }
            exponent = mark[1] == '-' ? -exponent : exponent;
        }
        vstr_reset(text);
        if (exponent >= -4 && exponent < digits - (flags != 0)) {
            type = type - 'g' + 'f';
            precision = digits - 1 - exponent;
        } else {
            type = type - 'g' + 'e';
            precision = digits - 1;
        }
        flags = 0;
    }
    gpusnek_print_float(print, f, type, flags, ' ', 0, precision);
    size_t at = 0;
    while (at < text->len && (unichar_isdigit((byte)text->buf[at]) || text->buf[at] == '-')) {
        at++;
    }
    if (at == text->len || text->buf[at] != '.') {
        vstr_ins_byte(text, at, '.');
    }
}

// The number whose text is text->buf from `from` on.
static number_t float_number(vstr_t *text, size_t from, const layout_t *layout) {
    number_t number = {.prefix = ""};
    bool negative = text->buf[from] == '-';
    from += negative;
    number.text = text->buf + from;
    number.length = text->len - from;
    bool zero = true;
    for (size_t i = 0; i < number.length && (number.text[i] | 0x20) != 'e'; i++) {
        zero = zero && strchr("0.%", number.text[i]) != NULL;
    }
    if (negative && zero && layout->no_negative_zero) {
        negative = false;
    }
    number.sign = sign_before(layout, negative);
    while (number.digits < number.length && unichar_isdigit((byte)number.text[number.digits])) {
        number.digits++;
    }
    return number;
}

static void print_float(const mp_print_t *print, const layout_t *layout, mp_float_t f) {
    const bool plain = layout->fill_size == 1 && layout->separator == 0 && !layout->alternate
        && !layout->no_negative_zero && f - f == 0 && layout->type != '%';
    if (plain) {
        const unsigned int flags = (layout->align == '<' ? PF_FLAG_LEFT_ADJUST
                                       : layout->align == '^' ? PF_FLAG_CENTER_ADJUST
                                       : layout->align == '=' ? PF_FLAG_PAD_AFTER_SIGN
                                                              : 0)
            | (layout->sign == '+' ? PF_FLAG_SHOW_SIGN : 0)
            | (layout->sign == ' ' ? PF_FLAG_SPACE_SIGN : 0)
            | (layout->type == 0 ? GPUSNEK_PRINT_LIKE_STR : 0);
        const char type = layout->type == 0 || layout->type == 'n' ? 'g' : (char)layout->type;
        gpusnek_print_float(
            print, f, type, flags, layout->fill[0], layout->width, layout->precision);
        return;
    }
    vstr_t text;
    mp_print_t digits;
    vstr_init_print(&text, 16, &digits);
    float_digits(&text, &digits, f, layout);
    if (layout->type == '%') {
        vstr_add_byte(&text, '%');
    }
    const number_t number = float_number(&text, 0, layout);
    print_number(print, layout, &number);
    vstr_clear(&text);
}

static bool is_float_type(unichar type) {
    return type < 128 && type != 0 && strchr("eEfFgGn%", (int)type) != NULL;
}
#endif

static void check_int_layout(const layout_t *layout) {
    if (layout->precision >= 0) {
        value_error("Precision not allowed in integer format specifier");
    }
    if (layout->no_negative_zero) {
        value_error("Negative zero coercion (z) not allowed in integer format specifier");
    }
    if (layout->type == 'c') {
        if (layout->sign != 0) {
            value_error("Sign not allowed with integer format specifier 'c'");
        }
        if (layout->alternate) {
            value_error("Alternate form (#) not allowed with integer format specifier 'c'");
        }
    }
}

static void format_int(
    const mp_print_t *print, mp_obj_t value, mp_obj_t number, const char *spec, size_t length) {
    layout_t layout;
    parse_layout(&layout, spec, length, value, '>', 'd');
    switch (layout.type) {
        case 'b':
        case 'c':
        case 'd':
        case 'n':
        case 'o':
        case 'x':
        case 'X':
            break;
        default:
            #if MICROPY_PY_BUILTINS_FLOAT
            if (is_float_type(layout.type)) {
                print_float(print, &layout, mp_obj_get_float(number));
                return;
            }
            #endif
            unknown_code(layout.type, value);
    }
    check_int_layout(&layout);
    if (layout.type == 'c') {
        print_character(print, &layout, number);
    } else {
        print_int(print, &layout, number, 0);
    }
}

static void format_str(
    const mp_print_t *print, mp_obj_t value, mp_obj_t text, const char *spec, size_t length) {
    layout_t layout;
    parse_layout(&layout, spec, length, value, '<', 's');
    if (layout.type != 's') {
        unknown_code(layout.type, value);
    }
    if (layout.sign != 0) {
        value_error(layout.sign == ' ' ? "Space not allowed in string format specifier"
                                       : "Sign not allowed in string format specifier");
    }
    if (layout.no_negative_zero) {
        value_error("Negative zero coercion (z) not allowed in string format specifier");
    }
    if (layout.alternate) {
        value_error("Alternate form (#) not allowed in string format specifier");
    }
    if (layout.align == '=') {
        value_error("'=' alignment not allowed in string format specifier");
    }
    size_t size;
    const char *data = mp_obj_str_get_data(text, &size);
    print_text(print, &layout, data, size);
}

#if MICROPY_PY_BUILTINS_COMPLEX
static void format_complex(
    const mp_print_t *print, mp_obj_t value, const char *spec, size_t length) {
    layout_t layout;
    parse_layout(&layout, spec, length, value, '>', 0);
    if (layout.type != 0 && (layout.type == '%' || !is_float_type(layout.type))) {
        unknown_code(layout.type, value);
    }
    if (layout.fill_size == 1 && layout.fill[0] == '0') {
        value_error("Zero padding is not allowed in complex format specifier");
    }
    if (layout.align == '=') {
        value_error("'=' alignment flag is not allowed in complex format specifier");
    }
    mp_float_t real, imag;
    mp_obj_get_complex(value, &real, &imag);
    vstr_t whole, text;
    mp_print_t all, digits;
    vstr_init_print(&whole, 32, &all);
    vstr_init_print(&text, 16, &digits);
    layout_t part = layout;
    part.width = -1;
    bool parentheses = layout.type == 0, skip = false;
    if (parentheses) {
        part.type = 'g';
        if (layout.precision < 0) {
            // The digits of repr, without ".0".
            part.type = 0;
        }
        gpusnek_print_float(&digits, real, 'f', 0, ' ', 0, 0);
        skip = real == 0 && text.buf[0] != '-';
        parentheses = !skip;
        vstr_reset(&text);
    }
    if (parentheses) {
        vstr_add_byte(&whole, '(');
    }
    for (int i = 0; i < 2; i++) {
        if (i == 0 && skip) {
            continue;
        }
        vstr_reset(&text);
        float_digits(&text, &digits, i == 0 ? real : imag, &part);
        if (part.type == 0 && text.len > 2 && memcmp(text.buf + text.len - 2, ".0", 2) == 0) {
            vstr_cut_tail_bytes(&text, 2);
        }
        if (i == 1 && !skip) {
            part.sign = '+';
        }
        const number_t number = float_number(&text, 0, &part);
        print_number(&all, &part, &number);
    }
    vstr_add_byte(&whole, 'j');
    if (parentheses) {
        vstr_add_byte(&whole, ')');
    }
    layout.precision = -1;
    print_text(print, &layout, whole.buf, whole.len);
    vstr_clear(&text);
    vstr_clear(&whole);
}
#endif

// Call the `__format__` of an instance's class. Return false if the class has none.
static bool call_format(
    const mp_print_t *print, mp_obj_t value, const char *spec, size_t length) {
    #if GPUSNEK_PATCH_CLASSES
    const mp_obj_type_t *const type = mp_obj_get_type(value);
    if (mp_obj_is_instance_type(type) && gpusnek_class_entry(type, MP_QSTR___format__) == MP_OBJ_NULL) {
        return false; // `__getattr__` has no say
    }
    #endif
    mp_obj_t call[3];
    mp_load_method_maybe(value, MP_QSTR___format__, call);
    if (call[0] == MP_OBJ_NULL) {
        return false;
    }
    const size_t n_args = call[1] == MP_OBJ_NULL ? 0 : 1;
    mp_obj_t arguments[2] = {call[1], mp_obj_new_str(spec, length)};
    const mp_obj_t text
        = mp_call_function_n_kw(call[0], 1 + n_args, 0, n_args == 0 ? arguments + 1 : arguments);
    const mp_obj_t native = mp_obj_cast_to_native_base(text, MP_OBJ_FROM_PTR(&mp_type_str));
    if (native == MP_OBJ_NULL) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("__format__ must return a str, not %s"), type_name(text));
    }
    size_t size;
    const char *data = mp_obj_str_get_data(native, &size);
    mp_print_strn(print, data, size, 0, ' ', 0);
    return true;
}

// Print a value whose class does not define `__format__`.
static void print_native(
    const mp_print_t *print, mp_obj_t value, const char *spec, size_t length) {
    if (length == 0) {
        mp_obj_print_helper(print, value, PRINT_STR);
        return;
    }
    mp_obj_t native = value;
    if (mp_obj_is_instance_type(mp_obj_get_type(value))) {
        const mp_obj_type_t *const bases[] = {
            &mp_type_int,
            &mp_type_str,
            #if MICROPY_PY_BUILTINS_FLOAT
            &mp_type_float,
            #endif
        };
        for (size_t i = 0; i < MP_ARRAY_SIZE(bases); i++) {
            const mp_obj_t base = mp_obj_cast_to_native_base(value, MP_OBJ_FROM_PTR(bases[i]));
            if (base != MP_OBJ_NULL) {
                native = base;
                break;
            }
        }
    }
    if (mp_obj_is_bool(native)) {
        format_int(print, value, MP_OBJ_NEW_SMALL_INT(native == mp_const_true), spec, length);
    } else if (mp_obj_is_int(native)) {
        format_int(print, value, native, spec, length);
    } else if (mp_obj_is_str(native)) {
        format_str(print, value, native, spec, length);
    #if MICROPY_PY_BUILTINS_FLOAT
    } else if (mp_obj_is_float(native)) {
        layout_t layout;
        parse_layout(&layout, spec, length, value, '>', 0);
        if (layout.type != 0 && !is_float_type(layout.type)) {
            unknown_code(layout.type, value);
        }
        print_float(print, &layout, mp_obj_get_float(native));
    #endif
    #if MICROPY_PY_BUILTINS_COMPLEX
    } else if (mp_obj_is_type(native, &mp_type_complex)) {
        format_complex(print, native, spec, length);
    #endif
    } else {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("unsupported format string passed to %s.__format__"), type_name(value));
    }
}

void gpusnek_print_formatted(
    const mp_print_t *print, mp_obj_t value, const char *spec, size_t length) {
    if (mp_obj_is_instance_type(mp_obj_get_type(value))
        && call_format(print, value, spec, length)) {
        return;
    }
    print_native(print, value, spec, length);
}

static mp_obj_t builtin_format(size_t n_args, const mp_obj_t *args) {
    const char *spec = "";
    size_t length = 0;
    if (n_args == 2) {
        if (!mp_obj_is_str(args[1])) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("format() argument 2 must be str, not %s"),
                args[1] == mp_const_none ? "None" : type_name(args[1]));
        }
        spec = mp_obj_str_get_data(args[1], &length);
    }
    if (length == 0 && mp_obj_is_str(args[0])) {
        return args[0];
    }
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 16, &print);
    gpusnek_print_formatted(&print, args[0], spec, length);
    return mp_obj_new_str_from_utf8_vstr(&text);
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(gpusnek_format_obj, 1, 2, builtin_format);

// Print the text of str(), repr() or ascii().
static void print_converted(const mp_print_t *print, mp_obj_t value, unichar conversion) {
    if (conversion != 'a') {
        mp_obj_print_helper(print, value, conversion == 'r' ? PRINT_REPR : PRINT_STR);
        return;
    }
    vstr_t text;
    mp_print_t plain;
    vstr_init_print(&text, 16, &plain);
    mp_obj_print_helper(&plain, value, PRINT_REPR);
    const byte *at = (const byte *)text.buf, *top = at + text.len;
    while (at < top) {
        const unichar c = utf8_get_char(at);
        const size_t size = char_size((const char *)at, (const char *)top);
        if (c < 128) {
            mp_print_strn(print, (const char *)at, 1, 0, ' ', 0);
        } else {
            mp_printf(print, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x",
                (unsigned int)c);
        }
        at += size;
    }
    vstr_clear(&text);
}

// Return the value of a field's name: a number, a keyword or nothing, with attributes and items.
static mp_obj_t field_value(const char *name, const char *top, int *next, size_t n_args,
    const mp_obj_t *args, mp_map_t *kwargs) {
    const char *end = name;
    while (end < top && *end != '.' && *end != '[') {
        end++;
    }
    bool number = true;
    int64_t index = 0;
    for (const char *at = name; at < end && number; at++) {
        number = unichar_isdigit((byte)*at);
        index = index * 10 + (*at - '0');
        if (number && index > LARGEST_NUMBER) {
            value_error("Too many decimal digits in format string");
        }
    }
    mp_obj_t value;
    if (number) {
        const bool automatic = end == name;
        if (automatic) {
            if (*next < 0) {
                value_error("cannot switch from manual field specification to automatic field "
                            "numbering");
            }
            index = (*next)++;
        } else {
            if (*next > 0) {
                value_error("cannot switch from automatic field numbering to manual field "
                            "specification");
            }
            *next = -1;
        }
        if (n_args == 0) {
            value_error("Format string contains positional fields");
        }
        if ((size_t)index >= n_args - 1) {
            mp_raise_msg_varg(&mp_type_IndexError,
                MP_ERROR_TEXT("Replacement index %d out of range for positional args tuple"),
                (int)index);
        }
        value = args[index + 1];
    } else {
        const mp_obj_t key = mp_obj_new_str_via_qstr(name, (size_t)(end - name));
        mp_map_elem_t *found
            = kwargs == NULL ? NULL : mp_map_lookup(kwargs, key, MP_MAP_LOOKUP);
        if (found == NULL) {
            mp_raise_type_arg(&mp_type_KeyError, key);
        }
        value = found->value;
    }
    return end == top ? value : gpusnek_field_value(value, end, (size_t)(top - end));
}

// Append str(value) if the value is a str or a small int, the most frequent ones. Return false, and
// append nothing, for other objects.
static bool add_plain(vstr_t *whole, mp_obj_t value) {
    if (mp_obj_is_small_int(value)) {
        char digits[GPUSNEK_SMALL_TEXT];
        char *const end = digits + sizeof(digits);
        const char *const start = gpusnek_write_small(MP_OBJ_SMALL_INT_VALUE(value), end);
        vstr_add_strn(whole, start, (size_t)(end - start));
        return true;
    }
    if (mp_obj_is_str(value)) {
        size_t size;
        const char *const data = mp_obj_str_get_data(value, &size);
        vstr_add_strn(whole, data, size);
        return true;
    }
    return false;
}

mp_obj_t gpusnek_plain_text(mp_obj_t value) {
    if (mp_obj_is_small_int(value)) {
        char digits[GPUSNEK_SMALL_TEXT];
        char *const end = digits + sizeof(digits);
        const char *const start = gpusnek_write_small(MP_OBJ_SMALL_INT_VALUE(value), end);
        return mp_obj_new_str(start, (size_t)(end - start));
    }
    return mp_obj_is_str(value) ? value : MP_OBJ_NULL;
}

static vstr_t format_text(const char *text, const char *top, int *next, size_t n_args,
    const mp_obj_t *args, mp_map_t *kwargs, int nest) {
    if (nest < 1) {
        value_error("Max string recursion exceeded");
    }
    vstr_t whole;
    mp_print_t print;
    vstr_init_print(&whole, TEXT_START, &print);
    while (text < top) {
        const char *from = text;
        while (text < top && *text != '{' && *text != '}') {
            text++;
        }
        vstr_add_strn(&whole, from, (size_t)(text - from));
        if (text == top) {
            break;
        }
        const char brace = *text++;
        if (text < top && *text == brace) {
            vstr_add_byte(&whole, (byte)brace);
            text++;
            continue;
        }
        if (brace == '}') {
            value_error("Single '}' encountered in format string");
        }
        if (text == top) {
            value_error("Single '{' encountered in format string");
        }
        if (*text == '}' && *next >= 0 && (size_t)*next + 1 < n_args
            && add_plain(&whole, args[*next + 1])) {
            ++*next;
            ++text;
            continue;
        }
        // replacement_field: "{" [field_name] ["!" conversion] [":" format_spec] "}"
        const char *name = text;
        bool item = false;
        while (text < top && (item || (*text != '}' && *text != ':' && *text != '!'))) {
            if (*text == '{' && !item) {
                value_error("unexpected '{' in field name");
            }
            item = item ? *text != ']' : *text == '[';
            text++;
        }
        if (text == top) {
            value_error("expected '}' before end of string");
        }
        const char *name_end = text;
        unichar conversion = 0;
        char c = *text++;
        if (c == '!') {
            if (text == top) {
                value_error("end of string while looking for conversion specifier");
            }
            conversion = utf8_get_char((const byte *)text);
            text += char_size(text, top);
            if (text < top) {
                c = *text++;
                if (c != '}' && c != ':') {
                    value_error("expected ':' after conversion specifier");
                }
            }
            if (c == '!') {
                value_error("unmatched '{' in format spec");
            }
        }
        const char *spec = text;
        bool nested = false;
        if (c == ':') {
            int open = 1;
            for (;; text++) {
                if (text == top) {
                    value_error("unmatched '{' in format spec");
                }
                if (*text == '{') {
                    nested = true;
                    open++;
                } else if (*text == '}' && --open == 0) {
                    break;
                }
            }
        }
        size_t size = (size_t)(text - spec);
        if (c == ':') {
            text++;
        }
        mp_obj_t value = field_value(name, name_end, next, n_args, args, kwargs);
        vstr_t converted;
        if (conversion != 0) {
            if (conversion != 'r' && conversion != 's' && conversion != 'a') {
                if (conversion > 32 && conversion < 127) {
                    mp_raise_msg_varg(&mp_type_ValueError,
                        MP_ERROR_TEXT("Unknown conversion specifier %c"), (int)conversion);
                }
                mp_raise_msg_varg(&mp_type_ValueError,
                    MP_ERROR_TEXT("Unknown conversion specifier \\x%x"),
                    (unsigned int)conversion);
            }
            if (size == 0) {
                print_converted(&print, value, conversion);
                continue;
            }
            mp_print_t direct;
            vstr_init_print(&converted, 16, &direct);
            print_converted(&direct, value, conversion);
            value = mp_obj_new_str_from_utf8_vstr(&converted);
        }
        if (nested) {
            vstr_t inner = format_text(spec, spec + size, next, n_args, args, kwargs, nest - 1);
            gpusnek_print_formatted(&print, value, inner.buf, inner.len);
            vstr_clear(&inner);
        } else {
            gpusnek_print_formatted(&print, value, spec, size);
        }
    }
    return whole;
}

vstr_t gpusnek_format_text(const char *text, const char *top, int *next, size_t n_args,
    const mp_obj_t *args, mp_map_t *kwargs) {
    return format_text(text, top, next, n_args, args, kwargs, NEST_LIMIT);
}

// The state of the operator %.
typedef struct _modulo_t {
    const mp_obj_t *args;
    size_t n_args, next;
    mp_obj_t mapping;
    bool bytes;
} modulo_t;

static mp_obj_t next_argument(modulo_t *state) {
    if (state->next >= state->n_args) {
        mp_raise_TypeError(MP_ERROR_TEXT("not enough arguments for format string"));
    }
    return state->args[state->next++];
}

// Read a width or a precision.
static const char *read_size(modulo_t *state, const char *text, const char *top, int *value) {
    if (text < top && *text == '*') {
        const mp_obj_t argument = next_argument(state);
        if (!mp_obj_is_int(argument) && !mp_obj_is_bool(argument)) {
            mp_raise_TypeError(MP_ERROR_TEXT("* wants int"));
        }
        const mp_int_t size = mp_obj_get_int(argument);
        if (size > LARGEST_NUMBER || size < -LARGEST_NUMBER) {
            mp_raise_msg(&mp_type_OverflowError,
                MP_ERROR_TEXT("Python int too large to convert to C int"));
        }
        *value = (int)size;
        return text + 1;
    }
    *value = -1;
    int64_t number = 0;
    for (; text < top && unichar_isdigit((byte)*text); text++) {
        number = number * 10 + (*text - '0');
        if (number > LARGEST_NUMBER) {
            value_error("width too big");
        }
        *value = (int)number;
    }
    return text;
}

// The int that `%d` and the like print.
static mp_obj_t integer_of(mp_obj_t value, unichar type) {
    const bool decimal = type == 'd' || type == 'i' || type == 'u';
    if (mp_obj_is_bool(value)) {
        return MP_OBJ_NEW_SMALL_INT(value == mp_const_true);
    }
    if (mp_obj_is_int(value)) {
        return value;
    }
    #if MICROPY_PY_BUILTINS_FLOAT
    if (mp_obj_is_float(value)) {
        if (decimal) {
            return mp_obj_new_int_from_float(mp_obj_get_float(value));
        }
    } else
    #endif
    if (mp_obj_is_instance_type(mp_obj_get_type(value))) {
        const mp_obj_t number = mp_unary_op(MP_UNARY_OP_INT_MAYBE, value);
        if (number != MP_OBJ_NULL) {
            return number;
        }
    }
    mp_raise_msg_varg(&mp_type_TypeError,
        decimal ? MP_ERROR_TEXT("%%%c format: a real number is required, not %s")
                : MP_ERROR_TEXT("%%%c format: an integer is required, not %s"),
        (int)type, type_name(value));
}

static void modulo_character(
    const mp_print_t *print, const layout_t *layout, mp_obj_t value, bool bytes) {
    if (!bytes) {
        if (mp_obj_is_str(value)) {
            size_t size;
            const char *data = mp_obj_str_get_data(value, &size);
            if (utf8_charlen((const byte *)data, size) == 1) {
                print_text(print, layout, data, size);
                return;
            }
        } else if (mp_obj_is_int(value) || mp_obj_is_bool(value)) {
            print_character(print, layout, integer_of(value, 'd'));
            return;
        }
        mp_raise_TypeError(MP_ERROR_TEXT("%c requires int or char"));
    }
    char c;
    if (mp_obj_is_int(value) || mp_obj_is_bool(value)) {
        mp_int_t code;
        const mp_obj_t number = integer_of(value, 'd');
        if (!mp_obj_is_small_int(number) || (code = MP_OBJ_SMALL_INT_VALUE(number)) < 0
            || code > 255) {
            mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("%c arg not in range(256)"));
        }
        c = (char)code;
    } else {
        mp_buffer_info_t data;
        if (mp_obj_is_str(value) || !mp_get_buffer(value, &data, MP_BUFFER_READ) || data.len != 1) {
            mp_raise_TypeError(
                MP_ERROR_TEXT("%c requires an integer in range(256) or a single byte"));
        }
        c = *(const char *)data.buf;
    }
    const size_t after = pad_before(print, layout, 1);
    mp_print_strn(print, &c, 1, 0, ' ', 0);
    print_fill(print, layout, after);
}

// Print the argument of `%s` in bytes.
static void modulo_bytes(const mp_print_t *print, layout_t *layout, mp_obj_t value) {
    if (mp_obj_is_instance_type(mp_obj_get_type(value))) {
        mp_obj_t call[2];
        mp_load_method_maybe(value, MP_QSTR___bytes__, call);
        if (call[0] != MP_OBJ_NULL) {
            value = mp_call_method_n_kw(0, 0, call);
        }
    }
    mp_buffer_info_t data;
    if (mp_obj_is_str(value) || !mp_get_buffer(value, &data, MP_BUFFER_READ)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("%%b requires a bytes-like object, or an object that implements "
                          "__bytes__, not '%s'"),
            type_name(value));
    }
    size_t size = data.len;
    if (layout->precision >= 0 && (size_t)layout->precision < size) {
        size = (size_t)layout->precision;
    }
    const size_t after = pad_before(print, layout, size);
    mp_print_strn(print, (const char *)data.buf, size, 0, ' ', 0);
    print_fill(print, layout, after);
}

static void modulo_value(
    const mp_print_t *print, layout_t *layout, mp_obj_t value, bool bytes, size_t position) {
    const unichar type = layout->type;
    switch (type) {
        case 'c':
            layout->fill[0] = ' ';
            layout->precision = -1;
            layout->align = layout->align == '=' ? '>' : layout->align;
            modulo_character(print, layout, value, bytes);
            break;
        case 'd':
        case 'i':
        case 'u':
        case 'o':
        case 'x':
        case 'X': {
            const mp_obj_t number = integer_of(value, type);
            const int minimum = layout->precision;
            layout->precision = -1;
            if (layout->fill[0] == ' ' && layout->align != '<') {
                layout->align = '>';
            }
            print_int(print, layout, number, minimum < 0 ? 0 : minimum);
            break;
        }
        #if MICROPY_PY_BUILTINS_FLOAT
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G': {
            mp_float_t number;
            if (!mp_obj_get_float_maybe(value, &number)) {
                mp_raise_msg_varg(&mp_type_TypeError,
                    MP_ERROR_TEXT("must be real number, not %s"), type_name(value));
            }
            print_float(print, layout, number);
            break;
        }
        #endif
        case 'b':
            if (!bytes) {
                goto unsupported;
            }
            MP_FALLTHROUGH
        case 's':
        case 'r':
        case 'a': {
            layout->fill[0] = ' ';
            layout->align = layout->align == '=' ? '>' : layout->align;
            if (bytes && (type == 's' || type == 'b')) {
                modulo_bytes(print, layout, value);
                break;
            }
            const unichar conversion = bytes && type == 'r' ? 'a' : type;
            if (layout->width < 0 && layout->precision < 0) {
                print_converted(print, value, conversion);
                break;
            }
            vstr_t text;
            mp_print_t direct;
            vstr_init_print(&text, 16, &direct);
            print_converted(&direct, value, conversion);
            print_text(print, layout, text.buf, text.len);
            vstr_clear(&text);
            break;
        }
        default:
        unsupported:
            mp_raise_msg_varg(&mp_type_ValueError,
                MP_ERROR_TEXT("unsupported format character '%c' (0x%x) at index %d"),
                type < 128 ? (int)type : '?', (unsigned int)type, (int)position);
    }
}

mp_obj_t gpusnek_modulo_format(
    mp_obj_t pattern, size_t n_args, const mp_obj_t *args, mp_obj_t mapping) {
    const bool bytes = mp_obj_is_type(pattern, &mp_type_bytes);
    modulo_t state = {args, n_args, 0, mapping, bytes};
    if (mapping == MP_OBJ_NULL && n_args == 1 && mp_obj_is_type(args[0], &mp_type_list)) {
        // Like other containers with items it may be left over.
        state.mapping = mapping = args[0];
    }
    size_t size;
    const char *start = mp_obj_str_get_data(pattern, &size);
    const char *text = start, *top = start + size;
    vstr_t whole;
    mp_print_t print;
    vstr_init_print(&whole, TEXT_START, &print);
    while (text < top) {
        const char *from = text;
        while (text < top && *text != '%') {
            text++;
        }
        vstr_add_strn(&whole, from, (size_t)(text - from));
        if (text == top) {
            break;
        }
        if (++text < top && *text == '%') {
            vstr_add_byte(&whole, '%');
            text++;
            continue;
        }
        // `%d` of an int and `%s` of a str or an int, the most frequent formats, need no layout.
        if (text < top && !bytes && state.next < n_args) {
            const mp_obj_t plain = args[state.next];
            if ((*text == 's' || (*text == 'd' && mp_obj_is_small_int(plain)))
                && add_plain(&whole, plain)) {
                state.next++;
                text++;
                continue;
            }
        }
        mp_obj_t value = MP_OBJ_NULL;
        if (text < top && *text == '(') {
            if (state.mapping == MP_OBJ_NULL) {
                mp_raise_TypeError(MP_ERROR_TEXT("format requires a mapping"));
            }
            const char *key = ++text;
            int open = 1;
            while (text < top && open > 0) {
                open += *text == '(' ? 1 : *text == ')' ? -1 : 0;
                text++;
            }
            if (open > 0) {
                value_error("incomplete format key");
            }
            const size_t length = (size_t)(text - 1 - key);
            const mp_obj_t name
                = bytes ? mp_obj_new_bytes((const byte *)key, length)
                        : mp_obj_new_str_via_qstr(key, length);
            value = mp_obj_subscr(state.mapping, name, MP_OBJ_SENTINEL);
            // The mapping is no argument any more.
            state.next = state.n_args;
        }
        layout_t layout = {
            .fill = {' '}, .fill_size = 1, .align = '>', .width = -1, .precision = -1};
        bool left = false, zero = false;
        for (; text < top; text++) {
            if (*text == '-') {
                left = true;
            } else if (*text == '+') {
                layout.sign = '+';
            } else if (*text == ' ') {
                layout.sign = layout.sign == '+' ? '+' : ' ';
            } else if (*text == '#') {
                layout.alternate = true;
            } else if (*text == '0') {
                zero = true;
            } else {
                break;
            }
        }
        text = read_size(&state, text, top, &layout.width);
        if (layout.width < -1) {
            left = true;
            layout.width = -layout.width;
        }
        if (text < top && *text == '.') {
            text = read_size(&state, text + 1, top, &layout.precision);
            if (layout.precision < 0) {
                layout.precision = 0;
            }
        }
        if (text < top && (*text == 'h' || *text == 'l' || *text == 'L')) {
            text++;
        }
        if (text == top) {
            value_error("incomplete format");
        }
        if (left) {
            layout.align = '<';
        } else if (zero) {
            layout.fill[0] = '0';
            layout.align = '=';
        }
        layout.type = bytes ? (byte)*text : utf8_get_char((const byte *)text);
        const size_t position = (size_t)(text - start);
        text += bytes ? 1 : char_size(text, top);
        if (value == MP_OBJ_NULL) {
            value = next_argument(&state);
        }
        modulo_value(&print, &layout, value, bytes, position);
    }
    if (mapping == MP_OBJ_NULL && state.next != n_args) {
        mp_raise_TypeError(MP_ERROR_TEXT("not all arguments converted during string formatting"));
    }
    return bytes ? mp_obj_new_bytes_from_vstr(&whole) : mp_obj_new_str_from_utf8_vstr(&whole);
}
