// Searching text without a call for each of its places, for py/objstr.c (patch `text-search`).
#ifndef GPUSNEK_TEXTSEARCH_H
#define GPUSNEK_TEXTSEARCH_H

#include <string.h>

#include "py/misc.h"

// memcmp, which is called only where the first bytes are equal: a search looks at many places.
static inline int gpusnek_compare_bytes(const void *left, const void *right, size_t length) {
    if (length == 0) {
        return 0;
    }
    const int first = *(const byte *)left - *(const byte *)right;
    return first != 0 ? first : memcmp(left, right, length);
}

// The same result as upstream's unichar_isspace.
static inline bool gpusnek_is_space(unichar c) {
    return (c == ' ') | (c - 9u < 5u);
}

#endif
