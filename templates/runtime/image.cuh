// Images: local arenas at rest in global memory, interleaved so that a warp moves whole sectors.
#ifndef GPUSNEK_IMAGE_CUH
#define GPUSNEK_IMAGE_CUH

#include "interpreter.h"

// Words [from, to) of interpreter i's image, to or from memory at `at`. Word w of all images lies
// together: images[w * n + i]. First come head and state, which lie together, then the heap.
static PORTER_DEVICE PORTER_NOINLINE void image_in(
    char *at, const uint64_t *images, uint64_t from, uint64_t to, uint64_t n, uint64_t i) {
    uint64_t *words = (uint64_t *)at;
#pragma unroll 8
    for (uint64_t w = from; w < to; w++) {
        words[w - from] = images[w * n + i];
    }
}

static PORTER_DEVICE PORTER_NOINLINE void image_out(
    const char *at, uint64_t *images, uint64_t from, uint64_t to, uint64_t n, uint64_t i) {
    const uint64_t *words = (const uint64_t *)at;
#pragma unroll 8
    for (uint64_t w = from; w < to; w++) {
        images[w * n + i] = words[w - from];
    }
}

static PORTER_DEVICE inline uint64_t image_fixed_words() {
    return (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) / 8;
}

// Calls move(from, to) for the words of the heap at `heap` that an image must hold, numbered from
// its start: `used` bytes, of which the first `tables` say which of the others (interp.h).
template <class F>
static PORTER_DEVICE inline void image_pieces(const char *heap, uint64_t tables, uint64_t used, F move) {
    const uint8_t *in_use = (const uint8_t *)porter_private(heap);
    for (uint64_t at = tables; at < used; at += GPUSNEK_HEAP_PIECE) {
        if (*in_use++ != 0) {
            move(at / 8, (at + GPUSNEK_HEAP_PIECE) / 8);
        }
    }
}

// The arena at `base` from image i of the n images that lie interleaved at `images`.
static PORTER_DEVICE void image_copy(
    char *base, const gpusnek_launch_t *launch, const uint64_t *images, uint64_t n, uint32_t i) {
    const uint64_t fixed = image_fixed_words();
    image_in((char *)gpusnek_head(base), images, 0, fixed, n, i);
    if (gpusnek_head(base)->heap_size != launch->heap_size) {
        return; // gpusnek_run refuses it
    }
    const uint64_t tables = gpusnek_head(base)->heap_tables;
    char *heap = gpusnek_heap(base, launch);
    image_in(heap, images, fixed, fixed + tables / 8, n, i);
    image_pieces(heap, tables, gpusnek_head(base)->heap_used, [&](uint64_t from, uint64_t to) {
        image_in(heap + from * 8, images, fixed + from, fixed + to, n, i);
    });
}

// What interpreter `i` has in the arena at `base` before it runs: a copy of its program's template, or
// its own image; nothing where it boots.
static PORTER_DEVICE void image_begin(char *base, const gpusnek_launch_t *launch, uint32_t i) {
    const uint64_t *copied = gpusnek_template(launch, i);
    if (copied) {
        image_copy(base, launch, copied, 1, 0);
    } else if (!gpusnek_boots(launch, i)) {
        image_copy(base, launch, (const uint64_t *)launch->images, launch->n, i);
    }
}

static PORTER_DEVICE void image_store(char *base, const gpusnek_launch_t *launch, uint32_t i) {
    uint64_t *images = (uint64_t *)launch->images;
    const uint64_t fixed = image_fixed_words();
    // What is no interpreter (any more) has no heap.
    const bool alive = gpusnek_head(base)->magic == GPUSNEK_MAGIC;
    size_t tables = 0;
    uint64_t used = alive ? gpusnek_heap_used(&tables) : 0;
#if PORTER_FENCES
    // The collector's own words may have been written over.
    if (used > launch->heap_size || tables > used || tables % 8 != 0
        || (used - tables) / GPUSNEK_HEAP_PIECE > tables) {
        gpusnek_head(base)->magic = 0;
        used = tables = 0;
    }
#endif
    gpusnek_head(base)->heap_used = used;
    gpusnek_head(base)->heap_tables = tables;
    image_out((const char *)gpusnek_head(base), images, 0, fixed, launch->n, i);
    const char *heap = gpusnek_heap(base, launch);
    image_out(heap, images, fixed, fixed + tables / 8, launch->n, i);
    image_pieces(heap, tables, used, [&](uint64_t from, uint64_t to) {
        image_out(heap + from * 8, images, fixed + from, fixed + to, launch->n, i);
    });
    if (launch->image_used) {
        ((uint32_t *)launch->image_used)[i] = (uint32_t)(fixed + used / 8);
    }
}

#endif
