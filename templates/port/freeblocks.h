// Searching and marking the allocation table of the heap eight bytes at a time, for py/gc.c (patch
// `allocation`). A block has two bits there, 0 where it is free and 2 where it goes on the
// block before; a byte has four blocks, the first in its lowest bits.
//
// What is found is what upstream finds, the first place that is large enough. Looked for block by
// block, it is far from where the search begins in a heap of small objects, and interpreters of a
// warp part at each block: what they do afterwards they do one by one. Here all that look for few
// blocks take the same way, but for the words of the table that some pass.
//
// A word of the table's end may have bytes that are no part of it, but of the heap's next table.
#ifndef GPUSNEK_FREEBLOCKS_H
#define GPUSNEK_FREEBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hooks.h"

#define GPUSNEK_EACH_BLOCK ((uint64_t)0x5555555555555555) // a word with 1 in the place of each block
#define GPUSNEK_TAIL (2)
#define GPUSNEK_BLOCKS_OF_BYTE (4)
#define GPUSNEK_BLOCKS_OF_WORD (32)
#define GPUSNEK_BYTES_OF_BLOCK (32)
#define GPUSNEK_NO_BLOCK (SIZE_MAX)
#define GPUSNEK_LARGE (256) // blocks of an object that takes long to fill

void gpusnek_look_soon(void); // port.h

// Whether a table can be read by words.
static inline bool gpusnek_has_words(const uint8_t *table) {
    return (uintptr_t)table % sizeof(uint64_t) == 0;
}

// The word of the table that block `first`, a multiple of GPUSNEK_BLOCKS_OF_WORD, begins.
static inline uint64_t *gpusnek_word_of(const uint8_t *table, size_t first) {
    return (uint64_t *)porter_private(table + first / GPUSNEK_BLOCKS_OF_BYTE);
}

// The blocks from `from` on and before `to`, of a word that begins with block `first`: both bits.
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

// How many blocks at the beginning of a word have their bit, of GPUSNEK_EACH_BLOCK.
static inline size_t gpusnek_leading(uint64_t bits) {
    const uint64_t without = ~bits & GPUSNEK_EACH_BLOCK;
    return without == 0 ? GPUSNEK_BLOCKS_OF_WORD : (size_t)__builtin_ctzll(without) / 2;
}

// How many at its end.
static inline size_t gpusnek_trailing(uint64_t bits) {
    const uint64_t without = ~bits & GPUSNEK_EACH_BLOCK;
    return without == 0 ? GPUSNEK_BLOCKS_OF_WORD : (size_t)__builtin_clzll(without) / 2;
}

// The last of the first `wanted` free blocks in a row, looked for from byte `at` of a table of `bytes`
// on; or GPUSNEK_NO_BLOCK.
static inline size_t gpusnek_free_run(const uint8_t *table, size_t at, size_t bytes, size_t wanted) {
    const size_t from = at * GPUSNEK_BLOCKS_OF_BYTE, to = bytes * GPUSNEK_BLOCKS_OF_BYTE;
    size_t before = 0; // free blocks right before the word
    for (size_t first = from / GPUSNEK_BLOCKS_OF_WORD * GPUSNEK_BLOCKS_OF_WORD; first < to;
         first += GPUSNEK_BLOCKS_OF_WORD) {
        const uint64_t word = *gpusnek_word_of(table, first);
        const uint64_t free = ~(word | word >> 1) & GPUSNEK_EACH_BLOCK & gpusnek_span(first, from, to);
        const size_t leading = gpusnek_leading(free);
        uint64_t begins = wanted <= GPUSNEK_BLOCKS_OF_WORD ? free : 0;
        // Where so many begin: twice as many as before, until there are enough.
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

// Marks free blocks from `block` to `last` as such that go on the one before. The first that is left:
// the one behind `last`, or `block` where the table cannot be read by words.
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

// How many blocks from `block` on, and before `end`, are of this kind: 0 or GPUSNEK_TAIL; or a few more
// than `enough`.
static inline size_t gpusnek_count(
    const uint8_t *table, size_t block, size_t end, unsigned int kind, size_t enough) {
    size_t count = 0;
    for (size_t first = block / GPUSNEK_BLOCKS_OF_WORD * GPUSNEK_BLOCKS_OF_WORD; first < end;
         first += GPUSNEK_BLOCKS_OF_WORD) {
        const uint64_t other = *gpusnek_word_of(table, first) ^ kind * GPUSNEK_EACH_BLOCK;
        const uint64_t span = gpusnek_span(first, block, end);
        // What lies before `block` counts too, and is taken off.
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

// Of small objects, which lie in two words of a table at most: with numbers of 32 bits, for tables of
// fewer bytes than GPUSNEK_SMALL_TABLE.
#define GPUSNEK_SMALL (GPUSNEK_BLOCKS_OF_WORD) // blocks
#define GPUSNEK_SMALL_TABLE (UINT32_MAX / GPUSNEK_BLOCKS_OF_BYTE - sizeof(uint64_t))
#define GPUSNEK_NO_SMALL_RUN (UINT32_MAX)

// The blocks that begin a row of `wanted` free ones, of the free ones of a word: twice as many as
// before, until there are enough.
static inline uint64_t gpusnek_rows(uint64_t free, uint32_t wanted) {
    for (uint32_t row = 1, more; row < wanted; row += more) {
        more = row < wanted - row ? row : wanted - row;
        free &= free >> 2 * more;
    }
    return free;
}

// The first of the first `wanted` free blocks in a row, looked for from byte `at` of a table of `bytes`
// on; or GPUSNEK_NO_SMALL_RUN. One way leads out of the loop, so that interpreters that run together
// are together behind it.
static inline uint32_t gpusnek_small_run(
    const uint8_t *table, uint32_t at, uint32_t bytes, uint32_t wanted) {
    const uint32_t from = at * GPUSNEK_BLOCKS_OF_BYTE, to = bytes * GPUSNEK_BLOCKS_OF_BYTE;
    uint32_t first = from / GPUSNEK_BLOCKS_OF_WORD * GPUSNEK_BLOCKS_OF_WORD; // block of the word
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

// Marks free blocks as an object: tails, the first of which becomes a head. Free ones have no bits.
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

// Clears `bytes` of memory at an aligned address, whole blocks, of which there are fewer than 2^32.
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

#endif
