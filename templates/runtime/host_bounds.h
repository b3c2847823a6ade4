// The memory that bounds checks of the host twin permit on this thread (fences_host.h sets it).
#ifndef GPUSNEK_HOST_BOUNDS_H
#define GPUSNEK_HOST_BOUNDS_H

#include "porter_ranges.h"

#include <stdint.h>

#define PORTER_WIDEST (16) // bytes of the widest access that one check covers

// A listed range, and the number of addresses in it at which loads of 1, 2, 4, 8 and 16 bytes may
// begin. A range may be shorter than PORTER_WIDEST, for example the arguments of a call. So each
// width has a number of its own.
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

// Forget the ranges that loads were in: the table of permitted ranges begins anew.
static inline void fence_forget(void) {
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned width = 0; width < 5; width++) {
            porter_bounds.recent[k].room[width] = 0;
        }
    }
}

#endif
