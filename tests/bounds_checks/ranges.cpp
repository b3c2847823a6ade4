// Fills tables of ranges as an interpreter does, and prints their content, which a test reads.
#include <stdio.h>
#include <string.h>

#include "ranges.h"

porter_state_t state;
__thread porter_state_t *porter_state_current;

static porter_ranges_t &table = state.porter_ranges;
__thread porter_bounds_t porter_bounds;

static void show(const char *what) {
    printf("%s:", what);
    for (uint32_t k = 0; k < table.count; k++) {
        printf(" %s%llu+%llu", k < table.reads ? "r" : "w", (unsigned long long)table.range[k].low,
            (unsigned long long)table.range[k].size);
    }
    printf("\n");
}

static void keep(uint64_t low, uint64_t size, uint64_t use) {
    porter_ranges_keep(&table, (const void *)low, size, use);
}

static void add(uint64_t low, uint64_t size, bool writable) {
    porter_reaches((const void *)low, size, writable);
}

int main() {
    porter_state_current = &state;
    add(1000, 10, false);
    add(2000, 10, true);
    add(3000, 10, false);
    add(2010, 5, true); // touches
    add(0, 10, true);   // no memory
    add(4000, 0, true);
    add(UINT64_MAX - 4, 10, false);
    show("added");

    porter_bounds.recent[0].room[0] = porter_bounds.recent[1].room[4] = 1;
    porter_ranges_begin(&table, false);
    show("begun");
    const bool forgotten = porter_bounds.recent[0].room[0] + porter_bounds.recent[1].room[4] == 0;
    printf("forgotten: %d\n", forgotten); // loads are compared with the new table
    printf("first: %llu\n", (unsigned long long)table.range[0].size); // a GPU reads it anyway

    for (uint64_t i = 0; i < PORTER_RANGES; i++) {
        add(10000 + 100 * i, 10, i == 0);
    }
    add(10120, 5, false);
    printf("%u %u %llu\n", table.reads, table.count, (unsigned long long)table.range[0].size);

    keep(100, 50, PORTER_KEPT_WRITE);
    keep(110, 10, PORTER_KEPT_WRITE); // within
    keep(300, 50, PORTER_KEPT_READ);
    keep(500, 8, PORTER_KEPT_CODE);
    keep(0, 8, PORTER_KEPT_READ);
    porter_ranges_begin(&table, false);
    show("kept");
    porter_ranges_begin(&table, true);
    show("compiling");
    porter_ranges_drop(&table, (const void *)120, 10); // out of its middle
    porter_ranges_drop(&table, (const void *)290, 100);
    porter_ranges_drop(&table, (const void *)500, 8); // code stays
    porter_ranges_begin(&table, false);
    show("dropped");

    for (uint64_t i = 0; i < 40; i++) {
        keep(20000 + 100 * i, 10, PORTER_KEPT_READ);
    }
    porter_ranges_begin(&table, false);
    const porter_range_t &last = table.range[table.reads - 1];
    printf("%llu kept, to %llu\n", (unsigned long long)table.keeps,
        (unsigned long long)(last.low + last.size));
    return 0;
}
