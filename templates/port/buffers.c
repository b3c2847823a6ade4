// Private buffers for streams and block devices that are written in Python.
//
// Problem: upstream passes such an object a bytearray that lives on the C stack and points to the
// caller's memory. A program that keeps the bytearray later reads and writes unrelated stack
// contents. It can also write to memory that the caller passed for reading only, such as a
// constant.
//
// Mechanism: patched upstream code passes a bytearray in the heap that owns a copy, and copies the
// contents back after the call.
#include "buffers.h"

#include <string.h>

#include "py/gc.h"
#include "py/objarray.h"
#include "py/objtype.h"
#include "py/runtime.h"

mp_obj_t gpusnek_buffer(mp_obj_array_t *shown) {
    return gc_is_locked() ? MP_OBJ_FROM_PTR(shown) : mp_obj_new_bytearray(shown->len, shown->items);
}

void gpusnek_buffer_back(mp_obj_t buffer, void *data, size_t size) {
    const mp_obj_array_t *array = MP_OBJ_TO_PTR(buffer);
    if (array->items != data) {
        // The program may have resized the bytearray.
        memcpy(data, array->items, array->len < size ? array->len : size);
    }
}

const void *gpusnek_buffer_copy(const void *data, size_t size) {
    if (gc_is_locked()) {
        return data;
    }
    byte *copy = m_new(byte, size);
    memcpy(copy, data, size);
    return copy;
}

void *gpusnek_lengthened(void *items, size_t before, size_t after) {
    void *longer = m_renew_maybe(byte, items, before, after, false);
    if (longer == NULL) {
        longer = m_new(byte, after);
        memcpy(longer, items, before);
    }
    return longer;
}

mp_obj_t gpusnek_plain_item(char typecode, mp_obj_t item) {
    if (!mp_obj_is_instance_type(mp_obj_get_type(item))) {
        return item; // converting a built-in type runs no Python code
    }
    switch (typecode) {
        case 'O':
        case 'P':
        case 'S':
            return item;
        case 'f':
        case 'd':
            return mp_obj_new_float(mp_obj_get_float(item));
        default:
            return mp_obj_new_int(mp_obj_get_int(item));
    }
}
