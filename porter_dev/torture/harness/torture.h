// Support library of generated programs: output, handlers over setjmp, checksums, and conversions
// without undefined behaviour. Preprocessed after templates/libc, like an interpreter's units.
#ifndef PORTER_TORTURE_H
#define PORTER_TORTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// Print a line with a name and a value.
void put(const char *what, unsigned long value);

typedef struct handler {
    struct handler *previous;
    int value;
    jmp_buf buffer;
} handler_t;

extern handler_t *top_handler; // the innermost handler

// Unwind to the innermost handler with `value`.
_Noreturn void raise_value(int value);
int need(int value);            // returns `value`; raises if value % 4 is 3
void *as_void(void *pointer);
int to_int(double value);       // 0 for values outside of int's range
double tame(double value);      // 0 for NaN and large values
// Mix a value into a checksum.
void mix(unsigned long *sum, unsigned long value);
void mix_double(unsigned long *sum, double value);
void mix_text(unsigned long *sum, const char *text, int most);

#define PUSH(handler) \
    ((handler)->previous = top_handler, top_handler = (handler), setjmp((handler)->buffer))
#define POP() (top_handler = top_handler->previous)

#endif
