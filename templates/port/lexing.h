// What upstream's lexer (py/lexer.c) asks of each character, inline: it makes four calls for each
// otherwise, of functions in other units. The patch `lexing` includes this there.
#ifndef GPUSNEK_LEXING_H
#define GPUSNEK_LEXING_H

#include "py/misc.h"

// As the functions of py/unicode.c say.
static inline bool gpusnek_is_space(unichar c) {
    return c == ' ' || c - '\t' <= '\r' - '\t';
}

static inline bool gpusnek_is_digit(unichar c) {
    return c - '0' <= 9;
}

static inline bool gpusnek_is_letter(unichar c) {
    return (c | 0x20) - 'a' <= 'z' - 'a';
}

static inline void gpusnek_add_byte(vstr_t *text, byte b) {
    if (text->len < text->alloc) {
        text->buf[text->len++] = (char)b;
    } else {
        vstr_add_byte(text, b);
    }
}

#define unichar_isspace gpusnek_is_space
#define unichar_isdigit gpusnek_is_digit
#define unichar_isalpha gpusnek_is_letter
#define vstr_add_byte gpusnek_add_byte

// The first of `n` sorted words that begins with the same byte as `text`, or with a later one.
static inline size_t gpusnek_first_word(const char *const *words, size_t n, const char *text) {
    size_t first = 0;
    while (n > 0) {
        const size_t half = n / 2;
        const bool earlier = (byte)words[first + half][0] < (byte)text[0];
        first += earlier ? half + 1 : 0;
        n = earlier ? n - half - 1 : half;
    }
    return first;
}

#endif
