// Search and update of the heap's allocation table, one 64-bit word (32 blocks) at a time.
//
// Callers: py/gc.c (patch `allocation`) and allocate.c. The table has two bits per block, four
// blocks per byte, the first block in the lowest bits: 0 is free, 2 is a tail (a block that
// continues the previous block).
//
// Why words: in a heap of small objects the first fit is often far from the start of the search.
// Upstream's search tests each block, and the lanes of a warp diverge at each test. With words,
// lanes that search for few blocks execute the same path and differ only in the number of words.
//
// Invariant B1: a search returns the same block as upstream's, the first run that is large enough.
// Invariant B2: the last word may contain bytes of the heap's next table, which every search
// ignores.
#ifndef GPUSNEK_FREEBLOCKS_H
#define GPUSNEK_FREEBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hooks.h"

#define GPUSNEK_EACH_BLOCK ((uint64_t)0x5555555555555555) // the value 1 in each block's two bits
#define GPUSNEK_TAIL (2)
#define GPUSNEK_BLOCKS_OF_BYTE (4)
#define GPUSNEK_BLOCKS_OF_WORD (32)
#define GPUSNEK_BYTES_OF_BLOCK (32)
#define GPUSNEK_NO_BLOCK (SIZE_MAX)
#define GPUSNEK_LARGE (256) // blocks; clearing a larger object takes long

#define GPUSNEK_BLOCKS_PER_STEP (8) // 256 bytes; writing and reading them takes about a step's time

void gpusnek_look_soon(size_t steps); // port.h
bool gpusnek_stays_full(void); // gccollect.c

// Return whether the table is aligned for access by words.
static inline bool gpusnek_has_words(const uint8_t *table) {
    return (uintptr_t)table % sizeof(uint64_t) == 0;
}

// Return the address of the word that begins with block `first`, a multiple of
// GPUSNEK_BLOCKS_OF_WORD.
static inline uint64_t *gpusnek_word_of(const uint8_t *table, size_t first) {
    return (uint64_t *)porter_private(table + first / GPUSNEK_BLOCKS_OF_BYTE);
}

// Return a mask with both bits of each block in [from, to), for the word that begins with block
// `first`.
static inline uint64_t gpusnek_span(size_t first, size_t from, size_t to) {
    uint64_t span = UINT64_MAX;
    if (from > first) {
        span = from - first < GPUSNEK_BLOCKS_OF_WORD ? span << 2 * (from - first) : 0;
    }
    if (to < first + GPUSNEK_BLOCKS_OF_WORD) {
        span = to > first ? span & (((uint64_t)1 << 2 * (to - first)) - 1) : 0;
    }
    return span;
}

// Return the number of set blocks at the start of a word; `bits` is a subset of GPUSNEK_EACH_BLOCK.
static inline size_t gpusnek_leading(uint64_t bits) {
    const uint64_t without = ~bits & GPUSNEK_EACH_BLOCK;
    return without == 0 ? GPUSNEK_BLOCKS_OF_WORD : (size_t)__builtin_ctzll(without) / 2;
}

// Return the number of set blocks at the end of a word.
static inline size_t gpusnek_trailing(uint64_t bits) {
    const uint64_t without = ~bits & GPUSNEK_EACH_BLOCK;
    return without == 0 ? GPUSNEK_BLOCKS_OF_WORD : (size_t)__builtin_clzll(without) / 2;
}

// Find the first run of `wanted` free blocks from byte `at` of a table of `bytes` bytes. Return the
// run's last block, or GPUSNEK_NO_BLOCK.
static inline size_t gpusnek_free_run(const uint8_t *table, size_t at, size_t bytes, size_t wanted) {
    const size_t from = at * GPUSNEK_BLOCKS_OF_BYTE, to = bytes * GPUSNEK_BLOCKS_OF_BYTE;
    size_t before = 0; // free blocks right before the word
    for (size_t first = from / GPUSNEK_BLOCKS_OF_WORD * GPUSNEK_BLOCKS_OF_WORD; first < to;
         first += GPUSNEK_BLOCKS_OF_WORD) {
        const uint64_t word = *gpusnek_word_of(table, first);
        const uint64_t free = ~(word | word >> 1) & GPUSNEK_EACH_BLOCK & gpusnek_span(first, from, to);
        const size_t leading = gpusnek_leading(free);
        uint64_t begins = wanted <= GPUSNEK_BLOCKS_OF_WORD ? free : 0;
        // Positions at which a run of `row` free blocks begins; `row` doubles until it reaches
        // `wanted`.
        for (size_t row = 1, more; row < wanted && row < GPUSNEK_BLOCKS_OF_WORD; row += more) {
            more = row < wanted - row ? row : wanted - row;
            begins &= begins >> 2 * more;
        }
        if (before + leading >= wanted) {
            return first + (wanted - before) - 1;
        }
        if (begins != 0) {
            return first + (size_t)__builtin_ctzll(begins) / 2 + wanted - 1;
        }
        before = leading == GPUSNEK_BLOCKS_OF_WORD ? before + leading : gpusnek_trailing(free);
    }
    return GPUSNEK_NO_BLOCK;
}

// Mark the free blocks in [block, last] as tails. Return the first block that is not marked: last +
// 1, or `block` if the table is not aligned for words.
static inline size_t gpusnek_mark_tails(uint8_t *table, size_t block, size_t last) {
    if (!gpusnek_has_words(table)) {
        return block;
    }
    size_t first = block / GPUSNEK_BLOCKS_OF_WORD * GPUSNEK_BLOCKS_OF_WORD;
    for (; block <= last && first <= last; first += GPUSNEK_BLOCKS_OF_WORD) {
        const uint64_t tails = gpusnek_span(first, block, last + 1) & GPUSNEK_TAIL * GPUSNEK_EACH_BLOCK;
        *gpusnek_word_of(table, first) |= tails;
    }
    return last + 1;
}

// Count consecutive blocks of one type (0 or GPUSNEK_TAIL) in [block, end). Stops early once the
// count reaches `enough`, which it may exceed by less than a word.
static inline size_t gpusnek_count(
    const uint8_t *table, size_t block, size_t end, unsigned int kind, size_t enough) {
    size_t count = 0;
    for (size_t first = block / GPUSNEK_BLOCKS_OF_WORD * GPUSNEK_BLOCKS_OF_WORD; first < end;
         first += GPUSNEK_BLOCKS_OF_WORD) {
        const uint64_t other = *gpusnek_word_of(table, first) ^ kind * GPUSNEK_EACH_BLOCK;
        const uint64_t span = gpusnek_span(first, block, end);
        // Blocks before `block` count as equal and are subtracted.
        const uint64_t equal = ~(other | other >> 1) & GPUSNEK_EACH_BLOCK & span;
        const size_t passed = block > first ? block - first : 0;
        const size_t reached = gpusnek_leading(equal | ~gpusnek_span(first, block, first + GPUSNEK_BLOCKS_OF_WORD));
        count += reached - passed;
        if (reached < GPUSNEK_BLOCKS_OF_WORD || count >= enough) {
            break;
        }
    }
    return count;
}

// The functions below serve small objects, which span at most two words. Block numbers have 32
// bits, so tables must be smaller than GPUSNEK_SMALL_TABLE bytes.
#define GPUSNEK_SMALL (GPUSNEK_BLOCKS_OF_WORD) // blocks
#define GPUSNEK_SMALL_TABLE (UINT32_MAX / GPUSNEK_BLOCKS_OF_BYTE - sizeof(uint64_t))
#define GPUSNEK_NO_SMALL_RUN (UINT32_MAX)

// Return the positions at which a run of `wanted` free blocks begins within a word. The tested run
// length doubles until it reaches `wanted`.
static inline uint64_t gpusnek_rows(uint64_t free, uint32_t wanted) {
    for (uint32_t row = 1, more; row < wanted; row += more) {
        more = row < wanted - row ? row : wanted - row;
        free &= free >> 2 * more;
    }
    return free;
}

// Find the first run of `wanted` free blocks from byte `at` of a table of `bytes` bytes. Return the
// run's first block, or GPUSNEK_NO_SMALL_RUN. The loop has one exit, so that lanes reconverge after
// it.
static inline uint32_t gpusnek_small_run(
    const uint8_t *table, uint32_t at, uint32_t bytes, uint32_t wanted) {
    const uint32_t from = at * GPUSNEK_BLOCKS_OF_BYTE, to = bytes * GPUSNEK_BLOCKS_OF_BYTE;
    uint32_t first = from / GPUSNEK_BLOCKS_OF_WORD * GPUSNEK_BLOCKS_OF_WORD; // of the current word
    uint64_t span = GPUSNEK_EACH_BLOCK << 2 * (from - first);
    uint32_t before = 0; // free blocks right before the word
    uint32_t start = GPUSNEK_NO_SMALL_RUN;
    while ((start == GPUSNEK_NO_SMALL_RUN) & (first < to)) {
        const uint64_t word = *gpusnek_word_of(table, first);
        const uint32_t left = to - first;
        const uint32_t blocks = left < GPUSNEK_BLOCKS_OF_WORD ? left : GPUSNEK_BLOCKS_OF_WORD;
        const uint64_t free = ~(word | word >> 1) & span & UINT64_MAX >> (64 - 2 * blocks);
        const uint32_t leading = before == 0 ? 0 : (uint32_t)gpusnek_leading(free);
        const uint64_t rows = gpusnek_rows(free, wanted);
        if (rows != 0) {
            start = first + (uint32_t)__builtin_ctzll(rows) / 2;
        }
        if (leading != 0 && before + leading >= wanted) {
            start = first - before;
        }
        before = (uint32_t)gpusnek_trailing(free) + (free == GPUSNEK_EACH_BLOCK ? before : 0);
        first += GPUSNEK_BLOCKS_OF_WORD;
        span = GPUSNEK_EACH_BLOCK;
    }
    return start;
}

// A free block: its number in the table is `first` + `place`, and *word describes the blocks from
// `first` on. If no block is free, `word` is NULL.
typedef struct {
    uint64_t *word;
    uint32_t first;
    uint32_t place;
} gpusnek_free_t;

// Find the first free block from byte `at` of a table of `bytes` bytes. Most objects have one.
// Positions are bytes of the table until a word with a free block is found.
static inline gpusnek_free_t gpusnek_first_free(uint8_t *table, uint32_t at, uint32_t bytes) {
    const uint32_t word_bytes = sizeof(uint64_t);
    gpusnek_free_t found = {NULL, 0, 0};
    uint32_t first = at - at % word_bytes;
    uint64_t span = GPUSNEK_EACH_BLOCK << 8 * (at % word_bytes);
    for (; first < bytes; first += word_bytes) {
        uint64_t *const word = (uint64_t *)porter_private(table + first);
        const uint64_t free = ~(*word | *word >> 1) & span;
        if (free != 0) {
            found.place = (uint32_t)__builtin_ctzll(free) / 2;
            // B2: the word may extend beyond the table
            found.word = first + found.place / GPUSNEK_BLOCKS_OF_BYTE < bytes ? word : NULL;
            found.first = first * GPUSNEK_BLOCKS_OF_BYTE;
            break;
        }
        span = GPUSNEK_EACH_BLOCK;
    }
    return found;
}

// Mark a run of free blocks as one object. The mask has a tail in each block; subtracting 1 turns
// the first tail (2) into a head (1). Free blocks have no bits set.
static inline void gpusnek_mark_object(uint8_t *table, uint32_t start, uint32_t wanted) {
    const uint32_t last = start + wanted - 1;
    const uint32_t unused = 2 * (GPUSNEK_BLOCKS_OF_WORD - wanted);
    const uint64_t object = (GPUSNEK_TAIL * GPUSNEK_EACH_BLOCK & UINT64_MAX >> unused) - 1;
    const uint32_t place = 2 * (start % GPUSNEK_BLOCKS_OF_WORD);
    *gpusnek_word_of(table, start - start % GPUSNEK_BLOCKS_OF_WORD) |= object << place;
    if (place > unused) {
        *gpusnek_word_of(table, last - last % GPUSNEK_BLOCKS_OF_WORD) |= object >> (64 - place);
    }
}

// Clear a block.
static inline void gpusnek_clear_block(void *memory) {
    uint64_t *const at = (uint64_t *)porter_private(memory);
    at[0] = 0;
    at[1] = 0;
    at[2] = 0;
    at[3] = 0;
}

// Clear `bytes` of 8-byte aligned memory: whole blocks, fewer than 2^32.
static inline void gpusnek_clear(void *memory, size_t bytes) {
    uint64_t *at = (uint64_t *)porter_private(memory);
    for (uint32_t blocks = (uint32_t)(bytes / GPUSNEK_BYTES_OF_BLOCK); blocks != 0; --blocks) {
        at[0] = 0;
        at[1] = 0;
        at[2] = 0;
        at[3] = 0;
        at += GPUSNEK_BYTES_OF_BLOCK / sizeof(uint64_t);
    }
}

#define GPUSNEK_TABLE_PER_STEP (32) // bytes of the allocation table, for 4 KiB of heap
// An allocation that collects takes steps in a heap whose table is larger (512 KiB of heap). Only the
// host has such heaps. In smaller ones it takes none, because the C stack decides what a collection
// keeps and depends on the compiler, and equal programs take equal steps on all devices.
#define GPUSNEK_TIMED_TABLE (4096)
#define GPUSNEK_LEAST_FREE (64) // a collection that leaves less than this part free is crowded
// Return whether a heap has so few free blocks after a collection that almost each allocation would
// collect again.
static inline bool gpusnek_is_crowded(const uint8_t *table, size_t bytes) {
    size_t left = bytes * GPUSNEK_BLOCKS_OF_BYTE / GPUSNEK_LEAST_FREE;
    for (size_t i = 0; i < bytes && left > 0; i++) {
        const unsigned used = (table[i] | table[i] >> 1) & 0x55u;
        const size_t free = used == 0x55u ? 0 : 4 - (used & 1) - (used >> 2 & 1) - (used >> 4 & 1) - (used >> 6);
        left = left > free ? left - free : 0;
    }
    return left > 0;
}

#endif
