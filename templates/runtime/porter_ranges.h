// The table of permitted ranges: memory outside of an interpreter that it may access. It is the
// first field of the state in builds with bounds checks (BuildConfig.fences). The checks before
// loads and stores read it, ranges.h fills it.
#ifndef PORTER_RANGES_H
#define PORTER_RANGES_H

#include <stdint.h>

#define PORTER_RANGES 24 // ranges of a launch; each is one more comparison in a check
#define PORTER_KEPT 12   // ranges that outlive launches
#define PORTER_SEALED_BELOW 104u // bytes below the state that only the runtime writes,
#define PORTER_SEALED_ABOVE 728u // and bytes from the start of the state

typedef struct porter_range_t {
    uint64_t low;  // address of the first byte
    uint64_t size; // bytes
} porter_range_t;

// A range that outlives launches. `use`: when it may be written.
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

// The C stack and the build's own constants are not listed. The pass that inserts checks into PTX
// (porter/compile/bounds_checks/lookup.py) relies on this layout. The table lies in the sealed part of an
// arena, to which no program can write (gpusnek_head_t).
typedef struct porter_ranges_t {
    uint32_t reads; // number of read-only ranges, which come first
    uint32_t count; // number of all ranges
    uint64_t arena_low;  // the interpreter's arena in global memory: address,
    uint64_t arena_size; // bytes; unused with local arenas
    uint64_t keeps;      // number of kept ranges
    // A GPU loads a range with one instruction, and compares with the first one even if count is 0.
    porter_range_t range[PORTER_RANGES];
    porter_kept_t kept[PORTER_KEPT]; // copied into the table when a launch begins
    // Device builds: place of the access that a check refused ("py/objstr.c:123"), or NULL. The
    // function that contains it has returned at once, with porter_unwind set.
    uint64_t place;
    uint64_t address;
    uint64_t kind; // PORTER_FENCE_LOAD ...
} porter_ranges_t;

#endif
