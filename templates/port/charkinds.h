// Properties and case mappings of characters, as in Unicode. porter_dev/charkinds.py generates the
// tables (charkinds_table.c).
#ifndef GPUSNEK_CHARACTERS_H
#define GPUSNEK_CHARACTERS_H

#include <stddef.h>
#include <stdint.h>

#define GPUSNEK_RANGES (2657)
#define GPUSNEK_KINDS (211)
#define GPUSNEK_SPECIALS (298)
#define GPUSNEK_MAPPED (3) // the most characters that one character maps to

// Flags of a character: the results of the str method of the same name for it, if there is one.
enum {
    GPUSNEK_ALPHA = 1 << 0,
    GPUSNEK_DECIMAL = 1 << 1,
    GPUSNEK_DIGIT = 1 << 2,
    GPUSNEK_NUMERIC = 1 << 3,
    GPUSNEK_SPACE = 1 << 4,
    GPUSNEK_UPPER = 1 << 5,
    GPUSNEK_LOWER = 1 << 6,
    GPUSNEK_TITLE = 1 << 7,
    GPUSNEK_PRINTABLE = 1 << 8,
    GPUSNEK_ID_START = 1 << 9,
    GPUSNEK_ID_CONTINUE = 1 << 10,
    GPUSNEK_CASED = 1 << 11,
    GPUSNEK_IGNORABLE = 1 << 12, // between a cased character and the end of its word
    GPUSNEK_SPECIAL = 1 << 13, // gpusnek_specials has its mappings
};

// The case mappings, in the order of a row of gpusnek_specials.
typedef enum {
    GPUSNEK_TO_UPPER,
    GPUSNEK_TO_LOWER,
    GPUSNEK_TO_TITLE,
    GPUSNEK_TO_FOLDED,
} gpusnek_mapping_t;

// The properties of all characters of one kind. Mappings are distances to the mapped character.
typedef struct {
    int32_t upper;
    int32_t lower;
    int32_t title;
    uint32_t flags;
} gpusnek_kind_t;

// Ranges of characters. A row has the first character in bits 8 to 28, and the kind of the range's
// characters at even distances from the first in bits 0 to 7; gpusnek_range_odd has the kind of the
// others. The last row is beyond all characters.
extern const uint32_t gpusnek_ranges[GPUSNEK_RANGES + 1];
extern const uint8_t gpusnek_range_odd[GPUSNEK_RANGES];
extern const gpusnek_kind_t gpusnek_kinds[GPUSNEK_KINDS];
// A character, and its mappings in the order of gpusnek_mapping_t, filled with zeros. Sorted.
extern const uint16_t gpusnek_specials[GPUSNEK_SPECIALS][1 + 4 * GPUSNEK_MAPPED];

// Returns the kind of a character.
const gpusnek_kind_t *gpusnek_kind(uint32_t character);

// Maps a character. Returns the number of characters written to `to`, 1 to GPUSNEK_MAPPED.
size_t gpusnek_map_character(uint32_t character, gpusnek_mapping_t mapping,
    uint32_t to[GPUSNEK_MAPPED]);

#endif
