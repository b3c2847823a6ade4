// The table of interpreters in users' kernels (kernel_thread.h), and the device side of
// gpusnek_host_setup.
//
// Each thread reads and writes its own entry only. gpusnek_table_set replaces the table in a kernel
// of one thread, while no other kernel runs, so the table needs no lock.
#if !PORTER_ARENA_LOCAL
#include "kernel_thread.h"

PORTER_DEVICE gpusnek_threads_t gpusnek_threads;

#ifdef __CUDACC__
#define table porter_state_table // PORTER_STATE reads this table
#else
static porter_state_t **table;
#endif

GPUSNEK_API void gpusnek_table_get(void **found, uint64_t *threads) {
    *found = (void *)table;
    *threads = gpusnek_threads.count;
}

GPUSNEK_API void gpusnek_table_set(
    void *given, uint64_t threads, uint64_t stack_bytes, uint64_t local_bytes) {
    if (gpusnek_threads.count == 0) {
        porter_setup();
    }
    table = (porter_state_t **)given;
    gpusnek_threads.count = threads;
    gpusnek_threads.stack_bytes = stack_bytes;
    gpusnek_threads.local_bytes = local_bytes;
}

PORTER_DEVICE int gpusnek_check_thread(void) {
    if (gpusnek_threads.count == 0) {
        return GPUSNEK_STATUS_NO_SETUP;
    }
    if ((uint64_t)blockDim.y * blockDim.z * gridDim.y * gridDim.z != 1) {
        return GPUSNEK_STATUS_SHAPE;
    }
    return gpusnek_thread_index() < gpusnek_threads.count ? GPUSNEK_OK : GPUSNEK_STATUS_TOO_MANY;
}

PORTER_DEVICE porter_state_t *gpusnek_entry(void) {
    return table[gpusnek_thread_index()];
}

PORTER_DEVICE void gpusnek_enroll(char *base) {
    table[gpusnek_thread_index()] = (porter_state_t *)base;
#ifndef __CUDACC__
    porter_state_current = (porter_state_t *)base;
    gpusnek_fence_user();
#endif
}
#endif
