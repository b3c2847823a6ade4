// The hash of a text, computed when it is first asked for, for py/runtime.c (patch `text-hash`).
#ifndef GPUSNEK_TEXTHASH_H
#define GPUSNEK_TEXTHASH_H

#include "py/mpstate.h"
#include "py/objstr.h"

// Keeps the hash of a str or bytes object, but of one that is a constant or another's.
static inline void gpusnek_keep_hash(mp_obj_t text, size_t hash) {
    mp_obj_str_t *const object = MP_OBJ_TO_PTR(text);
    const byte *const at = (const byte *)object;
    if (at >= MP_STATE_MEM(area).gc_pool_start && at < MP_STATE_MEM(area).gc_pool_end) {
        object->hash = hash;
    }
}

#endif
