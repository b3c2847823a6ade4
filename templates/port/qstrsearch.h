// Finding qstrs, for py/qstr.c (patch `qstr-search`, qstrsearch.c).
#ifndef GPUSNEK_QSTRSEARCH_H
#define GPUSNEK_QSTRSEARCH_H

#include <stdint.h>

#include "py/qstr.h"

#define GPUSNEK_HASHES_OF_WORD (sizeof(uint64_t) / sizeof(qstr_hash_t))
#define GPUSNEK_MOST_WORDS (1024)
#define GPUSNEK_EACH_HASH (UINT64_MAX / (qstr_hash_t)-1) // a word with 1 in the place of each hash

// Whether none of a word's hashes is the one that `wanted` consists of.
static inline bool gpusnek_lacks_hash(uint64_t word, uint64_t wanted) {
    const uint64_t apart = word ^ wanted; // borrows go upwards, from a hash that is equal
    const uint64_t tops = GPUSNEK_EACH_HASH << (8 * sizeof(qstr_hash_t) - 1);
    return ((apart - GPUSNEK_EACH_HASH) & ~apart & tops) == 0;
}

// The first place from `at` on that may have `hash`, or `end`. Words are read that lie in the pool
// wholly, and a constant number of them, so that a search for a name takes no steps.
static inline size_t gpusnek_hash_at(const qstr_hash_t *hashes, size_t at, size_t end, size_t hash) {
    const uint64_t wanted = hash * GPUSNEK_EACH_HASH;
    if ((uintptr_t)(hashes + at) % sizeof(uint64_t) != 0) {
        return at;
    }
    for (int words = 0; words < GPUSNEK_MOST_WORDS; ++words) {
        if (at + GPUSNEK_HASHES_OF_WORD > end
            || !gpusnek_lacks_hash(*(const uint64_t *)(hashes + at), wanted)) {
            break;
        }
        at += GPUSNEK_HASHES_OF_WORD;
    }
    return at;
}

// The qstr of a text, or MP_QSTRnull.
qstr gpusnek_find_qstr(const char *text, size_t length);

#endif
