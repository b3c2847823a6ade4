// Lazy hashes of str and bytes objects. With the patch `texts` a new object has the hash 0 (not
// computed); py/runtime.c computes the hash at its first use and stores it by gpusnek_keep_hash().
#ifndef GPUSNEK_TEXTHASH_H
#define GPUSNEK_TEXTHASH_H

#include "py/mpstate.h"
#include "py/objstr.h"

// Stores the hash in a str or bytes object, unless the object is outside of the interpreter's heap:
// objects there are constant or shared.
static inline void gpusnek_keep_hash(mp_obj_t text, size_t hash) {
    mp_obj_str_t *const object = MP_OBJ_TO_PTR(text);
    const byte *const at = (const byte *)object;
    if (at >= MP_STATE_MEM(area).gc_pool_start && at < MP_STATE_MEM(area).gc_pool_end) {
        object->hash = hash;
    }
}

#endif
