// Hashes of keys (keys.h).
#include "keys.h"
#include "classes.h"
#include "py/cstack.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "tuplehash.h"

#define NONE_HASH (0xfca86420) // CPython's since 3.12

bool gpusnek_is_other(mp_obj_t key, mp_obj_t index, mp_uint_t hash) {
    return gpusnek_differs(key, index, hash);
}

// Sets *hash to the hash of a small int, a qstr, or a str whose hash was computed before. Returns
// false for other objects.
static bool kept_hash(mp_obj_t o, mp_uint_t *hash) {
    if (mp_obj_is_small_int(o)) {
        *hash = (mp_uint_t)gpusnek_hash_not_error(MP_OBJ_SMALL_INT_VALUE(o));
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

// Returns whether the object is a tuple or of a type with the same layout, as a named tuple.
static inline bool is_tuple(mp_obj_t o) {
    return mp_obj_is_obj(o)
        && MP_OBJ_TYPE_GET_SLOT_OR_NULL(mp_obj_get_type(o), iter) == mp_obj_tuple_getiter;
}

// Returns a hash that fits a small int: its low bits.
static inline mp_int_t small_hash(mp_int_t hash) {
    return MP_OBJ_SMALL_INT_VALUE(MP_OBJ_NEW_SMALL_INT(hash));
}

// The stack check ends the recursion of nested tuples.
mp_int_t gpusnek_hash_of_tuple(const mp_obj_tuple_t *tuple) {
    uint64_t hash = GPUSNEK_TUPLE_HASH_START;
    mp_cstack_check();
    for (size_t i = 0; i < tuple->len; i++) {
        hash = gpusnek_tuple_hash(hash, gpusnek_item_hash(tuple->items[i]));
    }
    return gpusnek_tuple_hash_end(hash, tuple->len);
}

// Returns whether the instances of a class that derives from tuple have the hash of their tuple. A
// class that replaces it may still call tuple.__hash__, once per level of nested instances.
static bool keeps_hash(const mp_obj_type_t *type) {
    #if GPUSNEK_PATCH_CLASSES
    gpusnek_mro_t mro = {NULL, 0};
    while (type != NULL && mp_obj_is_instance_type(type)) {
        if (mp_map_lookup(&MP_OBJ_TYPE_GET_SLOT(type, locals_dict)->map,
                MP_OBJ_NEW_QSTR(MP_QSTR___hash__), MP_MAP_LOOKUP) != NULL) {
            return false;
        }
        type = gpusnek_next_class(&mro, type);
    }
    #endif
    return type != NULL && !mp_obj_is_instance_type(type);
}

// Equal items have equal hashes: a tuple, a named tuple, and an instance of a class that derives
// from tuple and does not replace the hash. A nested tuple contributes all bits of its hash, of
// which a small int has the lower ones.
mp_int_t gpusnek_item_hash(mp_obj_t item) {
    if (is_tuple(item)) {
        return gpusnek_hash_of_tuple(MP_OBJ_TO_PTR(item));
    }
    const mp_obj_type_t *const type = mp_obj_get_type(item);
    if (mp_obj_is_instance_type(type) && keeps_hash(type)) {
        const mp_obj_t native =
            mp_obj_cast_to_native_base(item, MP_OBJ_FROM_PTR(&mp_type_tuple));
        if (native != MP_OBJ_NULL) {
            return gpusnek_hash_of_tuple(MP_OBJ_TO_PTR(native));
        }
    }
    return (mp_int_t)gpusnek_hash_key(item);
}

// Sets *hash to the hash of a short tuple of objects of kept_hash(). Returns false for other tuples.
static bool hash_of_short(const mp_obj_tuple_t *tuple, mp_int_t *hash) {
    uint64_t so_far = GPUSNEK_TUPLE_HASH_START;
    mp_uint_t item;
    size_t i = 0;
    while (i < tuple->len && kept_hash(tuple->items[i], &item)) {
        so_far = gpusnek_tuple_hash(so_far, (mp_int_t)item);
        ++i;
    }
    *hash = gpusnek_tuple_hash_end(so_far, tuple->len);
    return i == tuple->len;
}

// Longer and nested tuples take mp_unary_op(): the loop of gpusnek_hash_of_tuple() must poll, which
// callees of the collector must not (porter/rewrite/poll_sites.py). The collector calls this
// function, for keys that are no tuples.
mp_uint_t gpusnek_hash_key(mp_obj_t key) {
    mp_uint_t kept;
    mp_int_t hash;
    if (kept_hash(key, &kept)) {
        return kept;
    }
    if (gpusnek_is_short_tuple(key) && hash_of_short(MP_OBJ_TO_PTR(key), &hash)) {
        return (mp_uint_t)small_hash(hash);
    }
    if (key == mp_const_none) {
        return NONE_HASH;
    }
    if (mp_obj_is_exact_type(key, &mp_type_slice)) {
        return 1; // a slice is a key, and equals itself only
    }
    return (mp_uint_t)gpusnek_hash_not_error(
        MP_OBJ_SMALL_INT_VALUE(mp_unary_op(MP_UNARY_OP_HASH, key)));
}
