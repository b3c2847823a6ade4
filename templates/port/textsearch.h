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

// Where a part of a text first is, from its start or, in the direction -1, from its end; or NULL.
static inline const byte *gpusnek_find_bytes(
    const byte *text, size_t length, const byte *part, size_t part_length, int direction) {
    if (length < part_length) {
        return NULL;
    }
    const size_t last = length - part_length;
    for (size_t i = 0; i <= last; ++i) {
        const byte *const at = text + (direction > 0 ? i : last - i);
        if (gpusnek_starts(at, part, part_length)) {
            return at;
        }
    }
    return NULL;
}

// What upstream's unichar_isspace says of a byte.
static inline bool gpusnek_is_space(byte c) {
    return (c == ' ') | (c - 9u < 5u);
}

#endif
