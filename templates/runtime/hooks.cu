// Device implementation of the hooks that the port calls (templates/port/hooks.h).
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "port_api.h"

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
    __nanosleep(1000); // 1 us: short beside a sleep of a program, long beside a poll
}

// The hardware schedules the threads of other warps, so only the time of the poll is recorded.
PORTER_DEVICE void porter_give_way(void) {
    PORTER_STATE->porter_polled = porter_clock();
}

static __device__ volatile uint32_t turn;

// Yield to the other lanes of the warp: nvcc places a YIELD at a volatile access
// (reconvergence.cu).
PORTER_DEVICE __noinline__ void porter_give_turn(void) {
    (void)turn;
}

#if !PORTER_RECONVERGE // else they are in reconvergence.cu
PORTER_DEVICE void porter_restart_hold(void) {}

PORTER_DEVICE void porter_release_waiting(const unsigned int *) {}

#endif

static __device__ __noinline__ bool poll_now(void *budget, unsigned int turns, bool raises) {
    return porter_poll_look(budget, turns, raises);
}

// Most calls only need the next window of steps, because the last poll is recent. The poll itself
// is another function, so that such a call saves few registers.
PORTER_DEVICE __noinline__ bool porter_poll_due(void *budget, unsigned int turns, bool raises) {
    if (porter_polled_lately() && !porter_refused() && gpusnek_limits_take(turns)) {
        return PORTER_UNWINDING;
    }
    return poll_now(budget, turns, raises);
}

// barrier.sync, because __syncthreads() is barrier.sync.aligned, which all threads of a warp must
// execute converged (R9 of reconvergence.cu). Threads that have ended do not take part in the
// barrier.
PORTER_DEVICE void porter_syncthreads(uint64_t end) {
    (void)end;
    asm volatile("barrier.sync 0;" : : : "memory");
}

#define PRINT_BYTES 256 // of one device printf: short, because each thread needs it on its C stack

// NULs are left out, because printf ends at a NUL.
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
// Users' kernels need global arenas, so no interpreter of this build collects lines. This fallback
// keeps the characters of an unexpected call.
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
#if PORTER_BOUNDS_CHECKS
    return PORTER_STATE->porter_ranges.place != 0;
#else
    return 0;
#endif
}

PORTER_DEVICE void porter_publish(void) {
    __threadfence_system();
}

// End this thread. Its status is GPUSNEK_STATUS_ABORT since it began (gpusnek_launch).
PORTER_DEVICE void porter_fatal(const char *message) {
    (void)message;
    asm volatile("exit;");
}

// Scan the C stack from an address below the frame of porter_gc_flush. The function is in another
// unit, so that neither function knows the registers of the other.
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
