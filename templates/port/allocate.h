// Small objects of the heap, for py/malloc.c and py/gc.c (patch `allocation`).
#ifndef GPUSNEK_ALLOCATE_H
#define GPUSNEK_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

// As gc_alloc(), which it calls for all but small objects without a finaliser.
void *gpusnek_allocate(size_t bytes, unsigned int flags);

// As gc_realloc(), which it calls unless the object is a new one.
void *gpusnek_reallocate(void *memory, size_t bytes, bool may_move);

#endif
