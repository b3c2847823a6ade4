// The guard of an image that several mounts can reach, of one interpreter or of many.
//
// One word per image: a generation that every write of a block raises twice (odd: one is going
// on), and who holds the image. A mount knows the generation that it has seen. It writes only
// while that is still the image's, by compare and swap, and what it reads counts only if it still
// is after the copy. So the blocks change as if every mount but the last writer had lost its power
// and been mounted again, which littlefs bears at any point; no lock is needed for that. Holding
// the image only keeps others from putting an end to what one mount is about to finish.
#ifndef GPUSNEK_IMAGEGUARD_H
#define GPUSNEK_IMAGEGUARD_H

#include <stdbool.h>
#include <stdint.h>

#define GPUSNEK_ESTALE (116) // as Linux has it; MicroPython has no name for it

typedef struct _gpusnek_guard_t {
    volatile uint64_t *word; // NULL: not guarded
    uint64_t generation; // the image's when this mount last looked at all of it; even
    bool shared; // other interpreters reach the word
    bool holds; // has written and not let go
    bool stale; // somebody else wrote, or a write of ours was refused: all that we know may be old
} gpusnek_guard_t;

// Starts over: what is read from now on is the image as it is now.
void gpusnek_guard_open(gpusnek_guard_t *guard);
// Whether what was read since gpusnek_guard_open is still the image; once false, always false.
bool gpusnek_guard_fresh(gpusnek_guard_t *guard);
// Around one write: 0, or -EBUSY (held by another), or -ESTALE; after an error nothing may be
// written.
int gpusnek_guard_write(gpusnek_guard_t *guard);
void gpusnek_guard_written(gpusnek_guard_t *guard);
// Lets others write.
void gpusnek_guard_release(gpusnek_guard_t *guard);

#endif
