// The port's natural numbers alone, without MicroPython (native.py).
#include <stdlib.h>
#include <string.h>

#include "natural.h"

unsigned int yields;

void gpusnek_look(void) {
}

void gpusnek_charge(size_t digits) {
    (void)digits;
}

void porter_yield(void) {
    ++yields;
}

void divide(uint32_t *quotient, uint32_t *remainder, const uint32_t *number, size_t count,
    const uint32_t *by, size_t by_count) {
    const gpusnek_divisor_t divisor = gpusnek_divisor(by, by_count);
    gpusnek_divide(quotient, remainder, number, count, &divisor);
}

uint32_t divide_by_digit(uint32_t *number, size_t count, uint32_t by) {
    const gpusnek_divisor_t divisor = gpusnek_divisor(&by, 1);
    return gpusnek_divide_by_digit(number, number, count, &divisor);
}

// Memory has the exact size, so that a sanitizer detects writes beyond it.
void power_modulo(uint32_t *result, const uint32_t *base, const uint32_t *exponent,
    size_t exponent_count, const uint32_t *modulus, size_t count, int window) {
    uint32_t *room = malloc(gpusnek_power_room(count) * sizeof(uint32_t));
    uint32_t *table = malloc(gpusnek_table_room(window, count) * sizeof(uint32_t));
    gpusnek_power_modulo(
        result, base, exponent, exponent_count, modulus, count, room, table, window);
    free(table);
    free(room);
}
