// Images: local arenas at rest in global memory, interleaved so that a warp moves whole sectors.
#ifndef GPUSNEK_IMAGE_CUH
#define GPUSNEK_IMAGE_CUH

#include "interpreter.h"

// Words [from, to) of interpreter i's image, to or from memory at `at`. Word w of all images lies
// together: images[w * n + i]. First come head and state, which lie together, then the heap.
static __device__ __noinline__ void image_in(
    char *at, const uint64_t *images, uint64_t from, uint64_t to, uint64_t n, uint64_t i) {
    uint64_t *words = (uint64_t *)at;
#pragma unroll 8
    for (uint64_t w = from; w < to; w++) {
        words[w - from] = images[w * n + i];
    }
}

static __device__ __noinline__ void image_out(
    const char *at, uint64_t *images, uint64_t from, uint64_t to, uint64_t n, uint64_t i) {
    const uint64_t *words = (const uint64_t *)at;
#pragma unroll 8
    for (uint64_t w = from; w < to; w++) {
        images[w * n + i] = words[w - from];
    }
}

static __device__ inline uint64_t image_fixed_words() {
    return (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) / 8;
}

// The arena at `base` from image i of the n images that lie interleaved at `images`.
static __device__ void image_copy(
    char *base, const gpusnek_launch_t *launch, const uint64_t *images, uint64_t n, uint32_t i) {
    const uint64_t fixed = image_fixed_words();
    image_in((char *)gpusnek_head(base), images, 0, fixed, n, i);
    if (gpusnek_head(base)->heap_size != launch->heap_size) {
        return; // gpusnek_run refuses it
    }
    const uint64_t used = (gpusnek_head(base)->heap_used + 7) / 8;
    image_in(gpusnek_heap(base, launch), images, fixed, fixed + used, n, i);
}

static __device__ void image_store(char *base, const gpusnek_launch_t *launch, uint32_t i) {
    uint64_t *images = (uint64_t *)launch->images;
    const uint64_t fixed = image_fixed_words();
    // What is no interpreter (any more) has no heap.
    const bool alive = gpusnek_head(base)->magic == GPUSNEK_MAGIC;
    gpusnek_head(base)->heap_used = alive ? gpusnek_heap_used() : 0;
    image_out((const char *)gpusnek_head(base), images, 0, fixed, launch->n, i);
    const uint64_t used = (gpusnek_head(base)->heap_used + 7) / 8;
    image_out(gpusnek_heap(base, launch), images, fixed, fixed + used, launch->n, i);
    if (launch->image_used) {
        ((uint32_t *)launch->image_used)[i] = (uint32_t)(fixed + used);
    }
}

#endif
