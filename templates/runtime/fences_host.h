// Set the memory that bounds checks of the host twin permit on this thread. Empty functions in
// builds without bounds checks.
//
// Everything is permitted while no interpreter runs.
#ifndef GPUSNEK_FENCES_HOST_H
#define GPUSNEK_FENCES_HOST_H

#include <stddef.h>

#if PORTER_BOUNDS_CHECKS

#include "porter_ranges.h"

#include <stdint.h>

#define PORTER_WIDEST (16) // bytes of the widest access that one check covers

// A listed range, and the number of addresses in it at which loads of 1, 2, 4, 8 and 16 bytes may
// begin. Such ranges are short: arguments of a call, bytecode of a function.
typedef struct {
    uint64_t low;
    uint64_t room[5];
} porter_recent_t;

// The memory that the interpreter of a thread may access. A count of addresses ("room") leaves out
// the last ones, at which an access of PORTER_WIDEST bytes would end outside.
typedef struct {
    uint64_t arena;  // its lowest address
    uint64_t loads;  // addresses from `arena` at which loads may begin
    uint64_t stores; // addresses from `arena`, below the sealed part, at which stores may begin
    uint64_t above, above_room; // the part of the arena above the sealed one
    uint64_t stack, stack_room;
    uint64_t constants, constants_room; // this library, which loads may read
    porter_recent_t recent[2]; // the listed ranges that loads were in last
    // Exact sizes, in bytes.
    uint64_t arena_size, stack_size;
    uint64_t sealed, sealed_size; // part of the arena that only the runtime writes
    const porter_ranges_t *ranges; // further ranges; null: no interpreter is running
} porter_bounds_t;

extern "C" __thread porter_bounds_t porter_bounds __attribute__((visibility("hidden")));

// Permit the C stack of an interpreter whose turn begins.
void fence_stack(const char *stack, size_t size);
// Permit the arena [low, end) of the interpreter of PORTER_STATE. With null no interpreter runs,
// and everything is permitted.
void fence_arena(const char *low, const char *end);
// End the turn.
void fence_nothing();
// Forget the ranges that loads were in: the table of permitted ranges begins anew.
void fence_forget();

// Check an access as g++ does before loads and stores. Does not return if it is not permitted.
void fence_check(const void *address, size_t size, unsigned kind);

#else

static inline void fence_stack(const char *, size_t) {}
static inline void fence_arena(const char *, const char *) {}
static inline void fence_nothing() {}
static inline void fence_forget() {}
static inline void fence_check(const void *, size_t, unsigned) {}

#endif

#endif
