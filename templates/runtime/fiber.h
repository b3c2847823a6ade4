// Fibers: functions with a C stack of their own that one thread switches between.
#ifndef GPUSNEK_FIBER_H
#define GPUSNEK_FIBER_H

#include <stddef.h>

// swapcontext() of glibc makes a system call to exchange signal masks, which fibers do not change.
// On x86-64 a switch therefore is a function of this library. It does not switch shadow stacks of
// the processor, for which code is marked where __CET__ has bit 1.
#if defined(__x86_64__) && defined(__ELF__)
#if !defined(__CET__) || !(__CET__ & 2)
#define FIBER_SWITCH 1
#endif
#endif

#if FIBER_SWITCH
typedef void *fiber_context_t; // the stack pointer of a function that does not run
#else
#include <ucontext.h>
typedef ucontext_t fiber_context_t;
#endif

struct Fiber {
    fiber_context_t own;
    fiber_context_t resumer;
    void (*entry)(void *);
    void *argument;
    char *stack; // lowest usable byte; a guard page lies below
    size_t stack_size;
    bool done;
    // AddressSanitizer's shadow of both stacks; null without AddressSanitizer.
    void *own_shadow;
    void *resumer_shadow;
    const void *resumer_stack;
    size_t resumer_stack_size;
};

// Map a stack of `size` bytes with a guard page below. Return its lowest usable byte, or null if
// there is no memory.
char *fiber_stack_new(size_t size);
void fiber_stack_free(char *stack, size_t size);

// Prepare `fiber` to run entry(argument) on `stack` when it is first resumed.
void fiber_make(Fiber *fiber, char *stack, size_t size, void (*entry)(void *), void *argument);

// Run `fiber` until it yields or ends. `done` is true if it has ended.
void fiber_resume(Fiber *fiber);

// Return from the running fiber to the caller of fiber_resume. With `final` the fiber has ended and
// must not be resumed.
void fiber_yield(bool final);

#endif
