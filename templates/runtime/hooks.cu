// What the port asks of the runtime (templates/port/hooks.h), on the device.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "porter_runtime.h"

extern "C" {

PORTER_DEVICE uint64_t porter_clock_ns(void) {
    uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

PORTER_DEVICE unsigned int porter_register_bytes(void) {
    return 4;
}

PORTER_DEVICE void porter_pause(void) {
    __nanosleep(1000);
}

// Threads run by themselves.
PORTER_DEVICE void porter_give_way(void) {
    PORTER_STATE->porter_looked = porter_clock();
}

static __device__ volatile uint32_t turn;

// For a volatile access a compiler has the lane yield.
PORTER_DEVICE __noinline__ void porter_give_turn(void) {
    (void)turn;
}

#if !PORTER_RECONVERGE // else in reconvergence.cu
PORTER_DEVICE void porter_keeps(void) {}

PORTER_DEVICE void porter_let_others(const unsigned int *) {}

#endif

PORTER_DEVICE __noinline__ bool porter_poll_due(void *budget, unsigned int turns, bool raises) {
    return porter_poll_look(budget, turns, raises);
}

// Not __syncthreads(), which is barrier.sync.aligned: that one asks that all threads of a warp
// come to it together, which interpreters need not. Threads that have ended are not waited for.
PORTER_DEVICE void porter_syncthreads(uint64_t end) {
    (void)end;
    asm volatile("barrier.sync 0;" : : : "memory");
}

#define PRINT_BYTES 256 // one device printf at most

// printf ends at a NUL, so there are none.
PORTER_DEVICE __noinline__ void porter_print(const char *text, unsigned long size) {
    char line[PRINT_BYTES];
    unsigned length = 0;
    for (unsigned long i = 0; i < size; i++) {
        if (text[i] != 0) {
            line[length++] = text[i];
        }
        if (length == PRINT_BYTES - 1 || i + 1 == size) {
            line[length] = 0;
            length = 0;
            printf("%s", line);
        }
    }
}

#if PORTER_ARENA_LOCAL
// Users' kernels have global arenas, so no interpreter of this build has lines to collect; should
// one ever write here, its characters are not lost.
PORTER_DEVICE void porter_console(const char *text, unsigned long size) {
    for (unsigned long i = 0; i < size; i++) {
        printf("%c", text[i]);
    }
}
#else
PORTER_DEVICE bool gpusnek_user_console(const char *text, unsigned long size); // kernel_output.cpp

PORTER_DEVICE void porter_console(const char *text, unsigned long size) {
    gpusnek_user_console(text, size);
}
#endif

PORTER_DEVICE int porter_refused(void) {
#if PORTER_FENCES
    return PORTER_STATE->porter_ranges.place != 0;
#else
    return 0;
#endif
}

PORTER_DEVICE void porter_publish(void) {
    __threadfence_system();
}

// Ends this thread and no other; its status stands at GPUSNEK_STATUS_ABORT since it began.
PORTER_DEVICE void porter_fatal(const char *message) {
    (void)message;
    asm volatile("exit;");
}

// Below the frame of porter_gc_flush, whatever that frame's layout; not in its unit, so that
// neither knows the other's registers.
PORTER_DEVICE __noinline__ void porter_gc_flush_below(
    void (*scan)(void *lowest, void *context), void *context) {
    volatile uint64_t here = 0;
    scan((void *)&here, context);
}
}

#include "atomics.inc"
#include "libm.inc"
#include "profile.inc"
#include "unwind.inc"
#include "words.inc"
