// What the checks of a fenced host twin allow on this thread. Without fences all of it is nothing.
//
// They allow everything while no interpreter has its turn.
#ifndef GPUSNEK_FENCES_HOST_H
#define GPUSNEK_FENCES_HOST_H

#include <stddef.h>

#if PORTER_FENCES

// An interpreter's turn begins, on this C stack; its arena ends with its state and a canary.
void fence_stack(const char *stack, size_t size);
// [low, end); with null there is no interpreter, and everything is allowed.
void fence_arena(const char *low, const char *end);
void fence_nothing(); // the turn is over

// As the checks that g++ puts before loads and stores: does not return where the interpreter must
// not reach these bytes.
void fence_check(const void *address, size_t size, unsigned kind);

#else

static inline void fence_stack(const char *, size_t) {}
static inline void fence_arena(const char *, const char *) {}
static inline void fence_nothing() {}
static inline void fence_check(const void *, size_t, unsigned) {}

#endif

#endif
