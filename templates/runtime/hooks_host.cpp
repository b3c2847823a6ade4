// Host twin's implementation of the hooks that the port calls (templates/port/hooks.h).
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <math.h>

#include "fences_host.h"
#include "launch.h"
#include "porter_runtime.h"
#include "turn.h"

#define PORTER_CHECK(address, size) fence_check((const void *)(address), size, PORTER_FENCE_STORE)

extern "C" {

uint64_t porter_clock_ns(void) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

unsigned int porter_register_bytes(void) {
    return sizeof(void *);
}

void porter_pause(void) {
    gpusnek_pause();
    usleep(50); // a block that waits for the clock must not occupy a core
}

void porter_give_way(void) {
    gpusnek_give_way();
}

void porter_release_waiting(const unsigned int *) {}

void porter_restart_hold(void) {}

void porter_syncthreads(uint64_t end) {
    gpusnek_barrier(end);
}

bool gpusnek_user_console(const char *text, unsigned long size); // kernel_output.cpp

void porter_console(const char *text, unsigned long size) {
    fence_check(text, size, PORTER_FENCE_LOAD);
    if (gpusnek_user_console(text, size)) {
        return;
    }
    fwrite(text, 1, size, stdout);
}

void porter_print(const char *text, unsigned long size) {
    fence_check(text, size, PORTER_FENCE_LOAD);
    fwrite(text, 1, size, stdout);
    fflush(stdout); // Python's sys.stdout does not flush the C library's stream
}

// Constant 0: on the host twin a failed bounds check ends the interpreter at once.
int porter_refused(void) {
    return 0;
}

void porter_publish(void) {
    __sync_synchronize();
}

void porter_fatal(const char *message) {
    fprintf(stderr, "gpusnek: fatal: %s\n", message);
    gpusnek_end_here(GPUSNEK_STATUS_ABORT);
}
}

#include "atomics.inc"
#include "libm.inc"
#include "profile.inc"
#include "ranges.inc"
#include "unwind.inc"
#include "words.inc"
