// Searching text without a call for each of its places, for py/objstr.c (patch `text-search`).
#ifndef GPUSNEK_TEXTSEARCH_H
#define GPUSNEK_TEXTSEARCH_H

#include <string.h>

#include "py/mpconfig.h"

// Whether the `length` bytes at both places are equal.
static inline bool gpusnek_starts(const void *text, const void *part, size_t length) {
    return length == 0
           || (*(const byte *)text == *(const byte *)part && memcmp(text, part, length) == 0);
}

// What upstream's unichar_isspace says of a byte.
static inline bool gpusnek_is_space(byte c) {
    return (c == ' ') | (c - 9u < 5u);
}

#endif
