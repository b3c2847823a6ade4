// Images: local arenas at rest in global memory, as what differs from their bases (launch.h).
#ifndef GPUSNEK_IMAGE_CUH
#define GPUSNEK_IMAGE_CUH

#include "interpreter.h"

#define IMAGE_UNITS 8u // of 16 bytes, in a piece
#define IMAGE_UNIT_BYTES 16u
#define IMAGE_ROW_UNITS (IMAGE_UNITS * GPUSNEK_BUNDLE)
#define IMAGE_CLAIMED 0xffffffffu // in gpusnek_piece_t: somebody is about to write the row's number

static_assert(GPUSNEK_HEAP_PIECE == IMAGE_UNITS * IMAGE_UNIT_BYTES, "a piece is one of the heap's");
static_assert((GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) % IMAGE_UNIT_BYTES == 0, "not whole units");

typedef ulonglong2 image_unit_t;

// Where pieces of one interpreter's image are. pieces: its bundle's; null: all are the base's.
typedef struct image_t {
    const gpusnek_launch_t *launch;
    gpusnek_piece_t *pieces;
    const image_unit_t *base; // null: none
    uint32_t base_pieces;
    uint32_t lane; // of the bundle
    bool aligned;  // a warp's threads run the interpreters of one bundle, thread k the one with lane k
} image_t;

// Pieces of an image that lie in the arena one after the other: first head and state, then the
// collector's tables, then the rest of the heap.
enum { IMAGE_FIXED, IMAGE_TABLES, IMAGE_HEAP, IMAGE_PARTS };

typedef struct image_part_t {
    image_unit_t *at;
    uint32_t units;        // the last piece may have fewer than IMAGE_UNITS
    uint32_t first;        // piece of the image
    const uint8_t *in_use; // of each piece: 0 where nobody minds what it holds; null: all are
} image_part_t;

static PORTER_DEVICE inline uint32_t image_pieces(uint64_t bytes) {
    return (uint32_t)((bytes + GPUSNEK_HEAP_PIECE - 1) / GPUSNEK_HEAP_PIECE);
}

// Part `part` of the arena at `base`, by what its head says. Of interpreters that are none any more
// only the first has anything.
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

// The lane's first unit in a row; the next one is GPUSNEK_BUNDLE further.
static PORTER_DEVICE inline image_unit_t *image_in_row(const image_t *image, uint32_t row) {
    const gpusnek_launch_t *launch = image->launch;
    const uint64_t *segments = (const uint64_t *)launch->image_segments;
    const uint32_t number = row - 1;
    const uint32_t within = number & ((1u << launch->image_shift) - 1);
    return (image_unit_t *)segments[number >> launch->image_shift]
        + (uint64_t)within * IMAGE_ROW_UNITS + image->lane;
}

// An entry's row and lanes. Others change it meanwhile, but never this lane's bit, nor a row that there
// is: what the bit says stays true.
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

// Pieces of `part` from the image, to the arena. All units of a piece are under way at one time.
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
            continue; // of an image that somebody else has written over
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

// The lanes of a bundle that are here for one piece, where `aligned`. Those that come together may come
// for different pieces, for each has its own end.
static PORTER_DEVICE inline uint32_t image_lanes(uint32_t piece) {
    return __match_any_sync(__activemask(), piece);
}

// The lane's bit of entry `piece` becomes the other one.
static PORTER_DEVICE inline void image_flip(const image_t *image, uint32_t piece) {
    uint32_t *images = &image->pieces[piece].images;
    if (image->aligned) {
        const uint32_t lanes = image_lanes(piece);
        if (lanes >> image->lane == 1) { // the last one
            atomicXor(images, lanes);
        }
    } else {
        atomicXor(images, 1u << image->lane);
    }
}

// The number of the row of `piece`, which is made where there is none. One lane makes it, and the others
// wait until it has written the number. Where they are of one warp it has done so before they wait.
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

// The lane has nothing in the row of `piece`.
static PORTER_DEVICE inline void image_drop(const image_t *image, uint32_t piece) {
    if (image_entry(image, piece).images >> image->lane & 1) {
        image_flip(image, piece);
    }
}

// Unit q of a piece that has `count` units; the others are as good as zero.
static PORTER_DEVICE inline image_unit_t image_unit(
    const image_unit_t *at, uint32_t q, uint32_t count) {
    image_unit_t unit = {0, 0};
    if (q < count) {
        unit = at[q];
    }
    return unit;
}

// Whether the piece at `at` is another one than the base's.
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

// Pieces of `part` from the arena, to the image.
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

// What interpreter `i` has in the arena at `base` before it runs: a copy of its program's template, or
// its own image; nothing where it boots.
static PORTER_DEVICE PORTER_NOINLINE void image_begin(
    char *base, const gpusnek_launch_t *launch, uint32_t i) {
    const uint64_t copied = gpusnek_template(launch, i);
    if (!copied) {
        if (gpusnek_boots(launch, i)) {
            return;
        }
        if (((const uint32_t *)launch->image_used)[i] == 0) {
            gpusnek_head(base)->magic = 0; // no interpreter: gpusnek_run refuses it
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

// The arena at `base`, of interpreter `i` which has run, becomes its image. What is no interpreter (any
// more) has none.
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
    // The collector's own words may have been written over.
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
