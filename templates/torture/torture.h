// What every generated program uses: output, handlers over setjmp, and values without undefined
// behaviour. Preprocessed with templates/libc in front, like an interpreter's own units.
#ifndef PORTER_TORTURE_H
#define PORTER_TORTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

void put(const char *what, unsigned long value);

typedef struct handler {
    struct handler *previous;
    int value;
    jmp_buf buffer;
} handler_t;

extern handler_t *top_handler; // the innermost

_Noreturn void raise_value(int value);
int need(int value);            // raises for every fourth value
void *as_void(void *pointer);
int to_int(double value);       // 0 where the value has no int
double tame(double value);      // 0 for what is large or no number
void mix(unsigned long *sum, unsigned long value);
void mix_double(unsigned long *sum, double value);
void mix_text(unsigned long *sum, const char *text, int most);

#define PUSH(handler) \
    ((handler)->previous = top_handler, top_handler = (handler), setjmp((handler)->buffer))
#define POP() (top_handler = top_handler->previous)

#endif
