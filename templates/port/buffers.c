// Buffers that a stream or a block device written in Python reads from or fills.
//
// Upstream gives such an object a bytearray that stands on the C stack and shows the caller's
// memory. A program that keeps it reads and writes what the C stack holds later, and memory that a
// caller only meant to be read (a constant) can be written through it.
#include "buffers.h"

#include <string.h>

#include "py/objarray.h"
#include "py/runtime.h"

mp_obj_t gpusnek_buffer(const void *data, size_t size) {
    return mp_obj_new_bytearray(size, data);
}

void gpusnek_buffer_back(mp_obj_t buffer, void *data, size_t size) {
    const mp_obj_array_t *array = MP_OBJ_TO_PTR(buffer);
    // (The program may have made it longer or shorter.)
    memcpy(data, array->items, array->len < size ? array->len : size);
}

void *gpusnek_buffer_copy(const void *data, size_t size) {
    byte *copy = m_new(byte, size);
    memcpy(copy, data, size);
    return copy;
}
