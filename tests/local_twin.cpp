// The host twin as a GPU with local arenas: all interpreters run one after the other at one
// address, and are snapshots between launches. This tests a device build's handling of interpreters
// without a GPU.
#include <sys/mman.h>

#include "arena.h"
#include "block.h"
#include "canary.cuh"
#include "cuda_alone.h"
#include "snapshots.cuh"
#include "interpreter.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

static const uint64_t WINDOW = 64u << 20;
static const uint64_t STACK = 1u << 20;

struct Thread : Turn {
    Fiber fiber;
    const gpusnek_launch_t *launch;
    uint32_t index;
    char *base;
};

static void enter(void *argument) {
    Thread *self = (Thread *)argument;
    const gpusnek_launch_t *launch = self->launch;
    cuda_lane = self->index % GPUSNEK_WARP;
    canaries_set(self->base, launch);
    snapshot_begin(self->base, launch, self->index);
    self->status = gpusnek_run(launch, self->index, self->base,
        self->fiber.stack + self->fiber.stack_size, launch->stack_size);
    if (!canaries_intact(self->base, launch)) {
        self->status = GPUSNEK_STATUS_CANARY;
    }
    if (launch->flags & GPUSNEK_FLAG_PERSIST && self->status != GPUSNEK_NOT_STARTED) {
        snapshot_store(self->base, launch, self->index);
    }
}

// A kernel of `threads` threads.
EXPORT int gpusnek_launch(const gpusnek_launch_t *launch, int threads) {
    static char *window;
    static char *stack;
    if (launch->record_size != sizeof(gpusnek_launch_t)) {
        return -1;
    }
    if (!window) {
        porter_setup();
        window = (char *)mmap(nullptr, WINDOW, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        stack = fiber_stack_new(STACK);
    }
    char *base = window + WINDOW - GPUSNEK_CANARY_BYTES - GPUSNEK_STATE_BYTES;
    for (uint64_t t = 0; t < (uint64_t)threads; t++) {
        Thread thread = {};
        thread.launch = launch;
        thread.index = gpusnek_of_thread(launch, t);
        thread.alone = true;
        thread.base = base;
        if (thread.index == (uint32_t)GPUSNEK_IDLE || gpusnek_rests(launch, thread.index)) {
            continue;
        }
        fiber_make(&thread.fiber, stack, STACK, enter, &thread);
        gpusnek_turn = &thread;
        porter_state_current = (porter_state_t *)base;
        while (!thread.fiber.done) {
            fiber_resume(&thread.fiber);
        }
        gpusnek_turn = nullptr;
        ((int32_t *)launch->status)[thread.index] = thread.status;
    }
    return 0;
}

// Arenas at a fixed place are not supported.
EXPORT void *gpusnek_arena_new(uint64_t, uint64_t) {
    return nullptr;
}

EXPORT void gpusnek_arena_free(void *, uint64_t, uint64_t) {}
