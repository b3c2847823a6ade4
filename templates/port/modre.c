// The module `re`: patterns and matches with CPython's interface. regex_parse.c compiles patterns,
// regex_match.c matches them.
//
// Positions are kept as offsets of bytes, and converted to indexes of characters where a program
// asks for them.
//
// Invariant M1: a text other than a str or bytes object can change while a program runs. Its data is
// looked up anew after each call of the program, and spans are cut to its size.
#include <string.h>

#include "py/objint.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "regex.h"
#include "textlength.h"

#define NONE GPUSNEK_RE_NONE
#define MOST_BYTES (NONE - 1) // of a text
#define MOST_POSITION ((mp_int_t)NONE) // beyond any text
#define MOST_PATTERNS (8) // in the cache
#define MOST_CACHED_WORDS (256) // of the code of a pattern in the cache
#define SHOWN_CHARACTERS (50) // of a match in its repr

// The text that is searched, or a replacement.
typedef struct {
    mp_obj_t object; // of the native type, if it is a str or bytes object
    const byte *data;
    size_t size;
    bool is_str;
} subject_t;

// An object of type re.Match.
typedef struct {
    mp_obj_base_t base;
    gpusnek_pattern_t *pattern;
    mp_obj_t string;
    uint32_t pos;
    uint32_t endpos;
    uint32_t known_offset; // a place whose index is known
    uint32_t known_index;
    uint32_t last_group; // or NONE
    uint32_t spans[];
} match_t;

// The iterator that finditer() returns.
typedef struct {
    mp_obj_base_t base;
    gpusnek_pattern_t *pattern;
    mp_obj_t string;
    uint32_t pos;
    uint32_t endpos;
    uint32_t at;
    uint32_t known_offset;
    uint32_t known_index;
    bool occupied;
    bool ended;
} finder_t;

static const mp_obj_type_t pattern_type;
static const mp_obj_type_t match_type;
static const mp_obj_type_t finder_type;

// The cache: MOST_PATTERNS patterns, and the number of the place to use next.
MP_REGISTER_ROOT_POINTER(mp_obj_t *gpusnek_patterns);

// ---- Texts ----

static bool find_subject(mp_obj_t object, subject_t *subject) {
    mp_obj_t native = object;
    if (!mp_obj_is_str(object)) {
        native = mp_obj_cast_to_native_base(object, MP_OBJ_FROM_PTR(&mp_type_str));
    }
    subject->is_str = native != MP_OBJ_NULL;
    if (native == MP_OBJ_NULL) {
        native = mp_obj_cast_to_native_base(object, MP_OBJ_FROM_PTR(&mp_type_bytes));
    }
    if (native != MP_OBJ_NULL) {
        subject->object = native;
        subject->data = (const byte *)mp_obj_str_get_data(native, &subject->size);
        return true;
    }
    mp_buffer_info_t buffer;
    if (!mp_get_buffer(object, &buffer, MP_BUFFER_READ)) {
        return false;
    }
    subject->object = object;
    subject->data = buffer.buf;
    subject->size = buffer.len;
    return true;
}

// Returns the text to search in. Raises TypeError.
static subject_t subject_of(const gpusnek_pattern_t *pattern, mp_obj_t object) {
    subject_t subject;
    if (!find_subject(object, &subject)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("expected string or bytes-like object, got '%s'"),
            mp_obj_get_type_str(object));
    }
    if (subject.is_str && !pattern->is_str) {
        mp_raise_TypeError(MP_ERROR_TEXT("cannot use a bytes pattern on a string-like object"));
    }
    if (!subject.is_str && pattern->is_str) {
        mp_raise_TypeError(MP_ERROR_TEXT("cannot use a string pattern on a bytes-like object"));
    }
    if (subject.size > MOST_BYTES) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("string is too long"));
    }
    return subject;
}

static mp_obj_t slice(const subject_t *subject, size_t from, size_t to) {
    to = MIN(to, subject->size); // M1
    from = MIN(from, to);
    const mp_obj_type_t *const type = subject->is_str ? &mp_type_str : &mp_type_bytes;
    if (from == 0 && to == subject->size && mp_obj_get_type(subject->object) == type) {
        return subject->object;
    }
    return mp_obj_new_str_of_type(type, subject->data + from, to - from);
}

// Returns the offset of the character with an index, cut to the text.
static size_t offset_of(const subject_t *subject, mp_int_t index) {
    if (index <= 0) {
        return 0;
    }
    if ((size_t)index >= subject->size) {
        return subject->size;
    }
    if (!subject->is_str) {
        return index;
    }
    const byte *const at = gpusnek_character(subject->data, subject->size, index);
    return at == NULL ? subject->size : (size_t)(at - subject->data);
}

// Returns the index of the character at an offset. Counts from a place whose index is known.
static size_t index_of(const subject_t *subject, size_t offset, size_t known_offset,
    size_t known_index) {
    if (!subject->is_str) {
        return offset;
    }
    offset = MIN(offset, subject->size);
    if (known_offset > offset) {
        known_offset = known_index = 0;
    }
    return known_index + gpusnek_characters(subject->data + known_offset, offset - known_offset);
}

// ---- Patterns ----

// Returns the flags that a pattern of this type has besides the given ones.
static uint32_t fix_flags(uint32_t flags, bool is_str) {
    if (is_str) {
        if (flags & GPUSNEK_RE_LOCALE) {
            mp_raise_ValueError(MP_ERROR_TEXT("cannot use LOCALE flag with a str pattern"));
        }
        if (flags & GPUSNEK_RE_ASCII && flags & GPUSNEK_RE_UNICODE) {
            mp_raise_ValueError(MP_ERROR_TEXT("ASCII and UNICODE flags are incompatible"));
        }
        return flags & GPUSNEK_RE_ASCII ? flags : flags | GPUSNEK_RE_UNICODE;
    }
    if (flags & GPUSNEK_RE_UNICODE) {
        mp_raise_ValueError(MP_ERROR_TEXT("cannot use UNICODE flag with a bytes pattern"));
    }
    if (flags & GPUSNEK_RE_LOCALE && flags & GPUSNEK_RE_ASCII) {
        mp_raise_ValueError(MP_ERROR_TEXT("ASCII and LOCALE flags are incompatible"));
    }
    return flags;
}

static bool is_equal_text(mp_obj_t a, mp_obj_t b) {
    return a == b || (mp_obj_is_str(a) == mp_obj_is_str(b) && mp_obj_equal(a, b));
}

static gpusnek_pattern_t *find_cached(mp_obj_t text, uint32_t flags) {
    const mp_obj_t *const cache = MP_STATE_VM(gpusnek_patterns);
    for (size_t i = 0; cache != NULL && i < MOST_PATTERNS; i++) {
        gpusnek_pattern_t *const pattern = MP_OBJ_TO_PTR(cache[i]);
        if (pattern != NULL && pattern->asked == flags && is_equal_text(pattern->pattern, text)) {
            return pattern;
        }
    }
    return NULL;
}

static void keep(gpusnek_pattern_t *pattern) {
    if (pattern->length > MOST_CACHED_WORDS) {
        return;
    }
    if (MP_STATE_VM(gpusnek_patterns) == NULL) {
        mp_obj_t *const cache = m_new_maybe(mp_obj_t, MOST_PATTERNS + 1);
        if (cache == NULL) {
            return;
        }
        for (size_t i = 0; i < MOST_PATTERNS; i++) {
            cache[i] = MP_OBJ_FROM_PTR(NULL);
        }
        cache[MOST_PATTERNS] = MP_OBJ_NEW_SMALL_INT(0);
        MP_STATE_VM(gpusnek_patterns) = cache;
    }
    mp_obj_t *const cache = MP_STATE_VM(gpusnek_patterns);
    const size_t at = (size_t)MP_OBJ_SMALL_INT_VALUE(cache[MOST_PATTERNS]) % MOST_PATTERNS;
    cache[at] = MP_OBJ_FROM_PTR(pattern);
    cache[MOST_PATTERNS] = MP_OBJ_NEW_SMALL_INT((mp_int_t)(at + 1));
}

// Returns the pattern that an argument is or describes.
static gpusnek_pattern_t *pattern_of(mp_obj_t object, uint32_t flags) {
    if (mp_obj_is_type(object, &pattern_type)) {
        if (flags != 0) {
            mp_raise_ValueError(
                MP_ERROR_TEXT("cannot process flags argument with a compiled pattern"));
        }
        return MP_OBJ_TO_PTR(object);
    }
    subject_t text;
    if (!find_subject(object, &text)) {
        mp_raise_TypeError(MP_ERROR_TEXT("first argument must be string or compiled pattern"));
    }
    if (!text.is_str && !mp_obj_is_type(text.object, &mp_type_bytes)) {
        text.object = mp_obj_new_bytes(text.data, text.size);
    }
    gpusnek_pattern_t *pattern = find_cached(text.object, flags);
    if (pattern != NULL) {
        return pattern;
    }
    pattern = mp_obj_malloc(gpusnek_pattern_t, &pattern_type);
    pattern->pattern = text.object;
    pattern->names = MP_OBJ_NULL;
    pattern->code = NULL;
    pattern->is_str = text.is_str;
    pattern->asked = flags;
    gpusnek_re_compile(pattern, flags);
    pattern->flags = fix_flags(pattern->flags, text.is_str);
    keep(pattern);
    return pattern;
}

// ---- Matches ----

static match_t *new_match(gpusnek_pattern_t *pattern, mp_obj_t string,
    const gpusnek_search_t *search, uint32_t pos, uint32_t endpos) {
    const size_t count = 2 * (pattern->groups + 1);
    match_t *const match = mp_obj_malloc_var(match_t, spans, uint32_t, count, &match_type);
    match->pattern = pattern;
    match->string = string;
    match->pos = pos;
    match->endpos = endpos;
    match->known_offset = match->known_index = 0;
    match->last_group = search->registers[count];
    memcpy(match->spans, search->registers, count * sizeof(uint32_t));
    return match;
}

static subject_t text_of(const match_t *match) {
    return subject_of(match->pattern, match->string);
}

// Returns the number of the group that a program names. Raises IndexError.
static uint32_t group_number(const match_t *match, mp_obj_t group) {
    mp_int_t number = -1;
    if (mp_obj_is_int(group)) {
        if (!mp_obj_get_int_maybe(group, &number)) {
            number = -1;
        }
    } else if (match->pattern->names != MP_OBJ_NULL && mp_obj_is_str(group)) {
        const mp_map_elem_t *const found = mp_map_lookup(
            mp_obj_dict_get_map(match->pattern->names), group, MP_MAP_LOOKUP);
        number = found == NULL ? -1 : MP_OBJ_SMALL_INT_VALUE(found->value);
    }
    if (number < 0 || (mp_uint_t)number > match->pattern->groups) {
        mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("no such group"));
    }
    return (uint32_t)number;
}

// Returns the text of a group, or `other` if the group did not match.
static mp_obj_t group_text(const subject_t *text, const uint32_t *spans, uint32_t group,
    mp_obj_t other) {
    const uint32_t from = spans[2 * group], to = spans[2 * group + 1];
    return to == NONE || from > to ? other : slice(text, from, to);
}

static mp_obj_t match_subscript(mp_obj_t self, mp_obj_t index, mp_obj_t value) {
    if (value != MP_OBJ_SENTINEL) {
        return MP_OBJ_NULL;
    }
    const match_t *const match = MP_OBJ_TO_PTR(self);
    const uint32_t group = group_number(match, index);
    const subject_t text = text_of(match);
    return group_text(&text, match->spans, group, mp_const_none);
}

static mp_obj_t match_group(size_t n_args, const mp_obj_t *args) {
    if (n_args <= 2) {
        return match_subscript(
            args[0], n_args == 2 ? args[1] : MP_OBJ_NEW_SMALL_INT(0), MP_OBJ_SENTINEL);
    }
    const mp_obj_t groups = mp_obj_new_tuple(n_args - 1, NULL);
    for (size_t i = 1; i < n_args; i++) {
        ((mp_obj_tuple_t *)MP_OBJ_TO_PTR(groups))->items[i - 1] = mp_const_none;
    }
    for (size_t i = 1; i < n_args; i++) {
        ((mp_obj_tuple_t *)MP_OBJ_TO_PTR(groups))->items[i - 1] =
            match_subscript(args[0], args[i], MP_OBJ_SENTINEL);
    }
    return groups;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(match_group_obj, 1, match_group);

static mp_obj_t default_argument(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    static const mp_arg_t names[] = {
        { MP_QSTR_default, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
    };
    mp_arg_val_t given[1];
    mp_arg_parse_all(n_args - 1, args + 1, keywords, 1, names, given);
    return given[0].u_obj;
}

// Returns a tuple of the texts of all groups but 0.
static mp_obj_t all_groups(const subject_t *text, const uint32_t *spans, uint32_t count,
    mp_obj_t other) {
    mp_obj_tuple_t *const groups = MP_OBJ_TO_PTR(mp_obj_new_tuple(count, NULL));
    for (uint32_t i = 0; i < count; i++) {
        groups->items[i] = other;
    }
    for (uint32_t i = 0; i < count; i++) {
        groups->items[i] = group_text(text, spans, i + 1, other);
    }
    return MP_OBJ_FROM_PTR(groups);
}

static mp_obj_t match_groups(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_t other = default_argument(n_args, args, keywords);
    const match_t *const match = MP_OBJ_TO_PTR(args[0]);
    const subject_t text = text_of(match);
    return all_groups(&text, match->spans, match->pattern->groups, other);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(match_groups_obj, 1, match_groups);

static mp_obj_t match_groupdict(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_t other = default_argument(n_args, args, keywords);
    const match_t *const match = MP_OBJ_TO_PTR(args[0]);
    const subject_t text = text_of(match);
    const mp_obj_t result = mp_obj_new_dict(0);
    if (match->pattern->names != MP_OBJ_NULL) {
        const mp_map_t *const names = mp_obj_dict_get_map(match->pattern->names);
        for (size_t i = 0; i < names->alloc; i++) {
            if (mp_map_slot_is_filled(names, i)) {
                const uint32_t group = (uint32_t)MP_OBJ_SMALL_INT_VALUE(names->table[i].value);
                mp_obj_dict_store(result, names->table[i].key,
                    group_text(&text, match->spans, group, other));
            }
        }
    }
    return result;
}
static MP_DEFINE_CONST_FUN_OBJ_KW(match_groupdict_obj, 1, match_groupdict);

// Returns the index of an offset, -1 for NONE.
static mp_obj_t match_index(match_t *match, uint32_t offset) {
    if (offset == NONE) {
        return MP_OBJ_NEW_SMALL_INT(-1);
    }
    const subject_t text = text_of(match);
    const size_t index = index_of(&text, offset, match->known_offset, match->known_index);
    if (offset == match->spans[0] && index < NONE) {
        match->known_offset = offset;
        match->known_index = (uint32_t)index;
    }
    return mp_obj_new_int_from_uint(index);
}

static const uint32_t *span_of(size_t n_args, const mp_obj_t *args) {
    static const uint32_t unmatched[] = {NONE, NONE};
    const match_t *const match = MP_OBJ_TO_PTR(args[0]);
    const uint32_t *const span =
        match->spans + 2 * (n_args == 2 ? group_number(match, args[1]) : 0);
    return span[1] == NONE || span[0] > span[1] ? unmatched : span;
}

static mp_obj_t match_start(size_t n_args, const mp_obj_t *args) {
    return match_index(MP_OBJ_TO_PTR(args[0]), span_of(n_args, args)[0]);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(match_start_obj, 1, 2, match_start);

static mp_obj_t match_end(size_t n_args, const mp_obj_t *args) {
    return match_index(MP_OBJ_TO_PTR(args[0]), span_of(n_args, args)[1]);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(match_end_obj, 1, 2, match_end);

static mp_obj_t match_span(size_t n_args, const mp_obj_t *args) {
    const uint32_t *const span = span_of(n_args, args);
    mp_obj_t items[2];
    items[0] = match_index(MP_OBJ_TO_PTR(args[0]), span[0]);
    items[1] = match_index(MP_OBJ_TO_PTR(args[0]), span[1]);
    return mp_obj_new_tuple(2, items);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(match_span_obj, 1, 2, match_span);

static void match_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    (void)kind;
    const subject_t text = text_of(MP_OBJ_TO_PTR(self));
    match_t *const match = MP_OBJ_TO_PTR(self);
    mp_print_str(print, "<re.Match object; span=");
    mp_obj_print_helper(print, match_span(1, &self), PRINT_REPR);
    mp_print_str(print, ", match=");
    const mp_obj_t shown = slice(&text, match->spans[0], match->spans[1]);
    vstr_t repr;
    mp_print_t to;
    vstr_init_print(&repr, 32, &to);
    mp_obj_print_helper(&to, shown, PRINT_REPR);
    const byte *const data = (const byte *)repr.buf;
    const byte *const cut = gpusnek_character(data, repr.len, SHOWN_CHARACTERS);
    mp_print_strn(print, repr.buf, cut == NULL ? repr.len : (size_t)(cut - data), 0, ' ', 0);
    mp_print_str(print, ">");
}

// ---- Templates of replacements ----

// A template: its literal text, and for each group the length of the text before it.
typedef struct {
    vstr_t text;
    uint32_t *parts; // pairs of a length and a group
    size_t count; // of pairs
    size_t alloc;
} template_t;

static void add_group(template_t *template, const gpusnek_pattern_t *pattern, const subject_t *source,
    uint32_t group, const byte *at) {
    if (group > pattern->groups) {
        vstr_t text;
        mp_print_t print;
        vstr_init_print(&text, 32, &print);
        mp_printf(&print, "invalid group reference %u", (unsigned int)group);
        gpusnek_re_error(source->object, source->is_str, &text, at);
    }
    if (template->count == template->alloc) {
        const size_t alloc = template->alloc + 4;
        template->parts = m_renew(uint32_t, template->parts, 2 * template->alloc, 2 * alloc);
        template->alloc = alloc;
    }
    template->parts[2 * template->count] = (uint32_t)template->text.len;
    template->parts[2 * template->count + 1] = group;
    template->count++;
}

static _Noreturn void template_error(const subject_t *source, const char *message,
    const byte *from, const byte *to, const char *rest, const byte *at) {
    vstr_t text;
    vstr_init(&text, 32);
    vstr_add_str(&text, message);
    vstr_add_strn(&text, (const char *)from, to - from);
    vstr_add_str(&text, rest);
    gpusnek_re_error(source->object, source->is_str, &text, at);
}

// Reads \g<...> behind the g. Returns the end.
static const byte *read_name(template_t *template, const gpusnek_pattern_t *pattern,
    const subject_t *source, const byte *at, const byte *end) {
    if (at == end || *at != '<') {
        template_error(source, "missing <", at, at, "", at);
    }
    const byte *const from = ++at;
    bool decimal = true;
    uint32_t group = 0;
    for (; at < end && *at != '>'; at++) {
        decimal = decimal && *at >= '0' && *at <= '9';
        group = MIN(group * 10 + (uint32_t)(*at - '0'), (uint32_t)1 << 24);
    }
    if (at == from) {
        template_error(source, "missing group name", at, at, "", at);
    }
    if (at == end) {
        template_error(source, "missing >, unterminated name", at, at, "", from);
    }
    if (decimal) {
        add_group(template, pattern, source, group, from);
        return at + 1;
    }
    vstr_t name;
    vstr_init(&name, at - from + 1);
    bool first = true, valid = true;
    for (const byte *p = from; p < at; first = false) {
        const uint32_t c = gpusnek_re_next(&p, at, source->is_str);
        vstr_add_char(&name, c);
        const uint32_t flag = first ? GPUSNEK_ID_START : GPUSNEK_ID_CONTINUE;
        valid = valid && (c == '_'
            || ((c < 0x80 || source->is_str) && (gpusnek_kind(c)->flags & flag)));
    }
    const mp_obj_t key = mp_obj_new_str_from_utf8_vstr(&name);
    if (!valid) {
        vstr_t text;
        mp_print_t print;
        vstr_init_print(&text, 32, &print);
        mp_print_str(&print, "bad character in group name ");
        mp_obj_print_helper(&print, key, PRINT_REPR);
        gpusnek_re_error(source->object, source->is_str, &text, from);
    }
    const mp_map_elem_t *const found = pattern->names == MP_OBJ_NULL ? NULL
        : mp_map_lookup(mp_obj_dict_get_map(pattern->names), key, MP_MAP_LOOKUP);
    if (found == NULL) {
        vstr_t text;
        mp_print_t print;
        vstr_init_print(&text, 32, &print);
        mp_print_str(&print, "unknown group name ");
        mp_obj_print_helper(&print, key, PRINT_REPR);
        const mp_obj_t message = mp_obj_new_str_from_utf8_vstr(&text);
        nlr_raise(mp_obj_new_exception_arg1(&mp_type_IndexError, message));
    }
    add_group(template, pattern, source, (uint32_t)MP_OBJ_SMALL_INT_VALUE(found->value), from);
    return at + 1;
}

static bool is_octal(const byte *at, const byte *end) {
    return at < end && *at >= '0' && *at <= '7';
}

// Reads an escape that begins with a digit. `at`: the digit. Returns the end.
static const byte *read_digits(template_t *template, const gpusnek_pattern_t *pattern,
    const subject_t *source, const byte *at, const byte *end) {
    const byte *const from = at;
    uint32_t value = 0;
    const bool octal = *at == '0'
        || (is_octal(at, end) && is_octal(at + 1, end) && is_octal(at + 2, end));
    if (octal) {
        while (at < from + 3 && is_octal(at, end)) {
            value = value * 8 + (*at++ - '0');
        }
        if (value > 0xff && *from != '0') {
            template_error(source, "octal escape value ", from - 1, at,
                " outside of range 0-0o377", from - 1);
        }
        if (source->is_str) {
            vstr_add_char(&template->text, value & 0xff);
        } else {
            vstr_add_byte(&template->text, (byte)value);
        }
        return at;
    }
    while (at < from + 2 && at < end && *at >= '0' && *at <= '9') {
        value = value * 10 + (*at++ - '0');
    }
    add_group(template, pattern, source, value, from);
    return at;
}

static void read_template(template_t *template, const gpusnek_pattern_t *pattern,
    const subject_t *source) {
    static const char letters[] = "abfnrtv\\";
    static const char escaped[] = "\a\b\f\n\r\t\v\\";
    const byte *at = source->data;
    const byte *const end = at + source->size;
    vstr_init(&template->text, source->size + 1);
    template->parts = NULL;
    template->count = template->alloc = 0;
    while (at < end) {
        const byte c = *at++;
        if (c != '\\') {
            vstr_add_byte(&template->text, c);
            continue;
        }
        if (at == end) {
            template_error(source, "bad escape (end of pattern)", at, at, "", at - 1);
        }
        const char *const letter = *at == 0 ? NULL : strchr(letters, *at);
        if (letter != NULL) {
            vstr_add_byte(&template->text, (byte)escaped[letter - letters]);
            at++;
        } else if (*at == 'g') {
            at = read_name(template, pattern, source, at + 1, end);
        } else if (*at >= '0' && *at <= '9') {
            at = read_digits(template, pattern, source, at, end);
        } else if ((byte)((*at | 0x20) - 'a') < 26) {
            template_error(source, "bad escape ", at - 1, at + 1, "", at - 1);
        } else {
            vstr_add_byte(&template->text, c);
        }
    }
}

static void add_text(vstr_t *to, const subject_t *text, size_t from, size_t end) {
    end = MIN(end, text->size); // M1
    from = MIN(from, end);
    vstr_add_strn(to, (const char *)text->data + from, end - from);
}

// Appends a template with the groups of a match.
static void expand(vstr_t *to, const template_t *template, const subject_t *text,
    const uint32_t *spans) {
    size_t from = 0;
    for (size_t i = 0; i < template->count; i++) {
        const uint32_t length = template->parts[2 * i], group = template->parts[2 * i + 1];
        vstr_add_strn(to, template->text.buf + from, length - from);
        from = length;
        const uint32_t begin = spans[2 * group], end = spans[2 * group + 1];
        if (end != NONE && begin <= end) {
            add_text(to, text, begin, end);
        }
    }
    vstr_add_strn(to, template->text.buf + from, template->text.len - from);
}

static mp_obj_t new_text(vstr_t *text, bool is_str) {
    return is_str ? mp_obj_new_str_from_utf8_vstr(text) : mp_obj_new_bytes_from_vstr(text);
}

// Returns the text of a replacement. Raises TypeError if it has another type than the pattern.
static subject_t replacement_of(const gpusnek_pattern_t *pattern, mp_obj_t object, size_t number) {
    subject_t text;
    if (!find_subject(object, &text) || text.is_str != pattern->is_str) {
        mp_raise_msg_varg(&mp_type_TypeError, pattern->is_str
            ? MP_ERROR_TEXT("sequence item %d: expected str instance, %s found")
            : MP_ERROR_TEXT("sequence item %d: expected a bytes-like object, %s found"),
            (int)number, mp_obj_get_type_str(object));
    }
    return text;
}

static mp_obj_t match_expand(mp_obj_t self, mp_obj_t replacement) {
    const match_t *const match = MP_OBJ_TO_PTR(self);
    const subject_t source = replacement_of(match->pattern, replacement, 0);
    template_t template;
    read_template(&template, match->pattern, &source);
    vstr_t result;
    vstr_init(&result, template.text.len + 1);
    const subject_t text = text_of(match);
    expand(&result, &template, &text, match->spans);
    return new_text(&result, text.is_str);
}
static MP_DEFINE_CONST_FUN_OBJ_2(match_expand_obj, match_expand);

// ---- Searches ----

typedef enum { SEARCH, MATCH, FULLMATCH } anchoring_t;

static mp_obj_t find(gpusnek_pattern_t *pattern, mp_obj_t string, mp_int_t pos, mp_int_t endpos,
    anchoring_t anchoring) {
    const subject_t text = subject_of(pattern, string);
    const size_t from = offset_of(&text, pos), to = offset_of(&text, endpos);
    if (from > to) {
        return mp_const_none;
    }
    gpusnek_search_t search;
    gpusnek_re_begin(&search, pattern, text.data, to);
    search.whole = anchoring == FULLMATCH;
    const bool found = anchoring == SEARCH ? gpusnek_re_search(&search, from, false)
        : gpusnek_re_match(&search, from, false);
    mp_obj_t result = mp_const_none;
    if (found) {
        match_t *const match =
            new_match(pattern, string, &search, (uint32_t)from, (uint32_t)to);
        result = MP_OBJ_FROM_PTR(match);
    }
    gpusnek_re_end(&search);
    return result;
}

static mp_obj_t find_all(gpusnek_pattern_t *pattern, mp_obj_t string, mp_int_t pos,
    mp_int_t endpos) {
    const subject_t text = subject_of(pattern, string);
    size_t at = offset_of(&text, pos);
    const size_t to = offset_of(&text, endpos);
    const mp_obj_t result = mp_obj_new_list(0, NULL);
    const mp_obj_t empty = slice(&text, 0, 0);
    gpusnek_search_t search;
    gpusnek_re_begin(&search, pattern, text.data, to);
    bool occupied = false;
    while (at <= to && gpusnek_re_search(&search, at, occupied)) {
        const uint32_t *const spans = search.registers;
        const mp_obj_t item = pattern->groups < 2
            ? group_text(&text, spans, pattern->groups, empty)
            : all_groups(&text, spans, pattern->groups, empty);
        mp_obj_list_append(result, item);
        at = spans[1];
        occupied = spans[0] == spans[1];
    }
    gpusnek_re_end(&search);
    return result;
}

static mp_obj_t new_finder(gpusnek_pattern_t *pattern, mp_obj_t string, mp_int_t pos,
    mp_int_t endpos) {
    const subject_t text = subject_of(pattern, string);
    finder_t *const finder = mp_obj_malloc(finder_t, &finder_type);
    finder->pattern = pattern;
    finder->string = string;
    finder->pos = finder->at = (uint32_t)offset_of(&text, pos);
    finder->endpos = (uint32_t)offset_of(&text, endpos);
    finder->known_offset = finder->known_index = 0;
    finder->occupied = finder->ended = false;
    return MP_OBJ_FROM_PTR(finder);
}

static mp_obj_t finder_next(mp_obj_t self) {
    finder_t *const finder = MP_OBJ_TO_PTR(self);
    const subject_t text = subject_of(finder->pattern, finder->string);
    const size_t end = MIN(finder->endpos, text.size); // M1
    if (finder->ended || finder->at > end) {
        return MP_OBJ_STOP_ITERATION;
    }
    gpusnek_search_t search;
    gpusnek_re_begin(&search, finder->pattern, text.data, end);
    if (!gpusnek_re_search(&search, finder->at, finder->occupied)) {
        finder->ended = true;
        gpusnek_re_end(&search);
        return MP_OBJ_STOP_ITERATION;
    }
    match_t *const match = new_match(
        finder->pattern, finder->string, &search, finder->pos, finder->endpos);
    gpusnek_re_end(&search);
    // Counting characters from match to match takes time for each character once.
    const uint32_t from = match->spans[0];
    const size_t index = index_of(&text, from, finder->known_offset, finder->known_index);
    match->known_offset = finder->known_offset = from;
    match->known_index = finder->known_index = (uint32_t)index;
    finder->at = match->spans[1];
    finder->occupied = from == finder->at;
    return MP_OBJ_FROM_PTR(match);
}

static MP_DEFINE_CONST_OBJ_TYPE(
    finder_type,
    MP_QSTR_callable_iterator,
    MP_TYPE_FLAG_ITER_IS_ITERNEXT,
    iter, finder_next
    );

static mp_obj_t split(gpusnek_pattern_t *pattern, mp_obj_t string, mp_int_t most) {
    const subject_t text = subject_of(pattern, string);
    const mp_obj_t result = mp_obj_new_list(0, NULL);
    gpusnek_search_t search;
    gpusnek_re_begin(&search, pattern, text.data, text.size);
    size_t at = 0;
    bool occupied = false;
    for (mp_int_t i = 0; most == 0 || i < most; i++) {
        if (!gpusnek_re_search(&search, at, occupied)) {
            break;
        }
        const uint32_t *const spans = search.registers;
        mp_obj_list_append(result, slice(&text, at, spans[0]));
        for (uint32_t group = 1; group <= pattern->groups; group++) {
            mp_obj_list_append(result, group_text(&text, spans, group, mp_const_none));
        }
        at = spans[1];
        occupied = spans[0] == spans[1];
    }
    gpusnek_re_end(&search);
    mp_obj_list_append(result, slice(&text, at, text.size));
    return result;
}

// Returns the text with replacements; sets *count to their number.
static mp_obj_t substitute(gpusnek_pattern_t *pattern, mp_obj_t replacement, mp_obj_t string,
    mp_int_t most, mp_int_t *count) {
    subject_t text = subject_of(pattern, string);
    const size_t end = text.size;
    const bool calls = mp_obj_is_callable(replacement);
    template_t template;
    if (!calls) {
        const subject_t source = replacement_of(pattern, replacement, 0);
        read_template(&template, pattern, &source);
    }
    gpusnek_search_t search;
    gpusnek_re_begin(&search, pattern, text.data, end);
    vstr_t result;
    vstr_init(&result, 16);
    size_t at = 0, items = 0;
    bool occupied = false;
    mp_int_t done = 0;
    while (most == 0 || done < most) {
        if (at > (size_t)(search.end - search.text) || !gpusnek_re_search(&search, at, occupied)) {
            break;
        }
        const uint32_t from = search.registers[0], to = search.registers[1];
        items += from > at;
        add_text(&result, &text, at, from);
        if (calls) {
            const match_t *const match =
                new_match(pattern, string, &search, 0, (uint32_t)end);
            const mp_obj_t item = mp_call_function_1(replacement, MP_OBJ_FROM_PTR(match));
            if (item != mp_const_none) {
                const subject_t replaced = replacement_of(pattern, item, items);
                add_text(&result, &replaced, 0, replaced.size);
                items++;
            }
            text = subject_of(pattern, string); // M1
            search.text = text.data;
            search.end = text.data + MIN(end, text.size);
        } else {
            expand(&result, &template, &text, search.registers);
        }
        at = to;
        occupied = from == to;
        done++;
    }
    gpusnek_re_end(&search);
    *count = done;
    if (done == 0) {
        vstr_clear(&result);
        return slice(&text, 0, text.size);
    }
    add_text(&result, &text, at, end);
    return new_text(&result, text.is_str);
}

// ---- Functions and methods ----

#define ENDPOS_MAX {.u_rom_obj = MP_ROM_INT(MOST_POSITION)}
#define REQUIRED_ARGUMENT(name) { MP_QSTR_##name, MP_ARG_REQUIRED | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} }
#define OPTIONAL_ARGUMENT(name) { MP_QSTR_##name, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_INT(0)} }

// Returns an argument that is a position, cut to the range of small integers.
static mp_int_t position_of(mp_obj_t object) {
    if (mp_obj_is_small_int(object)) {
        return MP_OBJ_SMALL_INT_VALUE(object);
    }
    if (mp_obj_is_exact_type(object, &mp_type_int)) {
        return mp_obj_int_sign(object) < 0 ? 0 : MOST_POSITION;
    }
    return mp_obj_get_int(object);
}

static uint32_t flags_of(mp_obj_t object) {
    return (uint32_t)mp_obj_get_int(object);
}

// The arguments of a search: a pattern, a string, and flags or positions.
typedef struct {
    gpusnek_pattern_t *pattern;
    mp_obj_t string;
    mp_int_t pos;
    mp_int_t endpos;
} arguments_t;

// Parses the arguments of a function of the module, or of a method of a pattern.
static arguments_t parse(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    static const mp_arg_t of_function[] = {
        REQUIRED_ARGUMENT(pattern), REQUIRED_ARGUMENT(string), OPTIONAL_ARGUMENT(flags),
    };
    mp_arg_val_t given[3];
    mp_arg_parse_all(n_args, args, keywords, 3, of_function, given);
    arguments_t result = {NULL, given[1].u_obj, 0, MOST_POSITION};
    result.pattern = pattern_of(given[0].u_obj, flags_of(given[2].u_obj));
    return result;
}

static arguments_t parse_method(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    static const mp_arg_t of_method[] = {
        REQUIRED_ARGUMENT(string), OPTIONAL_ARGUMENT(pos), { MP_QSTR_endpos, MP_ARG_OBJ, ENDPOS_MAX },
    };
    mp_arg_val_t given[3];
    mp_arg_parse_all(n_args - 1, args + 1, keywords, 3, of_method, given);
    const arguments_t result = {MP_OBJ_TO_PTR(args[0]), given[0].u_obj,
                                position_of(given[1].u_obj), position_of(given[2].u_obj)};
    return result;
}

// Defines a function of the module, and the method of a pattern with the same purpose.
#define DEFINE_SEARCH(name, action, ...) \
    static mp_obj_t re_##name(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) { \
        const arguments_t a = parse(n_args, args, keywords); \
        return action(a.pattern, a.string, a.pos, a.endpos __VA_ARGS__); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_KW(re_##name##_obj, 0, re_##name); \
    static mp_obj_t pattern_##name(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) { \
        const arguments_t a = parse_method(n_args, args, keywords); \
        return action(a.pattern, a.string, a.pos, a.endpos __VA_ARGS__); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_KW(pattern_##name##_obj, 1, pattern_##name)

DEFINE_SEARCH(match, find, , MATCH);
DEFINE_SEARCH(fullmatch, find, , FULLMATCH);
DEFINE_SEARCH(search, find, , SEARCH);
DEFINE_SEARCH(findall, find_all);
DEFINE_SEARCH(finditer, new_finder);

static mp_obj_t re_compile(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    static const mp_arg_t names[] = { REQUIRED_ARGUMENT(pattern), OPTIONAL_ARGUMENT(flags) };
    mp_arg_val_t given[2];
    mp_arg_parse_all(n_args, args, keywords, 2, names, given);
    return MP_OBJ_FROM_PTR(pattern_of(given[0].u_obj, flags_of(given[1].u_obj)));
}
static MP_DEFINE_CONST_FUN_OBJ_KW(re_compile_obj, 0, re_compile);

static mp_obj_t re_split(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    static const mp_arg_t names[] = {
        REQUIRED_ARGUMENT(pattern), REQUIRED_ARGUMENT(string), OPTIONAL_ARGUMENT(maxsplit),
        OPTIONAL_ARGUMENT(flags),
    };
    mp_arg_val_t given[4];
    mp_arg_parse_all(n_args, args, keywords, 4, names, given);
    return split(pattern_of(given[0].u_obj, flags_of(given[3].u_obj)), given[1].u_obj,
        position_of(given[2].u_obj));
}
static MP_DEFINE_CONST_FUN_OBJ_KW(re_split_obj, 0, re_split);

static mp_obj_t pattern_split(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    static const mp_arg_t names[] = { REQUIRED_ARGUMENT(string), OPTIONAL_ARGUMENT(maxsplit) };
    mp_arg_val_t given[2];
    mp_arg_parse_all(n_args - 1, args + 1, keywords, 2, names, given);
    return split(MP_OBJ_TO_PTR(args[0]), given[0].u_obj, position_of(given[1].u_obj));
}
static MP_DEFINE_CONST_FUN_OBJ_KW(pattern_split_obj, 1, pattern_split);

static mp_obj_t counted(mp_obj_t text, mp_int_t count) {
    const mp_obj_t items[] = {text, mp_obj_new_int(count)};
    return mp_obj_new_tuple(2, items);
}

static mp_obj_t module_sub(size_t n_args, const mp_obj_t *args, mp_map_t *keywords, mp_int_t *count) {
    static const mp_arg_t names[] = {
        REQUIRED_ARGUMENT(pattern), REQUIRED_ARGUMENT(repl), REQUIRED_ARGUMENT(string),
        OPTIONAL_ARGUMENT(count), OPTIONAL_ARGUMENT(flags),
    };
    mp_arg_val_t given[5];
    mp_arg_parse_all(n_args, args, keywords, 5, names, given);
    return substitute(pattern_of(given[0].u_obj, flags_of(given[4].u_obj)), given[1].u_obj,
        given[2].u_obj, position_of(given[3].u_obj), count);
}

static mp_obj_t method_sub(size_t n_args, const mp_obj_t *args, mp_map_t *keywords, mp_int_t *count) {
    static const mp_arg_t names[] = {
        REQUIRED_ARGUMENT(repl), REQUIRED_ARGUMENT(string), OPTIONAL_ARGUMENT(count),
    };
    mp_arg_val_t given[3];
    mp_arg_parse_all(n_args - 1, args + 1, keywords, 3, names, given);
    return substitute(MP_OBJ_TO_PTR(args[0]), given[0].u_obj, given[1].u_obj,
        position_of(given[2].u_obj), count);
}

static mp_obj_t re_sub(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    mp_int_t count;
    return module_sub(n_args, args, keywords, &count);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(re_sub_obj, 0, re_sub);

static mp_obj_t re_subn(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    mp_int_t count;
    const mp_obj_t text = module_sub(n_args, args, keywords, &count);
    return counted(text, count);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(re_subn_obj, 0, re_subn);

static mp_obj_t pattern_sub(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    mp_int_t count;
    return method_sub(n_args, args, keywords, &count);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(pattern_sub_obj, 1, pattern_sub);

static mp_obj_t pattern_subn(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    mp_int_t count;
    const mp_obj_t text = method_sub(n_args, args, keywords, &count);
    return counted(text, count);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(pattern_subn_obj, 1, pattern_subn);

static mp_obj_t re_escape(mp_obj_t pattern) {
    subject_t text;
    if (!find_subject(pattern, &text)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("decoding to str: need a bytes-like object, %s found"),
            mp_obj_get_type_str(pattern));
    }
    vstr_t result;
    vstr_init(&result, text.size + 8);
    for (size_t i = 0; i < text.size; i++) {
        const byte c = text.data[i];
        if (c != 0 && strchr("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", c) != NULL) {
            vstr_add_byte(&result, '\\');
        }
        vstr_add_byte(&result, c);
    }
    return new_text(&result, text.is_str);
}
static MP_DEFINE_CONST_FUN_OBJ_1(re_escape_obj, re_escape);

static mp_obj_t re_purge(void) {
    MP_STATE_VM(gpusnek_patterns) = NULL;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(re_purge_obj, re_purge);

// ---- Types ----

static mp_obj_t names_of(const gpusnek_pattern_t *pattern) {
    return pattern->names == MP_OBJ_NULL ? mp_obj_new_dict(0) : mp_obj_dict_copy(pattern->names);
}

// Returns the name of a group, or None.
static mp_obj_t name_of(const gpusnek_pattern_t *pattern, uint32_t group) {
    if (pattern->names != MP_OBJ_NULL) {
        const mp_map_t *const names = mp_obj_dict_get_map(pattern->names);
        for (size_t i = 0; i < names->alloc; i++) {
            if (mp_map_slot_is_filled(names, i)
                && names->table[i].value == MP_OBJ_NEW_SMALL_INT(group)) {
                return names->table[i].key;
            }
        }
    }
    return mp_const_none;
}

static void match_attribute(mp_obj_t self, qstr attribute, mp_obj_t *dest) {
    match_t *const match = MP_OBJ_TO_PTR(self);
    const uint32_t last = match->last_group;
    if (dest[0] != MP_OBJ_NULL) {
        return; // read-only
    }
    switch (attribute) {
        case MP_QSTR_string:
            dest[0] = match->string;
            break;
        case MP_QSTR_re:
            dest[0] = MP_OBJ_FROM_PTR(match->pattern);
            break;
        case MP_QSTR_pos:
            dest[0] = match_index(match, match->pos);
            break;
        case MP_QSTR_endpos:
            dest[0] = match_index(match, match->endpos);
            break;
        case MP_QSTR_lastindex:
            dest[0] = last == NONE ? mp_const_none : mp_obj_new_int_from_uint(last);
            break;
        case MP_QSTR_lastgroup:
            dest[0] = last == NONE ? mp_const_none : name_of(match->pattern, last);
            break;
        default:
            dest[1] = MP_OBJ_SENTINEL; // look in locals_dict
            break;
    }
}

static const mp_rom_map_elem_t match_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_group), MP_ROM_PTR(&match_group_obj) },
    { MP_ROM_QSTR(MP_QSTR_groups), MP_ROM_PTR(&match_groups_obj) },
    { MP_ROM_QSTR(MP_QSTR_groupdict), MP_ROM_PTR(&match_groupdict_obj) },
    { MP_ROM_QSTR(MP_QSTR_start), MP_ROM_PTR(&match_start_obj) },
    { MP_ROM_QSTR(MP_QSTR_end), MP_ROM_PTR(&match_end_obj) },
    { MP_ROM_QSTR(MP_QSTR_span), MP_ROM_PTR(&match_span_obj) },
    { MP_ROM_QSTR(MP_QSTR_expand), MP_ROM_PTR(&match_expand_obj) },
};
static MP_DEFINE_CONST_DICT(match_locals, match_locals_table);

static MP_DEFINE_CONST_OBJ_TYPE(
    match_type,
    MP_QSTR_Match,
    MP_TYPE_FLAG_NONE,
    print, match_print,
    attr, match_attribute,
    subscr, match_subscript,
    locals_dict, &match_locals
    );

static void pattern_attribute(mp_obj_t self, qstr attribute, mp_obj_t *dest) {
    const gpusnek_pattern_t *const pattern = MP_OBJ_TO_PTR(self);
    if (dest[0] != MP_OBJ_NULL) {
        return; // read-only
    }
    switch (attribute) {
        case MP_QSTR_pattern:
            dest[0] = pattern->pattern;
            break;
        case MP_QSTR_flags:
            dest[0] = mp_obj_new_int_from_uint(pattern->flags);
            break;
        case MP_QSTR_groups:
            dest[0] = mp_obj_new_int_from_uint(pattern->groups);
            break;
        case MP_QSTR_groupindex:
            dest[0] = names_of(pattern);
            break;
        default:
            dest[1] = MP_OBJ_SENTINEL; // look in locals_dict
            break;
    }
}

static void pattern_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    (void)kind;
    static const char *const names[] = {
        "", "re.IGNORECASE", "re.LOCALE", "re.MULTILINE", "re.DOTALL", "re.UNICODE", "re.VERBOSE",
        "re.DEBUG", "re.ASCII",
    };
    const gpusnek_pattern_t *const pattern = MP_OBJ_TO_PTR(self);
    mp_print_str(print, "re.compile(");
    mp_obj_print_helper(print, pattern->pattern, PRINT_REPR);
    const char *separator = ", ";
    for (size_t i = 1; i < MP_ARRAY_SIZE(names); i++) {
        const uint32_t flag = (uint32_t)1 << i;
        if (pattern->flags & flag && !(flag == GPUSNEK_RE_UNICODE && pattern->is_str)) {
            mp_print_str(print, separator);
            mp_print_str(print, names[i]);
            separator = "|";
        }
    }
    mp_print_str(print, ")");
}

static mp_obj_t pattern_binary(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    if (op != MP_BINARY_OP_EQUAL || !mp_obj_is_type(right, &pattern_type)) {
        return MP_OBJ_NULL;
    }
    const gpusnek_pattern_t *const a = MP_OBJ_TO_PTR(left), *const b = MP_OBJ_TO_PTR(right);
    return mp_obj_new_bool(a->flags == b->flags && is_equal_text(a->pattern, b->pattern));
}

static mp_obj_t pattern_unary(mp_unary_op_t op, mp_obj_t self) {
    const gpusnek_pattern_t *const pattern = MP_OBJ_TO_PTR(self);
    return op == MP_UNARY_OP_HASH ? mp_unary_op(MP_UNARY_OP_HASH, pattern->pattern) : MP_OBJ_NULL;
}

static const mp_rom_map_elem_t pattern_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_match), MP_ROM_PTR(&pattern_match_obj) },
    { MP_ROM_QSTR(MP_QSTR_fullmatch), MP_ROM_PTR(&pattern_fullmatch_obj) },
    { MP_ROM_QSTR(MP_QSTR_search), MP_ROM_PTR(&pattern_search_obj) },
    { MP_ROM_QSTR(MP_QSTR_findall), MP_ROM_PTR(&pattern_findall_obj) },
    { MP_ROM_QSTR(MP_QSTR_finditer), MP_ROM_PTR(&pattern_finditer_obj) },
    { MP_ROM_QSTR(MP_QSTR_split), MP_ROM_PTR(&pattern_split_obj) },
    { MP_ROM_QSTR(MP_QSTR_sub), MP_ROM_PTR(&pattern_sub_obj) },
    { MP_ROM_QSTR(MP_QSTR_subn), MP_ROM_PTR(&pattern_subn_obj) },
};
static MP_DEFINE_CONST_DICT(pattern_locals, pattern_locals_table);

static MP_DEFINE_CONST_OBJ_TYPE(
    pattern_type,
    MP_QSTR_Pattern,
    MP_TYPE_FLAG_NONE,
    print, pattern_print,
    attr, pattern_attribute,
    unary_op, pattern_unary,
    binary_op, pattern_binary,
    locals_dict, &pattern_locals
    );

#define FLAG(name, flag) { MP_ROM_QSTR(MP_QSTR_##name), MP_ROM_INT(GPUSNEK_RE_##flag) }

static const mp_rom_map_elem_t re_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_re) },
    { MP_ROM_QSTR(MP_QSTR_compile), MP_ROM_PTR(&re_compile_obj) },
    { MP_ROM_QSTR(MP_QSTR_match), MP_ROM_PTR(&re_match_obj) },
    { MP_ROM_QSTR(MP_QSTR_fullmatch), MP_ROM_PTR(&re_fullmatch_obj) },
    { MP_ROM_QSTR(MP_QSTR_search), MP_ROM_PTR(&re_search_obj) },
    { MP_ROM_QSTR(MP_QSTR_findall), MP_ROM_PTR(&re_findall_obj) },
    { MP_ROM_QSTR(MP_QSTR_finditer), MP_ROM_PTR(&re_finditer_obj) },
    { MP_ROM_QSTR(MP_QSTR_split), MP_ROM_PTR(&re_split_obj) },
    { MP_ROM_QSTR(MP_QSTR_sub), MP_ROM_PTR(&re_sub_obj) },
    { MP_ROM_QSTR(MP_QSTR_subn), MP_ROM_PTR(&re_subn_obj) },
    { MP_ROM_QSTR(MP_QSTR_escape), MP_ROM_PTR(&re_escape_obj) },
    { MP_ROM_QSTR(MP_QSTR_purge), MP_ROM_PTR(&re_purge_obj) },
    { MP_ROM_QSTR(MP_QSTR_error), MP_ROM_PTR(&gpusnek_type_PatternError) },
    { MP_ROM_QSTR(MP_QSTR_PatternError), MP_ROM_PTR(&gpusnek_type_PatternError) },
    { MP_ROM_QSTR(MP_QSTR_Pattern), MP_ROM_PTR(&pattern_type) },
    { MP_ROM_QSTR(MP_QSTR_Match), MP_ROM_PTR(&match_type) },
    { MP_ROM_QSTR(MP_QSTR_RegexFlag), MP_ROM_PTR(&mp_type_int) },
    { MP_ROM_QSTR(MP_QSTR_NOFLAG), MP_ROM_INT(0) },
    FLAG(A, ASCII), FLAG(ASCII, ASCII),
    FLAG(I, IGNORECASE), FLAG(IGNORECASE, IGNORECASE),
    FLAG(L, LOCALE), FLAG(LOCALE, LOCALE),
    FLAG(M, MULTILINE), FLAG(MULTILINE, MULTILINE),
    FLAG(S, DOTALL), FLAG(DOTALL, DOTALL),
    FLAG(U, UNICODE), FLAG(UNICODE, UNICODE),
    FLAG(X, VERBOSE), FLAG(VERBOSE, VERBOSE),
};
static MP_DEFINE_CONST_DICT(re_globals, re_globals_table);

const mp_obj_module_t mp_module_re = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&re_globals,
};

MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_re, mp_module_re);
