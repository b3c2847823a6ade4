// The search of the heap's table by itself, without MicroPython (test_allocation_search.py).
#include "freeblocks.h"

size_t behind_taken(const uint8_t *table, size_t at, size_t end, size_t wanted) {
    return gpusnek_behind_taken(table, at, end, wanted);
}

size_t mark_tails(uint8_t *table, size_t block, size_t last) {
    return gpusnek_mark_tails(table, block, last);
}

size_t count_tails(const uint8_t *table, size_t block, size_t end) {
    return gpusnek_count_tails(table, block, end);
}
