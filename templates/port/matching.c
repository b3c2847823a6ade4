#include "matching.h"

#include <string.h>

#include "py/binary.h"
#include "py/objarray.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "unmarshal.h"

#define HEAD (5)

// Each of these compares `value` with what is at `at`; returns what is behind it, NULL where they
// differ. A type that the marshal format lacks differs from everything.
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

// Either side may be complex; each part is compared by itself.
static const byte *match_complex(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    gpusnek_number_t result[2];
    gpusnek_number_t expected[2];
    gpusnek_number_of_double(0, &result[1]);
    gpusnek_number_of_double(0, &expected[1]);
    if (mp_obj_is_type(value, &mp_type_complex)) {
        mp_float_t real;
        mp_float_t imaginary;
        mp_obj_complex_get(value, &real, &imaginary);
        gpusnek_number_of_double((double)real, &result[0]);
        gpusnek_number_of_double((double)imaginary, &result[1]);
    } else if (!gpusnek_number_of(value, &result[0])) {
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

static const byte *match_array(const mp_obj_array_t *array, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    const byte *code = at + HEAD + 1; // behind the tuple's head and the 'S'
    const byte *data = gpusnek_marshal_skip(code);
    const byte *end = gpusnek_marshal_skip(data);
    const char typecode = (char)code[HEAD];
    const size_t length = (size_t)(end - data) - HEAD;
    if (length != array->len * mp_binary_get_size('@', typecode, NULL)) {
        return NULL;
    }
    for (size_t i = 0; i < array->len; i++) {
        double aligned[1]; // of the expected item, which stands anywhere
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

// The value of the key at `at` among `map`; NULL where it has no such key.
static const mp_map_elem_t *find(const mp_map_t *map, const byte *at) {
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i) && match(map->table[i].key, at, NULL) != NULL) {
            return &map->table[i];
        }
    }
    return NULL;
}

static const byte *match_dict(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    const mp_map_t *map = mp_obj_dict_get_map(value);
    size_t count = 0;
    for (at++; *at != '0'; count++) {
        const mp_map_elem_t *found = find(map, at);
        at = found == NULL ? NULL : match(found->value, gpusnek_marshal_skip(at), tolerance);
        if (at == NULL) {
            return NULL;
        }
    }
    return count == map->used ? at + 1 : NULL;
}

// How many of a set's elements equal what is at `at`; *size becomes how many there are.
static size_t elements_like(mp_obj_t set, const byte *at, size_t *size) {
    mp_obj_iter_buf_t buffer;
    mp_obj_t iterator = mp_getiter(set, &buffer);
    size_t found = 0;
    *size = 0;
    for (mp_obj_t item; (item = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION; ++*size) {
        found += at != NULL && match(item, at, NULL) != NULL;
    }
    return found;
}

static const byte *match_set(mp_obj_t set, const byte *at) {
    const size_t count = (uint32_t)gpusnek_marshal_i32(at);
    size_t size;
    elements_like(set, NULL, &size);
    if (size != count) {
        return NULL;
    }
    at += HEAD;
    for (size_t i = 0; i < count; i++, at = gpusnek_marshal_skip(at)) {
        if (elements_like(set, at, &size) == 0) {
            return NULL;
        }
    }
    return at;
}

static const byte *match_text(mp_obj_t value, const byte *at) {
    mp_buffer_info_t buffer;
    if (*at == 'u' ? !mp_obj_is_str(value)
        : !mp_obj_is_type(value, &mp_type_bytes) && !mp_obj_is_type(value, &mp_type_bytearray)) {
        return NULL;
    }
    return mp_get_buffer(value, &buffer, MP_BUFFER_READ)
        ? match_bytes(buffer.buf, buffer.len, at) : NULL;
}

static bool is_tuple(mp_obj_t value) {
    return MP_OBJ_TYPE_GET_SLOT_OR_NULL(mp_obj_get_type(value), iter) == mp_obj_tuple_getiter;
}

// (StopIteration, ...): a bytearray or an array.
static const byte *match_special(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    if (gpusnek_marshal_i32(at) == 2) {
        return match_text(value, at + HEAD + 1);
    }
    return mp_obj_is_type(value, &mp_type_array)
        ? match_array(MP_OBJ_TO_PTR(value), at, tolerance) : NULL;
}

static const byte *match_tuple(mp_obj_t value, const byte *at,
    const gpusnek_tolerance_t *tolerance) {
    if (gpusnek_marshal_i32(at) > 0 && at[HEAD] == 'S') {
        return match_special(value, at, tolerance);
    }
    size_t count;
    mp_obj_t *items;
    if (!is_tuple(value)) {
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

// The walk is as deep as the expected value is, which the host bounds.
bool gpusnek_matches_at(mp_obj_t value, const byte *at, const gpusnek_tolerance_t *tolerance) {
    return match(value, at, tolerance) != NULL;
}
