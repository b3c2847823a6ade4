// Lookup of interned strings (qstrs). The patch `texts` calls gpusnek_find_qstr() in place of
// upstream's qstr_find_strn().
//
// Problem: upstream searches pool by pool and compares hashes one by one. Most texts that a program
// makes are not interned, so that the search is usually complete and fails.
//
// Mechanism: a table of one-character qstrs; a Bloom filter with one hash function for the constant
// pools (porter/generate/port.py); a comparison of several hashes per word (qstrsearch.h).
// The tables are constant. A program's own qstrs are in pools in front of the constant ones.
#include "py/mpconfig.h"

#if GPUSNEK_PATCH_TEXTS

#include <string.h>

#include "py/mpstate.h"
#include "py/runtime.h"
#include "port.h"
#include "qstrsearch.h"
#ifndef NO_QSTR
#include "genhdr/characters.h"
#include "genhdr/qstrfilter.h"
#endif

#define HASHES_PER_STEP (512) // a search of more hashes in a pool of the program takes steps

extern const qstr_pool_t mp_qstr_const_pool; // py/qstr.c; not in a header
#ifdef MICROPY_QSTR_EXTRA_POOL
extern const qstr_pool_t MICROPY_QSTR_EXTRA_POOL;
#endif

// Returns false if no text of the constant pools has this hash. These pools are the last ones of
// the chain, and the filter covers all of them.
static inline bool may_be_constant(size_t hash) {
    const uint32_t bit = hash % GPUSNEK_QSTR_FILTER_BITS;
    return gpusnek_qstr_filter[bit / 32] >> bit % 32 & 1;
}

// Returns true if `pool` is the one of frozen modules and has no text of this hash.
static inline bool is_frozen_without(const qstr_pool_t *pool, size_t hash) {
    #ifdef MICROPY_QSTR_EXTRA_POOL
    const uint32_t bit = hash % GPUSNEK_FROZEN_FILTER_BITS;
    return pool == &MICROPY_QSTR_EXTRA_POOL && !(gpusnek_frozen_filter[bit / 32] >> bit % 32 & 1);
    #else
    (void)pool;
    (void)hash;
    return false;
    #endif
}

// Returns whether a pool is constant. The pools in front of it are the program's.
static inline bool is_constant(const qstr_pool_t *pool) {
    #ifdef MICROPY_QSTR_EXTRA_POOL
    if (pool == &MICROPY_QSTR_EXTRA_POOL) {
        return true;
    }
    #endif
    return pool == &mp_qstr_const_pool;
}

// Returns the number of a text in a pool, or MP_QSTRnull. Sorted pools are searched by bisection.
static inline qstr find_in(const qstr_pool_t *pool, const char *text, size_t length, size_t hash) {
    size_t low = 0, high = pool->len - 1; // the first and the last possible index
    if (pool->is_sorted) {
        while (high - low > 1) {
            const size_t middle = (low + high) / 2;
            if (strncmp(text, pool->qstrs[middle], length) <= 0) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }
    for (size_t at = gpusnek_hash_at(pool->hashes, low, high + 1, hash); at <= high; ++at) {
        if (pool->hashes[at] == hash && pool->lengths[at] == length
            && memcmp(pool->qstrs[at], text, length) == 0) {
            return pool->total_prev_len + at;
        }
    }
    return MP_QSTRnull;
}

qstr gpusnek_find_qstr(const char *text, size_t length) {
    MP_STATIC_ASSERT(MP_QSTRnumber_of <= UINT16_MAX);
    if (length == 0) {
        return MP_QSTR_;
    }
    if (length == 1 && (byte)text[0] < MP_ARRAY_SIZE(gpusnek_characters)) {
        const qstr known = gpusnek_characters[(byte)text[0]];
        if (known != MP_QSTRnull) {
            return known;
        }
    }
    if (length >= (size_t)1 << (8 * MICROPY_QSTR_BYTES_IN_LEN)) {
        return MP_QSTRnull;
    }
    const size_t hash = qstr_compute_hash((const byte *)text, length);
    bool own = true;
    for (const qstr_pool_t *pool = MP_STATE_VM(last_pool); pool != NULL; pool = pool->prev) {
        own = own && !is_constant(pool);
        if (own && pool->len >= HASHES_PER_STEP) {
            gpusnek_look_soon(pool->len / HASHES_PER_STEP);
        }
        if (pool == &mp_qstr_const_pool && !may_be_constant(hash)) {
            break;
        }
        if (is_frozen_without(pool, hash)) {
            continue;
        }
        const qstr found = find_in(pool, text, length, hash);
        if (found != MP_QSTRnull) {
            return found;
        }
    }
    return MP_QSTRnull;
}

#endif
