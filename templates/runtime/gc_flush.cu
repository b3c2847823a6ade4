// Entry of the garbage collector on the device: store all callee-saved registers in a frame and
// scan the C stack from below it. The file is a unit of its own, so that the standard calling
// convention holds at its entry. porter/compile/cubin_checks.py verifies it in the SASS.
//
// Mechanism: more values than there are caller-saved registers are live across an opaque call. The
// compiler must keep them in callee-saved registers, so it first saves the callers' values of these
// registers in this frame. The frame is then scanned like the rest of the stack.
#include "porter_runtime.h"

#include <stdint.h>

// Number of live values, more than there are callee-saved registers. It is odd: with R2, which is
// saved alone, all even registers lie at multiples of 8 bytes, as aligned pointers need
// (gcflush.py checks this as well).
#define KEPT 125

extern "C" PORTER_DEVICE void porter_gc_flush_below(
    void (*scan)(void *lowest, void *context), void *context);

static __device__ uint32_t zeros[KEPT];

// A load that the compiler cannot repeat after the call. It is no volatile load, because a lane
// would yield at it (invariant R5 of reconvergence.cu).
static __device__ __forceinline__ uint32_t zero(int i) {
    uint32_t value;
    asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(&zeros[i]));
    return value;
}

extern "C" PORTER_DEVICE __noinline__ void porter_gc_flush(
    void (*scan)(void *lowest, void *context), void *context) {
    uint32_t kept[KEPT];
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        kept[i] = zero(i);
    }
    porter_gc_flush_below(scan, context);
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        sum = sum * 3 + kept[i];
    }
    if (sum != 0) { // never true, but the compiler cannot know it
        zeros[0] = 0;
    }
}
