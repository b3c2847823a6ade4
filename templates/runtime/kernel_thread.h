// Which thread of a user's kernel has which interpreter: a table with an entry for each thread.
#ifndef GPUSNEK_KERNEL_THREAD_H
#define GPUSNEK_KERNEL_THREAD_H

#include "interpreter.h"

#define GPUSNEK_LIBRARY // of gpusnek.cuh the declarations alone
#include "gpusnek.cuh"

// What gpusnek_table_set was given.
typedef struct gpusnek_threads_t {
    uint64_t count;       // entries of the table; 0: gpusnek_host_setup has not run
    uint64_t stack_bytes; // C stack that Python may use
    uint64_t local_bytes; // local memory that a thread has, as the device is set
} gpusnek_threads_t;

extern PORTER_DEVICE gpusnek_threads_t gpusnek_threads;

// The running thread's index in the table. It holds for one-dimensional grids and blocks.
static inline PORTER_DEVICE uint64_t gpusnek_thread_index(void) {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// GPUSNEK_OK where the running thread has an entry in the table.
PORTER_DEVICE int gpusnek_check_thread(void);

// The running thread's entry, which it must have: the state of its interpreter, or NULL.
PORTER_DEVICE porter_state_t *gpusnek_entry(void);

// Gives the running thread the interpreter whose state is at `base`; NULL: none.
PORTER_DEVICE void gpusnek_enroll(char *base);

#ifndef __CUDACC__
// The end of the C stack of the thread whose turn it is; NULL outside users' kernels
// (kernel_host.cpp).
extern thread_local char *gpusnek_stack_low;

// Fenced builds: the checks of the thread whose turn it is are for its interpreter from now on.
void gpusnek_fence_user(void);
#endif

#endif
