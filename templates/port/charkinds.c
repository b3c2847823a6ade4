// Searches in the tables of characters (charkinds.h).
#include "charkinds.h"

#include "py/mpconfig.h"
#include "py/misc.h"

const gpusnek_kind_t *gpusnek_kind(uint32_t character) {
    size_t low = 0, high = GPUSNEK_RANGES;
    while (high - low > 1) { // the range begins at `low` or behind, and before `high`
        const size_t middle = (low + high) / 2;
        if (gpusnek_ranges[middle] >> 8 <= character) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const uint32_t first = gpusnek_ranges[low] >> 8;
    return &gpusnek_kinds[(character - first) % 2 ? gpusnek_range_odd[low]
                                                  : gpusnek_ranges[low] & 0xff];
}

static const uint16_t *special(uint32_t character) {
    size_t low = 0, high = GPUSNEK_SPECIALS;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (gpusnek_specials[middle][0] <= character) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return gpusnek_specials[low] + 1;
}

size_t gpusnek_map_character(uint32_t character, gpusnek_mapping_t mapping,
    uint32_t to[GPUSNEK_MAPPED]) {
    const gpusnek_kind_t *const kind = gpusnek_kind(character);
    if (kind->flags & GPUSNEK_SPECIAL) {
        const uint16_t *const row = special(character) + mapping * GPUSNEK_MAPPED;
        size_t count = 0;
        while (count < GPUSNEK_MAPPED && row[count] != 0) {
            to[count] = row[count];
            count++;
        }
        return count;
    }
    const int32_t distance = mapping == GPUSNEK_TO_UPPER ? kind->upper
        : mapping == GPUSNEK_TO_TITLE ? kind->title : kind->lower;
    to[0] = (uint32_t)((int32_t)character + distance);
    return 1;
}
