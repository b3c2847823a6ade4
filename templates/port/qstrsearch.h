// Lookup of interned strings: hashes, the table of the constant texts, the word-wise search for a
// hash, and the interface of qstrsearch.c, which py/qstr.c and py/objstr.c call (patch `texts`).
#ifndef GPUSNEK_QSTRSEARCH_H
#define GPUSNEK_QSTRSEARCH_H

#include <stdint.h>

#include "py/obj.h"
#include "py/qstr.h"

// The perfect hash of all texts in constant pools (porter/generate/qstr_table.py). A text of hash H
// is in the slots from `H * multipliers[H & bucket_mask] >> shift` on. A slot has the lower half of
// H above the number of the qstr; 0: the slot is free.
#define GPUSNEK_QSTR_WAYS (4) // WAYS of qstr_table.py: the maximum of texts with equal hashes
extern const uint32_t gpusnek_qstr_bucket_mask; // the number of multipliers minus 1
extern const uint32_t gpusnek_qstr_shift;
extern const uint16_t gpusnek_qstr_multipliers[];
extern const uint32_t gpusnek_qstr_slots[];
// The lengths of the texts: bit min(length, 63) is set for each.
extern const uint64_t gpusnek_qstr_lengths;

// Returns the hash of a text with 32 bits: djb2, whose low bits upstream's qstr_compute_hash returns.
static inline uint32_t gpusnek_text_hash(const byte *text, size_t length) {
    uint32_t hash = 5381;
    for (const byte *const end = text + length; text < end; ++text) {
        hash = hash * 33 ^ *text;
    }
    return hash;
}

// Returns what pools and objects store of a hash, as upstream's qstr_compute_hash: never 0.
static inline size_t gpusnek_stored_hash(uint32_t hash) {
    const qstr_hash_t stored = hash;
    return stored != 0 ? stored : 1;
}

#define GPUSNEK_MOST_WORDS (1024) // words per call; bounds the loop, which takes no steps

// Skips numbers of `size` bytes each, 1 or 2: returns an index from `at` on, such that `wanted` does
// not occur before it. The caller continues there, number by number. Reads only words that lie
// completely before `end`, and at most GPUSNEK_MOST_WORDS of them, so that the search needs no poll.
static inline size_t gpusnek_number_at(
    const void *numbers, size_t size, size_t at, size_t end, size_t wanted) {
    const size_t count = size == 1 ? 8 : 4; // numbers in a word
    const uint64_t each = size == 1 ? 0x0101010101010101 : 0x0001000100010001; // 1 for each number
    const uint64_t tops = each << (8 * size - 1);
    const uint64_t searched = each * wanted;
    const byte *const first = (const byte *)numbers + at * size;
    if ((uintptr_t)first % sizeof(uint64_t) != 0) {
        return at;
    }
    const uint64_t *word = (const uint64_t *)first;
    for (int words = 0; words < GPUSNEK_MOST_WORDS; ++words, ++word) {
        if (at + count > end) {
            break;
        }
        const uint64_t apart = *word ^ searched; // 0 where equal; borrows propagate upwards
        if (((apart - each) & ~apart & tops) != 0) {
            break; // the zero-byte test of bit tricks: a number is equal
        }
        at += count;
    }
    return at;
}

// Returns the qstr of a text; MP_QSTRnull if the text is not interned.
qstr gpusnek_find_qstr(const char *text, size_t length);

// Return the str of a text, which must be valid UTF-8: its qstr if it is interned, else a new object.
// The object has the hash that the lookup computed. The second function takes the buffer and clears
// the vstr. Both raise MemoryError.
mp_obj_t gpusnek_make_str(const char *text, size_t length);
mp_obj_t gpusnek_make_str_of_vstr(vstr_t *text);

#endif
