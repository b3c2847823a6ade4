// Slices with a step, and item deletion, of built-in sequences. The patch `builtin-types` calls
// gpusnek_subscript() from mp_obj_subscr() before the type's own function.
//
// Invariant S1: nothing runs Python code after the length of the sequence was read, because that
// code can change the sequence. The patch `changed-containers` has converted the index or the
// numbers of the slice. The items of a new part are read before the length.
#include <string.h>

#include "py/binary.h"
#include "py/objarray.h"
#include "py/objint.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "py/unicode.h"
#include "slices.h"
#include "metaclasses.h"
#include "types.h"

// A bound beyond this value has the meaning of this value: no sequence is as long.
#define FARTHEST ((mp_int_t)1 << 45)

// The items of a slice of a sequence.
typedef struct {
    mp_int_t start; // index of the first item
    mp_int_t step;
    size_t count; // number of items
} slice_t;

// Returns whether upstream's code can read this number of a slice.
static bool is_plain(mp_obj_t number) {
    return number == mp_const_none
        || (mp_obj_is_small_int(number) && MP_OBJ_SMALL_INT_VALUE(number) <= FARTHEST
            && MP_OBJ_SMALL_INT_VALUE(number) >= -FARTHEST);
}

// Returns a number of a slice, at most FARTHEST from 0. Raises TypeError.
static mp_int_t read_number(mp_obj_t number) {
    if (mp_obj_is_exact_type(number, &mp_type_int)) { // a big int
        return mp_obj_int_sign(number) < 0 ? -FARTHEST : FARTHEST;
    }
    const mp_int_t value = mp_obj_get_int(number);
    return value > FARTHEST ? FARTHEST : value < -FARTHEST ? -FARTHEST : value;
}

// Returns a slice object with the same numbers, each None or a small int that upstream can read.
// Raises TypeError, and ValueError for a step of 0.
static mp_obj_t plain_slice(mp_obj_t object) {
    const mp_obj_slice_t *const slice = MP_OBJ_TO_PTR(object);
    mp_obj_t parts[] = {slice->start, slice->stop, slice->step};
    bool same = true;
    for (size_t i = 0; i < 3; i++) {
        if (!is_plain(parts[i])) {
            parts[i] = MP_OBJ_NEW_SMALL_INT(read_number(parts[i]));
            same = false;
        }
    }
    if (parts[2] == MP_OBJ_NEW_SMALL_INT(0)) {
        mp_raise_ValueError(MP_ERROR_TEXT("slice step cannot be zero"));
    }
    return same ? object : mp_obj_new_slice(parts[0], parts[1], parts[2]);
}

// Returns the items that a plain slice has of a sequence of this length. Upstream resolves the
// bounds, in a unit of its own: the rule `quantities` makes sums unsigned from which a size is
// computed, and a bound may be negative.
static slice_t resolve(mp_obj_t slice, size_t length) {
    mp_bound_slice_t bounds;
    mp_obj_slice_indices(slice, (mp_int_t)length, &bounds);
    const mp_int_t distance =
        bounds.step < 0 ? bounds.start - bounds.stop : bounds.stop - bounds.start;
    const mp_int_t step = bounds.step < 0 ? -bounds.step : bounds.step;
    const slice_t items = {bounds.start, bounds.step,
        distance > 0 ? (size_t)((distance - 1) / step + 1) : 0};
    return items;
}

static void copy_objects(mp_obj_t *to, const mp_obj_t *from, const slice_t *slice) {
    mp_int_t at = slice->start;
    for (size_t i = 0; i < slice->count; i++, at += slice->step) {
        to[i] = from[at];
    }
}

// Copies items of `size` bytes: a power of two, at most 8.
static void copy_items(byte *to, const byte *from, const slice_t *slice, size_t size) {
    mp_int_t at = slice->start;
    for (size_t i = 0; i < slice->count; i++, at += slice->step) {
        memcpy(to + i * size, from + at * (mp_int_t)size, size);
    }
}

// Moves the items between removed items, and those behind the last one, to the front. Returns the
// new length.
static size_t remove_items(byte *items, size_t length, slice_t slice, size_t size) {
    if (slice.count == 0) {
        return length;
    }
    if (slice.step < 0) {
        slice.step = -slice.step;
        slice.start -= (mp_int_t)(slice.count - 1) * slice.step;
    }
    byte *to = items + (size_t)slice.start * size;
    for (size_t i = 0; i < slice.count; i++) {
        const size_t removed = (size_t)slice.start + i * (size_t)slice.step;
        const size_t kept =
            i + 1 == slice.count ? length - 1 - removed : (size_t)slice.step - 1;
        memmove(to, items + (removed + 1) * size, kept * size);
        to += kept * size;
    }
    return length - slice.count;
}

static _Noreturn void raise_size(size_t given, size_t wanted) {
    mp_raise_msg_varg(&mp_type_ValueError,
        MP_ERROR_TEXT("attempt to assign sequence of size %d to extended slice of size %d"),
        (int)given, (int)wanted);
}

static mp_obj_t text_slice(mp_obj_t base, mp_obj_t index) {
    size_t size;
    const char *const text = mp_obj_str_get_data(base, &size);
    const size_t length = utf8_charlen((const byte *)text, size);
    const slice_t slice = resolve(index, length);
    vstr_t result;
    vstr_init(&result, slice.count + 1);
    if (length == size) { // one byte per character
        copy_items((byte *)result.buf, (const byte *)text, &slice, 1);
        result.len = slice.count;
        return mp_obj_new_str_from_vstr(&result);
    }
    const byte *at = (const byte *)text;
    mp_int_t position = 0, wanted = slice.start;
    for (size_t i = 0; i < slice.count; i++, wanted += slice.step) {
        for (; position < wanted; position++) {
            at = utf8_next_char(at);
        }
        for (; position > wanted; position--) {
            do {
                at--;
            } while (UTF8_IS_CONT(*at));
        }
        vstr_add_strn(&result, (const char *)at, (size_t)(utf8_next_char(at) - at));
    }
    return mp_obj_new_str_from_vstr(&result);
}

static mp_obj_t bytes_slice(mp_obj_t base, mp_obj_t index) {
    size_t size;
    const byte *const data = (const byte *)mp_obj_str_get_data(base, &size);
    const slice_t slice = resolve(index, size);
    vstr_t result;
    vstr_init_len(&result, slice.count);
    copy_items((byte *)result.buf, data, &slice, 1);
    return mp_obj_new_bytes_from_vstr(&result);
}

static mp_obj_t tuple_slice(mp_obj_t base, mp_obj_t index) {
    size_t length;
    mp_obj_t *items;
    mp_obj_tuple_get(base, &length, &items);
    const slice_t slice = resolve(index, length);
    const mp_obj_t result = mp_obj_new_tuple(slice.count, NULL);
    if (slice.count > 0) { // the empty tuple is constant
        copy_objects(((mp_obj_tuple_t *)MP_OBJ_TO_PTR(result))->items, items, &slice);
    }
    return result;
}

static mp_obj_t list_of(mp_obj_t iterable) {
    return MP_OBJ_TYPE_GET_SLOT(&mp_type_list, make_new)(&mp_type_list, 1, 0, &iterable);
}

// Performs an operation with a step on a list. `value`: as for mp_obj_subscr().
static mp_obj_t list_slice(mp_obj_t base, mp_obj_t index, mp_obj_t value) {
    mp_obj_list_t *const list = MP_OBJ_TO_PTR(base);
    size_t given = 0;
    mp_obj_t *parts = NULL;
    if (value != MP_OBJ_NULL && value != MP_OBJ_SENTINEL) {
        value = list_of(value);
        mp_obj_list_get(value, &given, &parts);
    }
    const slice_t slice = resolve(index, list->len); // S1
    if (value == MP_OBJ_SENTINEL) {
        mp_obj_list_t *const result = MP_OBJ_TO_PTR(mp_obj_new_list(slice.count, NULL));
        copy_objects(result->items, list->items, &slice);
        return MP_OBJ_FROM_PTR(result);
    }
    if (value == MP_OBJ_NULL) {
        const size_t left =
            remove_items((byte *)list->items, list->len, slice, sizeof(mp_obj_t));
        mp_seq_clear(list->items, left, list->len, sizeof(mp_obj_t));
        list->len = left;
        return mp_const_none;
    }
    if (given != slice.count) {
        raise_size(given, slice.count);
    }
    mp_int_t at = slice.start;
    for (size_t i = 0; i < given; i++, at += slice.step) {
        list->items[at] = parts[i];
    }
    return mp_const_none;
}

// Returns the bytes that replace a part of a bytearray or array: the value itself if it has a
// buffer, else a bytes object of its items. Raises TypeError.
static mp_obj_t part_of(const mp_obj_array_t *array, mp_obj_t value) {
    const mp_obj_type_t *const type = mp_obj_get_type(value);
    if (array->base.type == &mp_type_array) {
        if (type != &mp_type_array) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("can only assign array (not \"%s\") to array slice"),
                mp_obj_get_type_str(value));
        }
        if (((const mp_obj_array_t *)MP_OBJ_TO_PTR(value))->typecode != array->typecode) {
            mp_raise_TypeError(MP_ERROR_TEXT("bad argument type for built-in operation"));
        }
    } else if (type == &mp_type_bytes || type == &mp_type_bytearray || type == &mp_type_memoryview) {
        return value;
    } else if (mp_obj_is_int(value) || type == &mp_type_str) {
        mp_raise_TypeError(MP_ERROR_TEXT("can assign only bytes, buffers, or iterables of ints in range(0, 256)"));
    } else {
        value = MP_OBJ_TYPE_GET_SLOT(&mp_type_bytes, make_new)(&mp_type_bytes, 1, 0, &value);
    }
    return value;
}

// Removes items from a bytearray or array.
static void array_remove(mp_obj_array_t *array, slice_t slice) {
    const size_t size = mp_binary_get_size('@', array->typecode, NULL);
    const size_t left = remove_items(array->items, array->len, slice, size);
    mp_seq_clear(array->items, left, array->len, size);
    array->free += array->len - left;
    array->len = left;
}

// Performs an operation with a step on a bytearray or array. `value`: as for mp_obj_subscr().
static mp_obj_t array_slice(mp_obj_t base, mp_obj_t index, mp_obj_t value) {
    mp_obj_array_t *const array = MP_OBJ_TO_PTR(base);
    const size_t size = mp_binary_get_size('@', array->typecode, NULL);
    if (value == MP_OBJ_NULL) {
        array_remove(array, resolve(index, array->len));
        return mp_const_none;
    }
    if (value == MP_OBJ_SENTINEL) {
        const slice_t slice = resolve(index, array->len);
        if (array->base.type == &mp_type_bytearray) {
            byte *const items = m_new(byte, slice.count);
            copy_items(items, array->items, &slice, 1);
            return mp_obj_new_bytearray_by_ref(slice.count, items);
        }
        mp_obj_array_t *const result = m_new_obj(mp_obj_array_t);
        *result = *array;
        result->items = m_new(byte, slice.count * size);
        result->len = slice.count;
        result->free = 0;
        copy_items(result->items, array->items, &slice, size);
        return MP_OBJ_FROM_PTR(result);
    }
    value = part_of(array, value);
    if (value == base) { // its items are overwritten
        const mp_obj_t all = mp_obj_new_slice(mp_const_none, mp_const_none, mp_const_none);
        value = array_slice(base, all, MP_OBJ_SENTINEL);
    }
    mp_buffer_info_t part;
    mp_get_buffer_raise(value, &part, MP_BUFFER_READ);
    const size_t given = part.len / size;
    const slice_t slice = resolve(index, array->len); // S1
    if (given == 0) { // as CPython, unlike a list
        array_remove(array, slice);
        return mp_const_none;
    }
    if (given != slice.count) {
        raise_size(given, slice.count);
    }
    mp_int_t at = slice.start;
    for (size_t i = 0; i < given; i++, at += slice.step) {
        memcpy((byte *)array->items + at * (mp_int_t)size, (const byte *)part.buf + i * size, size);
    }
    return mp_const_none;
}

static bool is_array(const mp_obj_type_t *type) {
    return type == &mp_type_bytearray || type == &mp_type_array;
}

mp_obj_t gpusnek_subscript(mp_obj_t base, mp_obj_t *index, mp_obj_t *value) {
    const mp_obj_type_t *const type = mp_obj_get_type(base);
    if (type == &mp_type_type) {
        #if GPUSNEK_PATCH_CLASSES
        if (gpusnek_has_metaclass(base)) {
            const mp_obj_t result = gpusnek_metaclass_subscript(base, *index, *value);
            if (result != MP_OBJ_NULL) {
                return result;
            }
        }
        #endif
        return *value == MP_OBJ_SENTINEL ? gpusnek_type_subscript(base, *index) : MP_OBJ_NULL;
    }
    if (!mp_obj_is_type(*index, &mp_type_slice)) {
        if (*value == MP_OBJ_NULL && is_array(type)) {
            const size_t length = ((const mp_obj_array_t *)MP_OBJ_TO_PTR(base))->len;
            const mp_int_t at = (mp_int_t)mp_get_index(type, length, *index, false);
            const slice_t item = {at, 1, 1};
            array_remove(MP_OBJ_TO_PTR(base), item);
            return mp_const_none;
        }
        return MP_OBJ_NULL;
    }
    const bool loads = *value == MP_OBJ_SENTINEL;
    const bool is_tuple = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, subscr) == mp_obj_tuple_subscr;
    const bool constant = type == &mp_type_str || type == &mp_type_bytes || is_tuple;
    if (!(constant && loads) && type != &mp_type_list && !is_array(type)) {
        return MP_OBJ_NULL; // another type, or an error that upstream raises
    }
    const mp_obj_slice_t *const object = MP_OBJ_TO_PTR(*index);
    const bool adjacent =
        object->step == mp_const_none || object->step == MP_OBJ_NEW_SMALL_INT(1);
    const bool plain = is_plain(object->start) && is_plain(object->stop);
    if (adjacent && plain && loads) {
        return MP_OBJ_NULL;
    }
    *index = plain_slice(*index);
    if (adjacent || ((const mp_obj_slice_t *)MP_OBJ_TO_PTR(*index))->step == MP_OBJ_NEW_SMALL_INT(1)) {
        if (is_array(type) && *value == MP_OBJ_NULL) {
            array_remove(MP_OBJ_TO_PTR(base), resolve(*index, ((const mp_obj_array_t *)MP_OBJ_TO_PTR(base))->len));
            return mp_const_none;
        }
        if (is_array(type) && !loads) {
            *value = part_of(MP_OBJ_TO_PTR(base), *value);
        } else if (type == &mp_type_list && !loads && *value != MP_OBJ_NULL
            && (*value == base || !mp_obj_is_exact_type(*value, &mp_type_list))) {
            *value = list_of(*value);
        }
        return MP_OBJ_NULL;
    }
    if (type == &mp_type_list) {
        return list_slice(base, *index, *value);
    }
    if (is_array(type)) {
        return array_slice(base, *index, *value);
    }
    return is_tuple ? tuple_slice(base, *index)
                    : type == &mp_type_str ? text_slice(base, *index) : bytes_slice(base, *index);
}

mp_obj_t gpusnek_repeat_list(mp_obj_t list, mp_obj_t times) {
    mp_int_t count;
    if (!mp_obj_get_int_maybe(times, &count)) {
        return MP_OBJ_NULL;
    }
    const mp_obj_list_t *const product
        = MP_OBJ_TO_PTR(mp_binary_op(MP_BINARY_OP_MULTIPLY, list, mp_obj_new_int(count)));
    mp_obj_list_t *const self = MP_OBJ_TO_PTR(list);
    self->items = product->items;
    self->alloc = product->alloc;
    self->len = product->len;
    return list;
}

mp_obj_t gpusnek_slice_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    if (op > MP_BINARY_OP_MORE_EQUAL || !gpusnek_is_slice(right)) {
        return MP_OBJ_NULL;
    }
    const mp_obj_slice_t *const a = MP_OBJ_TO_PTR(left), *const b = MP_OBJ_TO_PTR(right);
    const mp_obj_t parts[2][3] = {{a->start, a->stop, a->step}, {b->start, b->stop, b->step}};
    return mp_obj_new_bool(mp_seq_cmp_objs(op, parts[0], 3, parts[1], 3));
}

bool gpusnek_changes_in_place(mp_obj_t object) {
    const mp_obj_type_t *const type = mp_obj_get_type(object);
    return type == &mp_type_list || type == &mp_type_dict || type == &mp_type_ordereddict
        || type == &mp_type_set || type == &mp_type_bytearray || type == &mp_type_array
        #if GPUSNEK_PATCH_DEQUE
        || type == &mp_type_deque
        #endif
        ;
}
