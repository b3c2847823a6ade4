// The way into the collector on the device. In a unit of its own, so that the standard calling
// convention holds at its entry; porter/compile/cubin_checks.py checks its machine code.
//
// More values than there are caller-saved registers live across an opaque call, so the compiler
// must use every callee-saved register for them, and must first save in this frame what the
// callers hold there. The frame is then scanned like the rest of the stack.
#include "porter_runtime.h"

#include <stdint.h>

// Odd: with R2, which is saved alone, all even registers land at multiples of 8 (checked, too).
#define KEPT 125

extern "C" PORTER_DEVICE void porter_gc_flush_below(
    void (*scan)(void *lowest, void *context), void *context);

static __device__ uint32_t zeros[KEPT];

// One that a compiler cannot do again later. Not a volatile one: lanes would yield (reconvergence.cu).
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
    if (sum != 0) { // never: but the compiler cannot know
        zeros[0] = 0;
    }
}
