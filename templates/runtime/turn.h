// The turn of an interpreter on the host twin: its phase, and the calls with which the running
// interpreter ends its turn. block.h has the invariants (B1 to B3).
#ifndef GPUSNEK_TURN_H
#define GPUSNEK_TURN_H

#include <stddef.h>
#include <stdint.h>

enum Phase {
    PHASE_NEW,
    PHASE_READY,   // can continue
    PHASE_WAITING, // blocked at the barrier
    PHASE_DONE,
};

// The image of an interpreter that has booted (image.h). Later interpreters in the same arena start
// as its copies, which takes a tenth of the time.
struct gpusnek_booted_t {
    char *image; // null: no interpreter has booted yet
    uint64_t used; // bytes of heap in the image
};

// A member of a block: an interpreter, or a thread of a user's kernel.
struct Turn {
    Phase phase;
    int32_t status;
    uint64_t until; // end of the wait at the barrier, a value of porter_clock_ns()
    bool alone;     // the only interpreter of its launch, so it never yields to others
    void *kept;     // memory of gpusnek_turn_memory; null: none
    gpusnek_booted_t *booted; // of its arena; null where no other interpreter uses the arena
};

extern thread_local Turn *gpusnek_turn; // B2

// Blocks the running interpreter until all interpreters of its block that have not ended wait too,
// or until `end`, a value of porter_clock_ns().
void gpusnek_barrier(uint64_t end = UINT64_MAX);

// Ends the turn of the running interpreter, which waits for the clock.
void gpusnek_pause();

// Ends the turn of the running interpreter at every 256th call. The interpreter has work to do, but
// it may be waiting for another one in a loop of its program.
void gpusnek_give_way();

// Returns memory of the running interpreter outside its arena, or NULL. It is freed when the
// interpreter ends. At most one call per interpreter.
void *gpusnek_turn_memory(size_t size);

// Ends the running interpreter at once with `status`.
[[noreturn]] void gpusnek_end_here(int32_t status);

#endif
