// Bodies of torture.h. They are rewritten together with the generated programs.
#include "torture.h"

handler_t *top_handler;

_Noreturn void raise_value(int value) {
    handler_t *handler = top_handler;
    top_handler = handler->previous;
    handler->value = value;
    longjmp(handler->buffer, value & 7);
}

int need(int value) {
    if ((value & 3) == 3) {
        raise_value(value);
    }
    return value;
}

void *as_void(void *pointer) {
    return pointer;
}

int to_int(double value) {
    return value > -1e9 && value < 1e9 ? (int)value : 0;
}

double tame(double value) {
    return value > -1e9 && value < 1e9 ? value : 0;
}

void mix(unsigned long *sum, unsigned long value) {
    *sum = (*sum ^ value) * 1099511628211ul;
    *sum ^= *sum >> 29;
}

void mix_double(unsigned long *sum, double value) {
    union {
        double value;
        unsigned long bits;
    } both;
    both.value = value;
    mix(sum, both.bits);
}

void mix_text(unsigned long *sum, const char *text, int most) {
    for (int i = 0; i < most && text[i]; i++) {
        mix(sum, (unsigned char)text[i]);
    }
}
