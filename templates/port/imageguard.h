// Optimistic concurrency control for a littlefs2 image that several mounts can reach, of one
// interpreter or of many.
//
// Problem: mounts of different interpreters write the same blocks, and a lock would be held for
// ever if an interpreter ended. Each mount caches parts of the image.
//
// Mechanism: one word per image holds a generation and the holder. Each write of a block increments
// the generation twice. A mount remembers the generation that it has seen. It begins a write by
// compare and swap on that generation. Data that it read is valid only if the generation is
// unchanged after the copy. Holding the image only prevents other mounts from invalidating an
// operation in progress.
//
// States of the generation: even, no write in progress; odd, the holder copies a block.
// Invariant G1: while the generation is odd, only the writer changes the word.
// Invariant G2: a mount writes only if no other mount has written since the mount read the image.
// Consequence: blocks change as if every mount but the last writer had lost power and been
// remounted, which littlefs supports at any point. Progress: no mount waits for a lock; it only
// waits while another interpreter copies one block.
#ifndef GPUSNEK_IMAGEGUARD_H
#define GPUSNEK_IMAGEGUARD_H

#include <stdbool.h>
#include <stdint.h>

#define GPUSNEK_ESTALE (116) // the number of Linux; MicroPython has no name for it

typedef struct _gpusnek_guard_t {
    volatile uint64_t *word; // NULL: the image has no guard
    uint64_t generation; // the image's generation when this mount last read all of it; even
    bool shared; // other interpreters access the word
    bool holds; // this mount has written and not released the image
    bool stale; // another mount wrote, or a write was refused: cached data may be outdated
} gpusnek_guard_t;

// Adopt the image's current generation; the mount must have no cached data. Waits for a write in
// progress.
void gpusnek_guard_open(gpusnek_guard_t *guard);
// Return whether data read since gpusnek_guard_open() is still valid. Once false, always false.
bool gpusnek_guard_fresh(gpusnek_guard_t *guard);
// Begin and end one write of a block. gpusnek_guard_write() returns 0, -EBUSY (another mount holds
// the image) or -ESTALE; after an error the caller must not write.
int gpusnek_guard_write(gpusnek_guard_t *guard);
void gpusnek_guard_written(gpusnek_guard_t *guard);
// Release the image, so that other mounts can write.
void gpusnek_guard_release(gpusnek_guard_t *guard);

#endif
