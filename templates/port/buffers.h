// Buffers that a stream or a block device written in Python reads from or fills, and the memory of
// arrays.
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

// The `before` bytes of an array's memory in `after` bytes, in place where there is room. Elsewhere
// the old memory stays what it is, for whoever holds it. Raises MemoryError.
void *gpusnek_lengthened(void *items, size_t before, size_t after);
// `item`, or the number that an object of the program's gives for an array of this typecode. Raises
// what that raises.
mp_obj_t gpusnek_plain_item(char typecode, mp_obj_t item);

#endif
