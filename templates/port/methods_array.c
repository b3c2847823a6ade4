// Methods and operators of array.array, and methods of memoryview, that upstream lacks, with CPython's
// messages. The patch `array-memory` calls the operators.
//
// Invariant A1: items of typecode `O`, and values that a program passes, may call the program when
// they are compared or converted. Code reads the length of an array again after that.
#include <string.h>

#include "arrays.h"
#include "buffers.h"
#include "changed.h"
#include "checkself.h"
#include "messages.h"
#include "methods.h"
#include "py/binary.h"
#include "py/objarray.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"

static mp_obj_array_t *self_of(mp_obj_t object) {
    gpusnek_check_self(object, &mp_type_array);
    return MP_OBJ_TO_PTR(object);
}

static size_t size_of(const mp_obj_array_t *array) {
    return mp_binary_get_size('@', array->typecode, NULL);
}

static mp_obj_t item_at(const mp_obj_array_t *array, size_t index) {
    return mp_binary_get_val_array(array->typecode, array->items, index);
}

// Return whether the items are addresses, which must not come from bytes.
static bool has_addresses(char typecode) {
    return typecode == 'O' || typecode == 'P' || typecode == 'S';
}

static mp_obj_array_t *new_array(const mp_obj_type_t *type, char typecode, size_t length) {
    const size_t size = mp_binary_get_size('@', typecode, NULL);
    byte *const items = m_new(byte, size * length);
    mp_obj_array_t *const array = mp_obj_malloc(mp_obj_array_t, type);
    array->typecode = typecode;
    array->free = 0;
    array->len = length;
    array->items = items;
    return array;
}

void gpusnek_print_bytearray(const mp_print_t *print, const byte *data, size_t size, bool bytes) {
    const bool single = memchr(data, '\'', size) != NULL;
    if (!single || memchr(data, '"', size) != NULL) {
        mp_str_print_quoted(print, data, size, bytes);
        return;
    }
    mp_print_str(print, "\"");
    for (size_t i = 0; i < size; i++) {
        const byte c = data[i];
        const char *const escape = c == '\'' ? "\\'" : c == '\\' ? "\\\\" : c == '\n' ? "\\n"
            : c == '\r' ? "\\r" : c == '\t' ? "\\t" : NULL;
        if (escape != NULL) {
            mp_print_str(print, escape);
        } else {
            mp_printf(print, c >= 0x20 && c < 0x7f ? "%c" : "\\x%02x", c);
        }
    }
    mp_print_str(print, "\"");
}

static mp_obj_t copy_of(mp_obj_t self_in) {
    const mp_obj_array_t *const self = self_of(self_in);
    mp_obj_array_t *const copy = new_array(&mp_type_array, self->typecode, self->len);
    memcpy(copy->items, self->items, self->len * size_of(self));
    return MP_OBJ_FROM_PTR(copy);
}
static MP_DEFINE_CONST_FUN_OBJ_1(copy_of_obj, copy_of);

static mp_obj_t deep_copy_of(mp_obj_t self, mp_obj_t memo) {
    return copy_of(self);
}
static MP_DEFINE_CONST_FUN_OBJ_2(deep_copy_of_obj, deep_copy_of);

// Append items that are in memory, which may be the array's own.
static void append_items(mp_obj_array_t *self, const void *items, size_t count) {
    const size_t size = size_of(self);
    if (count > self->free) {
        byte *const longer = m_new(byte, (self->len + count) * size);
        memcpy(longer, self->items, self->len * size);
        self->items = longer; // the old memory may be in use
        self->free = count;
    }
    memcpy((byte *)self->items + self->len * size, items, count * size);
    self->len += count;
    self->free -= count;
}

static bool is_count(mp_obj_t times) {
    return mp_obj_is_int(times) || mp_obj_is_bool(times);
}

static mp_obj_t repeated(const mp_obj_array_t *self, mp_obj_t times_in) {
    const mp_int_t times = mp_obj_get_int(times_in);
    const size_t count = times < 0 || self->len == 0 ? 0 : (size_t)times;
    const size_t size = size_of(self) * self->len;
    if (count > 0 && size > SIZE_MAX / 2 / count) {
        m_malloc_fail(SIZE_MAX);
    }
    mp_obj_array_t *const result = new_array(self->base.type, self->typecode, self->len * count);
    mp_seq_multiply(self->items, size_of(self), self->len, count, result->items);
    return MP_OBJ_FROM_PTR(result);
}

// Return the position of the first item that equals `value`, or SIZE_MAX if no item does.
static size_t find(const mp_obj_array_t *self, mp_obj_t value, size_t start, size_t end) {
    for (size_t i = start; i < end && i < self->len; i++) {
        if (mp_obj_equal(item_at(self, i), value)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static bool compare(mp_binary_op_t op, const mp_obj_array_t *left, const mp_obj_array_t *right) {
    if (op == MP_BINARY_OP_EQUAL && left->len != right->len) {
        return false;
    }
    for (size_t i = 0; i < left->len && i < right->len; i++) {
        const mp_obj_t a = item_at(left, i), b = item_at(right, i);
        if (!mp_obj_equal(a, b)) {
            return op != MP_BINARY_OP_EQUAL && mp_obj_is_true(mp_binary_op(op, a, b));
        }
    }
    return gpusnek_compare_lengths(op, left->len, right->len);
}

static void check_kind(const mp_obj_array_t *self, mp_obj_t other, const char *text) {
    if (!mp_obj_is_exact_type(other, &mp_type_array)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("can only %s array (not \"%s\")%s"), text,
            mp_obj_get_type_str(other), *text == 'a' ? " to array" : "");
    }
    if (((const mp_obj_array_t *)MP_OBJ_TO_PTR(other))->typecode != self->typecode) {
        mp_raise_TypeError(*text == 'a' ? MP_ERROR_TEXT("bad argument type for built-in operation")
                                        : MP_ERROR_TEXT("can only extend with array of same kind"));
    }
}

mp_obj_t gpusnek_array_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    mp_obj_array_t *const self = MP_OBJ_TO_PTR(left);
    const bool multiplies = op == MP_BINARY_OP_MULTIPLY || op == MP_BINARY_OP_REVERSE_MULTIPLY
        || op == MP_BINARY_OP_INPLACE_MULTIPLY;
    if (!mp_obj_is_exact_type(left, &mp_type_array)
        && !((multiplies || (op == MP_BINARY_OP_CONTAINS && mp_obj_is_small_int(right)))
             && mp_obj_is_exact_type(left, &mp_type_bytearray))) {
        return MP_OBJ_NULL;
    }
    switch (op) {
        case MP_BINARY_OP_ADD:
            check_kind(self, right, "append");
            return MP_OBJ_NULL;
        case MP_BINARY_OP_INPLACE_ADD:
            check_kind(self, right, "extend with");
            return MP_OBJ_NULL;
        case MP_BINARY_OP_MULTIPLY:
        case MP_BINARY_OP_REVERSE_MULTIPLY:
            return is_count(right) ? repeated(self, right) : MP_OBJ_NULL;
        case MP_BINARY_OP_INPLACE_MULTIPLY:
            if (is_count(right)) {
                const mp_obj_array_t *const result = MP_OBJ_TO_PTR(repeated(self, right));
                self->items = result->items;
                self->len = result->len;
                self->free = 0;
                return left;
            }
            return MP_OBJ_NULL;
        case MP_BINARY_OP_CONTAINS:
            return mp_obj_new_bool(find(self, right, 0, SIZE_MAX) != SIZE_MAX);
        case MP_BINARY_OP_EQUAL:
        case MP_BINARY_OP_LESS:
        case MP_BINARY_OP_LESS_EQUAL:
        case MP_BINARY_OP_MORE:
        case MP_BINARY_OP_MORE_EQUAL:
            if (mp_obj_is_exact_type(right, &mp_type_array)) {
                return mp_obj_new_bool(compare(op, self, MP_OBJ_TO_PTR(right)));
            }
            mp_buffer_info_t buffer;
            if (op != MP_BINARY_OP_EQUAL && !mp_get_buffer(right, &buffer, MP_BUFFER_READ)) {
                gpusnek_raise_binary(op, left, right);
            }
            return MP_OBJ_NULL;
        default:
            return MP_OBJ_NULL;
    }
}

bool gpusnek_extends_by_items(mp_obj_t array, mp_obj_t other) {
    if (!mp_obj_is_exact_type(array, &mp_type_array)) {
        return false;
    }
    if (!mp_obj_is_exact_type(other, &mp_type_array)) {
        return true;
    }
    check_kind(MP_OBJ_TO_PTR(array), other, "extend with");
    return false;
}

void gpusnek_check_new_array(size_t n_args, const mp_obj_t *args) {
    size_t size = 0;
    const char *text = NULL;
    if (mp_obj_is_str(args[0])) {
        text = mp_obj_str_get_data(args[0], &size);
    }
    if (size != 1) {
        mp_raise_msg_varg(&mp_type_TypeError,
            text == NULL ? MP_ERROR_TEXT("array() argument 1 must be a unicode character, not %s")
                         : MP_ERROR_TEXT("array() argument 1 must be a unicode character, not a string"),
            mp_obj_get_type_str(args[0]));
    }
    if (n_args < 2) {
        return;
    }
    const size_t item = mp_binary_get_size('@', *text, NULL);
    if (mp_obj_is_str(args[1])) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("cannot use a str to initialize an array with typecode '%c'"), *text);
    }
    mp_buffer_info_t buffer;
    if ((mp_obj_is_exact_type(args[1], &mp_type_bytes)
         || mp_obj_is_exact_type(args[1], &mp_type_bytearray))
        && mp_get_buffer(args[1], &buffer, MP_BUFFER_READ) && buffer.len % item != 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("bytes length not a multiple of item size"));
    }
}

// ---- Methods of arrays ----

static mp_obj_t array_typecode(mp_obj_t self) {
    const char code = (char)self_of(self)->typecode;
    return mp_obj_new_str_via_qstr(&code, 1);
}
GPUSNEK_GETTER(array_typecode_obj, array_typecode);

static mp_obj_t array_itemsize(mp_obj_t self) {
    return MP_OBJ_NEW_SMALL_INT(size_of(self_of(self)));
}
GPUSNEK_GETTER(array_itemsize_obj, array_itemsize);

// Return a position among `length` items, from the end if it is negative.
static size_t position(mp_obj_t index, size_t length) {
    mp_int_t at = mp_obj_get_int(index);
    if (at < 0) {
        at += (mp_int_t)length;
    }
    return at < 0 ? 0 : (size_t)at < length ? (size_t)at : length;
}

static mp_obj_t array_index(size_t n_args, const mp_obj_t *args) {
    const mp_obj_array_t *const self = self_of(args[0]);
    const size_t start = n_args > 2 ? position(args[2], self->len) : 0;
    const size_t end = n_args > 3 ? position(args[3], self->len) : SIZE_MAX;
    const size_t found = find(self, args[1], start, end);
    if (found == SIZE_MAX) {
        mp_raise_ValueError(MP_ERROR_TEXT("array.index(x): x not in array"));
    }
    return mp_obj_new_int_from_uint(found);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(array_index_obj, 2, 4, array_index);

static mp_obj_t array_count(mp_obj_t self_in, mp_obj_t value) {
    const mp_obj_array_t *const self = self_of(self_in);
    size_t count = 0;
    for (size_t i = 0; i < self->len; i++) {
        count += mp_obj_equal(item_at(self, i), value);
    }
    return mp_obj_new_int_from_uint(count);
}
static MP_DEFINE_CONST_FUN_OBJ_2(array_count_obj, array_count);

static mp_obj_t array_insert(mp_obj_t self_in, mp_obj_t index, mp_obj_t value) {
    mp_obj_array_t *const self = self_of(self_in);
    const mp_obj_t number = MP_OBJ_NEW_SMALL_INT(mp_obj_get_int(index));
    mp_call_function_2(MP_OBJ_FROM_PTR(&mp_obj_array_append_obj), self_in, value);
    const size_t size = size_of(self);
    const size_t at = position(number, self->len - 1);
    byte item[8];
    byte *const from = (byte *)self->items + at * size;
    const size_t moved = (self->len - 1 - at) * size;
    memcpy(item, from + moved, size);
    memmove(from + size, from, moved);
    memcpy(from, item, size);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_3(array_insert_obj, array_insert);

static void remove_at(mp_obj_array_t *self, size_t at) {
    const size_t size = size_of(self);
    byte *const to = (byte *)self->items + at * size;
    memmove(to, to + size, (self->len - 1 - at) * size);
    self->len--;
    self->free++;
    memset((byte *)self->items + self->len * size, 0, size);
}

static mp_obj_t array_pop(size_t n_args, const mp_obj_t *args) {
    mp_int_t at = n_args > 1 ? mp_obj_get_int(args[1]) : -1;
    mp_obj_array_t *const self = self_of(args[0]);
    if (self->len == 0) {
        mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("pop from empty array"));
    }
    if (at < 0) {
        at += (mp_int_t)self->len;
    }
    if (at < 0 || (size_t)at >= self->len) {
        mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("pop index out of range"));
    }
    const mp_obj_t item = item_at(self, (size_t)at);
    remove_at(self, (size_t)at);
    return item;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(array_pop_obj, 1, 2, array_pop);

static mp_obj_t array_remove(mp_obj_t self_in, mp_obj_t value) {
    mp_obj_array_t *const self = self_of(self_in);
    const size_t found = find(self, value, 0, SIZE_MAX);
    if (found >= self->len) { // A1
        mp_raise_ValueError(MP_ERROR_TEXT("array.remove(x): x not in array"));
    }
    remove_at(self, found);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(array_remove_obj, array_remove);

static mp_obj_t array_reverse(mp_obj_t self_in) {
    mp_obj_array_t *const self = self_of(self_in);
    const size_t size = size_of(self);
    byte item[8];
    byte *const items = self->items;
    for (size_t i = 0; i < self->len / 2; i++) {
        byte *const low = items + i * size, *const high = items + (self->len - 1 - i) * size;
        memcpy(item, low, size);
        memcpy(low, high, size);
        memcpy(high, item, size);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(array_reverse_obj, array_reverse);

static mp_obj_t array_byteswap(mp_obj_t self_in) {
    mp_obj_array_t *const self = self_of(self_in);
    if (has_addresses(self->typecode)) {
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("don't know how to byteswap this array type"));
    }
    const size_t size = size_of(self);
    byte *const items = self->items;
    for (size_t i = 0; i < self->len; i++) {
        byte *const item = items + i * size;
        for (size_t k = 0; k < size / 2; k++) {
            const byte swapped = item[k];
            item[k] = item[size - 1 - k];
            item[size - 1 - k] = swapped;
        }
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(array_byteswap_obj, array_byteswap);

static mp_obj_t array_tolist(mp_obj_t self_in) {
    const mp_obj_array_t *const self = self_of(self_in);
    mp_obj_list_t *const list = MP_OBJ_TO_PTR(mp_obj_new_list(self->len, NULL));
    for (size_t i = 0; i < list->len; i++) {
        list->items[i] = mp_const_none;
    }
    for (size_t i = 0; i < list->len; i++) {
        list->items[i] = item_at(self, i);
    }
    return MP_OBJ_FROM_PTR(list);
}
static MP_DEFINE_CONST_FUN_OBJ_1(array_tolist_obj, array_tolist);

static mp_obj_t array_fromlist(mp_obj_t self_in, mp_obj_t list_in) {
    mp_obj_array_t *const self = self_of(self_in);
    if (!mp_obj_is_exact_type(list_in, &mp_type_list)) {
        mp_raise_TypeError(MP_ERROR_TEXT("arg must be list"));
    }
    // The new items are stored in another array first, because an error leaves the array unchanged.
    const mp_obj_list_t *const list = MP_OBJ_TO_PTR(list_in);
    mp_obj_array_t *const added = new_array(&mp_type_array, self->typecode, 0);
    for (size_t i = 0; i < list->len; i++) {
        mp_call_function_2(MP_OBJ_FROM_PTR(&mp_obj_array_append_obj), MP_OBJ_FROM_PTR(added), list->items[i]);
    }
    append_items(self, added->items, added->len);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(array_fromlist_obj, array_fromlist);

static mp_obj_t array_tobytes(mp_obj_t self_in) {
    const mp_obj_array_t *const self = self_of(self_in);
    return mp_obj_new_bytes(self->items, self->len * size_of(self));
}
static MP_DEFINE_CONST_FUN_OBJ_1(array_tobytes_obj, array_tobytes);

static mp_obj_t array_frombytes(mp_obj_t self_in, mp_obj_t data) {
    mp_obj_array_t *const self = self_of(self_in);
    mp_buffer_info_t buffer;
    gpusnek_get_bytes(data, &buffer);
    const size_t size = size_of(self);
    if (buffer.len % size != 0 || has_addresses(self->typecode)) {
        mp_raise_ValueError(MP_ERROR_TEXT("bytes length not a multiple of item size"));
    }
    append_items(self, buffer.buf, buffer.len / size);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(array_frombytes_obj, array_frombytes);

static mp_obj_t array_buffer_info(mp_obj_t self_in) {
    const mp_obj_array_t *const self = self_of(self_in);
    const mp_obj_t pair[] = {mp_obj_new_int_from_uint(gpusnek_address((uintptr_t)self->items)),
        mp_obj_new_int_from_uint(self->len)};
    return mp_obj_new_tuple(2, pair);
}
static MP_DEFINE_CONST_FUN_OBJ_1(array_buffer_info_obj, array_buffer_info);

static const mp_rom_map_elem_t array_table[] = {
    { MP_ROM_QSTR(MP_QSTR___copy__), MP_ROM_PTR(&copy_of_obj) },
    { MP_ROM_QSTR(MP_QSTR___deepcopy__), MP_ROM_PTR(&deep_copy_of_obj) },
    { MP_ROM_QSTR(MP_QSTR_buffer_info), MP_ROM_PTR(&array_buffer_info_obj) },
    { MP_ROM_QSTR(MP_QSTR_byteswap), MP_ROM_PTR(&array_byteswap_obj) },
    { MP_ROM_QSTR(MP_QSTR_count), MP_ROM_PTR(&array_count_obj) },
    { MP_ROM_QSTR(MP_QSTR_frombytes), MP_ROM_PTR(&array_frombytes_obj) },
    { MP_ROM_QSTR(MP_QSTR_fromlist), MP_ROM_PTR(&array_fromlist_obj) },
    { MP_ROM_QSTR(MP_QSTR_index), MP_ROM_PTR(&array_index_obj) },
    { MP_ROM_QSTR(MP_QSTR_insert), MP_ROM_PTR(&array_insert_obj) },
    { MP_ROM_QSTR(MP_QSTR_itemsize), MP_ROM_PTR(&array_itemsize_obj) },
    { MP_ROM_QSTR(MP_QSTR_pop), MP_ROM_PTR(&array_pop_obj) },
    { MP_ROM_QSTR(MP_QSTR_remove), MP_ROM_PTR(&array_remove_obj) },
    { MP_ROM_QSTR(MP_QSTR_reverse), MP_ROM_PTR(&array_reverse_obj) },
    { MP_ROM_QSTR(MP_QSTR_tobytes), MP_ROM_PTR(&array_tobytes_obj) },
    { MP_ROM_QSTR(MP_QSTR_tolist), MP_ROM_PTR(&array_tolist_obj) },
    { MP_ROM_QSTR(MP_QSTR_typecode), MP_ROM_PTR(&array_typecode_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_array_methods, array_table);

// ---- Methods of memoryviews ----

static void get_view(mp_obj_t self, mp_buffer_info_t *buffer) {
    gpusnek_check_self(self, &mp_type_memoryview);
    mp_get_buffer_raise(self, buffer, MP_BUFFER_READ);
}

static mp_obj_t view_tobytes(mp_obj_t self) {
    mp_buffer_info_t buffer;
    get_view(self, &buffer);
    return mp_obj_new_bytes(buffer.buf, buffer.len);
}
static MP_DEFINE_CONST_FUN_OBJ_1(view_tobytes_obj, view_tobytes);

static mp_obj_t view_tolist(mp_obj_t self) {
    mp_buffer_info_t buffer;
    get_view(self, &buffer);
    const size_t length = buffer.len / mp_binary_get_size('@', buffer.typecode, NULL);
    const mp_obj_t list = mp_obj_new_list(0, NULL);
    for (size_t i = 0; i < length; i++) {
        mp_obj_list_append(list, mp_binary_get_val_array(buffer.typecode, buffer.buf, i));
    }
    return list;
}
static MP_DEFINE_CONST_FUN_OBJ_1(view_tolist_obj, view_tolist);

static mp_obj_t view_release(mp_obj_t self) {
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(view_release_obj, view_release);

static mp_obj_t view_nbytes(mp_obj_t self) {
    mp_buffer_info_t buffer;
    get_view(self, &buffer);
    return mp_obj_new_int_from_uint(buffer.len);
}
GPUSNEK_GETTER(view_nbytes_obj, view_nbytes);

static mp_obj_t view_format(mp_obj_t self) {
    mp_buffer_info_t buffer;
    get_view(self, &buffer);
    const char code = (char)(buffer.typecode == BYTEARRAY_TYPECODE ? 'B' : buffer.typecode);
    return mp_obj_new_str_via_qstr(&code, 1);
}
GPUSNEK_GETTER(view_format_obj, view_format);

static mp_obj_t view_readonly(mp_obj_t self) {
    mp_buffer_info_t buffer;
    get_view(self, &buffer);
    return mp_obj_new_bool(!mp_get_buffer(self, &buffer, MP_BUFFER_WRITE));
}
GPUSNEK_GETTER(view_readonly_obj, view_readonly);

static const mp_rom_map_elem_t view_table[] = {
    { MP_ROM_QSTR(MP_QSTR_format), MP_ROM_PTR(&view_format_obj) },
    { MP_ROM_QSTR(MP_QSTR_nbytes), MP_ROM_PTR(&view_nbytes_obj) },
    { MP_ROM_QSTR(MP_QSTR_readonly), MP_ROM_PTR(&view_readonly_obj) },
    { MP_ROM_QSTR(MP_QSTR_release), MP_ROM_PTR(&view_release_obj) },
    { MP_ROM_QSTR(MP_QSTR_tobytes), MP_ROM_PTR(&view_tobytes_obj) },
    { MP_ROM_QSTR(MP_QSTR_tolist), MP_ROM_PTR(&view_tolist_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_memoryview_methods, view_table);
