// Hashes of keys, and quick rejection of keys, for the tables of dicts (maps.h) and sets
// (settable.c).
#ifndef GPUSNEK_KEYS_H
#define GPUSNEK_KEYS_H

#include "compare.h"
#include "py/obj.h"
#include "py/objstr.h"
#include "py/objtuple.h"

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

// gpusnek_differs(), not inlined: otherwise the functions of the tables would save more registers,
// which most calls do not need.
bool gpusnek_is_other(mp_obj_t key, mp_obj_t index, mp_uint_t hash);

// Returns the hash of a key, as mp_unary_op(). Raises TypeError; propagates exceptions of a
// program's __hash__.
mp_uint_t gpusnek_hash_key(mp_obj_t key);

// Returns the hash of an item of a tuple, with all 64 bits where the item is a tuple. Raises as
// gpusnek_hash_key().
mp_int_t gpusnek_item_hash(mp_obj_t item);

// Returns the hash of a tuple, with all 64 bits. Raises as gpusnek_hash_key().
mp_int_t gpusnek_hash_of_tuple(const mp_obj_tuple_t *tuple);

#endif
