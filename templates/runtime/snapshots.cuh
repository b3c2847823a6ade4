// Snapshots: idle local arenas in global memory, stored as the pages
// that differ from a base snapshot. launch.h has the layout, and
// docs/reference/architecture.md, "The arena", the reasons.
//
// Problem: 32 neighbouring snapshots, a bundle, share rows of pages. The lanes that store them
// allocate rows and change masks at the same time, in any order, and a lane must read its own
// pages consistently.
//
// Mechanism: an entry per bundle and page (gpusnek_page_t) has a row number and a mask. The first
// lane that needs the row claims it by compare and swap and takes the next number from a counter.
// Each lane then writes its own page of the row and flips its own bit.
//
// States of an entry's row number: 0, SNAPSHOT_CLAIMED, row. docs/reference/architecture.md,
// "Shared tables and locks", has the diagram.
//
// Invariants:
//   S1  During a launch a row number changes only from 0 to SNAPSHOT_CLAIMED to a number. Only the
//       lane whose compare and swap has claimed the entry writes the number.
//   S2  During a launch only the lane of snapshot k changes bit k of a mask, and writes page k of
//       the row. The bit is set only if the row number is written.
//   S3  The host has reserved enough rows before the kernel starts, so no lane waits for memory.
//   S4  The mask of a `_sync` operation is __activemask() of lanes that are converged there.
//
// Progress: a lane that polls a claimed entry waits for a lane between two adjacent atomics, which
// waits for no other lane. Both sides use atomics and volatile loads, at which lanes yield.
//
// Memory order: a row number is published by an atomic exchange, and read by a volatile load or an
// atomic. Nothing else is published with it: lanes write disjoint words of a row, and a lane reads
// only its own pages and those of bases, which earlier kernels have written.
#ifndef GPUSNEK_SNAPSHOTS_CUH
#define GPUSNEK_SNAPSHOTS_CUH

#include "arena_layout.h"
#include "launch_record.h"

#define SNAPSHOT_UNITS 8u // of a page
#define SNAPSHOT_UNIT_BYTES 16u // the widest access of a lane, so a warp moves 512 contiguous bytes
#define SNAPSHOT_ROW_UNITS (SNAPSHOT_UNITS * GPUSNEK_BUNDLE)
#define SNAPSHOT_CLAIMED 0xffffffffu // row number that the claiming lane has not written yet

static_assert(GPUSNEK_HEAP_PAGE == SNAPSHOT_UNITS * SNAPSHOT_UNIT_BYTES, "the heap's pages");
static_assert(
    (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) % SNAPSHOT_UNIT_BYTES == 0, "not whole units");

typedef ulonglong2 snapshot_unit_t;

// Where the pages of one interpreter's snapshot are.
typedef struct snapshot_t {
    const gpusnek_launch_t *launch;
    gpusnek_page_t *pages;  // entries of the bundle; null: all pages are the base's
    const snapshot_unit_t *base; // null: none
    uint32_t base_pages;
    uint32_t lane; // index of the snapshot in the bundle
    bool aligned;  // thread k of each warp runs the interpreter with lane k of one bundle
} snapshot_t;

// Parts of a snapshot, each contiguous in the arena: head and state, then the collector's tables,
// then the rest of the heap.
enum { SNAPSHOT_FIXED, SNAPSHOT_TABLES, SNAPSHOT_HEAP, SNAPSHOT_PARTS };

typedef struct snapshot_part_t {
    snapshot_unit_t *at;
    uint32_t units;        // the last page may have fewer than SNAPSHOT_UNITS
    uint32_t first;        // number of the first page in the snapshot
    const uint8_t *in_use; // per page: 0 if no block of it is in use; null: all are in use
} snapshot_part_t;

static PORTER_DEVICE inline uint32_t snapshot_pages(uint64_t bytes) {
    return (uint32_t)((bytes + GPUSNEK_HEAP_PAGE - 1) / GPUSNEK_HEAP_PAGE);
}

// Return part `part` of the arena at `base`, with the sizes in its head.
static PORTER_DEVICE inline snapshot_part_t snapshot_part(
    char *base, const gpusnek_launch_t *launch, int part) {
    const uint32_t fixed = GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES;
    const gpusnek_head_t *head = gpusnek_head(base);
    char *at = (char *)head;
    snapshot_part_t found = {NULL, 0, 0, NULL};
    if (part == SNAPSHOT_FIXED) {
        found.units = fixed / SNAPSHOT_UNIT_BYTES;
    } else {
        const uint64_t tables = head->heap_tables;
        at = gpusnek_heap(base, launch);
        found.first = snapshot_pages(fixed);
        if (part == SNAPSHOT_TABLES) {
            found.units = (uint32_t)(tables / SNAPSHOT_UNIT_BYTES);
        } else {
            found.in_use = (const uint8_t *)porter_private(at);
            found.units = (uint32_t)((head->heap_used - tables) / SNAPSHOT_UNIT_BYTES);
            found.first += snapshot_pages(tables);
            at += tables;
        }
    }
    found.at = (snapshot_unit_t *)porter_private(at);
    return found;
}

// Return the lane's first unit in a row. The next unit is GPUSNEK_BUNDLE further.
static PORTER_DEVICE inline snapshot_unit_t *snapshot_in_row(
    const snapshot_t *snapshot, uint32_t row) {
    const gpusnek_launch_t *launch = snapshot->launch;
    const uint64_t *segments = (const uint64_t *)launch->snapshot_segments;
    const uint32_t number = row - 1;
    const uint32_t within = number & ((1u << launch->snapshot_shift) - 1);
    return (snapshot_unit_t *)segments[number >> launch->snapshot_shift]
        + (uint64_t)within * SNAPSHOT_ROW_UNITS + snapshot->lane;
}

// Read an entry. Other lanes may change it, but neither this lane's bit (S2) nor a row number that
// is written (S1).
static PORTER_DEVICE inline gpusnek_page_t snapshot_entry(
    const snapshot_t *snapshot, uint32_t page) {
    const unsigned long long bits = __ldcg((const unsigned long long *)&snapshot->pages[page]);
    gpusnek_page_t found;
    found.row = (uint32_t)bits;
    found.snapshots = (uint32_t)(bits >> 32);
    return found;
}

static PORTER_DEVICE inline const snapshot_unit_t *snapshot_base_at(
    const snapshot_t *snapshot, uint32_t page) {
    return snapshot->base && page < snapshot->base_pages ? snapshot->base + page * SNAPSHOT_UNITS
                                                         : NULL;
}

// Copy the pages of `part` from the snapshot to the arena. All loads of a page are in flight at
// once.
static PORTER_DEVICE inline void snapshot_in(
    const snapshot_t *snapshot, const snapshot_part_t *part) {
    for (uint32_t u = 0, k = 0; u < part->units; u += SNAPSHOT_UNITS, k++) {
        if (part->in_use && part->in_use[k] == 0) {
            continue;
        }
        const uint32_t page = part->first + k;
        const snapshot_unit_t *from = snapshot_base_at(snapshot, page);
        uint32_t step = 1;
        if (snapshot->pages) {
            const gpusnek_page_t entry = snapshot_entry(snapshot, page);
            if (entry.snapshots >> snapshot->lane & 1) {
                from = snapshot_in_row(snapshot, entry.row);
                step = GPUSNEK_BUNDLE;
            }
        }
        if (!from) {
            continue; // a damaged snapshot: gpusnek_run or the canaries refuse it
        }
        snapshot_unit_t units[SNAPSHOT_UNITS];
#pragma unroll
        for (uint32_t q = 0; q < SNAPSHOT_UNITS; q++) {
            units[q] = __ldg(from + q * step);
        }
        snapshot_unit_t *at = part->at + u;
        const uint32_t count = part->units - u;
        if (count >= SNAPSHOT_UNITS) {
#pragma unroll
            for (uint32_t q = 0; q < SNAPSHOT_UNITS; q++) {
                at[q] = units[q];
            }
        } else {
#pragma unroll
            for (uint32_t q = 0; q < SNAPSHOT_UNITS; q++) {
                if (q < count) {
                    at[q] = units[q];
                }
            }
        }
    }
}

// Return the converged lanes that access the same page, if `aligned` (S4). Converged lanes may be
// at different pages, because each snapshot has its own number of pages.
static PORTER_DEVICE inline uint32_t snapshot_lanes(uint32_t page) {
    return __match_any_sync(__activemask(), page);
}

// Flip the lane's bit of entry `page` (S2). Converged lanes flip theirs with one atomic.
static PORTER_DEVICE inline void snapshot_flip(const snapshot_t *snapshot, uint32_t page) {
    uint32_t *snapshots = &snapshot->pages[page].snapshots;
    if (snapshot->aligned) {
        const uint32_t lanes = snapshot_lanes(page);
        if (lanes >> snapshot->lane == 1) { // the highest of these lanes
            atomicXor(snapshots, lanes);
        }
    } else {
        atomicXor(snapshots, 1u << snapshot->lane);
    }
}

// Return the row number of `page`; allocate a row if it has none (S1, S3). Lanes that find the
// entry claimed poll it with a volatile load, at which they yield to the claiming lane.
static PORTER_DEVICE inline uint32_t snapshot_claim(const snapshot_t *snapshot, uint32_t page) {
    uint32_t *at = &snapshot->pages[page].row;
    uint32_t row = atomicCAS(at, 0u, SNAPSHOT_CLAIMED);
    if (row == 0) {
        row = atomicAdd((uint32_t *)snapshot->launch->snapshot_taken, 1u) + 1;
        atomicExch(at, row);
    }
    while (row == SNAPSHOT_CLAIMED) {
        row = *(volatile uint32_t *)at;
    }
    return row;
}

static PORTER_DEVICE inline uint32_t snapshot_row(const snapshot_t *snapshot, uint32_t page) {
    if (!snapshot->aligned) {
        return snapshot_claim(snapshot, page);
    }
    const uint32_t lanes = snapshot_lanes(page);
    const int leader = __ffs((int)lanes) - 1;
    uint32_t row = 0;
    if ((int)snapshot->lane == leader) {
        row = snapshot_claim(snapshot, page);
    }
    return __shfl_sync(lanes, row, leader);
}

// Clear the lane's bit of `page`.
static PORTER_DEVICE inline void snapshot_drop(const snapshot_t *snapshot, uint32_t page) {
    if (snapshot_entry(snapshot, page).snapshots >> snapshot->lane & 1) {
        snapshot_flip(snapshot, page);
    }
}

// Return unit q of a page with `count` units. Units after them count as zero.
static PORTER_DEVICE inline snapshot_unit_t snapshot_unit(
    const snapshot_unit_t *at, uint32_t q, uint32_t count) {
    snapshot_unit_t unit = {0, 0};
    if (q < count) {
        unit = at[q];
    }
    return unit;
}

// Whether the page at `at` differs from the base's.
static PORTER_DEVICE inline bool snapshot_differs(
    const snapshot_unit_t *at, uint32_t count, const snapshot_unit_t *base) {
    unsigned long long differs = 0;
#pragma unroll
    for (uint32_t q = 0; q < SNAPSHOT_UNITS; q++) {
        const snapshot_unit_t unit = snapshot_unit(at, q, count);
        const snapshot_unit_t other = __ldg(base + q);
        differs |= (unit.x ^ other.x) | (unit.y ^ other.y);
    }
    return differs != 0;
}

// Copy the pages of `part` that differ from the base's from the arena to the snapshot.
static PORTER_DEVICE inline void snapshot_out(
    const snapshot_t *snapshot, const snapshot_part_t *part) {
    for (uint32_t u = 0, k = 0; u < part->units; u += SNAPSHOT_UNITS, k++) {
        const uint32_t page = part->first + k;
        if (part->in_use && part->in_use[k] == 0) {
            snapshot_drop(snapshot, page);
            continue;
        }
        const gpusnek_page_t entry = snapshot_entry(snapshot, page);
        const snapshot_unit_t *at = part->at + u;
        const uint32_t count = part->units - u;
        const snapshot_unit_t *base = snapshot_base_at(snapshot, page);
        bool differs = true;
        if (base) {
            differs = count < SNAPSHOT_UNITS ? snapshot_differs(at, count, base)
                                          : snapshot_differs(at, SNAPSHOT_UNITS, base);
        }
        if (differs) {
            const bool is_made = entry.row != 0 && entry.row != SNAPSHOT_CLAIMED;
            const uint32_t row = is_made ? entry.row : snapshot_row(snapshot, page);
            snapshot_unit_t *to = snapshot_in_row(snapshot, row);
#pragma unroll
            for (uint32_t q = 0; q < SNAPSHOT_UNITS; q++) {
                to[q * GPUSNEK_BUNDLE] = snapshot_unit(at, q, count);
            }
        }
        if (differs != (entry.snapshots >> snapshot->lane & 1)) {
            snapshot_flip(snapshot, page);
        }
    }
}

static PORTER_DEVICE inline snapshot_t snapshot_of(
    const gpusnek_launch_t *launch, uint32_t i, uint64_t base, bool pages) {
    snapshot_t snapshot;
    snapshot.launch = launch;
    snapshot.pages = pages
        ? (gpusnek_page_t *)launch->snapshot_pages + i / GPUSNEK_BUNDLE * launch->snapshot_stride
        : NULL;
    snapshot.base = (const snapshot_unit_t *)base;
    snapshot.base_pages =
        base ? (uint32_t)((const uint64_t *)base)[-(int)GPUSNEK_PAGE_WORDS] : 0;
    snapshot.lane = i % GPUSNEK_BUNDLE;
    snapshot.aligned = !launch->order && launch->block_size % GPUSNEK_WARP == 0
        && launch->offset % GPUSNEK_BUNDLE == 0;
    return snapshot;
}

// Fill the arena at `base` before interpreter `i` runs: with a copy of its program's template, or
// with its own snapshot. An interpreter that boots gets nothing.
static PORTER_DEVICE PORTER_NOINLINE void snapshot_begin(
    char *base, const gpusnek_launch_t *launch, uint32_t i) {
    const uint64_t copied = gpusnek_template(launch, i);
    if (!copied) {
        if (gpusnek_boots(launch, i)) {
            return;
        }
        if (((const uint32_t *)launch->snapshot_used)[i] == 0) {
            gpusnek_head(base)->magic = 0; // no snapshot: gpusnek_run refuses it
            return;
        }
    }
    const uint64_t from = copied ? copied : ((const uint64_t *)launch->snapshot_bases)[i];
    const snapshot_t snapshot = snapshot_of(launch, i, from, !copied);
#pragma unroll 1
    for (int k = SNAPSHOT_FIXED; k < SNAPSHOT_PARTS; k++) {
        const snapshot_part_t part = snapshot_part(base, launch, k);
        snapshot_in(&snapshot, &part);
        if (gpusnek_head(base)->heap_size != launch->heap_size) {
            return; // gpusnek_run refuses it
        }
    }
}

// Store the arena at `base` as the snapshot of interpreter `i`, which has run. An interpreter that
// has ended gets a snapshot without pages.
static PORTER_DEVICE PORTER_NOINLINE void snapshot_store(
    char *base, const gpusnek_launch_t *launch, uint32_t i) {
    gpusnek_head_t *head = gpusnek_head(base);
    uint32_t *all_used = (uint32_t *)launch->snapshot_used + i;
    uint64_t *all_bases = (uint64_t *)launch->snapshot_bases + i;
    const uint64_t copied = gpusnek_template(launch, i);
    const uint64_t old_base = *all_bases;
    const uint64_t from = copied ? copied : gpusnek_boots(launch, i) ? 0 : old_base;
    const snapshot_t snapshot = snapshot_of(launch, i, from, true);
    const uint32_t old_used = *all_used;
    size_t tables = 0;
    const bool lives = head->magic == GPUSNEK_MAGIC && !(launch->flags & GPUSNEK_FLAG_STOP);
    uint64_t used = lives ? gpusnek_heap_used(&tables) : 0;
    // A program may have overwritten the collector's own words.
    if (used > launch->heap_size || tables > used || tables % SNAPSHOT_UNIT_BYTES != 0
        || (used - tables) / GPUSNEK_HEAP_PAGE > tables) {
        used = 0;
    }
    uint32_t end = 0;
    if (used) {
        head->heap_used = used;
        head->heap_tables = tables;
#pragma unroll 1
        for (int k = SNAPSHOT_FIXED; k < SNAPSHOT_PARTS; k++) {
            const snapshot_part_t part = snapshot_part(base, launch, k);
            snapshot_out(&snapshot, &part);
            end = part.first + snapshot_pages((uint64_t)part.units * SNAPSHOT_UNIT_BYTES);
        }
    }
    for (uint32_t page = end; page < old_used; page++) {
        snapshot_drop(&snapshot, page);
    }
    if (end != old_used) {
        *all_used = end;
    }
    if (from != old_base) {
        *all_bases = from;
    }
}

#endif
