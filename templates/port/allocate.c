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

// Return whether gc_alloc() must perform the allocation: it collects or fails, the object has flags,
// or the table is too large or unaligned for reads by words.
static inline bool is_special(unsigned int flags, const mp_state_mem_area_t *area) {
    return (flags != 0)
           | (MP_STATE_THREAD(gc_lock_depth) != 0)
           | (gpusnek_allocation + 1 == gpusnek_failing_allocation)
           | (MP_STATE_MEM(gc_alloc_amount) >= MP_STATE_MEM(gc_alloc_threshold))
           | (area->gc_alloc_table_byte_len > GPUSNEK_SMALL_TABLE)
           | !gpusnek_has_words(area->gc_alloc_table_start);
}

// Allocate an object of another size than one block.
static MP_NOINLINE void *allocate_run(size_t bytes, unsigned int flags) {
    mp_state_mem_area_t *const area = &MP_STATE_MEM(area);
    const uint32_t wanted = ((uint32_t)bytes + GPUSNEK_BYTES_OF_BLOCK - 1) / GPUSNEK_BYTES_OF_BLOCK;
    uint8_t *const table = area->gc_alloc_table_start;
    // A size of 0 wraps around.
    const bool special = (bytes - 1 >= GPUSNEK_SMALL * GPUSNEK_BYTES_OF_BLOCK)
        | is_special(flags, area);
    const uint32_t start = special ? GPUSNEK_NO_SMALL_RUN
        : gpusnek_small_run(table, (uint32_t)area->gc_last_free_atb_index,
              (uint32_t)area->gc_alloc_table_byte_len, wanted);
    if (MP_UNLIKELY(start == GPUSNEK_NO_SMALL_RUN)) {
        return gc_alloc(bytes, flags);
    }
    ++gpusnek_allocation;
    porter_profile_allocates(bytes);
    const uint32_t last = start + wanted - 1;
    if (area->gc_last_used_block < last) {
        area->gc_last_used_block = last;
    }
    MP_STATE_MEM(gc_alloc_amount) += wanted;
    gpusnek_mark_object(table, start, wanted);
    void *const memory = area->gc_pool_start + (size_t)start * GPUSNEK_BYTES_OF_BLOCK;
    gpusnek_clear(memory, wanted * GPUSNEK_BYTES_OF_BLOCK);
    return memory;
}

// The code for one block, the most frequent size, is short, and calls nothing else than the function
// for all other cases, so that a compiler saves few registers.
void *gpusnek_allocate(size_t bytes, unsigned int flags) {
    MP_STATIC_ASSERT(MICROPY_BYTES_PER_GC_BLOCK == GPUSNEK_BYTES_OF_BLOCK);
    mp_state_mem_area_t *const area = &MP_STATE_MEM(area);
    if ((bytes - 1 >= GPUSNEK_BYTES_OF_BLOCK) | is_special(flags, area)) {
        return allocate_run(bytes, flags);
    }
    const gpusnek_free_t free = gpusnek_first_free(area->gc_alloc_table_start,
        (uint32_t)area->gc_last_free_atb_index, (uint32_t)area->gc_alloc_table_byte_len);
    if (MP_UNLIKELY(free.word == NULL)) {
        return allocate_run(bytes, flags);
    }
    ++gpusnek_allocation;
    porter_profile_allocates(bytes);
    *free.word |= (uint64_t)1 << 2 * free.place;
    const uint32_t start = free.first + free.place;
    area->gc_last_free_atb_index = (start + 1) / GPUSNEK_BLOCKS_OF_BYTE;
    if (area->gc_last_used_block < start) {
        area->gc_last_used_block = start;
    }
    MP_STATE_MEM(gc_alloc_amount) += 1;
    void *const memory = area->gc_pool_start + (size_t)start * GPUSNEK_BYTES_OF_BLOCK;
    gpusnek_clear_block(memory);
    return memory;
}

void *gpusnek_reallocate(void *memory, size_t bytes, bool may_move) {
    return memory == NULL ? gpusnek_allocate(bytes, 0) : gc_realloc(memory, bytes, may_move);
}
