// Set the memory that bounds checks of the host twin permit on this thread. Empty functions in
// builds without bounds checks.
//
// Everything is permitted while no interpreter runs.
#ifndef GPUSNEK_FENCES_HOST_H
#define GPUSNEK_FENCES_HOST_H

#include <stddef.h>

#if PORTER_BOUNDS_CHECKS

#include "host_bounds.h"

// Permit the C stack of an interpreter whose turn begins.
void fence_stack(const char *stack, size_t size);
// Permit the arena [low, end) of the interpreter of PORTER_STATE. With null no interpreter runs,
// and everything is permitted.
void fence_arena(const char *low, const char *end);
// End the turn.
void fence_nothing();

// Check an access as g++ does before loads and stores. Does not return if it is not permitted.
void fence_check(const void *address, size_t size, unsigned kind);

#else

static inline void fence_stack(const char *, size_t) {}
static inline void fence_arena(const char *, const char *) {}
static inline void fence_nothing() {}
static inline void fence_check(const void *, size_t, unsigned) {}

#endif

#endif
