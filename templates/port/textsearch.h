// Substring search without a function call per position, for py/objstr.c (patch `texts`).
#ifndef GPUSNEK_TEXTSEARCH_H
#define GPUSNEK_TEXTSEARCH_H

#include <string.h>

#include "py/misc.h"

// Compares as memcmp(), which it calls only if the first bytes are equal: in a search they rarely
// are.
static inline int gpusnek_compare_bytes(const void *left, const void *right, size_t length) {
    if (length == 0) {
        return 0;
    }
    const int first = *(const byte *)left - *(const byte *)right;
    return first != 0 ? first : memcmp(left, right, length);
}

// Returns the same as upstream's unichar_isspace(), without branches.
static inline bool gpusnek_is_space(unichar c) {
    return (c == ' ') | (c - 9u < 5u);
}

#endif
