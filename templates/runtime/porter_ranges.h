// The memory outside an interpreter that it may reach: a table in the state of fenced builds
// (BuildConfig.fences), which the checks before loads and stores read.
#ifndef PORTER_RANGES_H
#define PORTER_RANGES_H

#include <stdint.h>

#define PORTER_RANGES 24
#define PORTER_KEPT 12
#define PORTER_SEALED_BELOW 104u // bytes below the state, and from its start, that only the
#define PORTER_SEALED_ABOVE 728u // runtime writes

typedef struct porter_range_t {
    uint64_t low;  // address of the first byte
    uint64_t size; // bytes
} porter_range_t;

// A range that outlives launches; `use` says when it may be written.
typedef struct porter_kept_t {
    uint64_t low;
    uint64_t size;
    uint64_t use; // PORTER_KEPT_READ ...
} porter_kept_t;

enum {
    PORTER_KEPT_READ,  // never
    PORTER_KEPT_WRITE, // always
    PORTER_KEPT_CODE,  // in a launch that compiles
};

// The C stack and the build's own constants are not listed. The pass over PTX that puts checks in
// knows this layout (porter/compile/bounds_checks/lookup.py). No program may write to it
// (gpusnek_head_t).
typedef struct porter_ranges_t {
    uint32_t reads; // how many of the first ranges may be read alone; the others are written too
    uint32_t count;
    uint64_t arena_low;  // its own arena, where that is not in local memory: address,
    uint64_t arena_size; // bytes
    uint64_t keeps;      // how many are kept
    // A GPU reads one in one piece, and looks at the first one even where there is none.
    porter_range_t range[PORTER_RANGES];
    porter_kept_t kept[PORTER_KEPT]; // ranges that each launch's table begins with
    // The access of a device build that a check refused, or NULL: "py/objstr.c:123"; then the
    // function returned at once, as one does that unwinds, with porter_unwind set.
    uint64_t place;
    uint64_t address;
    uint64_t kind; // PORTER_FENCE_LOAD ...
} porter_ranges_t;

#endif
