#include "units.h"

static int scale = 1000;
static int run(int n) { return n + scale++; }

const table_t second_table = {.name = "second", .run = run, .next = &first_table};
const int *const to_counter = &shared_counter;

int other_raise(int value) { return need(value); }

int other_count(void) {
    shared_tentative++;
    return count_here() * 2;
}

// No handler of this unit is active: each unit has its own `top`.
int other_protected(int value) {
    handler_t handler;
    if (PUSH(&handler) == 0) {
        int n = other_raise(value);
        POP();
        return n;
    }
    return handler.value * 2;
}
