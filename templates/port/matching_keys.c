// Hashes of the keys of a result, for the lookup in a pattern's index. They equal the hashes that
// porter/evaluation/patterns.py computes for expected keys.
//
// Problem: a program determines the size of its keys. A tuple that contains another tuple many
// times, over several levels, has exponentially many leaves.
//
// Mechanism: each key has a size in units, about one per object and per 8 bytes of text or digits.
// Equal keys have equal sizes, so the keys of a matching result take exactly the units that the
// pattern states. The first key that exceeds the remaining units ends the comparison.
#include <string.h>

#include "marshal.h"
#include "matching.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"

#define WORD_BYTES (8)

// Levels of nested keys. Patterns have fewer; this bounds the recursion on the C stack.
#define MAX_DEPTH (64)

// Computes the hash of a key at a nesting depth, subtracts its size from *units, and returns false
// if the comparison must end. The functions below do so for one type each.
static bool hash_at(mp_obj_t key, uint32_t depth, uint64_t *units, uint64_t *hash);

static uint64_t begin(int tag) {
    return gpusnek_hash_mix(0, (uint64_t)tag);
}

// Hashes a text or bytes, one unit and one more per 8 bytes.
static bool hash_bytes(int tag, const void *bytes, size_t length, uint64_t *units,
    uint64_t *hash) {
    const uint64_t count = length / WORD_BYTES + (length % WORD_BYTES != 0);
    if (count >= *units) {
        return false;
    }
    *units -= 1 + count;
    uint64_t state = begin(tag);
    for (size_t at = 0; at < length; at += WORD_BYTES) {
        uint64_t word = 0;
        memcpy(&word, (const byte *)bytes + at,
            length - at < WORD_BYTES ? length - at : WORD_BYTES);
        state = gpusnek_hash_mix(state, word);
    }
    *hash = gpusnek_hash_mix(state, length);
    return true;
}

static bool hash_tuple(mp_obj_t key, uint32_t depth, uint64_t *units, uint64_t *hash) {
    size_t count;
    mp_obj_t *items;
    mp_obj_tuple_get(key, &count, &items);
    uint64_t state = gpusnek_hash_mix(begin(GPUSNEK_HASH_TUPLE), count);
    for (size_t i = 0; i < count; i++) {
        uint64_t item;
        if (!hash_at(items[i], depth, units, &item)) {
            return false;
        }
        state = gpusnek_hash_mix(state, item);
    }
    *hash = state;
    return true;
}

// Hashes a frozenset independently of the order of its items: sums their finished hashes.
static bool hash_set(mp_obj_t key, uint32_t depth, uint64_t *units, uint64_t *hash) {
    mp_obj_iter_buf_t buffer;
    mp_obj_t iterator = mp_getiter(key, &buffer);
    uint64_t count = 0;
    uint64_t sum = 0;
    for (mp_obj_t item; (item = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION; count++) {
        uint64_t word;
        if (!hash_at(item, depth, units, &word)) {
            return false;
        }
        sum += gpusnek_hash_mix(word, GPUSNEK_HASH_FINISH);
    }
    *hash = gpusnek_hash_mix(gpusnek_hash_mix(begin(GPUSNEK_HASH_SET), count), sum);
    return true;
}

static bool hash_number(mp_obj_t key, uint64_t *units, uint64_t *hash) {
    gpusnek_number_t parts[2];
    return gpusnek_parts_of(key, parts) && gpusnek_complex_hash(parts, units, hash);
}

static bool hash_at(mp_obj_t key, uint32_t depth, uint64_t *units, uint64_t *hash) {
    if (depth == MAX_DEPTH || *units == 0) {
        return false;
    }
    key = gpusnek_native_part(key);
    if (mp_obj_is_str(key) || mp_obj_is_type(key, &mp_type_bytes)) {
        size_t length;
        const char *bytes = mp_obj_str_get_data(key, &length);
        const int tag = mp_obj_is_str(key) ? GPUSNEK_HASH_TEXT : GPUSNEK_HASH_BYTES;
        return hash_bytes(tag, bytes, length, units, hash);
    }
    if (gpusnek_is_tuple(key)) {
        --*units;
        return hash_tuple(key, depth + 1, units, hash);
    }
    if (mp_obj_is_type(key, &mp_type_frozenset)) {
        --*units;
        return hash_set(key, depth + 1, units, hash);
    }
    if (key == mp_const_none || key == MP_OBJ_FROM_PTR(&mp_const_ellipsis_obj)) {
        --*units;
        *hash = begin(key == mp_const_none ? GPUSNEK_HASH_NONE : GPUSNEK_HASH_ELLIPSIS);
        return true;
    }
    return hash_number(key, units, hash);
}

bool gpusnek_key_hash(mp_obj_t key, uint64_t *units, uint64_t *hash) {
    return hash_at(key, 0, units, hash);
}
