// Soft keywords: look ahead in the tokens of a line where one token does not decide what begins.
//
// Problem: upstream's parser decides by the next token. `match`, `type` and the parentheses of
// `with (a as b, c as d):` need more: `match` begins a statement only if its line ends with a
// colon.
//
// Mechanism: mp_lexer_to_next() scans a token by upstream's function. After a token that may need a
// decision it scans on, at most to the end of the line, stores the tokens, decides, and then returns
// the stored tokens one by one. `match` and `type` become tokens of their own, and the parentheses
// of a `with` statement are removed. Other lines take one comparison per token.
#include "tokens.h"

#if GPUSNEK_PATCH_SYNTAX

#include <string.h>

#include "py/misc.h"
#include "py/runtime.h"
#include "raised.h"

typedef struct {
    mp_token_kind_t kind;
    size_t line;
    size_t column;
    size_t start; // of its text, among the texts of all tokens
    size_t length;
} token_t;

struct _gpusnek_tokens_t {
    token_t *items;
    size_t count;
    size_t alloc;
    size_t next;
    vstr_t text;
};

#define FIRST_TOKENS (16)

static void store(mp_lexer_t *lex, gpusnek_tokens_t *tokens) {
    if (tokens->count == tokens->alloc) {
        tokens->items = m_renew(token_t, tokens->items, tokens->alloc, 2 * tokens->alloc);
        tokens->alloc *= 2;
    }
    token_t *const token = &tokens->items[tokens->count++];
    token->kind = lex->tok_kind;
    token->line = lex->tok_line;
    token->column = lex->tok_column;
    token->start = tokens->text.len;
    token->length = lex->vstr.len;
    vstr_add_strn(&tokens->text, lex->vstr.buf, lex->vstr.len);
}

static void replay(mp_lexer_t *lex) {
    gpusnek_tokens_t *const tokens = lex->gpusnek_ahead;
    const token_t *const token = &tokens->items[tokens->next++];
    lex->tok_kind = token->kind;
    lex->tok_line = token->line;
    lex->tok_column = token->column;
    vstr_reset(&lex->vstr);
    vstr_add_strn(&lex->vstr, tokens->text.buf + token->start, token->length);
    if (tokens->next == tokens->count) {
        lex->gpusnek_ahead = NULL;
        m_del(token_t, tokens->items, tokens->alloc);
        vstr_clear(&tokens->text);
        m_del_obj(gpusnek_tokens_t, tokens);
    }
}

static gpusnek_tokens_t *start(mp_lexer_t *lex) {
    gpusnek_tokens_t *const tokens = m_new_obj(gpusnek_tokens_t);
    tokens->count = 0;
    tokens->next = 0;
    tokens->alloc = FIRST_TOKENS;
    tokens->items = m_new(token_t, FIRST_TOKENS);
    vstr_init(&tokens->text, 64);
    store(lex, tokens);
    return tokens;
}

// Whether the tokens of a line go on behind the last scanned one.
static bool line_goes_on(const mp_lexer_t *lex) {
    return lex->tok_kind > MP_TOKEN_DEDENT;
}

static bool is_name(const mp_lexer_t *lex, const char *name, size_t length) {
    return lex->vstr.len == length && memcmp(lex->vstr.buf, name, length) == 0;
}

static bool keeps_docs;

bool gpusnek_keeps_docs(void) {
    return keeps_docs;
}

// Notes a name that reads docstrings.
static void note_docs(const mp_lexer_t *lex) {
    switch (lex->vstr.len) {
        case 4:
            keeps_docs = keeps_docs || is_name(lex, "help", 4);
            break;
        case 6:
            keeps_docs = keeps_docs || is_name(lex, "getdoc", 6);
            break;
        case 7:
            keeps_docs = keeps_docs || is_name(lex, "__doc__", 7) || is_name(lex, "doctest", 7);
            break;
        default:
            break;
    }
}

// Scans a token. Raises TabError, and makes other wrong tokens invalid (invalidsyntax.h).
static void scan_token(mp_lexer_t *lex) {
    gpusnek_scan_token(lex);
    if (lex->gpusnek_refused == GPUSNEK_WRONG_TABS) {
        const mp_obj_t error = mp_obj_new_exception_msg(&gpusnek_type_TabError,
            MP_ERROR_TEXT("inconsistent use of tabs and spaces in indentation"));
        mp_obj_exception_add_traceback(error, lex->source_name, lex->line, MP_QSTRnull);
        nlr_raise(error);
    }
    if (lex->gpusnek_refused) {
        lex->tok_kind = MP_TOKEN_INVALID;
    }
}

static void scan(mp_lexer_t *lex, gpusnek_tokens_t *tokens) {
    scan_token(lex);
    if (lex->tok_kind == MP_TOKEN_NAME || lex->tok_kind == MP_TOKEN_STRING) {
        note_docs(lex);
    }
    store(lex, tokens);
}

static bool begins_expression(mp_token_kind_t kind) {
    switch (kind) {
        case MP_TOKEN_DEL_PAREN_OPEN:
        case MP_TOKEN_DEL_BRACKET_OPEN:
        case MP_TOKEN_DEL_BRACE_OPEN:
        case MP_TOKEN_OP_MINUS:
        case MP_TOKEN_OP_PLUS:
        case MP_TOKEN_OP_STAR:
        case MP_TOKEN_OP_TILDE:
        case MP_TOKEN_ELLIPSIS:
        case MP_TOKEN_KW_FALSE:
        case MP_TOKEN_KW_NONE:
        case MP_TOKEN_KW_TRUE:
        case MP_TOKEN_KW_NOT:
        case MP_TOKEN_KW_LAMBDA:
        #if MICROPY_PY_ASYNC_AWAIT
        case MP_TOKEN_KW_AWAIT:
        #endif
            return true;
        default:
            return MP_TOKEN_NAME <= kind && kind <= MP_TOKEN_BYTES;
    }
}

// `match` begins a statement if an expression follows and the line ends with a colon. No simple
// statement ends with one.
static void match_or_name(mp_lexer_t *lex) {
    gpusnek_tokens_t *const tokens = start(lex);
    scan(lex, tokens);
    if (begins_expression(lex->tok_kind)) {
        while (line_goes_on(lex)) {
            scan(lex, tokens);
        }
        if (lex->tok_kind == MP_TOKEN_NEWLINE
            && tokens->items[tokens->count - 2].kind == MP_TOKEN_DEL_COLON) {
            tokens->items[0].kind = MP_TOKEN_GPUSNEK_MATCH;
        }
    }
    lex->gpusnek_ahead = tokens;
}

// `type` begins a statement if a name follows: no expression has two names in a row.
static void type_or_name(mp_lexer_t *lex) {
    gpusnek_tokens_t *const tokens = start(lex);
    scan(lex, tokens);
    if (lex->tok_kind == MP_TOKEN_NAME) {
        tokens->items[0].kind = MP_TOKEN_GPUSNEK_TYPE;
    }
    lex->gpusnek_ahead = tokens;
}

// Removes the parentheses around several items of a `with` statement, and a comma before the
// second parenthesis.
static void with_items(mp_lexer_t *lex) {
    gpusnek_tokens_t *const tokens = start(lex);
    scan(lex, tokens);
    size_t depth = lex->tok_kind == MP_TOKEN_DEL_PAREN_OPEN, last = 0;
    bool several = false, single = false;
    while (depth > 0 && line_goes_on(lex)) {
        scan(lex, tokens);
        switch (lex->tok_kind) {
            case MP_TOKEN_DEL_PAREN_OPEN:
            case MP_TOKEN_DEL_BRACKET_OPEN:
            case MP_TOKEN_DEL_BRACE_OPEN:
                depth++;
                break;
            case MP_TOKEN_DEL_PAREN_CLOSE:
            case MP_TOKEN_DEL_BRACKET_CLOSE:
            case MP_TOKEN_DEL_BRACE_CLOSE:
                depth--;
                last = tokens->count - 1;
                break;
            case MP_TOKEN_DEL_COMMA:
            case MP_TOKEN_KW_AS:
                several |= depth == 1;
                break;
            case MP_TOKEN_KW_YIELD:
            case MP_TOKEN_KW_FOR:
                single |= depth == 1; // the parentheses belong to the expression
                break;
            default:
                break;
        }
    }
    if (depth == 0 && last > 0 && several && !single && line_goes_on(lex)) {
        scan(lex, tokens);
        if (lex->tok_kind == MP_TOKEN_DEL_COLON) {
            const size_t end = tokens->items[last - 1].kind == MP_TOKEN_DEL_COMMA ? last - 1 : last;
            memmove(tokens->items + 1, tokens->items + 2, (end - 2) * sizeof(token_t));
            memmove(tokens->items + end - 1, tokens->items + last + 1,
                (tokens->count - last - 1) * sizeof(token_t));
            tokens->count -= 1 + (last + 1 - end);
        }
    }
    lex->gpusnek_ahead = tokens;
}

static bool begins_statement(mp_token_kind_t previous) {
    return previous == MP_TOKEN_NEWLINE || previous == MP_TOKEN_INDENT || previous == MP_TOKEN_DEDENT
        || previous == MP_TOKEN_END;
}

void mp_lexer_to_next(mp_lexer_t *lex) {
    const mp_token_kind_t previous = lex->tok_kind;
    if (lex->gpusnek_ahead != NULL) {
        replay(lex);
        return;
    }
    scan_token(lex);
    if (lex->tok_kind == MP_TOKEN_NAME) {
        note_docs(lex);
        if (is_name(lex, "match", 5) && begins_statement(previous)) {
            match_or_name(lex);
        } else if (is_name(lex, "type", 4) && previous != MP_TOKEN_DEL_PERIOD && lex->chr0 == ' ') {
            type_or_name(lex);
        } else {
            return;
        }
    } else if (lex->tok_kind == MP_TOKEN_KW_WITH) {
        with_items(lex);
    } else {
        if (lex->tok_kind == MP_TOKEN_STRING) { // getattr(f, "__doc__")
            note_docs(lex);
        }
        return;
    }
    replay(lex);
}

#endif
