// The guard word of a file system image (imageguard.h states the protocol).
#include "imageguard.h"

#include "hooks.h"
#include "port.h"
#include "py/mperrno.h"

// Bits of the word: the generation, the flag HELD, and a hash of the holder's launch number. A flag
// HELD of a launch that has ended is ignored.
#define GENERATION_BITS (40)
#define GENERATION_MASK (((uint64_t)1 << GENERATION_BITS) - 1)
#define HELD ((uint64_t)1 << GENERATION_BITS)
#define LAUNCH_SHIFT (GENERATION_BITS + 1)

// Return the hash of this launch's number, in the word's upper bits.
static uint64_t launch_bits(void) {
    return (gpusnek_io.launch * 0x9e3779b97f4a7c15u) >> LAUNCH_SHIFT << LAUNCH_SHIFT;
}

static uint64_t load(gpusnek_guard_t *guard) {
    return guard->shared ? porter_load64(guard->word) : *guard->word;
}

// Compare and swap the word; memory that only this interpreter accesses needs no atomic operation.
static bool swap(gpusnek_guard_t *guard, uint64_t expected, uint64_t desired) {
    if (guard->shared) {
        return porter_cas64(guard->word, expected, desired) == expected;
    }
    *guard->word = desired;
    return true;
}

void gpusnek_guard_open(gpusnek_guard_t *guard) {
    guard->stale = false;
    if (guard->word != NULL) {
        uint64_t word = load(guard);
        while (word & 1) { // odd: another interpreter is copying a block
            porter_pause();
            word = load(guard);
        }
        guard->generation = word & GENERATION_MASK;
    }
}

bool gpusnek_guard_fresh(gpusnek_guard_t *guard) {
    if (guard->word != NULL && !guard->stale) {
        guard->stale = (load(guard) & GENERATION_MASK) != guard->generation;
    }
    return !guard->stale;
}

// Mark the mount stale and return -error.
static int refuse(gpusnek_guard_t *guard, int error) {
    guard->stale = true;
    return -error;
}

int gpusnek_guard_write(gpusnek_guard_t *guard) {
    if (guard->stale) {
        return -GPUSNEK_ESTALE;
    }
    if (guard->word == NULL) {
        return 0;
    }
    uint64_t word, next;
    do {
        word = load(guard);
        if ((word & HELD) && !guard->holds && word >> LAUNCH_SHIFT == launch_bits() >> LAUNCH_SHIFT) {
            return refuse(guard, MP_EBUSY);
        }
        if ((word & GENERATION_MASK) != guard->generation) {
            return refuse(guard, GPUSNEK_ESTALE);
        }
        next = launch_bits() | HELD | (guard->generation + 1);
    } while (!swap(guard, word, next));
    guard->holds = true;
    return 0;
}

void gpusnek_guard_written(gpusnek_guard_t *guard) {
    if (guard->word == NULL) {
        return;
    }
    // Invariant G1: while the generation is odd, no other mount changes the word.
    uint64_t word = load(guard);
    guard->generation = (guard->generation + 2) & GENERATION_MASK;
    swap(guard, word, (word & ~GENERATION_MASK) | guard->generation);
}

void gpusnek_guard_release(gpusnek_guard_t *guard) {
    if (guard->holds) {
        guard->holds = false;
        // Another launch may hold the image by now; clear HELD only if the generation is still this
        // mount's.
        uint64_t word = load(guard);
        if ((word & GENERATION_MASK) == guard->generation) {
            swap(guard, word, guard->generation);
        }
    }
}
