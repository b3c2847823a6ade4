// A call of one of gpusnek.cuh's functions: what comes before its work and after it.
#ifndef GPUSNEK_KERNEL_CALL_H
#define GPUSNEK_KERNEL_CALL_H

#include "kernel_user.h"

#if defined(__CUDACC__)
#define GPUSNEK_FORCE_INLINE __forceinline__
#else
#define GPUSNEK_FORCE_INLINE inline __attribute__((always_inline))
#endif

// C stack below `frame` that Python may use, bytes; 0 where that is too little.
PORTER_DEVICE uint64_t gpusnek_stack_below(const volatile void *frame);

// Attaches the interpreter at `base`: its output and errors to what the user chose, its C stack to
// `stack_size` bytes below `frame`.
PORTER_DEVICE void gpusnek_user_attach(char *base, const volatile void *frame, uint64_t stack_size);

// Begins a call: finds the running thread's interpreter and attaches it. Returns a status.
PORTER_DEVICE int gpusnek_find(char **base, const volatile void *frame);

// Inlined, so that `frame` lies above every frame of what the call does.
static PORTER_DEVICE GPUSNEK_FORCE_INLINE int gpusnek_enter(char **base) {
    volatile uint64_t frame = 0;
    return gpusnek_find(base, &frame);
}

// Ends a call: all its output is out, and texts have their NUL. Returns `status`, or
// GPUSNEK_STATUS_CANARY.
PORTER_DEVICE int gpusnek_leave(char *base, int status);

// The body of a function: `act` between enter and leave, where `given` are all there.
#define GPUSNEK_CALL(given, act)                                                               \
    char *base;                                                                                \
    if (!(given)) {                                                                            \
        return GPUSNEK_STATUS_ARGUMENT;                                                        \
    }                                                                                          \
    const int status = gpusnek_enter(&base);                                                   \
    return status == GPUSNEK_OK ? gpusnek_leave(base, act) : status

#endif
