// The collector's entry, and the two test switches that hang on it.
//
// Upstream calls gc_collect before an allocation when gc_alloc_threshold is reached; with a
// threshold of 0 that is every allocation. Stress mode and failing the Nth allocation both use
// this, so neither needs an edit in py/gc.c.
#include <stdint.h>

#include "hooks.h"
#include "port.h"
#include "py/gc.h"
#include "py/mpstate.h"

static uint32_t allocations_left; // 0: no allocation is to fail

// A GPU's registers hold 32 bits, and a frame may save the halves of a pair apart, or only one
// of them because the other did not change. So each word counts as the low half of a pointer;
// the high half is the heap's own (of both ends, should the heap lie across a 4 GiB border).
static void scan_halves(uintptr_t from, uintptr_t to) {
    const uintptr_t low = (uintptr_t)MP_STATE_MEM(area).gc_pool_start;
    const uintptr_t end = (uintptr_t)MP_STATE_MEM(area).gc_pool_end;
    const uintptr_t high_mask = ~(uintptr_t)UINT32_MAX;
    for (uintptr_t at = from & ~(uintptr_t)3; at < to; at += sizeof(uint32_t)) {
        uintptr_t pointer = (low & high_mask) | *(const uint32_t *)at;
        if (pointer < low) {
            pointer = (end & high_mask) | *(const uint32_t *)at;
        }
        if (pointer >= low && pointer < end) {
            gc_collect_root((void **)&pointer, 1);
        }
    }
}

static void scan_stack(void *lowest, void *context) {
    (void)context;
    const uintptr_t to = (uintptr_t)gpusnek_io.stack_top;
    if (porter_register_bytes() < sizeof(void *)) {
        scan_halves((uintptr_t)lowest, to);
        return;
    }
    uintptr_t from = ((uintptr_t)lowest + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    gc_collect_root((void **)from, (to - from) / sizeof(void *));
}

void gc_collect(void) {
    gc_collect_start();
    porter_gc_flush(scan_stack, NULL);
    gc_collect_end();
    if (allocations_left != 0 && --allocations_left == 0) {
        // The search for free blocks starts at this index, so the allocation that asked for
        // this collection finds none. The next collection resets it.
        MP_STATE_MEM(area).gc_last_free_atb_index = MP_STATE_MEM(area).gc_alloc_table_byte_len;
    }
}

void gpusnek_gc_start(void) {
    allocations_left = gpusnek_boot.fail_allocation;
    if (MICROPY_GPUSNEK_GC_STRESS || allocations_left != 0
        || (gpusnek_boot.flags & GPUSNEK_GC_STRESS)) {
        MP_STATE_MEM(gc_alloc_threshold) = 0;
    }
}
