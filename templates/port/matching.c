// Comparison of results with patterns: containers, texts and arrays (matching.h has the contract).
//
// Both values are walked in parallel. Dicts and sets are compared by the index of hashes that the
// pattern has: a row {hash, offset of the entry, number of entries with an equal key} per entry,
// sorted by hash.
#include "matching.h"

#include <string.h>

#include "marshal.h"
#include "py/binary.h"
#include "py/objarray.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "unmarshal.h"

#define HEAD (5) // bytes of a code and a 32-bit length or count

// The functions match...() compare `value` with the pattern at `at`. They return the end of the
// pattern, or NULL if the values differ. A type that the marshal format lacks equals nothing.
static const byte *match(mp_obj_t value, const byte *at, const gpusnek_tolerance_t *tolerance);

static const byte *match_number(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    gpusnek_number_t result;
    gpusnek_number_t expected;
    if (!gpusnek_number_of(value, &result) || !gpusnek_number_at(at, &expected)
        || !gpusnek_numbers_match(&result, &expected, tolerance)) {
        return NULL;
    }
    return gpusnek_marshal_skip(at);
}

// Compares two numbers of which at least one is complex, each part by itself.
static const byte *match_complex(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    gpusnek_number_t result[2];
    gpusnek_number_t expected[2];
    gpusnek_number_of_double(0, &expected[1]);
    if (!gpusnek_parts_of(value, result)) {
        return NULL;
    }
    if (*at == 'y') {
        double parts[2];
        memcpy(parts, at + 1, sizeof(parts));
        gpusnek_number_of_double((double)(mp_float_t)parts[0], &expected[0]);
        gpusnek_number_of_double((double)(mp_float_t)parts[1], &expected[1]);
    } else if (!gpusnek_number_at(at, &expected[0])) {
        return NULL;
    }
    const bool equal = gpusnek_numbers_match(&result[0], &expected[0], tolerance)
        && gpusnek_numbers_match(&result[1], &expected[1], tolerance);
    return equal ? gpusnek_marshal_skip(at) : NULL;
}

static const byte *match_bytes(const void *data, size_t length, const byte *at) {
    const size_t expected = (uint32_t)gpusnek_marshal_i32(at);
    if (length != expected || memcmp(data, at + HEAD, length) != 0) {
        return NULL;
    }
    return at + HEAD + length;
}

// Compares the items of a list or tuple.
static const byte *match_items(const mp_obj_t *items, size_t count, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    if (count != (uint32_t)gpusnek_marshal_i32(at)) {
        return NULL;
    }
    at += HEAD;
    for (size_t i = 0; i < count && at != NULL; i++) {
        at = match(items[i], at, tolerance);
    }
    return at;
}

// Compares an array with a pattern (StopIteration, typecode, bytes), item by item as numbers. The
// typecodes may differ.
static const byte *match_array(const mp_obj_array_t *array, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    const byte *code = at + HEAD + 1; // after the tuple's head and 'S' (StopIteration)
    const byte *data = gpusnek_marshal_skip(code);
    const byte *end = gpusnek_marshal_skip(data);
    const char typecode = (char)code[HEAD];
    const size_t length = (size_t)(end - data) - HEAD;
    if (length != array->len * mp_binary_get_size('@', typecode, NULL)) {
        return NULL;
    }
    for (size_t i = 0; i < array->len; i++) {
        double aligned[1]; // a copy of the expected item, whose address need not be aligned
        const size_t size = length / array->len;
        gpusnek_number_t result;
        gpusnek_number_t expected;
        memcpy(aligned, data + HEAD + i * size, size);
        if (!gpusnek_number_in((char)array->typecode, array->items, i, &result)
            || !gpusnek_number_in(typecode, aligned, 0, &expected)
            || !gpusnek_numbers_match(&result, &expected, tolerance)) {
            return NULL;
        }
    }
    return end;
}

// The pattern of a dict or set: the index of its keys, and its entries.
typedef struct _index_t {
    uint32_t count; // entries
    bool repeated; // whether the `like` of a row is not 0
    uint64_t units; // the size of all keys, in units of matching_keys.c
    uint64_t sum; // of the finished hashes of all keys, modulo 2**64
    const byte *rows; // {hash, offset, like}, sorted by hash
    const byte *entries;
    const byte *end;
} index_t;

// Offsets of the index's fields from the pattern's start, and of a row's fields, in bytes.
enum {
    INDEX_REPEATED = HEAD,
    INDEX_UNITS = INDEX_REPEATED + 1,
    INDEX_SUM = INDEX_UNITS + 8,
    INDEX_SIZE = INDEX_SUM + 8,
    INDEX_ROWS = INDEX_SIZE + 8,
    ROW_OFFSET = 8,
    ROW_LIKE = ROW_OFFSET + 4,
    ROW_BYTES = ROW_LIKE + 4,
};

static uint64_t get_u64(const byte *at) {
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint32_t get_u32(const byte *at) {
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

// Reads the index of a dict's or set's pattern.
static void read_index(const byte *at, index_t *index) {
    index->count = (uint32_t)gpusnek_marshal_i32(at);
    index->repeated = at[INDEX_REPEATED] != 0;
    index->units = get_u64(at + INDEX_UNITS);
    index->sum = get_u64(at + INDEX_SUM);
    index->rows = at + INDEX_ROWS;
    index->entries = index->rows + (size_t)index->count * ROW_BYTES;
    index->end = index->entries + get_u64(at + INDEX_SIZE);
}

static const byte *entry_of(const index_t *index, uint32_t row) {
    return index->entries + get_u32(index->rows + (size_t)row * ROW_BYTES + ROW_OFFSET);
}

static uint64_t hash_of(const index_t *index, uint32_t row) {
    return get_u64(index->rows + (size_t)row * ROW_BYTES);
}

// Returns the first row whose hash is not less than `hash`, by binary search.
static uint32_t first_row(const index_t *index, uint64_t hash) {
    uint32_t low = 0;
    uint32_t high = index->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (hash_of(index, middle) < hash) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Returns whether the pattern has an entry with this key, and with this value unless `value` is
// MP_OBJ_NULL. Subtracts the key's hash and size from the totals of `index`.
static bool in_index(index_t *index, mp_obj_t key, mp_obj_t value,
    const gpusnek_tolerance_t *tolerance) {
    uint64_t hash;
    if (!gpusnek_key_hash(key, &index->units, &hash)) {
        return false;
    }
    index->sum -= gpusnek_hash_mix(hash, GPUSNEK_HASH_FINISH);
    for (uint32_t row = first_row(index, hash); row < index->count; row++) {
        if (hash_of(index, row) != hash) {
            return false;
        }
        const byte *at = match(key, entry_of(index, row), NULL);
        if (at != NULL && (value == MP_OBJ_NULL || match(value, at, tolerance) != NULL)) {
            return true;
        }
    }
    return false;
}

// Returns how many entries of the result equal the pattern's entry `at` in key and value.
static uint32_t entries_like(const mp_map_t *map, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    uint32_t found = 0;
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i)) {
            const byte *value = match(map->table[i].key, at, NULL);
            found += value != NULL && match(map->table[i].value, value, tolerance) != NULL;
        }
    }
    return found;
}

// Compares the entries of keys that occur several times: NaNs, which match each other here. Both
// sides must have equally many entries of each value. With a tolerance matching is not transitive,
// so that entries cannot be counted: then each value needs a close value on the other side.
static bool repeated_match(const mp_map_t *map, const index_t *index,
    const gpusnek_tolerance_t *tolerance) {
    for (uint32_t row = 0; row < index->count; row++) {
        const uint32_t like = get_u32(index->rows + (size_t)row * ROW_BYTES + ROW_LIKE);
        if (like != 0) {
            const uint32_t found = entries_like(map, entry_of(index, row), tolerance);
            if (tolerance == NULL ? found != like : found == 0) {
                return false;
            }
        }
    }
    return true;
}

// Compares a dict with a pattern. If the keys differ from each other, the dict equals the pattern
// if it has equally many entries and each of these equals an entry of the pattern. Keys that can
// occur several times are NaNs and tuples of NaNs. If their multiplicities differ from the
// pattern's, the sum of the hashes differs.
static const byte *match_dict(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    const mp_map_t *map = mp_obj_dict_get_map(value);
    index_t index;
    read_index(at, &index);
    if (map->used != index.count) {
        return NULL;
    }
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i)
            && !in_index(&index, map->table[i].key, map->table[i].value, tolerance)) {
            return NULL;
        }
    }
    if (index.sum != 0 || (index.repeated && !repeated_match(map, &index, tolerance))) {
        return NULL;
    }
    return index.end;
}

// Compares a set or frozenset with a pattern, as match_dict().
static const byte *match_set(mp_obj_t set, const byte *at) {
    index_t index;
    read_index(at, &index);
    mp_obj_iter_buf_t buffer;
    mp_obj_t iterator = mp_getiter(set, &buffer);
    uint32_t size = 0;
    for (mp_obj_t item; (item = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION; size++) {
        if (size == index.count || !in_index(&index, item, MP_OBJ_NULL, NULL)) {
            return NULL;
        }
    }
    return size == index.count && index.sum == 0 ? index.end : NULL;
}

// Compares a str with a str, or a bytes or bytearray with bytes.
static const byte *match_text(mp_obj_t value, const byte *at) {
    mp_buffer_info_t buffer;
    if (*at == 'u' ? !mp_obj_is_str(value)
        : !mp_obj_is_type(value, &mp_type_bytes) && !mp_obj_is_type(value, &mp_type_bytearray)) {
        return NULL;
    }
    return mp_get_buffer(value, &buffer, MP_BUFFER_READ)
        ? match_bytes(buffer.buf, buffer.len, at) : NULL;
}

bool gpusnek_is_tuple(mp_obj_t value) {
    return MP_OBJ_TYPE_GET_SLOT_OR_NULL(mp_obj_get_type(value), iter) == mp_obj_tuple_getiter;
}

// Compares with a pattern that begins with StopIteration: a bytearray or an array (marshal.h).
static const byte *match_special(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    if (gpusnek_marshal_i32(at) == 2) {
        return match_text(value, at + HEAD + 1);
    }
    return mp_obj_is_type(value, &mp_type_array)
        ? match_array(MP_OBJ_TO_PTR(value), at, tolerance) : NULL;
}

// Compares with a pattern of a tuple, or of an extension of marshal.h.
static const byte *match_tuple(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    if (gpusnek_marshal_i32(at) > 0 && at[HEAD] == 'S') {
        return match_special(value, at, tolerance);
    }
    size_t count;
    mp_obj_t *items;
    if (!gpusnek_is_tuple(value)) {
        return NULL;
    }
    mp_obj_tuple_get(value, &count, &items);
    return match_items(items, count, at, tolerance);
}

static const byte *match_list(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    size_t count;
    mp_obj_t *items;
    if (!mp_obj_is_type(value, &mp_type_list)) {
        return NULL;
    }
    mp_obj_list_get(value, &count, &items);
    return match_items(items, count, at, tolerance);
}

static const byte *match(mp_obj_t value, const byte *at, const gpusnek_tolerance_t *tolerance) {
    value = gpusnek_native_part(value);
    switch (*at) {
        case 'N':
            return value == mp_const_none ? at + 1 : NULL;
        case '.':
            return value == MP_OBJ_FROM_PTR(&mp_const_ellipsis_obj) ? at + 1 : NULL;
        case 'u':
        case 's':
            return match_text(value, at);
        case '(':
            return match_tuple(value, at, tolerance);
        case '[':
            return match_list(value, at, tolerance);
        case '{':
            return mp_obj_is_dict_or_ordereddict(value) ? match_dict(value, at, tolerance) : NULL;
        case '<':
        case '>':
            return mp_obj_is_type(value, &mp_type_set) || mp_obj_is_type(value, &mp_type_frozenset)
                ? match_set(value, at) : NULL;
        case 'y':
            return match_complex(value, at, tolerance);
        default:
            return mp_obj_is_type(value, &mp_type_complex)
                ? match_complex(value, at, tolerance) : match_number(value, at, tolerance);
    }
}

// The recursion is as deep as the pattern is nested, which the host bounds.
bool gpusnek_matches_at(mp_obj_t value, const byte *at, const gpusnek_tolerance_t *tolerance) {
    return match(value, at, tolerance) != NULL;
}
