// Searching and marking the allocation table of the heap eight bytes at a time, for py/gc.c (patch
// `allocation-search`). A block has two bits there, 0 where it is free and 2 where it goes on the
// block before; a byte has four blocks, the first in its lowest bits.
//
// What is found is what upstream finds, the first place that is large enough: looked for block by
// block, in a heap of small objects it is far from where the search begins, and interpreters of a
// warp wait for the one that looks longest.
#ifndef GPUSNEK_FREEBLOCKS_H
#define GPUSNEK_FREEBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "py/mpconfig.h"

#define GPUSNEK_EACH_BLOCK ((uint64_t)0x5555555555555555) // a word with 1 in the place of each block
#define GPUSNEK_TAIL (2)
#define GPUSNEK_FOUR_TAILS (0xaa)
#define GPUSNEK_BLOCKS_OF_BYTE (4)
#define GPUSNEK_BLOCKS_OF_WORD (32)
#define GPUSNEK_BYTES_OF_WORD (sizeof(uint64_t))
#define GPUSNEK_LONG (16) // blocks from which on these functions cost less than a loop over blocks
#define GPUSNEK_LARGE (256) // blocks of an object that takes long to fill

void gpusnek_look_soon(void); // port.h

// Whether a run of `wanted` free blocks can begin in a word of the table.
static inline bool gpusnek_may_begin(uint64_t word, size_t wanted) {
    const uint64_t free = ~(word | word >> 1) & GPUSNEK_EACH_BLOCK;
    const uint64_t last = free & (uint64_t)1 << 62; // may go on in the next word
    return wanted == 1 ? free != 0 : ((free & free >> 2) | last) != 0;
}

// The first byte from `at` on, with no free block right before it, in which a run of `wanted` free
// blocks can begin; or `end`. Words are read that lie in the table wholly.
static inline size_t gpusnek_behind_taken(const uint8_t *table, size_t at, size_t end, size_t wanted) {
    if ((uintptr_t)(table + at) % GPUSNEK_BYTES_OF_WORD != 0) {
        return at;
    }
    while (at + GPUSNEK_BYTES_OF_WORD <= end && !gpusnek_may_begin(*(const uint64_t *)(table + at), wanted)) {
        at += GPUSNEK_BYTES_OF_WORD;
    }
    return at;
}

// What a block is: upstream's AT_FREE, AT_HEAD, AT_TAIL or AT_MARK.
static inline unsigned int gpusnek_kind_of(const uint8_t *table, size_t block) {
    return table[block / GPUSNEK_BLOCKS_OF_BYTE] >> 2 * (block % GPUSNEK_BLOCKS_OF_BYTE) & 3;
}

// Whether a word of the table begins with a block, of which all go on the one before.
static inline bool gpusnek_are_tails(const uint8_t *table, size_t block, size_t end) {
    const uint8_t *const at = table + block / GPUSNEK_BLOCKS_OF_BYTE;
    return block % GPUSNEK_BLOCKS_OF_BYTE == 0 && (uintptr_t)at % GPUSNEK_BYTES_OF_WORD == 0
           && block + GPUSNEK_BLOCKS_OF_WORD <= end
           && *(const uint64_t *)at == GPUSNEK_TAIL * GPUSNEK_EACH_BLOCK;
}

// How many blocks from `block` on, and before `end`, go on the one before.
static inline size_t gpusnek_count_tails(const uint8_t *table, size_t block, size_t end) {
    const size_t first = block;
    while (block < end && gpusnek_kind_of(table, block) == GPUSNEK_TAIL) {
        ++block;
        while (gpusnek_are_tails(table, block, end)) {
            block += GPUSNEK_BLOCKS_OF_WORD;
        }
    }
    return block - first;
}

// Marks free blocks from `block` to `last` as such that go on the one before, as far as they fill
// bytes, and the ones before these. The first block that is left.
static inline size_t gpusnek_mark_tails(uint8_t *table, size_t block, size_t last) {
    while (block % GPUSNEK_BLOCKS_OF_BYTE != 0 && block <= last) {
        table[block / GPUSNEK_BLOCKS_OF_BYTE] |= GPUSNEK_TAIL << 2 * (block % GPUSNEK_BLOCKS_OF_BYTE);
        ++block;
    }
    if (block > last) {
        return block;
    }
    const size_t bytes = (last + 1 - block) / GPUSNEK_BLOCKS_OF_BYTE;
    memset(table + block / GPUSNEK_BLOCKS_OF_BYTE, GPUSNEK_FOUR_TAILS, bytes);
    return block + bytes * GPUSNEK_BLOCKS_OF_BYTE;
}

#endif
