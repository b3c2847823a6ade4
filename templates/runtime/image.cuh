// Snapshots (identifiers: image): idle local arenas in global memory, stored as the pages
// (identifiers: piece) that differ from a base snapshot. launch.h has the layout, and
// docs/reference/architecture.md, "The arena", the reasons.
//
// Problem: 32 neighbouring snapshots, a bundle, share rows of pages. The lanes that store them
// allocate rows and change masks at the same time, in any order, and a lane must read its own
// pages consistently.
//
// Mechanism: an entry per bundle and page (gpusnek_piece_t) has a row number and a mask. The first
// lane that needs the row claims it by compare and swap and takes the next number from a counter.
// Each lane then writes its own page of the row and flips its own bit.
//
// States of an entry's row number: 0, IMAGE_CLAIMED, row. docs/reference/architecture.md, "Shared
// tables and locks", has the diagram.
//
// Invariants:
//   S1  During a launch a row number changes only from 0 to IMAGE_CLAIMED to a number. Only the
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
#ifndef GPUSNEK_IMAGE_CUH
#define GPUSNEK_IMAGE_CUH

#include "arena_layout.h"
#include "launch_record.h"

#define IMAGE_UNITS 8u // of a page
#define IMAGE_UNIT_BYTES 16u // the widest access of a lane, so a warp moves 512 contiguous bytes
#define IMAGE_ROW_UNITS (IMAGE_UNITS * GPUSNEK_BUNDLE)
#define IMAGE_CLAIMED 0xffffffffu // row number of an entry whose claiming lane has not written it

static_assert(GPUSNEK_HEAP_PIECE == IMAGE_UNITS * IMAGE_UNIT_BYTES, "a piece is one of the heap's");
static_assert((GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) % IMAGE_UNIT_BYTES == 0, "not whole units");

typedef ulonglong2 image_unit_t;

// Where the pages of one interpreter's snapshot are.
typedef struct image_t {
    const gpusnek_launch_t *launch;
    gpusnek_piece_t *pieces;  // entries of the bundle; null: all pages are the base's
    const image_unit_t *base; // null: none
    uint32_t base_pieces;
    uint32_t lane; // index of the snapshot in the bundle
    bool aligned;  // thread k of each warp runs the interpreter with lane k of one bundle
} image_t;

// Parts of a snapshot, each contiguous in the arena: head and state, then the collector's tables,
// then the rest of the heap.
enum { IMAGE_FIXED, IMAGE_TABLES, IMAGE_HEAP, IMAGE_PARTS };

typedef struct image_part_t {
    image_unit_t *at;
    uint32_t units;        // the last page may have fewer than IMAGE_UNITS
    uint32_t first;        // number of the first page in the snapshot
    const uint8_t *in_use; // per page: 0 if no block of it is in use; null: all are in use
} image_part_t;

static PORTER_DEVICE inline uint32_t image_pieces(uint64_t bytes) {
    return (uint32_t)((bytes + GPUSNEK_HEAP_PIECE - 1) / GPUSNEK_HEAP_PIECE);
}

// Return part `part` of the arena at `base`, with the sizes in its head.
static PORTER_DEVICE inline image_part_t image_part(
    char *base, const gpusnek_launch_t *launch, int part) {
    const uint32_t fixed = GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES;
    const gpusnek_head_t *head = gpusnek_head(base);
    char *at = (char *)head;
    image_part_t found = {NULL, 0, 0, NULL};
    if (part == IMAGE_FIXED) {
        found.units = fixed / IMAGE_UNIT_BYTES;
    } else {
        const uint64_t tables = head->heap_tables;
        at = gpusnek_heap(base, launch);
        found.first = image_pieces(fixed);
        if (part == IMAGE_TABLES) {
            found.units = (uint32_t)(tables / IMAGE_UNIT_BYTES);
        } else {
            found.in_use = (const uint8_t *)porter_private(at);
            found.units = (uint32_t)((head->heap_used - tables) / IMAGE_UNIT_BYTES);
            found.first += image_pieces(tables);
            at += tables;
        }
    }
    found.at = (image_unit_t *)porter_private(at);
    return found;
}

// Return the lane's first unit in a row. The next unit is GPUSNEK_BUNDLE further.
static PORTER_DEVICE inline image_unit_t *image_in_row(const image_t *image, uint32_t row) {
    const gpusnek_launch_t *launch = image->launch;
    const uint64_t *segments = (const uint64_t *)launch->image_segments;
    const uint32_t number = row - 1;
    const uint32_t within = number & ((1u << launch->image_shift) - 1);
    return (image_unit_t *)segments[number >> launch->image_shift]
        + (uint64_t)within * IMAGE_ROW_UNITS + image->lane;
}

// Read an entry. Other lanes may change it, but neither this lane's bit (S2) nor a row number that
// is written (S1).
static PORTER_DEVICE inline gpusnek_piece_t image_entry(const image_t *image, uint32_t piece) {
    const unsigned long long bits = __ldcg((const unsigned long long *)&image->pieces[piece]);
    gpusnek_piece_t found;
    found.row = (uint32_t)bits;
    found.images = (uint32_t)(bits >> 32);
    return found;
}

static PORTER_DEVICE inline const image_unit_t *image_base_at(
    const image_t *image, uint32_t piece) {
    return image->base && piece < image->base_pieces ? image->base + piece * IMAGE_UNITS : NULL;
}

// Copy the pages of `part` from the snapshot to the arena. All loads of a page are in flight at
// once.
static PORTER_DEVICE inline void image_in(const image_t *image, const image_part_t *part) {
    for (uint32_t u = 0, k = 0; u < part->units; u += IMAGE_UNITS, k++) {
        if (part->in_use && part->in_use[k] == 0) {
            continue;
        }
        const uint32_t piece = part->first + k;
        const image_unit_t *from = image_base_at(image, piece);
        uint32_t step = 1;
        if (image->pieces) {
            const gpusnek_piece_t entry = image_entry(image, piece);
            if (entry.images >> image->lane & 1) {
                from = image_in_row(image, entry.row);
                step = GPUSNEK_BUNDLE;
            }
        }
        if (!from) {
            continue; // a damaged snapshot: gpusnek_run or the canaries refuse it
        }
        image_unit_t units[IMAGE_UNITS];
#pragma unroll
        for (uint32_t q = 0; q < IMAGE_UNITS; q++) {
            units[q] = __ldg(from + q * step);
        }
        image_unit_t *at = part->at + u;
        const uint32_t count = part->units - u;
        if (count >= IMAGE_UNITS) {
#pragma unroll
            for (uint32_t q = 0; q < IMAGE_UNITS; q++) {
                at[q] = units[q];
            }
        } else {
#pragma unroll
            for (uint32_t q = 0; q < IMAGE_UNITS; q++) {
                if (q < count) {
                    at[q] = units[q];
                }
            }
        }
    }
}

// Return the converged lanes that access the same page, if `aligned` (S4). Converged lanes may be
// at different pages, because each snapshot has its own number of pages.
static PORTER_DEVICE inline uint32_t image_lanes(uint32_t piece) {
    return __match_any_sync(__activemask(), piece);
}

// Flip the lane's bit of entry `piece` (S2). Converged lanes flip theirs with one atomic.
static PORTER_DEVICE inline void image_flip(const image_t *image, uint32_t piece) {
    uint32_t *images = &image->pieces[piece].images;
    if (image->aligned) {
        const uint32_t lanes = image_lanes(piece);
        if (lanes >> image->lane == 1) { // the highest of these lanes
            atomicXor(images, lanes);
        }
    } else {
        atomicXor(images, 1u << image->lane);
    }
}

// Return the row number of `piece`; allocate a row if it has none (S1, S3). Lanes that find the
// entry claimed poll it with a volatile load, at which they yield to the claiming lane.
static PORTER_DEVICE inline uint32_t image_claim(const image_t *image, uint32_t piece) {
    uint32_t *at = &image->pieces[piece].row;
    uint32_t row = atomicCAS(at, 0u, IMAGE_CLAIMED);
    if (row == 0) {
        row = atomicAdd((uint32_t *)image->launch->image_taken, 1u) + 1;
        atomicExch(at, row);
    }
    while (row == IMAGE_CLAIMED) {
        row = *(volatile uint32_t *)at;
    }
    return row;
}

static PORTER_DEVICE inline uint32_t image_row(const image_t *image, uint32_t piece) {
    if (!image->aligned) {
        return image_claim(image, piece);
    }
    const uint32_t lanes = image_lanes(piece);
    const int leader = __ffs((int)lanes) - 1;
    uint32_t row = 0;
    if ((int)image->lane == leader) {
        row = image_claim(image, piece);
    }
    return __shfl_sync(lanes, row, leader);
}

// Clear the lane's bit of `piece`.
static PORTER_DEVICE inline void image_drop(const image_t *image, uint32_t piece) {
    if (image_entry(image, piece).images >> image->lane & 1) {
        image_flip(image, piece);
    }
}

// Return unit q of a page with `count` units. Units after them count as zero.
static PORTER_DEVICE inline image_unit_t image_unit(
    const image_unit_t *at, uint32_t q, uint32_t count) {
    image_unit_t unit = {0, 0};
    if (q < count) {
        unit = at[q];
    }
    return unit;
}

// Whether the page at `at` differs from the base's.
static PORTER_DEVICE inline bool image_differs(
    const image_unit_t *at, uint32_t count, const image_unit_t *base) {
    unsigned long long differs = 0;
#pragma unroll
    for (uint32_t q = 0; q < IMAGE_UNITS; q++) {
        const image_unit_t unit = image_unit(at, q, count);
        const image_unit_t other = __ldg(base + q);
        differs |= (unit.x ^ other.x) | (unit.y ^ other.y);
    }
    return differs != 0;
}

// Copy the pages of `part` that differ from the base's from the arena to the snapshot.
static PORTER_DEVICE inline void image_out(const image_t *image, const image_part_t *part) {
    for (uint32_t u = 0, k = 0; u < part->units; u += IMAGE_UNITS, k++) {
        const uint32_t piece = part->first + k;
        if (part->in_use && part->in_use[k] == 0) {
            image_drop(image, piece);
            continue;
        }
        const gpusnek_piece_t entry = image_entry(image, piece);
        const image_unit_t *at = part->at + u;
        const uint32_t count = part->units - u;
        const image_unit_t *base = image_base_at(image, piece);
        bool differs = true;
        if (base) {
            differs = count < IMAGE_UNITS ? image_differs(at, count, base)
                                          : image_differs(at, IMAGE_UNITS, base);
        }
        if (differs) {
            const bool is_made = entry.row != 0 && entry.row != IMAGE_CLAIMED;
            const uint32_t row = is_made ? entry.row : image_row(image, piece);
            image_unit_t *to = image_in_row(image, row);
#pragma unroll
            for (uint32_t q = 0; q < IMAGE_UNITS; q++) {
                to[q * GPUSNEK_BUNDLE] = image_unit(at, q, count);
            }
        }
        if (differs != (entry.images >> image->lane & 1)) {
            image_flip(image, piece);
        }
    }
}

static PORTER_DEVICE inline image_t image_of(
    const gpusnek_launch_t *launch, uint32_t i, uint64_t base, bool pieces) {
    image_t image;
    image.launch = launch;
    image.pieces = pieces
        ? (gpusnek_piece_t *)launch->image_pieces + i / GPUSNEK_BUNDLE * launch->image_stride
        : NULL;
    image.base = (const image_unit_t *)base;
    image.base_pieces =
        base ? (uint32_t)((const uint64_t *)base)[-(int)GPUSNEK_PIECE_WORDS] : 0;
    image.lane = i % GPUSNEK_BUNDLE;
    image.aligned = !launch->order && launch->block_size % GPUSNEK_WARP == 0
        && launch->offset % GPUSNEK_BUNDLE == 0;
    return image;
}

// Fill the arena at `base` before interpreter `i` runs: with a copy of its program's template, or
// with its own snapshot. An interpreter that boots gets nothing.
static PORTER_DEVICE PORTER_NOINLINE void image_begin(
    char *base, const gpusnek_launch_t *launch, uint32_t i) {
    const uint64_t copied = gpusnek_template(launch, i);
    if (!copied) {
        if (gpusnek_boots(launch, i)) {
            return;
        }
        if (((const uint32_t *)launch->image_used)[i] == 0) {
            gpusnek_head(base)->magic = 0; // no snapshot: gpusnek_run refuses it
            return;
        }
    }
    const uint64_t from = copied ? copied : ((const uint64_t *)launch->image_bases)[i];
    const image_t image = image_of(launch, i, from, !copied);
#pragma unroll 1
    for (int k = IMAGE_FIXED; k < IMAGE_PARTS; k++) {
        const image_part_t part = image_part(base, launch, k);
        image_in(&image, &part);
        if (gpusnek_head(base)->heap_size != launch->heap_size) {
            return; // gpusnek_run refuses it
        }
    }
}

// Store the arena at `base` as the snapshot of interpreter `i`, which has run. An interpreter that
// has ended gets a snapshot without pages.
static PORTER_DEVICE PORTER_NOINLINE void image_store(
    char *base, const gpusnek_launch_t *launch, uint32_t i) {
    gpusnek_head_t *head = gpusnek_head(base);
    uint32_t *all_used = (uint32_t *)launch->image_used + i;
    uint64_t *all_bases = (uint64_t *)launch->image_bases + i;
    const uint64_t copied = gpusnek_template(launch, i);
    const uint64_t old_base = *all_bases;
    const uint64_t from = copied ? copied : gpusnek_boots(launch, i) ? 0 : old_base;
    const image_t image = image_of(launch, i, from, true);
    const uint32_t old_used = *all_used;
    size_t tables = 0;
    const bool lives = head->magic == GPUSNEK_MAGIC && !(launch->flags & GPUSNEK_FLAG_STOP);
    uint64_t used = lives ? gpusnek_heap_used(&tables) : 0;
    // A program may have overwritten the collector's own words.
    if (used > launch->heap_size || tables > used || tables % IMAGE_UNIT_BYTES != 0
        || (used - tables) / GPUSNEK_HEAP_PIECE > tables) {
        used = 0;
    }
    uint32_t end = 0;
    if (used) {
        head->heap_used = used;
        head->heap_tables = tables;
#pragma unroll 1
        for (int k = IMAGE_FIXED; k < IMAGE_PARTS; k++) {
            const image_part_t part = image_part(base, launch, k);
            image_out(&image, &part);
            end = part.first + image_pieces((uint64_t)part.units * IMAGE_UNIT_BYTES);
        }
    }
    for (uint32_t piece = end; piece < old_used; piece++) {
        image_drop(&image, piece);
    }
    if (end != old_used) {
        *all_used = end;
    }
    if (from != old_base) {
        *all_bases = from;
    }
}

#endif
