// Operations on an interpreter's table of permitted ranges (porter_ranges.h). Empty functions in
// builds without bounds checks.
//
// A range that is added to a full table is merged with its nearest neighbour. This permits the
// memory between them too, and never refuses a permitted access.
#ifndef GPUSNEK_RANGES_H
#define GPUSNEK_RANGES_H

#include "porter_runtime.h"
#include <stdint.h>

#if PORTER_BOUNDS_CHECKS

#ifndef __CUDACC__
#include "host_bounds.h"
#endif

static inline PORTER_DEVICE uint64_t porter_range_end(const porter_range_t *range) {
    return range->low + range->size;
}

// Bytes between two ranges; 0 where they touch or overlap.
static inline PORTER_DEVICE uint64_t porter_range_gap(
    const porter_range_t *a, const porter_range_t *b) {
    if (porter_range_end(a) < b->low) {
        return b->low - porter_range_end(a);
    }
    return porter_range_end(b) < a->low ? a->low - porter_range_end(b) : 0;
}

static inline PORTER_DEVICE void porter_range_join(porter_range_t *to, const porter_range_t *from) {
    const uint64_t end = porter_range_end(to) < porter_range_end(from)
        ? porter_range_end(from) : porter_range_end(to);
    to->low = to->low < from->low ? to->low : from->low;
    to->size = end - to->low;
}

// Permit a range for this launch. An empty range and address 0 are ignored.
static PORTER_DEVICE PORTER_NOINLINE void porter_ranges_add(
    porter_ranges_t *ranges, const volatile void *data, uint64_t size, bool writable) {
    porter_range_t added = {(uint64_t)data, size};
    if (added.low == 0 || size == 0) {
        return;
    }
    if (added.low + size < added.low) {
        added.size = UINT64_MAX - added.low;
    }
    const uint32_t from = writable ? ranges->reads : 0;
    const uint32_t to = writable ? ranges->count : ranges->reads;
    uint32_t nearest = to;
    for (uint32_t k = from; k < to; k++) {
        if (nearest == to
            || porter_range_gap(&ranges->range[k], &added)
                < porter_range_gap(&ranges->range[nearest], &added)) {
            nearest = k;
        }
    }
    const bool touches =
        nearest < to && porter_range_gap(&ranges->range[nearest], &added) == 0;
    if (touches || (ranges->count == PORTER_RANGES && nearest < to)) {
        porter_range_join(&ranges->range[nearest], &added);
        return;
    }
    if (ranges->count == PORTER_RANGES) {
        return; // full of ranges of the other kind, which does not occur in launches
    }
    for (uint32_t k = ranges->count; k > to; k--) {
        ranges->range[k] = ranges->range[k - 1];
    }
    ranges->range[to] = added;
    ranges->count++;
    ranges->reads += !writable;
}

// Permit a range in later launches, too.
static PORTER_DEVICE PORTER_NOINLINE void porter_ranges_keep(
    porter_ranges_t *ranges, const volatile void *data, uint64_t size, uint64_t use) {
    const porter_range_t added = {(uint64_t)data, size};
    if (added.low == 0 || size == 0 || added.low + size < added.low) {
        return;
    }
    uint64_t nearest = PORTER_KEPT, least = UINT64_MAX;
    for (uint64_t k = 0; k < ranges->keeps; k++) {
        porter_range_t range = {ranges->kept[k].low, ranges->kept[k].size};
        const uint64_t gap = porter_range_gap(&range, &added);
        const bool within = range.low <= added.low
            && porter_range_end(&added) <= porter_range_end(&range);
        if (ranges->kept[k].use == use && within) {
            return;
        }
        if (ranges->kept[k].use == use && gap < least) {
            nearest = k;
            least = gap;
        }
    }
    if (ranges->keeps < PORTER_KEPT) {
        const porter_kept_t kept = {added.low, added.size, use};
        ranges->kept[ranges->keeps++] = kept;
    } else if (nearest < PORTER_KEPT) {
        porter_range_t range = {ranges->kept[nearest].low, ranges->kept[nearest].size};
        porter_range_join(&range, &added);
        ranges->kept[nearest].low = range.low;
        ranges->kept[nearest].size = range.size;
    }
}

// Remove this memory from the kept ranges.
static PORTER_DEVICE PORTER_NOINLINE void porter_ranges_drop(
    porter_ranges_t *ranges, const volatile void *data, uint64_t size) {
    const uint64_t low = (uint64_t)data, end = low + size;
    for (uint64_t k = ranges->keeps; k-- > 0;) {
        const porter_kept_t was = ranges->kept[k];
        const uint64_t was_end = was.low + was.size;
        if (was.use == PORTER_KEPT_CODE || was_end <= low || end <= was.low) {
            continue;
        }
        ranges->kept[k] = ranges->kept[--ranges->keeps];
        if (was.low < low) {
            porter_ranges_keep(ranges, (const void *)was.low, low - was.low, was.use);
        }
        if (end < was_end) {
            porter_ranges_keep(ranges, (const void *)end, was_end - end, was.use);
        }
    }
}

// Reset the table to the kept ranges. Shared bytecode comes first, because it is read most.
static PORTER_DEVICE PORTER_NOINLINE void porter_ranges_begin(
    porter_ranges_t *ranges, bool compiles) {
#ifndef __CUDACC__
    fence_forget();
#endif
    ranges->reads = ranges->count = 0;
    ranges->range[0].size = 0;
    for (uint64_t k = 0; k < ranges->keeps && k < PORTER_KEPT; k++) {
        const porter_kept_t *kept = &ranges->kept[k];
        porter_ranges_add(ranges, (const void *)kept->low, kept->size,
            kept->use == PORTER_KEPT_WRITE || (kept->use == PORTER_KEPT_CODE && compiles));
    }
}

static inline PORTER_DEVICE void porter_reaches(
    const volatile void *data, uint64_t size, bool writable) {
    porter_ranges_add(&PORTER_STATE->porter_ranges, data, size, writable);
}

#else

static inline PORTER_DEVICE void porter_reaches(const volatile void *, uint64_t, bool) {}

#endif

#endif
