// Compiles regular expressions with CPython's syntax and messages to the code of regex.h.
//
// Mechanism: one pass over the pattern. Instructions are appended; where a quantifier or `|` needs
// one in front of a piece, the piece moves (distances are relative, so it stays valid). Open
// parentheses are on a stack in the heap, so that the depth of a pattern needs no C stack.
//
// Invariant P1: only the newest item and the newest alternative of the innermost open parenthesis
// move. No stored index points behind their start.
#include <string.h>

#include "py/objexcept.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "regex.h"
#include "textlength.h"

#define NONE GPUSNEK_RE_NONE
#define MOST_GROUPS (1u << 20)

// The kinds of open parentheses. ROOT is the whole pattern.
typedef enum { ROOT, PLAIN, GROUP, LOOK, LOOK_NOT, ATOMIC, CONDITION } frame_kind_t;
// The effect of a quantifier behind the newest item.
typedef enum { NO_ITEM, POSITION, CHARACTER, REPEATED, OTHER } item_kind_t;

// The number of characters that a piece matches; the maximum may be NONE.
typedef struct {
    uint32_t least;
    uint32_t most;
} width_t;

// An open parenthesis.
typedef struct {
    const byte *open; // its place in the pattern
    frame_kind_t kind;
    item_kind_t item_kind;
    uint32_t group; // of GROUP
    uint32_t flags; // of the pattern around it
    uint32_t start; // its first word
    uint32_t alternative; // first word of the current alternative
    uint32_t item; // first word of the newest item
    uint32_t jumps; // newest jump from the end of an alternative; its distance leads to the one before
    uint32_t branches; // finished alternatives
    uint32_t look_behind; // the number of groups where the surrounding look behind began, or NONE
    bool is_behind;
    width_t item_width;
    width_t width; // of the current alternative without the newest item
    width_t all; // of the finished alternatives
} frame_t;

typedef struct {
    uint32_t group;
    const byte *at;
} reference_t;

typedef struct {
    gpusnek_pattern_t *pattern;
    const byte *text;
    const byte *end;
    const byte *at; // next character
    bool is_str;
    uint32_t flags; // at this place
    uint32_t given; // flags of the whole pattern
    uint32_t *code;
    uint32_t length;
    uint32_t alloc;
    frame_t *frames;
    uint32_t depth; // index of the innermost frame
    uint32_t frames_alloc;
    width_t *groups; // the width of each group; NONE in `least` marks an open group
    uint32_t group_count; // with group 0
    uint32_t groups_alloc;
    reference_t *references; // conditions on groups that are not there yet
    uint32_t reference_count;
    uint32_t references_alloc;
    uint32_t loops; // registers of loops
    uint32_t look_behind; // as in frame_t
    bool varies; // a pattern that is looked behind has no fixed width
} parser_t;

// ---- Errors ----

static void error_attribute(mp_obj_t self, qstr attribute, mp_obj_t *dest);

MP_DEFINE_CONST_OBJ_TYPE(
    gpusnek_type_PatternError,
    MP_QSTR_PatternError,
    MP_TYPE_FLAG_NONE,
    make_new, mp_obj_exception_make_new,
    print, mp_obj_exception_print,
    attr, error_attribute,
    parent, &mp_type_Exception
    );

// The type of the tuple `args` of an error that the compiler raises. It has one item, the message
// with the position. Behind its end are the values of the attributes.
static MP_DEFINE_CONST_OBJ_TYPE(
    error_args_type,
    MP_QSTR_tuple,
    MP_TYPE_FLAG_ITER_IS_GETITER,
    print, mp_obj_tuple_print,
    unary_op, mp_obj_tuple_unary_op,
    binary_op, mp_obj_tuple_binary_op,
    subscr, mp_obj_tuple_subscr,
    iter, mp_obj_tuple_getiter,
    parent, &mp_type_tuple
    );
enum { ERROR_TEXT, ERROR_MSG, ERROR_PATTERN, ERROR_POSITION, ERROR_ITEMS };

// Finds the line and column of a position, both from 1.
static void locate(const byte *text, const byte *at, size_t *line, size_t *column) {
    const byte *begin = text;
    *line = 1;
    for (const byte *p = text; p < at; p++) {
        if (*p == '\n') {
            ++*line;
            begin = p + 1;
        }
    }
    *column = gpusnek_characters(begin, at - begin) + 1;
}

static bool read_pattern(mp_obj_t pattern, const byte **text, size_t *size) {
    if (!mp_obj_is_str(pattern) && !mp_obj_is_type(pattern, &mp_type_bytes)) {
        return false;
    }
    *text = (const byte *)mp_obj_str_get_data(pattern, size);
    return true;
}

// Returns the byte of a text that begins the character with an index.
static const byte *character_at(mp_obj_t pattern, const byte *text, size_t size, mp_int_t index) {
    const byte *const at = mp_obj_is_str(pattern) ? gpusnek_character(text, size, index)
        : index < (mp_int_t)size ? text + index : NULL;
    return index < 0 ? text : at == NULL ? text + size : at;
}

// Returns an error with a message, and with a position if `pattern` is not None.
static mp_obj_t make_error(mp_obj_t message, mp_obj_t pattern, mp_obj_t place) {
    mp_obj_t items[ERROR_ITEMS] = {message, message, pattern, place};
    const byte *text;
    size_t size;
    mp_int_t position;
    if (mp_obj_get_int_maybe(place, &position) && read_pattern(pattern, &text, &size)) {
        vstr_t whole;
        mp_print_t print;
        vstr_init_print(&whole, 32, &print);
        mp_obj_print_helper(&print, message, PRINT_STR);
        mp_printf(&print, " at position %d", (int)position);
        if (memchr(text, '\n', size) != NULL) {
            size_t line, column;
            locate(text, character_at(pattern, text, size, position), &line, &column);
            mp_printf(&print, " (line %u, column %u)", (unsigned int)line, (unsigned int)column);
        }
        items[ERROR_TEXT] = mp_obj_new_str_from_utf8_vstr(&whole);
    }
    const mp_obj_t error =
        mp_obj_exception_make_new(&gpusnek_type_PatternError, ERROR_ITEMS, 0, items);
    mp_obj_tuple_t *const args = ((mp_obj_exception_t *)MP_OBJ_TO_PTR(error))->args;
    if (args->len == ERROR_ITEMS) { // not if there was no memory
        args->len = 1;
        args->base.type = &error_args_type;
    }
    return error;
}

static void error_attribute(mp_obj_t self, qstr attribute, mp_obj_t *dest) {
    const mp_obj_tuple_t *const args = ((mp_obj_exception_t *)MP_OBJ_TO_PTR(self))->args;
    if (dest[0] == MP_OBJ_NULL && args->base.type == &error_args_type) {
        const mp_obj_t pattern = args->items[ERROR_PATTERN];
        switch (attribute) {
            case MP_QSTR_msg:
                dest[0] = args->items[ERROR_MSG];
                return;
            case MP_QSTR_pattern:
                dest[0] = pattern;
                return;
            case MP_QSTR_pos:
                dest[0] = args->items[ERROR_POSITION];
                return;
            case MP_QSTR_lineno:
            case MP_QSTR_colno: {
                const byte *text;
                size_t size, line, column;
                mp_int_t position;
                dest[0] = mp_const_none;
                if (mp_obj_get_int_maybe(args->items[ERROR_POSITION], &position)
                    && read_pattern(pattern, &text, &size)) {
                    locate(text, character_at(pattern, text, size, position), &line, &column);
                    dest[0] = mp_obj_new_int_from_uint(
                        attribute == MP_QSTR_lineno ? line : column);
                }
                return;
            }
            default:
                break;
        }
    }
    mp_obj_exception_attr(self, attribute, dest);
}

_Noreturn void gpusnek_re_error(mp_obj_t pattern, bool is_str, vstr_t *message, const byte *at) {
    size_t size;
    const byte *const text = (const byte *)mp_obj_str_get_data(pattern, &size);
    const size_t position = is_str ? gpusnek_characters(text, at - text) : (size_t)(at - text);
    vstr_t shown;
    mp_print_t print;
    vstr_init_print(&shown, message->len + 1, &print);
    const byte *from = (const byte *)message->buf;
    const byte *const to = from + message->len;
    while (from < to) { // CPython escapes characters in messages about bytes
        const byte *const character = from;
        const uint32_t c = gpusnek_re_next(&from, to, true);
        if (c >= 0x80 && !is_str) {
            mp_printf(&print, "\\x%02x", (unsigned int)c);
        } else {
            mp_print_strn(&print, (const char *)character, from - character, 0, ' ', 0);
        }
    }
    const mp_obj_t text_object = mp_obj_new_str_from_utf8_vstr(&shown);
    nlr_raise(make_error(text_object, pattern, mp_obj_new_int_from_uint(position)));
}

// Raises re.error for a place of the pattern. CPython reads one token ahead, so that it complains of
// a backslash at the end first.
static _Noreturn void fail_at(const parser_t *p, vstr_t *message, const byte *at) {
    size_t backslashes = 0;
    while (backslashes < (size_t)(p->end - p->text) && p->end[-1 - (ptrdiff_t)backslashes] == '\\') {
        backslashes++;
    }
    if (backslashes % 2 == 1 && p->at >= p->end - 1) {
        message->len = 0;
        vstr_add_str(message, "bad escape (end of pattern)");
        at = p->end - 1;
    }
    gpusnek_re_error(p->pattern->pattern, p->is_str, message, at);
}

// Appends a part of the pattern. Bytes are shown as characters.
static void add_part(const parser_t *p, vstr_t *text, const byte *from, const byte *to) {
    for (; from < to; from++) {
        if (p->is_str || *from < 0x80) {
            vstr_add_byte(text, *from);
        } else {
            vstr_add_char(text, *from);
        }
    }
}

// Raises re.error: a message, followed by a part of the pattern.
static _Noreturn void fail_with(const parser_t *p, const byte *at, const char *message,
    const byte *from, const byte *to) {
    vstr_t text;
    vstr_init(&text, 32);
    vstr_add_str(&text, message);
    add_part(p, &text, from, to);
    fail_at(p, &text, at);
}

static _Noreturn void fail(const parser_t *p, const byte *at, const char *message) {
    fail_with(p, at, message, at, at);
}

// Raises re.error: a message, followed by the repr of a name, and a second part.
static _Noreturn void fail_name(const parser_t *p, const byte *at, const char *message,
    const byte *from, const byte *to) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    mp_print_str(&print, message);
    vstr_t name;
    vstr_init(&name, to - from + 1);
    add_part(p, &name, from, to);
    mp_obj_print_helper(&print, mp_obj_new_str_from_utf8_vstr(&name), PRINT_REPR);
    fail_at(p, &text, at);
}

static _Noreturn void fail_number(const parser_t *p, const byte *at, const char *message,
    uint32_t number) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    mp_printf(&print, "%s%u", message, (unsigned int)number);
    fail_at(p, &text, at);
}

static _Noreturn void too_large(void) {
    mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("regular expression code size limit exceeded"));
}

// ---- Code ----

static void reserve(parser_t *p, uint32_t words) {
    if (words > p->alloc - p->length) {
        if (words > RE_MOST_WORDS - p->length) {
            too_large();
        }
        const uint32_t alloc = MAX(p->length + words, p->alloc + p->alloc / 2);
        p->code = m_renew(uint32_t, p->code, p->alloc, alloc);
        p->alloc = alloc;
    }
}

static void emit(parser_t *p, uint32_t word) {
    reserve(p, 1);
    p->code[p->length++] = word;
}

// Makes a gap in the code.
static uint32_t *insert(parser_t *p, uint32_t at, uint32_t words) {
    reserve(p, words);
    memmove(p->code + at + words, p->code + at, (p->length - at) * sizeof(uint32_t));
    p->length += words;
    return p->code + at;
}

static uint32_t plus(uint32_t a, uint32_t b) {
    return a > NONE - b ? NONE : a + b;
}

static uint32_t times(uint32_t a, uint32_t b) {
    return a != 0 && b > NONE / a ? NONE : a * b;
}

static frame_t *top(parser_t *p) {
    return &p->frames[p->depth];
}

// Begins a new item of the innermost parenthesis.
static void begin_item(parser_t *p, item_kind_t kind, width_t width) {
    frame_t *const frame = top(p);
    frame->width.least = plus(frame->width.least, frame->item_width.least);
    frame->width.most = plus(frame->width.most, frame->item_width.most);
    frame->item = p->length;
    frame->item_kind = kind;
    frame->item_width = width;
}

static const width_t no_width = {0, 0};
static const width_t one_character = {1, 1};

// Returns whether only ASCII characters have case and categories.
static bool is_ascii(const parser_t *p) {
    return !p->is_str || (p->flags & GPUSNEK_RE_ASCII) != 0;
}

static void emit_position(parser_t *p, uint32_t opcode) {
    begin_item(p, POSITION, no_width);
    emit(p, RE_INSTRUCTION(opcode, is_ascii(p)));
}

static void emit_character(parser_t *p, uint32_t c) {
    begin_item(p, CHARACTER, one_character);
    const bool ascii = is_ascii(p);
    if (p->flags & GPUSNEK_RE_IGNORECASE && gpusnek_re_is_cased(c, ascii)) {
        emit(p, RE_INSTRUCTION(ascii ? RE_CHAR_FOLDED_ASCII : RE_CHAR_FOLDED,
            gpusnek_re_fold(c, ascii)));
    } else {
        emit(p, RE_INSTRUCTION(RE_CHAR, c));
    }
}

static void emit_reference(parser_t *p, uint32_t group) {
    begin_item(p, OTHER, p->groups[group]);
    const uint32_t opcode = !(p->flags & GPUSNEK_RE_IGNORECASE) ? RE_BACK
        : is_ascii(p) ? RE_BACK_FOLDED_ASCII : RE_BACK_FOLDED;
    emit(p, RE_INSTRUCTION(opcode, group));
}

// ---- Characters of the pattern ----

static bool take(parser_t *p, byte c) {
    if (p->at < p->end && *p->at == c) {
        p->at++;
        return true;
    }
    return false;
}

static bool is_letter(uint32_t c) {
    return (c | 0x20) - 'a' < 26;
}

static int digit_of(uint32_t c, uint32_t base) {
    const uint32_t value = c - '0' < 10 ? c - '0' : is_letter(c) ? (c | 0x20) - 'a' + 10 : 99;
    return value < base ? (int)value : -1;
}

static bool is_digit_at(const parser_t *p, const byte *at, uint32_t base) {
    return at < p->end && digit_of(*at, base) >= 0;
}

// Reads at most `most` digits.
static uint32_t read_digits(parser_t *p, uint32_t base, uint32_t most) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < most && is_digit_at(p, p->at, base); i++) {
        value = value * base + (uint32_t)digit_of(*p->at++, base);
    }
    return value;
}

// Reads an escape of a letter that gives a character, the same in and outside of classes. `from`:
// the backslash. Returns NONE if it is not such an escape.
static uint32_t read_escape(parser_t *p, const byte *from, uint32_t c) {
    uint32_t digits = 0;
    switch (c) {
        case 'a':
            return '\a';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'v':
            return '\v';
        case 'x':
            digits = 2;
            break;
        case 'u':
            digits = p->is_str ? 4 : 0;
            break;
        case 'U':
            digits = p->is_str ? 8 : 0;
            break;
        default:
            break;
    }
    if (digits == 0) {
        return NONE;
    }
    const uint32_t value = read_digits(p, 16, digits);
    if (p->at - from != (int)digits + 2) {
        fail_with(p, from, "incomplete escape ", from, p->at);
    }
    if (value > 0x10ffff) {
        fail_with(p, from, "bad escape ", from, p->at);
    }
    return value;
}

static uint32_t category_of(uint32_t c) {
    switch (c) {
        case 'd':
            return RE_DIGIT;
        case 'D':
            return RE_NO_DIGIT;
        case 's':
            return RE_SPACE;
        case 'S':
            return RE_NO_SPACE;
        case 'w':
            return RE_WORD;
        case 'W':
            return RE_NO_WORD;
        default:
            return 0;
    }
}

static _Noreturn void octal_error(const parser_t *p, const byte *from) {
    vstr_t text;
    vstr_init(&text, 48);
    vstr_add_str(&text, "octal escape value ");
    vstr_add_strn(&text, (const char *)from, p->at - from);
    vstr_add_str(&text, " outside of range 0-0o377");
    fail_at(p, &text, from);
}

// ---- Classes ----

// Begins an instruction RE_CLASS.
static void begin_class(parser_t *p, uint32_t flags) {
    begin_item(p, CHARACTER, one_character);
    emit(p, RE_CLASS);
    emit(p, flags | (p->flags & GPUSNEK_RE_IGNORECASE ? RE_FOLDED : 0)
        | (is_ascii(p) ? RE_ASCII_ONLY : 0));
    for (int i = 0; i < 4; i++) {
        emit(p, 0);
    }
}

static void add_range(parser_t *p, uint32_t low, uint32_t high) {
    const uint32_t class_at = top(p)->item;
    if (high < 0x80) {
        for (uint32_t c = low; c <= high; c++) {
            p->code[class_at + 2 + c / 32] |= (uint32_t)1 << c % 32;
        }
        return;
    }
    emit(p, low);
    emit(p, high);
    p->code[class_at] += RE_INSTRUCTION(0, 1);
}

// Adds a character. Without case, adds the folded character too, which stands for all equal ones.
static void add_character(parser_t *p, uint32_t c) {
    add_range(p, c, c);
    const uint32_t flags = p->code[top(p)->item + 1];
    if (flags & RE_FOLDED && !(flags & RE_ASCII_ONLY)) {
        const uint32_t folded = gpusnek_re_fold(c, false);
        if (folded != c) {
            add_range(p, folded, folded);
        }
    }
}

// Reads a character or category of a class. Returns the character, or NONE and sets *category.
static uint32_t read_member(parser_t *p, uint32_t *category) {
    const byte *const from = p->at;
    const uint32_t c = gpusnek_re_next(&p->at, p->end, p->is_str);
    *category = 0;
    if (c != '\\') {
        return c;
    }
    if (p->at == p->end) {
        fail(p, from, "bad escape (end of pattern)");
    }
    const uint32_t escaped = gpusnek_re_next(&p->at, p->end, p->is_str);
    *category = category_of(escaped);
    if (*category != 0) {
        return NONE;
    }
    if (escaped == 'b') {
        return '\b';
    }
    const uint32_t value = read_escape(p, from, escaped);
    if (value != NONE) {
        return value;
    }
    if (digit_of(escaped, 8) >= 0) {
        p->at = from + 1;
        const uint32_t octal = read_digits(p, 8, 3);
        if (octal > 0xff) {
            octal_error(p, from);
        }
        return octal;
    }
    if (digit_of(escaped, 36) >= 0) {
        fail_with(p, from, "bad escape ", from, p->at);
    }
    return escaped;
}

static size_t count_characters(const parser_t *p, const byte *from, const byte *to) {
    return p->is_str ? gpusnek_characters(from, to - from) : (size_t)(to - from);
}

// Returns the end of the token at `at`: a character, or a backslash with a character.
static const byte *behind_token(const parser_t *p, const byte *at) {
    if (at < p->end && gpusnek_re_next(&at, p->end, p->is_str) == '\\' && at < p->end) {
        gpusnek_re_next(&at, p->end, p->is_str);
    }
    return at;
}

// Reads a class behind its bracket.
static void read_class(parser_t *p) {
    const byte *const open = p->at - 1;
    begin_class(p, take(p, '^') ? RE_NEGATED : 0);
    const uint32_t class_at = top(p)->item;
    const byte *const first = p->at;
    for (;;) {
        const byte *const from = p->at;
        if (p->at == p->end) {
            fail(p, open, "unterminated character set");
        }
        if (*p->at == ']' && p->at != first) {
            p->at++;
            break;
        }
        uint32_t category, other;
        const uint32_t low = read_member(p, &category);
        const byte *const dash = p->at;
        if (take(p, '-')) {
            if (p->at == p->end) {
                fail(p, open, "unterminated character set");
            }
            if (*p->at != ']') {
                const byte *const that = p->at;
                const uint32_t high = read_member(p, &other);
                if (low == NONE || high == NONE || high < low) {
                    // CPython's position is behind all it read, minus the tokens' lengths.
                    const byte *const this_end = behind_token(p, from);
                    const byte *const that_end = behind_token(p, that);
                    const size_t back = count_characters(p, from, this_end) + 1
                        + count_characters(p, that, that_end);
                    const byte *at = p->at;
                    for (size_t i = 0; i < back && at > p->text; i++) {
                        at = gpusnek_re_back(at, p->text, p->is_str);
                    }
                    vstr_t text;
                    vstr_init(&text, 32);
                    vstr_add_str(&text, "bad character range ");
                    add_part(p, &text, from, this_end);
                    vstr_add_byte(&text, '-');
                    add_part(p, &text, that, that_end);
                    fail_at(p, &text, at);
                }
                if (low == high) {
                    add_character(p, low);
                } else {
                    add_range(p, low, high);
                }
                continue;
            }
            p->at = dash; // the dash before the closing bracket is a character
        }
        if (low == NONE) {
            p->code[class_at + 1] |= category;
        } else {
            add_character(p, low);
        }
    }
    gpusnek_re_finish_class(p->code + class_at);
}

// ---- Groups ----

// Raises re.error if a group cannot be referred to here. `at`: the position of the error.
static void check_open(const parser_t *p, uint32_t group, const byte *at) {
    if (p->groups[group].least == NONE) {
        fail(p, at, "cannot refer to an open group");
    }
}

static void check_look_behind(const parser_t *p, uint32_t group) {
    if (p->look_behind == NONE) {
        return;
    }
    if (group >= p->group_count) {
        fail(p, p->at, "cannot refer to an open group");
    }
    check_open(p, group, p->at);
    if (group >= p->look_behind) {
        fail(p, p->at, "cannot refer to group defined in the same lookbehind subpattern");
    }
}

// Skips all up to a character. A backslash hides the next character.
static void skip_to(parser_t *p, byte last) {
    while (p->at < p->end && *p->at != last) {
        p->at += *p->at == '\\' && p->at + 1 < p->end ? 2 : 1;
    }
}

// Reads a name up to a terminator. Returns its end.
static const byte *read_name(parser_t *p, byte terminator) {
    const byte *const from = p->at;
    skip_to(p, terminator);
    if (p->at == p->end) {
        if (p->at == from) {
            fail(p, from, "missing group name");
        }
        fail(p, from, terminator == '>' ? "missing >, unterminated name"
                                        : "missing ), unterminated name");
    }
    if (p->at == from) {
        fail(p, from, "missing group name");
    }
    return p->at++;
}

static bool is_identifier(const parser_t *p, const byte *at, const byte *end) {
    for (bool first = true; at < end; first = false) {
        const uint32_t c = gpusnek_re_next(&at, end, p->is_str);
        const uint32_t flag = first ? GPUSNEK_ID_START : GPUSNEK_ID_CONTINUE;
        if (c != '_' && ((!p->is_str && c >= 0x80) || !(gpusnek_kind(c)->flags & flag))) {
            return false;
        }
    }
    return true;
}

static void check_name(const parser_t *p, const byte *from, const byte *to) {
    if (!is_identifier(p, from, to)) {
        fail_name(p, from, "bad character in group name ", from, to);
    }
}

// Returns the number of a named group, or NONE.
static uint32_t group_of(const parser_t *p, mp_obj_t name) {
    if (p->pattern->names == MP_OBJ_NULL) {
        return NONE;
    }
    mp_map_t *const map = mp_obj_dict_get_map(p->pattern->names);
    const mp_map_elem_t *const found = mp_map_lookup(map, name, MP_MAP_LOOKUP);
    return found == NULL ? NONE : (uint32_t)MP_OBJ_SMALL_INT_VALUE(found->value);
}

static uint32_t find_name(const parser_t *p, const byte *from, const byte *to) {
    check_name(p, from, to);
    const uint32_t group = group_of(p, mp_obj_new_str((const char *)from, to - from));
    if (group == NONE) {
        fail_name(p, from, "unknown group name ", from, to);
    }
    return group;
}

static frame_t *push(parser_t *p, frame_kind_t kind, const byte *open, uint32_t outer_flags) {
    if (p->depth + 1 == p->frames_alloc) {
        const uint32_t alloc = p->frames_alloc * 2;
        p->frames = m_renew(frame_t, p->frames, p->frames_alloc, alloc);
        p->frames_alloc = alloc;
    }
    p->depth++;
    frame_t *const frame = top(p);
    memset(frame, 0, sizeof(*frame));
    frame->open = open;
    frame->kind = kind;
    frame->flags = outer_flags;
    frame->start = p->length;
    frame->jumps = NONE;
    frame->look_behind = p->look_behind;
    frame->all.least = NONE;
    return frame;
}

// Marks the start of the code in the parentheses.
static void begin_content(parser_t *p) {
    top(p)->alternative = p->length;
}

static void open_group(parser_t *p, const byte *open, const byte *name, const byte *name_end) {
    const uint32_t group = p->group_count;
    if (group >= MOST_GROUPS) {
        fail(p, open, "too many groups");
    }
    if (group == p->groups_alloc) {
        p->groups = m_renew(width_t, p->groups, p->groups_alloc, 2 * p->groups_alloc);
        p->groups_alloc *= 2;
    }
    p->groups[group].least = NONE;
    p->groups[group].most = NONE;
    p->group_count++;
    if (name != NULL) {
        const mp_obj_t key = mp_obj_new_str((const char *)name, name_end - name);
        const uint32_t old = group_of(p, key);
        if (old != NONE) {
            vstr_t text;
            mp_print_t print;
            vstr_init_print(&text, 64, &print);
            mp_print_str(&print, "redefinition of group name ");
            mp_obj_print_helper(&print, key, PRINT_REPR);
            mp_printf(&print, " as group %u; was group %u", (unsigned int)group, (unsigned int)old);
            fail_at(p, &text, name);
        }
        if (p->pattern->names == MP_OBJ_NULL) {
            p->pattern->names = mp_obj_new_dict(1);
        }
        mp_obj_dict_store(p->pattern->names, key, MP_OBJ_NEW_SMALL_INT(group));
    }
    push(p, GROUP, open, p->flags)->group = group;
    emit(p, RE_INSTRUCTION(RE_OPEN, group));
    begin_content(p);
}

static void open_look(parser_t *p, const byte *open, bool behind, bool negative) {
    frame_t *const frame = push(p, negative ? LOOK_NOT : LOOK, open, p->flags);
    frame->is_behind = behind;
    if (behind && p->look_behind == NONE) {
        p->look_behind = p->group_count;
    }
    emit(p, RE_INSTRUCTION(negative ? RE_LOOK_NOT : RE_LOOK, behind));
    emit(p, 0);
    emit(p, 0);
    begin_content(p);
}

static void open_condition(parser_t *p, const byte *open) {
    const byte *const from = p->at;
    const byte *const to = read_name(p, ')');
    uint32_t group = 0;
    if (is_identifier(p, from, to)) {
        group = find_name(p, from, to);
    } else {
        for (const byte *at = from; at < to; at++) {
            if (*at - '0' > 9u) {
                fail_name(p, from, "bad character in group name ", from, to);
            }
            group = MIN(group * 10 + (*at - '0'), MOST_GROUPS);
        }
        if (group == 0) {
            fail(p, from, "bad group number");
        }
        if (group == MOST_GROUPS) {
            fail_with(p, from, "invalid group reference ", from, to);
        }
    }
    if (group >= p->group_count) {
        if (p->reference_count == p->references_alloc) {
            const uint32_t alloc = p->references_alloc + 4;
            p->references = m_renew(reference_t, p->references, p->references_alloc, alloc);
            p->references_alloc = alloc;
        }
        p->references[p->reference_count].group = group;
        p->references[p->reference_count++].at = from;
    }
    check_look_behind(p, group);
    push(p, CONDITION, open, p->flags);
    emit(p, RE_INSTRUCTION(RE_CONDITION, group));
    emit(p, 0);
    begin_content(p);
}

static uint32_t flag_of(uint32_t c) {
    switch (c) {
        case 'i':
            return GPUSNEK_RE_IGNORECASE;
        case 'L':
            return GPUSNEK_RE_LOCALE;
        case 'm':
            return GPUSNEK_RE_MULTILINE;
        case 's':
            return GPUSNEK_RE_DOTALL;
        case 'u':
            return GPUSNEK_RE_UNICODE;
        case 'x':
            return GPUSNEK_RE_VERBOSE;
        case 'a':
            return GPUSNEK_RE_ASCII;
        default:
            return 0;
    }
}

#define TYPE_FLAGS (GPUSNEK_RE_ASCII | GPUSNEK_RE_LOCALE | GPUSNEK_RE_UNICODE)

static bool is_alphabetic(const parser_t *p, uint32_t c) {
    return p->is_str ? (gpusnek_kind(c)->flags & GPUSNEK_ALPHA) != 0 : is_letter(c);
}

// Reads flags up to one of the terminators.
static uint32_t read_flags(parser_t *p, bool removed, byte *terminator) {
    const char *const missing = removed ? "missing :" : "missing -, : or )";
    uint32_t flags = 0;
    for (;;) {
        if (p->at == p->end) {
            fail(p, p->at, flags == 0 && removed ? "missing flag" : missing);
        }
        const byte *const from = p->at;
        const uint32_t c = gpusnek_re_next(&p->at, p->end, p->is_str);
        const uint32_t flag = flag_of(c);
        if (flag == 0) {
            const bool ends = c == ':' || (!removed && (c == ')' || c == '-'));
            if (ends && !(removed && flags == 0)) {
                *terminator = (byte)c;
                return flags;
            }
            fail(p, from, is_alphabetic(p, c) ? "unknown flag"
                    : removed && flags == 0 ? "missing flag" : missing);
        }
        if (removed && flag & TYPE_FLAGS) {
            fail(p, p->at, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
        }
        if (flag == GPUSNEK_RE_LOCALE && p->is_str) {
            fail(p, p->at, "bad inline flags: cannot use 'L' flag with a str pattern");
        }
        if (flag == GPUSNEK_RE_UNICODE && !p->is_str) {
            fail(p, p->at, "bad inline flags: cannot use 'u' flag with a bytes pattern");
        }
        if (flag & TYPE_FLAGS && flags & TYPE_FLAGS & ~flag) {
            fail(p, p->at, "bad inline flags: flags 'a', 'u' and 'L' are incompatible");
        }
        flags |= flag;
    }
}

// Reads inline flags, behind the question mark.
static void open_flags(parser_t *p, const byte *open) {
    byte terminator = '-';
    uint32_t removed = 0;
    const uint32_t added = take(p, '-') ? 0 : read_flags(p, false, &terminator);
    if (terminator == ')') {
        const frame_t *const frame = top(p);
        if (p->depth != 0 || frame->branches != 0 || frame->item_kind != NO_ITEM) {
            fail(p, open, "global flags not at the start of the expression");
        }
        p->given |= added;
        p->flags |= added;
        return;
    }
    if (terminator == '-') {
        removed = read_flags(p, true, &terminator);
    }
    if (added & removed) {
        fail(p, p->at - 1, "bad inline flags: flag turned on and off");
    }
    push(p, PLAIN, open, p->flags);
    begin_content(p);
    if (added & TYPE_FLAGS) {
        p->flags &= ~(uint32_t)TYPE_FLAGS;
    }
    p->flags = (p->flags | added) & ~removed;
}

static void read_comment(parser_t *p, const byte *open) {
    skip_to(p, ')');
    if (p->at == p->end) {
        fail(p, open, "missing ), unterminated comment");
    }
    p->at++;
}

// Reads the next character of an extension.
static uint32_t read_extension(parser_t *p) {
    if (p->at == p->end) {
        fail(p, p->at, "unexpected end of pattern");
    }
    return gpusnek_re_next(&p->at, p->end, p->is_str);
}

// Raises re.error for an extension whose last character was read.
static _Noreturn void fail_extension(parser_t *p, const byte *open) {
    const byte *const last = gpusnek_re_back(p->at, p->text, p->is_str);
    p->at = behind_token(p, last);
    fail_with(p, open + 1, "unknown extension ", open + 1, p->at);
}

static void open_named(parser_t *p, const byte *open) {
    const uint32_t c = read_extension(p);
    const byte *const from = p->at;
    if (c == '<') {
        const byte *const to = read_name(p, '>');
        check_name(p, from, to);
        open_group(p, open, from, to);
    } else if (c == '=') {
        const byte *const to = read_name(p, ')');
        const uint32_t group = find_name(p, from, to);
        check_open(p, group, from);
        check_look_behind(p, group);
        emit_reference(p, group);
    } else {
        fail_extension(p, open);
    }
}

// Opens a parenthesis, behind its character.
static void open_parenthesis(parser_t *p) {
    const byte *const open = p->at - 1;
    if (!take(p, '?')) {
        open_group(p, open, NULL, NULL);
        return;
    }
    uint32_t c = read_extension(p);
    const bool behind = c == '<';
    switch (c) {
        case 'P':
            open_named(p, open);
            return;
        case ':':
            push(p, PLAIN, open, p->flags);
            begin_content(p);
            return;
        case '#':
            read_comment(p, open);
            return;
        case '<':
            c = read_extension(p);
            if (c != '=' && c != '!') {
                break;
            }
            MP_FALLTHROUGH
        case '=':
        case '!':
            open_look(p, open, behind, c == '!');
            return;
        case '(':
            open_condition(p, open);
            return;
        case '>':
            push(p, ATOMIC, open, p->flags);
            emit(p, RE_ATOMIC);
            emit(p, 0);
            emit(p, 0);
            begin_content(p);
            return;
        default:
            if (c == '-' || flag_of(c) != 0) {
                p->at = open + 2;
                open_flags(p, open);
                return;
            }
            break;
    }
    fail_extension(p, open);
}

// Adds the widths of the alternative that ends here.
static void end_alternative(parser_t *p) {
    begin_item(p, NO_ITEM, no_width);
    frame_t *const frame = top(p);
    frame->all.least = MIN(frame->all.least, frame->width.least);
    frame->all.most = MAX(frame->all.most, frame->width.most);
    frame->width = no_width;
    frame->branches++;
}

// Begins the next alternative, behind its `|`.
static void read_branch(parser_t *p) {
    frame_t *const frame = top(p);
    if (frame->kind == CONDITION && frame->branches == 1) {
        fail(p, p->at - 1, "conditional backref with more than two branches");
    }
    end_alternative(p);
    if (frame->kind != CONDITION) {
        uint32_t *const split = insert(p, frame->alternative, 1);
        *split = RE_INSTRUCTION(RE_SPLIT, p->length + 1 - frame->alternative);
    }
    const uint32_t distance = frame->jumps == NONE ? 0 : p->length - frame->jumps;
    frame->jumps = p->length;
    emit(p, RE_INSTRUCTION(RE_JUMP, distance));
    if (frame->kind == CONDITION) {
        p->code[frame->start + 1] = p->length - frame->start;
    }
    frame->alternative = p->length;
    frame->item = p->length;
}

// Lets the alternatives' jumps lead to the end of the code.
static void join_branches(parser_t *p) {
    uint32_t jump = top(p)->jumps;
    while (jump != NONE) {
        const uint32_t distance = RE_ARGUMENT(p->code[jump]);
        p->code[jump] = RE_INSTRUCTION(RE_JUMP, p->length - jump);
        jump = distance == 0 ? NONE : jump - distance;
    }
}

// Finishes the code of the innermost parenthesis, and returns what a quantifier would apply to.
static void close_parenthesis(parser_t *p) {
    end_alternative(p);
    join_branches(p);
    const frame_t frame = *top(p);
    width_t width = frame.all;
    switch (frame.kind) {
        case GROUP:
            emit(p, RE_INSTRUCTION(RE_CLOSE, frame.group));
            p->groups[frame.group] = width;
            if (width.least == NONE) {
                p->groups[frame.group].least = NONE - 1; // NONE: open
            }
            break;
        case LOOK:
        case LOOK_NOT:
            if (frame.is_behind) {
                p->varies |= width.least != width.most || width.most == NONE;
                p->code[frame.start + 1] = width.least;
            }
            emit(p, frame.kind == LOOK ? RE_LOOK_END : RE_LOOK_NOT_END);
            p->code[frame.start + 2] = p->length - frame.start;
            width = no_width;
            break;
        case ATOMIC:
            emit(p, RE_ATOMIC_END);
            p->code[frame.start + 2] = p->length - frame.start;
            break;
        case CONDITION:
            if (frame.branches == 1) { // the finished alternative; there is no other one
                width.least = 0;
                p->code[frame.start + 1] = p->length - frame.start;
            }
            break;
        default:
            break;
    }
    p->flags = frame.flags;
    p->look_behind = frame.look_behind;
    p->depth--;
    const uint32_t end = p->length;
    p->length = frame.start;
    begin_item(p, OTHER, width);
    p->length = end;
}

// ---- Quantifiers ----

// Surrounds the newest item with an atomic group.
static void make_atomic(parser_t *p) {
    const uint32_t item = top(p)->item;
    uint32_t *const code = insert(p, item, 3);
    code[0] = RE_ATOMIC;
    code[1] = 0;
    emit(p, RE_ATOMIC_END);
    p->code[item + 2] = p->length - item;
}

// Repeats an item of more than one instruction.
static void repeat_item(parser_t *p, uint32_t least, uint32_t most, bool lazy) {
    const uint32_t item = top(p)->item;
    const uint32_t size = p->length - item;
    const bool nullable = top(p)->item_width.least == 0;
    if (most == 0) {
        *insert(p, item, 1) = RE_INSTRUCTION(RE_JUMP, size + 1);
    } else if (least == 0 && most == 1) {
        *insert(p, item, 1) = RE_INSTRUCTION(lazy ? RE_SPLIT_LATER : RE_SPLIT, size + 1);
    } else if (!nullable && least == 0 && most == NONE) {
        *insert(p, item, 1) = RE_INSTRUCTION(lazy ? RE_SPLIT_LATER : RE_SPLIT, size + 2);
        emit(p, RE_INSTRUCTION(RE_JUMP_BACK, size + 1));
    } else if (!nullable && least == 1 && most == NONE) {
        emit(p, RE_INSTRUCTION(lazy ? RE_SPLIT_BACK_LATER : RE_SPLIT_BACK, size));
    } else if (least != 1 || most != 1) {
        uint32_t *const code = insert(p, item, 4);
        code[0] = RE_INSTRUCTION(RE_LOOP, p->loops);
        code[1] = least;
        code[2] = most;
        code[3] = size + 4;
        emit(p, RE_INSTRUCTION(RE_UNTIL, p->loops));
        emit(p, size + 4);
        emit(p, (lazy ? RE_UNTIL_LAZY : 0) | (nullable ? RE_UNTIL_NULLABLE : 0));
        if (lazy) {
            emit(p, RE_INSTRUCTION(RE_AGAIN, p->loops));
            emit(p, size + 7);
        }
        p->loops++;
    }
}

// Reads a number of a quantifier. Returns NONE if no digit follows.
static uint32_t read_count(parser_t *p) {
    if (!is_digit_at(p, p->at, 10)) {
        return NONE;
    }
    uint32_t count = 0;
    while (is_digit_at(p, p->at, 10)) {
        const uint32_t digit = (uint32_t)(*p->at++ - '0');
        if (count > (NONE - 1 - digit) / 10) {
            mp_raise_msg(&mp_type_OverflowError,
                MP_ERROR_TEXT("the repetition number is too large"));
        }
        count = count * 10 + digit;
    }
    return count;
}

// Reads a quantifier, behind its first character. Returns false if a brace is a character.
static bool read_quantifier(parser_t *p, uint32_t c) {
    const byte *const from = p->at;
    uint32_t least = c == '+', most = c == '?' ? 1 : NONE;
    if (c == '{') {
        if (p->at < p->end && *p->at == '}') {
            return false;
        }
        const uint32_t low = read_count(p);
        const bool comma = take(p, ',');
        const uint32_t high = comma ? read_count(p) : low;
        if (!take(p, '}')) {
            p->at = from;
            return false;
        }
        least = low == NONE ? 0 : low;
        most = high;
        if (most < least) {
            fail(p, from, "min repeat greater than max repeat");
        }
    }
    frame_t *const frame = top(p);
    if (frame->item_kind == NO_ITEM || frame->item_kind == POSITION) {
        fail(p, from - 1, "nothing to repeat");
    }
    if (frame->item_kind == REPEATED) {
        fail(p, from - 1, "multiple repeat");
    }
    const bool lazy = take(p, '?'), possessive = !lazy && take(p, '+');
    if (frame->item_kind == CHARACTER) {
        uint32_t *const code = insert(p, frame->item, 3);
        const uint32_t opcode = lazy ? RE_LAZY : possessive ? RE_POSSESSIVE : RE_GREEDY;
        code[0] = RE_INSTRUCTION(opcode, p->length - frame->item);
        code[1] = least;
        code[2] = most;
    } else {
        if (possessive) {
            make_atomic(p); // CPython does not go back into an iteration either
        }
        repeat_item(p, least, most, lazy);
        if (possessive) {
            make_atomic(p);
        }
    }
    frame->item_kind = REPEATED;
    frame->item_width.least = times(frame->item_width.least, least);
    frame->item_width.most = times(frame->item_width.most, most);
    return true;
}

// ---- The pattern ----

// Reads a backslash with what follows, behind the backslash.
static void read_backslash(parser_t *p) {
    const byte *const from = p->at - 1;
    if (p->at == p->end) {
        fail(p, from, "bad escape (end of pattern)");
    }
    const uint32_t c = gpusnek_re_next(&p->at, p->end, p->is_str);
    const uint32_t category = category_of(c);
    if (category != 0) {
        begin_class(p, category);
        gpusnek_re_finish_class(p->code + top(p)->item);
        return;
    }
    switch (c) {
        case 'A':
            emit_position(p, RE_BEGIN);
            return;
        case 'Z':
            emit_position(p, RE_END);
            return;
        case 'b':
            emit_position(p, RE_WORD_BORDER);
            return;
        case 'B':
            emit_position(p, RE_NO_WORD_BORDER);
            return;
        default:
            break;
    }
    const uint32_t value = read_escape(p, from, c);
    if (value != NONE) {
        emit_character(p, value);
        return;
    }
    if (c == '0') {
        emit_character(p, read_digits(p, 8, 2));
        return;
    }
    if (c - '0' < 10) {
        const byte *const at = p->at;
        if (is_digit_at(p, at - 1, 8) && is_digit_at(p, at, 8) && is_digit_at(p, at + 1, 8)) {
            p->at = at - 1;
            const uint32_t octal = read_digits(p, 8, 3);
            if (octal > 0xff) {
                octal_error(p, from);
            }
            emit_character(p, octal);
            return;
        }
        p->at = at - 1;
        const uint32_t group = read_digits(p, 10, 2);
        if (group >= p->group_count) {
            fail_number(p, from + 1, "invalid group reference ", group);
        }
        check_open(p, group, from);
        check_look_behind(p, group);
        emit_reference(p, group);
        return;
    }
    if (is_letter(c)) {
        fail_with(p, from, "bad escape ", from, p->at);
    }
    emit_character(p, c);
}

// Reads the next piece of the pattern.
static void read_piece(parser_t *p) {
    const uint32_t c = gpusnek_re_next(&p->at, p->end, p->is_str);
    if (p->flags & GPUSNEK_RE_VERBOSE) {
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            return;
        }
        if (c == '#') {
            skip_to(p, '\n');
            return;
        }
    }
    switch (c) {
        case '\\':
            read_backslash(p);
            return;
        case '.':
            begin_item(p, CHARACTER, one_character);
            emit(p, p->flags & GPUSNEK_RE_DOTALL ? RE_ANY_ALL : RE_ANY);
            return;
        case '^':
            emit_position(p, p->flags & GPUSNEK_RE_MULTILINE ? RE_BEGIN_LINE : RE_BEGIN);
            return;
        case '$':
            emit_position(p, p->flags & GPUSNEK_RE_MULTILINE ? RE_END_LINE : RE_END_LAST);
            return;
        case '[':
            read_class(p);
            return;
        case '(':
            open_parenthesis(p);
            return;
        case ')':
            if (p->depth == 0) {
                fail(p, p->at - 1, "unbalanced parenthesis");
            }
            close_parenthesis(p);
            return;
        case '|':
            read_branch(p);
            return;
        case '*':
        case '+':
        case '?':
        case '{':
            if (read_quantifier(p, c)) {
                return;
            }
            break;
        default:
            break;
    }
    emit_character(p, c);
}

static void check_references(const parser_t *p) {
    for (uint32_t i = 0; i < p->reference_count; i++) {
        if (p->references[i].group >= p->group_count) {
            fail_number(p, p->references[i].at, "invalid group reference ", p->references[i].group);
        }
    }
}

// Moves the registers of loops behind those of groups.
static void number_loops(parser_t *p) {
    const uint32_t base = RE_LAST_GROUP(p->pattern) + 1;
    for (uint32_t at = 0; at < p->length;) {
        uint32_t *const code = p->code + at;
        switch (RE_OPCODE(*code)) {
            case RE_CLASS:
                at += RE_CLASS_WORDS + 2 * RE_ARGUMENT(*code);
                break;
            case RE_GREEDY:
            case RE_LAZY:
            case RE_POSSESSIVE:
            case RE_LOOK:
            case RE_LOOK_NOT:
            case RE_ATOMIC:
                at += 3;
                break;
            case RE_LOOP:
            case RE_UNTIL:
            case RE_AGAIN:
                at += RE_OPCODE(*code) == RE_LOOP ? 4 : RE_OPCODE(*code) == RE_UNTIL ? 3 : 2;
                *code = RE_INSTRUCTION(RE_OPCODE(*code), base + 2 * RE_ARGUMENT(*code));
                break;
            case RE_CONDITION:
                at += 2;
                break;
            default:
                at++;
                break;
        }
    }
    p->pattern->registers = base + 2 * p->loops;
}

#define MOST_PLACES (16) // from which the search for first characters follows the code

// Adds the characters that an instruction for one character matches.
static void add_first(uint32_t first[4], const uint32_t *code) {
    const uint32_t c = RE_ARGUMENT(*code);
    switch (RE_OPCODE(*code)) {
        case RE_CHAR:
            if (c < 0x80) {
                first[c / 32] |= (uint32_t)1 << c % 32;
            }
            break;
        case RE_CHAR_FOLDED:
        case RE_CHAR_FOLDED_ASCII:
            if (c < 0x80) { // small letters
                first[2] |= (uint32_t)1 << c % 32;
                first[3] |= (uint32_t)1 << c % 32;
            }
            break;
        case RE_CLASS:
            for (int i = 0; i < 4; i++) {
                first[i] |= code[2 + i];
            }
            break;
        default:
            memset(first, 0xff, 4 * sizeof(uint32_t));
            break;
    }
}

// Finds the ASCII characters that a match can begin with; all, if that is not simple.
static void find_first(gpusnek_pattern_t *pattern) {
    uint32_t places[MOST_PLACES];
    uint32_t count = 1, taken = 0;
    places[0] = 0;
    memset(pattern->first, 0, sizeof(pattern->first));
    // Each turn looks at one instruction. Loops of the code are entered at most once per place.
    while (taken < 64 && count > 0) {
        const uint32_t at = places[count - 1];
        const uint32_t *const code = pattern->code + at;
        uint32_t next = at + 1, other = NONE;
        taken++;
        switch (RE_OPCODE(*code)) {
            case RE_CHAR:
            case RE_CHAR_FOLDED:
            case RE_CHAR_FOLDED_ASCII:
            case RE_CLASS:
                add_first(pattern->first, code);
                next = NONE;
                break;
            case RE_BEGIN:
            case RE_BEGIN_LINE:
            case RE_WORD_BORDER:
            case RE_OPEN:
            case RE_CLOSE:
                break;
            case RE_GREEDY:
            case RE_LAZY:
            case RE_POSSESSIVE:
                add_first(pattern->first, code + 3);
                next = code[1] > 0 ? NONE : at + RE_ARGUMENT(*code);
                break;
            case RE_JUMP:
                next = at + RE_ARGUMENT(*code);
                break;
            case RE_SPLIT:
            case RE_SPLIT_LATER:
                other = at + RE_ARGUMENT(*code);
                break;
            case RE_LOOK:
            case RE_LOOK_NOT:
                next = at + code[2];
                break;
            case RE_ATOMIC:
                next = at + 3;
                break;
            case RE_ATOMIC_END:
                break;
            case RE_CONDITION:
                next = at + 2;
                other = at + code[1];
                break;
            case RE_LOOP:
                next = at + 4;
                other = code[1] == 0 ? at + code[3] : NONE;
                break;
            case RE_UNTIL:
                next = at + 3;
                break;
            case RE_AGAIN:
                next = at + 2;
                break;
            default: // it may match nothing, or much
                taken = 64;
                break;
        }
        count--;
        if (other != NONE) {
            places[count++] = other;
        }
        if (next != NONE) {
            places[count++] = next;
        }
        if (count + 2 > MOST_PLACES) {
            break;
        }
    }
    if (count > 0) {
        memset(pattern->first, 0xff, sizeof(pattern->first));
    }
}

void gpusnek_re_compile(gpusnek_pattern_t *pattern, uint32_t flags) {
    size_t size;
    const byte *const text = (const byte *)mp_obj_str_get_data(pattern->pattern, &size);
    parser_t parser = {.pattern = pattern, .text = text, .end = text + size, .at = text,
                       .is_str = pattern->is_str, .flags = flags, .given = flags,
                       .look_behind = NONE, .frames_alloc = 4, .groups_alloc = 4,
                       .group_count = 1, .alloc = 16};
    parser_t *const p = &parser;
    p->code = m_new(uint32_t, p->alloc);
    p->frames = m_new(frame_t, p->frames_alloc);
    p->groups = m_new(width_t, p->groups_alloc);
    p->groups[0].least = p->groups[0].most = NONE;
    memset(p->frames, 0, sizeof(frame_t));
    p->frames[0].jumps = NONE;
    while (p->at < p->end) {
        read_piece(p);
    }
    if (p->depth > 0) {
        fail(p, top(p)->open, "missing ), unterminated subpattern");
    }
    end_alternative(p);
    join_branches(p);
    emit(p, RE_ACCEPT);
    check_references(p);
    if (p->varies) {
        const mp_obj_t message = mp_obj_new_str_from_cstr("look-behind requires fixed-width pattern");
        nlr_raise(make_error(message, mp_const_none, mp_const_none));
    }
    pattern->groups = p->group_count - 1;
    number_loops(p);
    pattern->code = m_renew(uint32_t, p->code, p->alloc, p->length);
    pattern->length = p->length;
    pattern->flags = p->given;
    m_del(frame_t, p->frames, p->frames_alloc);
    m_del(width_t, p->groups, p->groups_alloc);
    m_del(reference_t, p->references, p->references_alloc);
    find_first(pattern);
}
