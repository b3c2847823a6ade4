// Buffers that a stream or a block device written in Python reads from or fills.
//
// Upstream gives such an object a bytearray that stands on the C stack and shows the caller's
// memory. A program that keeps it reads and writes what the C stack holds later, and memory that a
// caller only meant to be read (a constant) can be written through it.
#include "buffers.h"

#include <string.h>

#include "py/gc.h"
#include "py/objarray.h"
#include "py/runtime.h"

mp_obj_t gpusnek_buffer(mp_obj_array_t *shown) {
    return gc_is_locked() ? MP_OBJ_FROM_PTR(shown) : mp_obj_new_bytearray(shown->len, shown->items);
}

void gpusnek_buffer_back(mp_obj_t buffer, void *data, size_t size) {
    const mp_obj_array_t *array = MP_OBJ_TO_PTR(buffer);
    if (array->items != data) {
        // (The program may have made it longer or shorter.)
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
