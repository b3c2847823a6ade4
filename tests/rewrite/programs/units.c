#include "units.h"

static int scale = 3; // another variable than the other unit's
static int run(int n) { return n * scale; }

const table_t first_table = {.next = &second_table, .run = run, .name = "first"};
int shared_counter = 7;

static int protected(int value) {
    handler_t handler;
    if (PUSH(&handler) == 0) {
        int n = other_protected(value);
        POP();
        return n;
    }
    return -handler.value;
}

int program(void) {
    put("own", count_here());
    put("own", count_here());
    put("other", other_count());
    put("own", count_here());
    shared_tentative += 4;
    put("tentative", other_count() + shared_tentative);
    put("counter", *to_counter);
    shared_counter++;
    put("counter", *to_counter);
    put("table", first_table.run(5));
    put("table", first_table.next->run(5));
    put("table", first_table.next->next->run(6));
    put("protected", protected(4));
    put("protected", protected(-4));
    SHOW("after", need(1));
    return 0;
}
