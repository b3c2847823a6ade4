// Entry of the garbage collector, root scanning, and two test modes.
//
// Upstream calls gc_collect() before an allocation once gc_alloc_threshold is reached. Stress mode
// sets the threshold to 0, so every allocation collects. The patch `fail-allocation` makes the Nth
// allocation fail. This file also allocates shared bytecode and measures the used part of the heap.
#include <stdint.h>

#include <string.h>

#include "freeblocks.h"
#include "hooks.h"
#include "lfscalls.h"
#include "port.h"
#include "py/gc.h"
#include "py/misc.h"
#include "py/mpstate.h"

// The patch `fail-allocation` counts and compares these (GPUSNEK_ALLOCATION_FAILS).
uint32_t gpusnek_allocation; // number of the last allocation since start
uint32_t gpusnek_failing_allocation; // number of the next allocation to fail; 0: none

// Values of a block in the allocation table (py/gc.c): free, a tail, or a head that is marked.
enum { FREE = 0, TAIL = 2, MARKED = 3, ALL_TAILS = 0xaa };

static size_t block_of(uintptr_t address) {
    return (address - (uintptr_t)MP_STATE_MEM(area).gc_pool_start) / MICROPY_BYTES_PER_GC_BLOCK;
}

static unsigned kind_of(size_t block) {
    return (MP_STATE_MEM(area).gc_alloc_table_start[block / 4] >> (2 * (block & 3))) & 3;
}

bool gpusnek_lives(const void *object) {
    return kind_of(block_of((uintptr_t)object)) == MARKED;
}

// Return the start of the allocation that contains `address`, an address in the heap's pool, or 0
// if its block is free.
static uintptr_t start_of_allocation(uintptr_t address) {
    const uintptr_t pool = (uintptr_t)MP_STATE_MEM(area).gc_pool_start;
    const uint8_t *table = MP_STATE_MEM(area).gc_alloc_table_start;
    size_t block = block_of(address);
    for (;;) {
        const unsigned kind = kind_of(block);
        if (kind == FREE) {
            return 0;
        }
        if (kind != TAIL) {
            return pool + block * MICROPY_BYTES_PER_GC_BLOCK;
        }
        block--;
        while ((block & 3) == 3 && table[block / 4] == ALL_TAILS) {
            block -= 4;
        }
    }
}

// Mark the object that a word of the C stack or of a register points to or into, if it lies in the
// heap. A compiler may keep only the address of a member, and gc_collect_root() accepts only the
// first byte of an allocation.
void gpusnek_collect_word(uintptr_t word) {
    if (word >= (uintptr_t)MP_STATE_MEM(area).gc_pool_start
        && word < (uintptr_t)MP_STATE_MEM(area).gc_pool_end) {
        void *start = (void *)start_of_allocation(word);
        gc_collect_root(&start, 1);
    }
}

// Scan the C stack of a GPU thread, whose registers have 32 bits. A frame may save the halves of a
// pointer apart, or only the half that changed. Each 32-bit word therefore counts as the low half
// of a pointer. The high half is the heap's own: that of its start, or of its end if the heap
// crosses a 4 GiB boundary.
static void scan_halves(uintptr_t from, uintptr_t to) {
    const uintptr_t low = (uintptr_t)MP_STATE_MEM(area).gc_pool_start;
    const uintptr_t end = (uintptr_t)MP_STATE_MEM(area).gc_pool_end;
    const uintptr_t high_mask = ~(uintptr_t)UINT32_MAX;
    for (uintptr_t at = from & ~(uintptr_t)3; at < to; at += sizeof(uint32_t)) {
        uintptr_t pointer = (low & high_mask) | *(const uint32_t *)at;
        if (pointer < low) {
            pointer = (end & high_mask) | *(const uint32_t *)at;
        }
        gpusnek_collect_word(pointer);
    }
}

// Mark everything that the C stack from `lowest` up to the launch's stack top refers to.
static void scan_stack(void *lowest, void *context) {
    (void)context;
    const uintptr_t to = (uintptr_t)gpusnek_io.stack_top;
    if (porter_register_bytes() < sizeof(void *)) {
        scan_halves((uintptr_t)lowest, to);
        return;
    }
    uintptr_t from = ((uintptr_t)lowest + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    for (; from < to; from += sizeof(void *)) {
        gpusnek_collect_word(*(const uintptr_t *)from);
    }
}

// Each collection scans the Python stack. A deep recursion takes a step for each GPUSNEK_SCANNED
// bytes of it, if there are at least GPUSNEK_DEEP. The C stack takes none, because its size depends
// on the compiler, and equal programs take equal steps on all devices.
#define GPUSNEK_DEEP (65536)
#define GPUSNEK_SCANNED (1024)

// Upstream's entry of the collector: mark from registers, C stack and littlefs's lists, then sweep.
void gc_collect(void) {
    const size_t frames = (size_t)(MP_STATE_THREAD(pystack_cur) - MP_STATE_THREAD(pystack_start));
    if (frames >= GPUSNEK_DEEP) {
        gpusnek_look_soon(frames / GPUSNEK_SCANNED);
    }
    porter_profile_collects();
    gc_collect_start();
    porter_gc_flush(scan_stack, NULL);
    gpusnek_lfs_collect();
    gc_collect_end();
}

// An allocation fails after this number of crowded collections in a row, and half as many after a
// failure. So a program's time follows its steps, and a handler of MemoryError gets some memory.
#define MOST_CROWDED (8)

static uint32_t crowded; // collections in a row that left little memory

// Return whether the allocation that has just collected fails, because the collections before it
// left little memory too. With the threshold 0, tests collect at each allocation.
bool gpusnek_stays_full(void) {
    const bool is_crowded = MP_STATE_MEM(gc_alloc_threshold) != 0
        && gpusnek_is_crowded(MP_STATE_MEM(area).gc_alloc_table_start,
            MP_STATE_MEM(area).gc_alloc_table_byte_len);
    const uint32_t count = is_crowded ? crowded + 1 : 0;
    crowded = count > MOST_CROWDED ? MOST_CROWDED / 2 : count;
    return count > MOST_CROWDED;
}

// Apply the test modes of gpusnek_boot_t once the interpreter has started.
void gpusnek_gc_start(void) {
    gpusnek_allocation = 0;
    gpusnek_failing_allocation = gpusnek_boot.fail_allocation;
    if (MICROPY_GPUSNEK_GC_STRESS || (gpusnek_boot.flags & GPUSNEK_GC_STRESS)) {
        MP_STATE_MEM(gc_alloc_threshold) = 0;
    }
}

// Called by the patch `fail-allocation` when the numbered allocation fails. With GPUSNEK_FAIL_REST
// the next allocation fails too.
bool gpusnek_allocation_failed(void) {
    if (gpusnek_boot.flags & GPUSNEK_FAIL_REST) {
        gpusnek_failing_allocation++;
    }
    return true;
}

// Free part of the memory for bytecode that other interpreters will execute; NULL: none.
static char *code_memory;
static size_t code_left;

void gpusnek_code_to(void *memory, size_t size) {
    code_memory = memory;
    code_left = size;
}

// Allocate bytecode for the emitter (patch `shared-code`): in the memory of gpusnek_code_to() if it
// suffices, else in the heap. The collector need not scan it, because bytecode contains no
// pointers. Raises MemoryError.
void *gpusnek_new_code(size_t size) {
    const size_t rounded = (size + 7) & ~(size_t)7;
    if (code_memory == NULL || rounded > code_left) {
        return m_malloc0(size);
    }
    char *code = code_memory;
    code_memory += rounded;
    code_left -= rounded;
    memset(code, 0, rounded);
    return code;
}

size_t gpusnek_heap_used(size_t *tables) {
    MP_STATIC_ASSERT(GPUSNEK_HEAP_PAGE == 4 * MICROPY_BYTES_PER_GC_BLOCK);
    // A byte of the table describes four blocks.
    const uint8_t *table = MP_STATE_MEM(area).gc_alloc_table_start;
    size_t bytes = MP_STATE_MEM(area).gc_alloc_table_byte_len;
    while (bytes % sizeof(uint64_t) != 0 && table[bytes - 1] == 0) {
        bytes--;
    }
    if (bytes % sizeof(uint64_t) == 0) {
        // Skip free blocks by words. The table begins at the heap's start, a multiple of 64 bytes.
        while (bytes > 0 && *(const uint64_t *)(table + bytes - sizeof(uint64_t)) == 0) {
            bytes -= sizeof(uint64_t);
        }
        while (bytes > 0 && table[bytes - 1] == 0) {
            bytes--;
        }
    }
    *tables = (size_t)(MP_STATE_MEM(area).gc_pool_start - table);
    return *tables + bytes * GPUSNEK_HEAP_PAGE;
}

uint32_t gpusnek_allocations(void) {
    return gpusnek_allocation;
}
