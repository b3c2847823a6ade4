// Common parts of all programs of the behaviour tests: output, and handlers over setjmp.
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void put(const char *what, long value);
void put_double(const char *what, double value);

typedef struct handler {
    struct handler *previous;
    int value;
    jmp_buf buffer;
} handler_t;

static handler_t *top; // innermost handler

static _Noreturn void raise_value(int value) {
    handler_t *handler = top;
    top = handler->previous;
    handler->value = value;
    longjmp(handler->buffer, value);
}

// Raises unless `value` is positive; returns `value`.
static int need(int value) {
    if (value <= 0) {
        raise_value(100 - value);
    }
    return value;
}

#define PUSH(handler) \
    ((handler)->previous = top, top = (handler), setjmp((handler)->buffer))
#define POP() (top = top->previous)

// Runs an expression under a handler and prints its value, or the raised value.
#define SHOW(what, expression) \
    do { \
        handler_t handler_; \
        if (PUSH(&handler_) == 0) { \
            long value_of_it = (expression); \
            POP(); \
            put(what, value_of_it); \
        } else { \
            put(what " raised", handler_.value); \
        } \
    } while (0)
