// Tokens that upstream's lexer accepts although Python's syntax does not allow them. The patch
// `syntax` includes this file in py/lexer.c, whose functions call these instead of next_char() and
// skip_whitespace(). They note a wrong token in lex->gpusnek_refused, and tokens.c raises the error.
#ifndef GPUSNEK_INVALIDSYNTAX_H
#define GPUSNEK_INVALIDSYNTAX_H

#include "tokens.h"

static bool skip_whitespace(mp_lexer_t *lex, bool stop_at_newline);

// Replaces next_char() in mp_lexer_to_next(): the underscore of a number must be between two digits or
// after the prefix of a base. Upstream has stored the digits before it without underscores.
static void gpusnek_next_of_token(mp_lexer_t *lex) {
    const bool number =
        lex->tok_kind == MP_TOKEN_INTEGER || lex->tok_kind == MP_TOKEN_FLOAT_OR_IMAG;
    if (lex->chr0 == '_' && number && lex->vstr.len > 0) {
        const char *const text = lex->vstr.buf;
        const bool prefixed = lex->vstr.len > 1 && text[0] == '0' && unichar_isalpha((byte)text[1])
            && text[1] != 'e' && text[1] != 'j';
        const bool divides = prefixed ? unichar_isxdigit(lex->chr1)
            : unichar_isdigit((byte)text[lex->vstr.len - 1]) && unichar_isdigit(lex->chr1);
        if (!divides) {
            lex->gpusnek_refused = GPUSNEK_WRONG_TOKEN;
        }
    }
    next_char(lex);
}

// Replaces next_char() in parse_string_literal(): a bytes literal has characters of ASCII.
static void gpusnek_next_of_literal(mp_lexer_t *lex) {
    if (lex->tok_kind == MP_TOKEN_BYTES && lex->chr0 > 0x7f && lex->chr0 != MP_LEXER_EOF) {
        lex->gpusnek_refused = GPUSNEK_WRONG_TOKEN;
    }
    next_char(lex);
}

// Returns the columns that the indentation of this line has beyond the number of its characters. The
// cursor is behind the indentation. gpusnek_tab_line: the last line with a tab.
static size_t gpusnek_wide(const mp_lexer_t *lex) {
    return lex->gpusnek_tab_line == lex->line ? lex->gpusnek_wide : 0;
}

// Returns whether the indentation of a line compares with those around it in the same way for every
// width of a tab, as Python demands. It is enough to compare at upstream's width and at 1.
//
// lex->gpusnek_narrow has the indentations of the blocks around the line at width 1, from the first
// tab on.
static bool gpusnek_tabs_agree(mp_lexer_t *lex) {
    const size_t column = lex->column - 1, wide = gpusnek_wide(lex);
    if (wide == 0 && lex->gpusnek_narrow == NULL) {
        return true;
    }
    const size_t top = lex->num_indent_level - 1, narrow = column - wide;
    if (lex->gpusnek_narrow == NULL || top + 1 >= lex->gpusnek_narrow_alloc) {
        const size_t alloc = 2 * (top + 1) + 8;
        uint16_t *const all = m_new(uint16_t, alloc);
        const uint16_t *const known =
            lex->gpusnek_narrow == NULL ? lex->indent_level : lex->gpusnek_narrow;
        for (size_t i = 0; i <= top; i++) {
            all[i] = known[i];
        }
        lex->gpusnek_narrow = all;
        lex->gpusnek_narrow_alloc = alloc;
    }
    size_t at = top;
    while (at > 0 && lex->indent_level[at] > column) {
        at--;
    }
    if (lex->indent_level[at] == column || at < top) {
        return lex->indent_level[at] != column || lex->gpusnek_narrow[at] == narrow;
    }
    lex->gpusnek_narrow[top + 1] = (uint16_t)narrow;
    return narrow > lex->gpusnek_narrow[top];
}

// Replaces skip_whitespace() in mp_lexer_to_next(). Without `stop_at_newline`, the cursor moves to the
// first token of the next line, whose indentation upstream then compares.
static bool gpusnek_skip_whitespace(mp_lexer_t *lex, bool stop_at_newline) {
    const bool newline = skip_whitespace(lex, stop_at_newline);
    if (!stop_at_newline && !gpusnek_tabs_agree(lex)) {
        lex->gpusnek_refused = GPUSNEK_WRONG_TABS;
    }
    return newline;
}

static inline bool gpusnek_is_quote(unichar c) {
    return c == '"' || c == '\'';
}

// Makes the prefix of a string or bytes literal at the cursor lower case: upstream knows no other.
static void gpusnek_lower_prefix(mp_lexer_t *lex) {
    const unichar first = lex->chr0 | 0x20, second = lex->chr1 | 0x20;
    if ((first != lex->chr0 || second != lex->chr1) && unichar_isalpha(lex->chr0)) {
        const bool pair = (first == 'r' && (second == 'f' || second == 'b'))
            || (second == 'r' && (first == 'f' || first == 'b'));
        if (pair && unichar_isalpha(lex->chr1) && gpusnek_is_quote(lex->chr2)) {
            lex->chr0 = first;
            lex->chr1 = second;
        } else if (gpusnek_is_quote(lex->chr1)
            && (first == 'r' || first == 'f' || first == 'b' || first == 'u')) {
            lex->chr0 = first;
        }
    }
}

// Doubles the braces of the token's text from `from` on.
static void gpusnek_double_braces(vstr_t *text, size_t from) {
    for (size_t i = from; i < text->len; i++) {
        if (text->buf[i] == '{' || text->buf[i] == '}') {
            vstr_ins_byte(text, i, text->buf[i]);
            i++;
        }
    }
}

#if MICROPY_PY_TSTRINGS
#define gpusnek_has_template had_tstring // of mp_lexer_to_next()
#else
#define gpusnek_has_template false
#endif

// Calls parse_string_literal() for a part of a token. Upstream formats all parts if one is an f-string,
// so braces of the others are doubled. Parts of a t-string stay as they are.
#define gpusnek_parse_part(lex, is_raw, is_fstring, ...) do { \
        const size_t gpusnek_from = (lex)->vstr.len; \
        if ((is_fstring) && (lex)->fstring_args.len == 0) { \
            gpusnek_double_braces(&(lex)->vstr, 0); \
        } \
        parse_string_literal(lex, is_raw, is_fstring, ##__VA_ARGS__); \
        if (!(is_fstring) && !gpusnek_has_template && (lex)->fstring_args.len != 0) { \
            gpusnek_double_braces(&(lex)->vstr, gpusnek_from); \
        } \
    } while (0)

#endif
