// Lookup of interned strings (qstrs), and creation of str objects, which begins with a lookup. The
// patch `texts` calls gpusnek_find_qstr() in place of upstream's qstr_find_strn(), and the other
// functions in place of upstream's in py/objstr.c.
//
// Problem: upstream searches pool by pool and compares hashes one by one. Most texts that a program
// makes are not interned, so that the search is usually complete and fails.
//
// Mechanism: a table of one-character qstrs; a comparison of several hashes per word for the
// program's own pools; a perfect hash of the texts of all constant pools (qstrsearch.h). A lookup
// among the constant texts reads one multiplier and one slot, without a loop, unless the text is
// one of them. The tables are constant. A program's own pools are in front of the constant ones.
//
// Steps: one for each pool of the program, and one for each of its texts that is compared. The
// constant pools take none.
#include "py/mpconfig.h"

#if GPUSNEK_PATCH_TEXTS

#include <string.h>

#include "allocate.h"
#include "port.h"
#include "py/mpstate.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "qstrsearch.h"
#ifndef NO_QSTR
#include "genhdr/characters.h"
#ifndef MICROPY_QSTR_EXTRA_POOL
#include "genhdr/qstrtable.h" // frozen modules have the table of their own and upstream's texts
#endif
#endif

#define HASHES_PER_STEP (512) // a search of more hashes in a pool of the program takes steps

extern const qstr_pool_t mp_qstr_const_pool; // py/qstr.c; not in a header
#ifdef MICROPY_QSTR_EXTRA_POOL
extern const qstr_pool_t MICROPY_QSTR_EXTRA_POOL;
#endif

// Returns whether a pool is constant. The pools in front of it are the program's.
static inline bool is_constant(const qstr_pool_t *pool) {
    #ifdef MICROPY_QSTR_EXTRA_POOL
    if (pool == &MICROPY_QSTR_EXTRA_POOL) {
        return true;
    }
    #endif
    return pool == &mp_qstr_const_pool;
}

// Returns false if no pool has a text of this length. Takes no steps.
static inline bool has_length(size_t length) {
    if (gpusnek_qstr_lengths >> MIN(length, 63) & 1) {
        return true;
    }
    for (const qstr_pool_t *pool = MP_STATE_VM(last_pool); pool != NULL; pool = pool->prev) {
        if (is_constant(pool)) {
            break;
        }
        size_t at = gpusnek_number_at(pool->lengths, sizeof(qstr_len_t), 0, pool->len, length);
        for (; at < pool->len; ++at) {
            if (pool->lengths[at] == length) {
                return true;
            }
        }
    }
    return false;
}

// Returns the number of a text in a pool of the program, or MP_QSTRnull.
// hash: the stored hash; 0 if no pool has a text of this length.
static inline qstr find_in(const qstr_pool_t *pool, const char *text, size_t length, size_t hash) {
    if (hash == 0) {
        return MP_QSTRnull;
    }
    size_t at = gpusnek_number_at(pool->hashes, sizeof(qstr_hash_t), 0, pool->len, hash);
    for (; at < pool->len; ++at) {
        if (pool->hashes[at] == hash && pool->lengths[at] == length
            && memcmp(pool->qstrs[at], text, length) == 0) {
            return pool->total_prev_len + at;
        }
    }
    return MP_QSTRnull;
}

// Returns the pool of a constant qstr.
static inline const qstr_pool_t *constant_pool(qstr number) {
    #ifdef MICROPY_QSTR_EXTRA_POOL
    if (number >= MP_QSTRnumber_of) {
        return &MICROPY_QSTR_EXTRA_POOL;
    }
    #endif
    return number >= MP_QSTRnumber_of_static ? &mp_qstr_const_pool : mp_qstr_const_pool.prev;
}

// Returns the number of a text in the constant pools, or MP_QSTRnull. Takes no steps.
static inline qstr find_constant(const char *text, size_t length, uint32_t hash) {
    const uint32_t multiplier = gpusnek_qstr_multipliers[hash & gpusnek_qstr_bucket_mask];
    const uint32_t *const slots = gpusnek_qstr_slots + (hash * multiplier >> gpusnek_qstr_shift);
    for (int way = 0; way < GPUSNEK_QSTR_WAYS; ++way) {
        if (slots[way] >> 16 != (hash & UINT16_MAX)) {
            break;
        }
        const qstr number = slots[way] & UINT16_MAX;
        const qstr_pool_t *const pool = constant_pool(number);
        const size_t at = number - pool->total_prev_len;
        if (pool->lengths[at] == length && memcmp(pool->qstrs[at], text, length) == 0) {
            return number;
        }
    }
    return MP_QSTRnull;
}

// The result of a lookup. A GPU returns it in registers.
typedef struct {
    size_t number; // the qstr; MP_QSTRnull if the text is not interned
    size_t hash; // the stored hash of a text that is not interned; 0 if it was not computed
} found_t;

static MP_NOINLINE found_t find(const char *text, size_t length) {
    MP_STATIC_ASSERT(MP_QSTRnumber_of <= UINT16_MAX);
    found_t found = {MP_QSTR_, 0};
    if (length == 0) {
        return found;
    }
    if (length == 1 && (byte)text[0] < MP_ARRAY_SIZE(gpusnek_characters)) {
        found.number = gpusnek_characters[(byte)text[0]];
        if (found.number != MP_QSTRnull) {
            return found;
        }
    }
    found.number = MP_QSTRnull;
    if (length >= (size_t)1 << (8 * MICROPY_QSTR_BYTES_IN_LEN)) {
        return found;
    }
    // A long text is usually longer than all interned ones, and then not hashed.
    const bool possible = has_length(length);
    const uint32_t hash = possible ? gpusnek_text_hash((const byte *)text, length) : 0;
    found.hash = possible ? gpusnek_stored_hash(hash) : 0;
    for (const qstr_pool_t *pool = MP_STATE_VM(last_pool); pool != NULL; pool = pool->prev) {
        // The call of find_in() is conditional, so that it takes one step (rewrite/poll_sites.py).
        if (!is_constant(pool)) {
            if (pool->len >= HASHES_PER_STEP) {
                gpusnek_look_soon(pool->len / HASHES_PER_STEP);
            }
            found.number = find_in(pool, text, length, found.hash);
            if (found.number != MP_QSTRnull) {
                return found;
            }
        } else {
            break;
        }
    }
    if (possible) {
        found.number = find_constant(text, length, hash);
    }
    return found;
}

qstr gpusnek_find_qstr(const char *text, size_t length) {
    return (qstr)find(text, length).number;
}

mp_obj_t gpusnek_make_str(const char *text, size_t length) {
    const found_t found = find(text, length);
    if (found.number != MP_QSTRnull) {
        return MP_OBJ_NEW_QSTR((qstr)found.number);
    }
    const mp_obj_t object = mp_obj_new_str_copy(&mp_type_str, (const byte *)text, length);
    ((mp_obj_str_t *)MP_OBJ_TO_PTR(object))->hash = found.hash;
    return object;
}

mp_obj_t gpusnek_make_str_of_vstr(vstr_t *text) {
    const found_t found = find(text->buf, text->len);
    if (found.number != MP_QSTRnull) {
        vstr_clear(text);
        text->alloc = 0;
        return MP_OBJ_NEW_QSTR((qstr)found.number);
    }
    char *data = text->buf;
    if (gpusnek_block_bytes(text->len + 1) != gpusnek_block_bytes(text->alloc)) {
        data = m_renew(char, data, text->alloc, text->len + 1);
    }
    data[text->len] = '\0';
    text->buf = NULL;
    text->alloc = 0;
    mp_obj_str_t *const object = mp_obj_malloc(mp_obj_str_t, &mp_type_str);
    object->hash = found.hash;
    object->len = text->len;
    object->data = (const byte *)data;
    return MP_OBJ_FROM_PTR(object);
}

#endif
