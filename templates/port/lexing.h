// Inline character tests and buffer appends for upstream's lexer. The patch `parsing` includes this
// file in py/lexer.c. Upstream's lexer makes four calls per character of functions in other units.
#ifndef GPUSNEK_LEXING_H
#define GPUSNEK_LEXING_H

#include "py/misc.h"

// The results equal those of unichar_isspace(), unichar_isdigit() and unichar_isalpha()
// (py/unicode.c).
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

// Returns the index of the first of `n` sorted words whose first byte is not less than that of
// `text`, or n. A binary search; the keyword lookup starts there.
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
