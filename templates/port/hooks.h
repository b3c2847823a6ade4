// What the port asks of the runtime. Host twin and device build each provide these.
#ifndef GPUSNEK_HOOKS_H
#define GPUSNEK_HOOKS_H

#include <stdint.h>

// Calls scan(lowest, context) with every callee-saved register's value in memory at or above
// `lowest`, an address on this interpreter's C stack below every live frame.
void porter_gc_flush(void (*scan)(void *lowest, void *context), void *context);

// Bytes of one register: 4 on a GPU, where a pointer takes two.
unsigned int porter_register_bytes(void);

// Nanoseconds of a clock that never goes back; its zero means nothing.
uint64_t porter_clock_ns(void);

// Called again and again while an interpreter waits for the clock: give way to others.
void porter_pause(void);

// Shows text at once, in a way of the runtime's own: output of size GPUSNEK_CONSOLE.
void porter_console(const char *text, unsigned long size);

// The port's own: raises what a recursion that is too deep raises.
_Noreturn void porter_stack_overflow(void);

// A broken invariant: ends the program (host) or traps (device). Never called for anything
// that a Python program can do.
_Noreturn void porter_fatal(const char *message);

#endif
