// Private buffers for streams and block devices that are written in Python, and the memory of
// arrays (buffers.c). Patched upstream files call these functions.
#ifndef GPUSNEK_BUFFERS_H
#define GPUSNEK_BUFFERS_H

#include <stddef.h>

#include "py/obj.h"
#include "py/objarray.h"
#include "py/objstr.h"
#include "py/runtime.h"

// Return a new bytearray with a copy of the bytes of `shown`, or `shown` itself if the heap is
// locked (in a finaliser). Raises MemoryError.
mp_obj_t gpusnek_buffer(mp_obj_array_t *shown);
// Copy the current contents of `buffer`, at most `size` bytes, to `data`.
void gpusnek_buffer_back(mp_obj_t buffer, void *data, size_t size);
// Return a copy of `size` bytes in the heap, or `data` itself if the heap is locked. Raises
// MemoryError.
const void *gpusnek_buffer_copy(const void *data, size_t size);

// Return `after` bytes of memory that begin with the `before` bytes of `items`: extended in place
// if possible, else a new block. The old block is not freed, because memoryviews may refer to it.
// Raises MemoryError.
void *gpusnek_lengthened(void *items, size_t before, size_t after);
// Return `item`, or the number that an instance of a Python class converts to for this typecode.
// Array code calls it before it computes an address, because the conversion runs Python code.
// Raises whatever the conversion raises.
mp_obj_t gpusnek_plain_item(char typecode, mp_obj_t item);

// Get the bytes of an object with the buffer protocol other than str. Raises TypeError.
static inline void gpusnek_get_bytes(mp_obj_t object, mp_buffer_info_t *buffer) {
    if (mp_obj_is_str(object) || !mp_get_buffer(object, buffer, MP_BUFFER_READ)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("a bytes-like object is required, not '%s'"), mp_obj_get_type_str(object));
    }
}

#endif
