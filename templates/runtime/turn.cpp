// Calls with which the running interpreter ends its turn (turn.h).
#include "turn.h"

#include <stdlib.h>

#include "fiber.h"

#define CALLS_PER_YIELD 256 // a switch replaces the arena in the caches, so it must be rare

thread_local Turn *gpusnek_turn;

void gpusnek_barrier(uint64_t end) {
    gpusnek_turn->until = end;
    gpusnek_turn->phase = PHASE_WAITING;
    fiber_yield(false);
}

void gpusnek_pause() {
    fiber_yield(false);
}

void gpusnek_give_way() {
    static thread_local uint32_t calls;
    if (++calls % CALLS_PER_YIELD == 0 && gpusnek_turn && !gpusnek_turn->alone) {
        fiber_yield(false);
    }
}

void *gpusnek_turn_memory(size_t size) {
    gpusnek_turn->kept = malloc(size);
    return gpusnek_turn->kept;
}

void gpusnek_end_here(int32_t status) {
    if (!gpusnek_turn) {
        abort(); // outside of interpreters: only the process can end
    }
    gpusnek_turn->status = status;
    fiber_yield(true);
    abort(); // a fiber that is done is never resumed
}
