// Images of interpreters on the host twin: copies of head, state and the used part of the heap. An
// image is valid in the arena that it was taken from, because it contains pointers into it.
#ifndef GPUSNEK_IMAGE_H
#define GPUSNEK_IMAGE_H

#include <stdlib.h>
#include <string.h>

#include "arena_layout.h"
#include "turn.h"

#define GPUSNEK_IMAGE_FIXED (GPUSNEK_HEAD_BYTES + GPUSNEK_STATE_BYTES)

// Return the used bytes at the start of the running interpreter's heap.
static inline uint64_t gpusnek_image_heap(const gpusnek_launch_t *launch) {
    size_t tables;
    const uint64_t used = gpusnek_heap_used(&tables);
    const uint64_t heap_size = GPUSNEK_ROUND(launch->heap_size);
    return used < heap_size ? used : heap_size;
}

// Write the image of the interpreter at `base`: GPUSNEK_IMAGE_FIXED + `used` bytes.
static inline void gpusnek_image_save(
    const gpusnek_launch_t *launch, char *base, char *image, uint64_t used) {
    memcpy(image, gpusnek_head(base), GPUSNEK_IMAGE_FIXED);
    memcpy(image + GPUSNEK_IMAGE_FIXED, gpusnek_heap(base, launch), used);
}

static inline void gpusnek_image_restore(
    const gpusnek_launch_t *launch, char *base, const char *image, uint64_t used) {
    memcpy(gpusnek_head(base), image, GPUSNEK_IMAGE_FIXED);
    memcpy(gpusnek_heap(base, launch), image + GPUSNEK_IMAGE_FIXED, used);
}

// Return the place for the image of an interpreter that has booted in the running interpreter's
// arena; NULL where each interpreter has to boot. A mounted file system belongs to one interpreter,
// failing allocations are counted from the start, and profiles and traces contain the boot.
static inline gpusnek_booted_t *gpusnek_booted(const gpusnek_launch_t *launch) {
#if PORTER_PROFILE || PORTER_TRACED
    (void)launch;
    return NULL;
#else
    const bool alike = !(launch->flags & GPUSNEK_FLAG_FS_MOUNT) && !launch->fail_alloc;
    return alike && gpusnek_turn ? gpusnek_turn->booted : NULL;
#endif
}

// Make the arena at `base` the copy of an interpreter that has booted in it. Return false if none
// has.
static inline bool gpusnek_boot_again(const gpusnek_launch_t *launch, char *base) {
    const gpusnek_booted_t *booted = gpusnek_booted(launch);
    if (!booted || !booted->image) {
        return false;
    }
    gpusnek_image_restore(launch, base, booted->image, booted->used);
    return true;
}

// Keep the image of the interpreter at `base`, which has booted.
static inline void gpusnek_keep_boot(const gpusnek_launch_t *launch, char *base) {
    gpusnek_booted_t *booted = gpusnek_booted(launch);
    if (!booted) {
        return;
    }
    booted->used = gpusnek_image_heap(launch);
    booted->image = (char *)malloc(GPUSNEK_IMAGE_FIXED + booted->used);
    if (booted->image) {
        gpusnek_image_save(launch, base, booted->image, booted->used);
    }
}

#endif
