// The probe sequence of the index of a dict. maps.h uses these functions; the patch `table-search`
// includes them in py/map.c.
//
// A warp waits for the lane that probes longest, so few and cheap probes matter more than memory. A
// key whose type, hash or length shows that it differs from the searched key is skipped without a
// call (keys.h).
//
// Invariant P1: the probe sequence `pos = (pos + gpusnek_step(slots)) % slots` visits every slot of
// an index once.
#ifndef GPUSNEK_PROBE_H
#define GPUSNEK_PROBE_H

#include <string.h>

#include "changed.h"
#include "keys.h"
#include "py/obj.h"
#include "py/runtime.h"

// Returns the first slot of the probe sequence. The hash is folded to 32 bits, because a division of
// 64 bits is slow on a GPU.
static inline size_t gpusnek_first_slot(mp_uint_t hash, size_t slots) {
    return (uint32_t)(hash ^ (uint64_t)hash >> 32) % (uint32_t)slots;
}

// Returns the distance between successive slots of a probe sequence. Consecutive integers as keys
// fill adjacent slots, and with a distance of 1 a search would visit all of them. Eight steps of
// this distance advance by one slot modulo `slots`, which is odd, so they visit every slot (P1).
static inline size_t gpusnek_step(size_t slots) {
    return ((8 - slots % 8) * slots + 1) / 8;
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
