// Probing and growth of the hash tables of dicts and sets: probe sequence, quick rejection of keys,
// load factor. maps.h uses these functions; the patch `table-search` includes them in py/map.c.
//
// A warp waits for the lane that probes longest, so few and cheap probes matter more than memory. A
// table grows before it is full. A key whose type, hash or length shows that it differs from the
// searched key is skipped without a call.
//
// Invariant P1: the probe sequence `pos = (pos + gpusnek_step(alloc)) % alloc` visits every slot of
// a table once.
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

#define GPUSNEK_MOST_FULL (12) // slots; tables up to this size fill up completely before they grow

// Returns whether a key is known to differ from `index`, whose hash is `hash`, without a call.
// False means that the keys must be compared.
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

// Sets *hash to the hash of a small int, a qstr, or a str whose hash was computed before. Returns
// false for other objects.
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

// Returns the hash of a key, as mp_unary_op(). Objects of gpusnek_kept_hash() and short tuples of
// them need no call; for a tuple mp_unary_op() would call the tuple's function, and recursively
// itself for each item. Raises TypeError; propagates exceptions of a program's __hash__.
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
    if (mp_obj_is_exact_type(key, &mp_type_slice)) {
        return 1; // a slice is a key, and equals itself only
    }
    return (mp_uint_t)MP_OBJ_SMALL_INT_VALUE(mp_unary_op(MP_UNARY_OP_HASH, key));
}

// gpusnek_differs(), not inlined: otherwise the functions of py/map.c would save more registers,
// which most calls do not need.
static MP_NOINLINE bool gpusnek_is_other(mp_obj_t key, mp_obj_t index, mp_uint_t hash) {
    return gpusnek_differs(key, index, hash);
}

// Returns the distance between successive slots of a probe sequence. Consecutive integers as keys
// fill adjacent slots, and with a distance of 1 a search would visit all of them. Eight steps of
// this distance advance by one slot modulo `alloc`, so for an odd `alloc` they visit every slot
// (P1). The distance depends on `alloc` only, so removing a key needs to test only the next slot. A
// table that has not grown yet may have an even size.
static inline size_t gpusnek_step(size_t alloc) {
    if (alloc <= GPUSNEK_MOST_FULL || alloc % 2 == 0) {
        return 1;
    }
    return ((8 - alloc % 8) * alloc + 1) / 8;
}

// Returns the first slot of the probe sequence, from `at` on, whose key must be compared with
// `index`; otherwise `start`. A slot has `stride` objects; the first is the key.
static MP_NOINLINE size_t gpusnek_skip(const mp_obj_t *table, size_t stride, size_t alloc, size_t at,
    size_t start, mp_obj_t index, mp_uint_t hash) {
    const size_t size = alloc * stride, first = start * stride, step = gpusnek_step(alloc) * stride;
    size_t i = at * stride;
    while (i != first && table[i] != index && gpusnek_differs(table[i], index, hash)) {
        if (i >= size - step) {
            i = (i + step) % size; // this form lets the rule `polls` recognize the loop
        } else {
            i += step;
        }
    }
    return i / stride;
}

// Returns the hash of a str, by which gpusnek_differs() rejects other strings; 0 for other types.
static inline mp_uint_t gpusnek_known_hash(mp_obj_t index) {
    if (!mp_obj_is_obj(index) || !mp_obj_is_str(index)) {
        return 0;
    }
    return MP_OBJ_SMALL_INT_VALUE(mp_unary_op(MP_UNARY_OP_HASH, index));
}

// Returns the first entry of an ordered map, from `entry` on, whose key must be compared with
// `index`, or `top`. hash: the result of gpusnek_known_hash().
static MP_NOINLINE mp_map_elem_t *gpusnek_skip_entries(
    mp_map_elem_t *entry, const mp_map_elem_t *top, mp_obj_t index, mp_uint_t hash) {
    while (entry < top && entry->key != index && gpusnek_differs(entry->key, index, hash)) {
        ++entry;
    }
    return entry;
}

// Returns whether a table should grow before it gets one more key: its load factor is 3/4.
static inline bool gpusnek_is_crowded(size_t used, size_t alloc) {
    return alloc > GPUSNEK_MOST_FULL && used == alloc - alloc / 4;
}

// Returns whether a search from slot `start` to the slot `at` was so long that rebuilding the table
// without its tombstones is worth the cost: more than 64 steps plus 1/64 of the table. `at` equal
// to `start` means that all slots were visited.
static inline bool gpusnek_is_littered(size_t alloc, size_t start, size_t at) {
    const size_t apart = (at + alloc - start) % alloc;
    const size_t steps = gpusnek_step(alloc) == 1 ? apart : 8 * apart % alloc;
    return (steps == 0 ? alloc : steps) > 64 + alloc / 64;
}

// Returns the slot for a new key with this hash in a table without tombstones, which must have an
// empty slot. Unlike a lookup it compares no keys. A slot has `stride` objects.
static MP_NOINLINE mp_obj_t *gpusnek_free_place(mp_obj_t *table, size_t stride, size_t alloc, mp_uint_t hash) {
    const size_t step = gpusnek_step(alloc);
    size_t at = hash % alloc;
    while (table[at * stride] != MP_OBJ_NULL) {
        at = (at + step) % alloc; // this form lets the rule `polls` recognize the loop
    }
    return &table[at * stride];
}

// Returns whether a table takes one more key without growing.
static inline bool gpusnek_has_room(size_t used, size_t alloc) {
    return used < alloc && !gpusnek_is_crowded(used, alloc);
}

// Returns the minimum size of a new table: the old size if more than half of the old table has no
// key, because then the rebuild only removes tombstones.
static inline size_t gpusnek_wanted(size_t used, size_t alloc) {
    return alloc / 2 > used ? alloc : alloc + 1;
}

// Allocates a cleared table of `size` bytes. Without memory, returns NULL if the old table has a
// free slot (`has_place`), and raises MemoryError otherwise.
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
