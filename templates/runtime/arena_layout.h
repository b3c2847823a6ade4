// Layout of arenas: sizes, parts, head, canaries. Shared by host twin and kernels;
// docs/reference/architecture.md, "The arena", has the picture.
#ifndef GPUSNEK_ARENA_LAYOUT_H
#define GPUSNEK_ARENA_LAYOUT_H

#include "launch.h"
#include "porter_runtime.h"

#include <stddef.h>

// Round up to 64 bytes: the size of a canary, and a multiple of every alignment in an arena.
#define GPUSNEK_ROUND(x) (((uint64_t)(x) + 63u) / 64u * 64u)
#define GPUSNEK_MAGIC 0x6b656e7375706721ull // "!gpusnek": the arena or snapshot holds a VM

// The head of an arena, directly below the state struct. The part from `sealed` to the end of the
// state's table of ranges (in local memory: to the end of the state's fields that begin with
// porter_) is sealed: bounds checks refuse stores of programs there.
typedef struct gpusnek_head_t {
    // Counters of the running launch, which the port changes through pointers.
#if PORTER_PROFILE
    uint64_t profile; // address of the gpusnek_profile_t; 0: no profile
#endif
    size_t in_position;
    size_t out_length;
    size_t err_length;
#if PORTER_BOUNDS_CHECKS
    uint64_t sealed;
    uint64_t launch; // address of the running launch's record; 0: a user's kernel runs
    uint64_t index;  // of the interpreter in that launch
#endif
    uint64_t magic;
    uint64_t heap_used;   // in a snapshot: used bytes at the start of the heap (gpusnek_heap_used),
    uint64_t heap_tables; // of which the collector's tables
    uint64_t heap_size;   // with pystack_size: pointers in the arena are valid for these sizes only
    uint64_t pystack_size;
} gpusnek_head_t;

#define GPUSNEK_STATE_BYTES GPUSNEK_ROUND(sizeof(porter_state_t))
#define GPUSNEK_HEAD_BYTES GPUSNEK_ROUND(sizeof(gpusnek_head_t))
#if PORTER_BOUNDS_CHECKS
// porter/compile/bounds_checks/lookup.py uses these distances from the state.
static_assert(GPUSNEK_HEAD_BYTES - offsetof(gpusnek_head_t, sealed) == PORTER_SEALED_BELOW,
    "PORTER_SEALED_BELOW is wrong");
static_assert(offsetof(porter_state_t, porter_unwind) == PORTER_SEALED_ABOVE
        && sizeof(porter_ranges_t) == PORTER_SEALED_ABOVE, "PORTER_SEALED_ABOVE is wrong");
static_assert(offsetof(porter_state_t, porter_stack_limit) + sizeof(void *)
        == PORTER_SEALED_ABOVE + 24, "a field of porter's is outside of the sealed part");
#endif
#if PORTER_PROFILE
static_assert(GPUSNEK_HEAD_BYTES - offsetof(gpusnek_head_t, profile) == PORTER_PROFILE_BELOW,
    "PORTER_PROFILE_BELOW is wrong");
#endif
#define GPUSNEK_CANARY_BYTES 64u
#define GPUSNEK_CANARY 0xc5c5c5c5c5c5c5c5ull // neither a valid pointer nor a small number

// An arena, by rising addresses: canary, pystack, heap, canary, head, state, canary. `base` is the
// address of the state struct. Parts above it have a fixed size, parts below it vary.
#define GPUSNEK_ARENA_BYTES(pystack, heap) \
    (3 * GPUSNEK_CANARY_BYTES + GPUSNEK_ROUND(pystack) + GPUSNEK_ROUND(heap) \
        + GPUSNEK_HEAD_BYTES + GPUSNEK_STATE_BYTES)
// Bytes from an arena's start to its state struct.
#define GPUSNEK_BASE_OFFSET(pystack, heap) \
    (GPUSNEK_ARENA_BYTES(pystack, heap) - GPUSNEK_STATE_BYTES - GPUSNEK_CANARY_BYTES)
// A snapshot holds state, head and heap. The pystack is empty between launches.
#define GPUSNEK_SNAPSHOT_BYTES(heap) \
    (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES + GPUSNEK_ROUND(heap))

// Initializer of a build's gpusnek_info_t, which porter reads from the library or the cubin to
// write build.json.
#define GPUSNEK_INFO(local_top, stack_size) \
    { \
        sizeof(gpusnek_launch_t), GPUSNEK_STATE_BYTES, GPUSNEK_ARENA_BYTES(0, 0), \
            GPUSNEK_SNAPSHOT_BYTES(0), local_top, stack_size, GPUSNEK_ROUND(1), \
            GPUSNEK_BASE_OFFSET(0, 0) \
    }

static inline PORTER_DEVICE gpusnek_head_t *gpusnek_head(char *base) {
    return (gpusnek_head_t *)(base - GPUSNEK_HEAD_BYTES);
}

static inline PORTER_DEVICE char *gpusnek_heap_end(char *base) {
    return base - GPUSNEK_HEAD_BYTES - GPUSNEK_CANARY_BYTES;
}

static inline PORTER_DEVICE char *gpusnek_heap(char *base, const gpusnek_launch_t *launch) {
    return gpusnek_heap_end(base) - GPUSNEK_ROUND(launch->heap_size);
}

static inline PORTER_DEVICE char *gpusnek_pystack(char *base, const gpusnek_launch_t *launch) {
    return gpusnek_heap(base, launch) - GPUSNEK_ROUND(launch->pystack_size);
}

// Get the addresses of the canaries, where an overrun of the C stack, the heap, the pystack or a
// neighbouring arena would write.
static inline PORTER_DEVICE void gpusnek_canaries(
    char *base, const gpusnek_launch_t *launch, char *at[3]) {
    at[0] = gpusnek_pystack(base, launch) - GPUSNEK_CANARY_BYTES;
    at[1] = gpusnek_heap_end(base);
    at[2] = base + GPUSNEK_STATE_BYTES;
}

// Zero the head and the state struct, which are aligned to 8 bytes.
static inline PORTER_DEVICE void gpusnek_wipe(char *base) {
    uint64_t *words = (uint64_t *)gpusnek_head(base);
    const uint32_t count = (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) / 8;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = 0;
    }
}
#endif
