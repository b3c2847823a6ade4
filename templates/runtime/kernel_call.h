// Prologue and epilogue of the functions of gpusnek.cuh, the interface for users' kernels.
#ifndef GPUSNEK_KERNEL_CALL_H
#define GPUSNEK_KERNEL_CALL_H

#include "kernel_user.h"

#if defined(__CUDACC__)
#define GPUSNEK_FORCE_INLINE __forceinline__
#else
#define GPUSNEK_FORCE_INLINE inline __attribute__((always_inline))
#endif

// Return the bytes of C stack below `frame` that Python may use, or 0 if they are too few.
PORTER_DEVICE uint64_t gpusnek_stack_below(const volatile void *frame);

// Attach the interpreter at `base` to the user's output buffer, its error buffer, and `stack_size`
// bytes of C stack below `frame`.
PORTER_DEVICE void gpusnek_user_attach(char *base, const volatile void *frame, uint64_t stack_size);

// Find the running thread's interpreter and attach it. Return a status.
PORTER_DEVICE int gpusnek_find(char **base, const volatile void *frame);

// Begin a call. Inlined, so that `frame` lies above every frame of the call.
static PORTER_DEVICE GPUSNEK_FORCE_INLINE int gpusnek_enter(char **base) {
    volatile uint64_t frame = 0;
    return gpusnek_find(base, &frame);
}

// End a call: flush output and terminate texts with NUL. Return `status`, or GPUSNEK_STATUS_CANARY
// if a canary has changed.
PORTER_DEVICE int gpusnek_leave(char *base, int status);

// Body of a function: `act` between gpusnek_enter and gpusnek_leave. given: whether all pointers
// that the function requires are not null.
#define GPUSNEK_CALL(given, act)                                                               \
    char *base;                                                                                \
    if (!(given)) {                                                                            \
        return GPUSNEK_STATUS_ARGUMENT;                                                        \
    }                                                                                          \
    const int status = gpusnek_enter(&base);                                                   \
    return status == GPUSNEK_OK ? gpusnek_leave(base, act) : status

#endif
