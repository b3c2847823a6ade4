// Buffers that a stream or a block device written in Python reads from or fills.
#ifndef GPUSNEK_BUFFERS_H
#define GPUSNEK_BUFFERS_H

#include <stddef.h>

#include "py/obj.h"
#include "py/objarray.h"

// A new bytearray that holds a copy of what `shown` shows. Where the heap is locked, as in a finaliser,
// it is `shown` itself. Raises MemoryError.
mp_obj_t gpusnek_buffer(mp_obj_array_t *shown);
// What `buffer` holds now, at most `size` bytes, goes to `data`.
void gpusnek_buffer_back(mp_obj_t buffer, void *data, size_t size);
// A copy of `size` bytes in the heap; `data` itself where the heap is locked. Raises MemoryError.
const void *gpusnek_buffer_copy(const void *data, size_t size);

#endif
