// Allocation of small objects: the fast path of gc_alloc() for objects of at most 32 blocks.
//
// Callers: py/malloc.c and py/gc.c (patch `allocation`). Most allocations take this path.
//
// gc_alloc() may collect and may call functions that unwind, so a GPU's compiler saves two dozen
// registers in its prologue. Its block numbers have 64 bits, and each operation on them takes two
// instructions. Diverged warps wait for instruction fetch more than for anything else
// (docs/lab/performance.md, "Instruction fetch"). The short code for a small object is therefore a
// function of its own.
//
// Invariant A1: the result is the block that gc_alloc() would return, the start of the first free
// run that is large enough.
#include "allocate.h"
#include "freeblocks.h"
#include "py/gc.h"
#include "py/mpstate.h"

// Return whether gc_alloc() must perform the allocation: it collects or fails, the object is empty,
// large or has flags, or the table is too large or unaligned for reads by words.
static inline bool is_special(size_t bytes, unsigned int flags, const mp_state_mem_area_t *area) {
    return (bytes - 1 >= GPUSNEK_SMALL * GPUSNEK_BYTES_OF_BLOCK) // a size of 0 wraps around
           | (flags != 0)
           | (MP_STATE_THREAD(gc_lock_depth) != 0)
           | (gpusnek_allocation + 1 == gpusnek_failing_allocation)
           | (MP_STATE_MEM(gc_alloc_amount) >= MP_STATE_MEM(gc_alloc_threshold))
           | (area->gc_alloc_table_byte_len > GPUSNEK_SMALL_TABLE)
           | !gpusnek_has_words(area->gc_alloc_table_start);
}

void *gpusnek_allocate(size_t bytes, unsigned int flags) {
    MP_STATIC_ASSERT(MICROPY_BYTES_PER_GC_BLOCK == GPUSNEK_BYTES_OF_BLOCK);
    mp_state_mem_area_t *const area = &MP_STATE_MEM(area);
    const uint32_t wanted = ((uint32_t)bytes + GPUSNEK_BYTES_OF_BLOCK - 1) / GPUSNEK_BYTES_OF_BLOCK;
    uint8_t *const table = area->gc_alloc_table_start;
    const uint32_t at = (uint32_t)area->gc_last_free_atb_index;
    const uint32_t table_bytes = (uint32_t)area->gc_alloc_table_byte_len;
    const uint32_t start = is_special(bytes, flags, area) ? GPUSNEK_NO_SMALL_RUN
        : wanted == 1 ? gpusnek_first_free(table, at, table_bytes)
        : gpusnek_small_run(table, at, table_bytes, wanted);
    if (MP_UNLIKELY(start == GPUSNEK_NO_SMALL_RUN)) {
        return gc_alloc(bytes, flags);
    }
    ++gpusnek_allocation;
    porter_profile_allocates(bytes);
    const uint32_t behind = start + wanted;
    if (wanted == 1) {
        area->gc_last_free_atb_index = behind / GPUSNEK_BLOCKS_OF_BYTE;
    }
    if (area->gc_last_used_block < behind - 1) {
        area->gc_last_used_block = behind - 1;
    }
    MP_STATE_MEM(gc_alloc_amount) += wanted;
    if (wanted == 1) {
        const uint32_t place = start % GPUSNEK_BLOCKS_OF_WORD;
        *gpusnek_word_of(table, start - place) |= (uint64_t)1 << 2 * place;
    } else {
        gpusnek_mark_object(table, start, wanted);
    }
    void *const memory = area->gc_pool_start + (size_t)start * GPUSNEK_BYTES_OF_BLOCK;
    gpusnek_clear(memory, wanted * GPUSNEK_BYTES_OF_BLOCK);
    return memory;
}

void *gpusnek_reallocate(void *memory, size_t bytes, bool may_move) {
    return memory == NULL ? gpusnek_allocate(bytes, 0) : gc_realloc(memory, bytes, may_move);
}
