// Methods of bytearray that upstream lacks.
#include <string.h>

#include "checkself.h"
#include "methods_text.h"
#include "py/objarray.h"
#include "py/runtime.h"

static mp_obj_array_t *self_of(mp_obj_t self) {
    gpusnek_check_self(self, &mp_type_bytearray);
    return MP_OBJ_TO_PTR(self);
}

// Removes the last `count` bytes. The memory stays, because memoryviews can refer to it.
static void drop_end(mp_obj_array_t *self, size_t count) {
    self->len -= count;
    self->free += count;
    if (count > 0) {
        memset((byte *)self->items + self->len, 0, count);
    }
}

static void remove_at(mp_obj_array_t *self, size_t at) {
    byte *const to = (byte *)self->items + at;
    memmove(to, to + 1, self->len - 1 - at);
    drop_end(self, 1);
}

static mp_obj_t bytearray_clear(mp_obj_t self_in) {
    mp_obj_array_t *const self = self_of(self_in);
    drop_end(self, self->len);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(gpusnek_bytearray_clear_obj, bytearray_clear);

static mp_obj_t bytearray_copy(mp_obj_t self_in) {
    const mp_obj_array_t *const self = self_of(self_in);
    return mp_obj_new_bytearray(self->len, self->items);
}
MP_DEFINE_CONST_FUN_OBJ_1(gpusnek_bytearray_copy_obj, bytearray_copy);

static mp_obj_t bytearray_insert(mp_obj_t self_in, mp_obj_t index, mp_obj_t value) {
    mp_obj_array_t *const self = self_of(self_in);
    mp_int_t at = mp_obj_get_int(index);
    // The value's `__index__` can change the bytearray, so the length is read behind it.
    mp_call_function_2(MP_OBJ_FROM_PTR(&mp_obj_array_append_obj), self_in, value);
    const mp_int_t length = (mp_int_t)self->len - 1;
    at = at < 0 ? MAX(at + length, 0) : MIN(at, length);
    byte *const items = self->items;
    const byte last = items[length];
    memmove(items + at + 1, items + at, (size_t)(length - at));
    items[at] = last;
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_3(gpusnek_bytearray_insert_obj, bytearray_insert);

static mp_obj_t bytearray_pop(size_t n_args, const mp_obj_t *args) {
    mp_int_t at = n_args > 1 ? mp_obj_get_int(args[1]) : -1;
    mp_obj_array_t *const self = self_of(args[0]);
    if (self->len == 0) {
        mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("pop from empty bytearray"));
    }
    if (at < 0) {
        at += (mp_int_t)self->len;
    }
    if (at < 0 || (size_t)at >= self->len) {
        mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("pop index out of range"));
    }
    const byte value = ((const byte *)self->items)[at];
    remove_at(self, (size_t)at);
    return MP_OBJ_NEW_SMALL_INT(value);
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(gpusnek_bytearray_pop_obj, 1, 2, bytearray_pop);

static mp_obj_t bytearray_remove(mp_obj_t self_in, mp_obj_t value_in) {
    const mp_int_t value = mp_obj_get_int(value_in);
    mp_obj_array_t *const self = self_of(self_in);
    if (value < 0 || value > 255) {
        mp_raise_ValueError(MP_ERROR_TEXT("byte must be in range(0, 256)"));
    }
    const byte *const found =
        self->len == 0 ? NULL : (const byte *)memchr(self->items, (int)value, self->len);
    if (found == NULL) {
        mp_raise_ValueError(MP_ERROR_TEXT("value not found in bytearray"));
    }
    remove_at(self, (size_t)(found - (const byte *)self->items));
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(gpusnek_bytearray_remove_obj, bytearray_remove);

static mp_obj_t bytearray_reverse(mp_obj_t self_in) {
    mp_obj_array_t *const self = self_of(self_in);
    byte *const items = self->items;
    for (size_t i = 0; i < self->len / 2; i++) {
        const byte low = items[i];
        items[i] = items[self->len - 1 - i];
        items[self->len - 1 - i] = low;
    }
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(gpusnek_bytearray_reverse_obj, bytearray_reverse);
