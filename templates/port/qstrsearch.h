// Lookup of interned strings: the word-wise search for a hash, and the interface of qstrsearch.c,
// which py/qstr.c calls (patch `texts`).
#ifndef GPUSNEK_QSTRSEARCH_H
#define GPUSNEK_QSTRSEARCH_H

#include <stdint.h>

#include "py/qstr.h"

#define GPUSNEK_FROZEN_FILTER_BITS (1 << 14) // FILTER_BITS of porter/generate/genhdr.py
// Bit (hash % GPUSNEK_FROZEN_FILTER_BITS) is set for the hash of each name in the extra pool, which
// frozen modules have (the frozen unit, porter/freeze/tables.py).
extern const uint32_t gpusnek_frozen_filter[GPUSNEK_FROZEN_FILTER_BITS / 32];

#define GPUSNEK_HASHES_OF_WORD (sizeof(uint64_t) / sizeof(qstr_hash_t))
#define GPUSNEK_MOST_WORDS (1024) // words per call; bounds the loop, which takes no steps
#define GPUSNEK_EACH_HASH (UINT64_MAX / (qstr_hash_t)-1) // a word with 1 in the place of each hash

// Returns whether a word contains none of the wanted hashes, by the zero-byte test of bit tricks.
// wanted: a word with the searched hash in each place.
static inline bool gpusnek_lacks_hash(uint64_t word, uint64_t wanted) {
    const uint64_t apart = word ^ wanted; // 0 where equal; borrows propagate upwards
    const uint64_t tops = GPUSNEK_EACH_HASH << (8 * sizeof(qstr_hash_t) - 1);
    return ((apart - GPUSNEK_EACH_HASH) & ~apart & tops) == 0;
}

// Skips hashes: returns an index from `at` on, such that `hash` does not occur before it. The
// caller continues there, hash by hash. Reads only words that lie completely before `end`, and at
// most GPUSNEK_MOST_WORDS of them, so that the search needs no poll.
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

// Returns the qstr of a text; MP_QSTRnull if the text is not interned.
qstr gpusnek_find_qstr(const char *text, size_t length);

#endif
