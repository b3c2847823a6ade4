// The table of interpreters in users' kernels: for each thread the state of its interpreter.
#ifndef GPUSNEK_KERNEL_THREAD_H
#define GPUSNEK_KERNEL_THREAD_H

#include "arena_layout.h"
#include "permissions.h"
#include "port_api.h"

#define GPUSNEK_LIBRARY // only the declarations of gpusnek.cuh
#include "gpusnek.cuh"

// Arguments of gpusnek_table_set.
typedef struct gpusnek_threads_t {
    uint64_t count;       // entries of the table; 0: gpusnek_host_setup has not run
    uint64_t stack_bytes; // C stack that Python may use
    uint64_t local_bytes; // local memory per thread, by the device's setting
} gpusnek_threads_t;

extern PORTER_DEVICE gpusnek_threads_t gpusnek_threads;

// Return the running thread's index in the table, in one-dimensional grids and blocks.
static inline PORTER_DEVICE uint64_t gpusnek_thread_index(void) {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// Return GPUSNEK_OK if the running thread has an entry in the table, else a status.
PORTER_DEVICE int gpusnek_check_thread(void);

// Return the state of the running thread's interpreter, or NULL. The thread must have an entry.
PORTER_DEVICE porter_state_t *gpusnek_entry(void);

// Enter the interpreter whose state is at `base` for the running thread; NULL: none.
PORTER_DEVICE void gpusnek_enroll(char *base);

#ifndef __CUDACC__
// Lowest byte of the C stack of the running thread of a user's kernel; NULL outside of such kernels
// (kernel_host.cpp).
extern thread_local char *gpusnek_stack_low;

// Builds with bounds checks: permit the memory of the running thread's interpreter.
void gpusnek_fence_user(void);
#endif

#endif
