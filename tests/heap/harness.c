// The search of the heap's table alone, without MicroPython (test_allocation_search.py).
#include "freeblocks.h"

void *porter_private(const void *pointer) {
    return (void *)pointer;
}

size_t free_run(const uint8_t *table, size_t at, size_t bytes, size_t wanted) {
    return gpusnek_free_run(table, at, bytes, wanted);
}

size_t mark_tails(uint8_t *table, size_t block, size_t last) {
    return gpusnek_mark_tails(table, block, last);
}

size_t count(const uint8_t *table, size_t block, size_t end, unsigned int kind, size_t enough) {
    return gpusnek_count(table, block, end, kind, enough);
}

void clear(void *memory, size_t bytes) {
    gpusnek_clear(memory, bytes);
}

uint32_t small_run(const uint8_t *table, uint32_t at, uint32_t bytes, uint32_t wanted) {
    return gpusnek_small_run(table, at, bytes, wanted);
}

void mark_object(uint8_t *table, uint32_t start, uint32_t wanted) {
    gpusnek_mark_object(table, start, wanted);
}

// The block that first_free() finds, and 2^32 - 1 without one. The block is marked.
uint32_t first_free(uint8_t *table, uint32_t at, uint32_t bytes) {
    const gpusnek_free_t found = gpusnek_first_free(table, at, bytes);
    if (found.word == NULL) {
        return UINT32_MAX;
    }
    *found.word |= (uint64_t)1 << 2 * found.place;
    return found.first + found.place;
}
