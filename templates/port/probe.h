// How the tables of dicts and sets are searched, and when they grow: what py/map.c calls where the
// patch `table-search` says so.
//
// Interpreters that run together wait for the one that probes longest, so few probes and cheap
// ones matter more than memory: a table grows before it is full, and a key that is another one at
// first sight costs no call.
#ifndef GPUSNEK_PROBE_H
#define GPUSNEK_PROBE_H

#include <string.h>

#include "changed.h"
#include "compare.h"
#include "py/obj.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "tuplehash.h"

#define GPUSNEK_MOST_FULL (12) // tables up to this size are used up to their last place

// Whether a key of a table is not equal to `index`, which has that hash, at first sight.
static inline bool gpusnek_differs(mp_obj_t key, mp_obj_t index, mp_uint_t hash) {
    if (!mp_obj_is_obj(key)) {
        return gpusnek_words_differ(key, index);
    }
    if (key == MP_OBJ_NULL || key == MP_OBJ_SENTINEL) {
        return false;
    }
    const mp_obj_type_t *const type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(key))->type;
    if (type == &mp_type_str) {
        const size_t known = ((const mp_obj_str_t *)MP_OBJ_TO_PTR(key))->hash;
        return known != 0 && known != hash && mp_obj_is_str(index);
    }
    if (type != &mp_type_tuple || !mp_obj_is_exact_type(index, &mp_type_tuple)) {
        return false;
    }
    const mp_obj_tuple_t *const a = MP_OBJ_TO_PTR(key), *const b = MP_OBJ_TO_PTR(index);
    if (a->len != b->len || a->len == 0) {
        return a->len != b->len;
    }
    return gpusnek_words_differ(a->items[0], b->items[0])
           | gpusnek_words_differ(a->items[a->len - 1], b->items[a->len - 1]);
}

// The hash of an object that is at hand: a small int's, a qstr's, a text's that was asked for it before.
static inline bool gpusnek_kept_hash(mp_obj_t o, mp_uint_t *hash) {
    if (mp_obj_is_small_int(o)) {
        *hash = (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(o);
        return true;
    }
    if (mp_obj_is_qstr(o)) {
        *hash = qstr_hash(MP_OBJ_QSTR_VALUE(o));
    } else if (mp_obj_is_exact_type(o, &mp_type_str)) {
        *hash = ((const mp_obj_str_t *)MP_OBJ_TO_PTR(o))->hash;
    } else {
        return false;
    }
    return *hash != 0;
}

// The hash of a key, as mp_unary_op has it, which is not called for such objects and short tuples of
// them: it would call the tuple's function, and that it again for each item.
static MP_NOINLINE mp_uint_t gpusnek_key_hash(mp_obj_t key) {
    mp_uint_t kept;
    if (gpusnek_kept_hash(key, &kept)) {
        return kept;
    }
    if (gpusnek_is_short_tuple(key)) {
        const mp_obj_tuple_t *const tuple = MP_OBJ_TO_PTR(key);
        mp_int_t hash = (mp_int_t)tuple->len;
        mp_uint_t item;
        size_t i = 0;
        while (i < tuple->len && gpusnek_kept_hash(tuple->items[i], &item)) {
            hash = gpusnek_tuple_hash(hash, (mp_int_t)item);
            ++i;
        }
        if (i == tuple->len) {
            return (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(MP_OBJ_NEW_SMALL_INT(hash));
        }
    }
    return (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(mp_unary_op(MP_UNARY_OP_HASH, key));
}

// The same, not inlined: py/map.c's functions would save more registers, for nothing in most calls.
static MP_NOINLINE bool gpusnek_is_other(mp_obj_t key, mp_obj_t index, mp_uint_t hash) {
    return gpusnek_differs(key, index, hash);
}

// How far behind a place the next one is that a search looks at. Keys that are neighbours, as numbers
// from 0 on are, fill places side by side; place by place, a search would walk past all of them.
// Eight of these steps are one place more, so for whatever odd number of places they meet all, and
// removing a key may look at the next place alone, as py/map.c does. (An even number is the size of
// a table that has not grown yet.)
static inline size_t gpusnek_step(size_t alloc) {
    if (alloc <= GPUSNEK_MOST_FULL || alloc % 2 == 0) {
        return 1;
    }
    return ((8 - alloc % 8) * alloc + 1) / 8;
}

// The first place from `at` on whose key has to be looked at, or `start`. A place is `stride` objects,
// of which the first is the key.
static MP_NOINLINE size_t gpusnek_skip(const mp_obj_t *table, size_t stride, size_t alloc, size_t at,
    size_t start, mp_obj_t index, mp_uint_t hash) {
    const size_t size = alloc * stride, first = start * stride, step = gpusnek_step(alloc) * stride;
    size_t i = at * stride;
    while (i != first && table[i] != index && gpusnek_differs(table[i], index, hash)) {
        if (i >= size - step) {
            i = (i + step) % size; // so written, the rule `polls` knows the loop
        } else {
            i += step;
        }
    }
    return i / stride;
}

// The hash by which `index` is told from other texts; 0 where it is none.
static inline mp_uint_t gpusnek_known_hash(mp_obj_t index) {
    if (!mp_obj_is_obj(index) || !mp_obj_is_str(index)) {
        return 0;
    }
    return MP_OBJ_SMALL_INT_VALUE(mp_unary_op(MP_UNARY_OP_HASH, index));
}

// The first entry from `entry` on whose key has to be looked at, or `top`: tables that keep their
// order are searched from end to end. hash: as gpusnek_known_hash has it.
static MP_NOINLINE mp_map_elem_t *gpusnek_skip_entries(
    mp_map_elem_t *entry, const mp_map_elem_t *top, mp_obj_t index, mp_uint_t hash) {
    while (entry < top && entry->key != index && gpusnek_differs(entry->key, index, hash)) {
        ++entry;
    }
    return entry;
}

// Whether a table that gets one more key is to grow, if there is memory.
static inline bool gpusnek_is_crowded(size_t used, size_t alloc) {
    return alloc > GPUSNEK_MOST_FULL && used == alloc - alloc / 4;
}

// Whether a search from place `start` to the empty one at `at`, or once round, was long for the keys
// that were removed and still hold their places: then a table without them is worth its cost.
static inline bool gpusnek_is_littered(size_t alloc, size_t start, size_t at) {
    const size_t apart = (at + alloc - start) % alloc;
    const size_t steps = gpusnek_step(alloc) == 1 ? apart : 8 * apart % alloc;
    return (steps == 0 ? alloc : steps) > 64 + alloc / 64;
}

// Where in a new table a key goes that it does not have, whose hash that is: where a lookup would put it,
// which compares it with those on its way. A place is `stride` objects. One at least is empty.
static MP_NOINLINE mp_obj_t *gpusnek_free_place(mp_obj_t *table, size_t stride, size_t alloc, mp_uint_t hash) {
    const size_t step = gpusnek_step(alloc);
    size_t at = hash % alloc;
    while (table[at * stride] != MP_OBJ_NULL) {
        at = (at + step) % alloc; // so written, the rule `polls` knows the loop
    }
    return &table[at * stride];
}

// Whether a table has a place for one more key, and is not to grow before.
static inline bool gpusnek_has_room(size_t used, size_t alloc) {
    return used < alloc && !gpusnek_is_crowded(used, alloc);
}

// How many places a new table has at least: not more, where half of the old one has no key.
static inline size_t gpusnek_wanted(size_t used, size_t alloc) {
    return alloc / 2 > used ? alloc : alloc + 1;
}

// Memory for a new table. NULL where there is none and the old one still has a place.
static inline void *gpusnek_new_table(size_t size, bool has_place) {
    if (!has_place) {
        return m_malloc0(size);
    }
    void *const table = m_malloc_maybe(size);
    if (table != NULL) {
        memset(table, 0, size);
    }
    return table;
}

#endif
