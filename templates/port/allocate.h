// Allocation of small objects in the heap: the interface of allocate.c for py/malloc.c and py/gc.c
// (patch `allocation`), and the bytes of an object's blocks for py/vstr.c and py/objstr.c.
#ifndef GPUSNEK_ALLOCATE_H
#define GPUSNEK_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

#include "py/mpconfig.h"

// Same contract as gc_alloc(). Handles small objects without flags itself and forwards every other
// request to gc_alloc().
void *gpusnek_allocate(size_t bytes, unsigned int flags);

// Same contract as gc_realloc(). A NULL `memory` is a new object, which gpusnek_allocate()
// allocates.
void *gpusnek_reallocate(void *memory, size_t bytes, bool may_move);

// Return the bytes of the blocks of an object of `bytes` bytes.
static inline size_t gpusnek_block_bytes(size_t bytes) {
    return (bytes + MICROPY_BYTES_PER_GC_BLOCK - 1) / MICROPY_BYTES_PER_GC_BLOCK
        * MICROPY_BYTES_PER_GC_BLOCK;
}

#endif
