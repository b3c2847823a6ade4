// Images: local arenas at rest in global memory, interleaved so that a warp moves whole sectors.
#ifndef GPUSNEK_IMAGE_CUH
#define GPUSNEK_IMAGE_CUH

#include "interpreter.h"

// Words [from, to) of the arena at `base`, in from or out to interpreter i's image. Word w of all
// images lies together: images[w * n + i].
static __device__ __noinline__ void image_in(
    char *base, const uint64_t *images, uint64_t from, uint64_t to, uint64_t n, uint64_t i) {
    uint64_t *words = (uint64_t *)base;
#pragma unroll 8
    for (uint64_t w = from; w < to; w++) {
        words[w] = images[w * n + i];
    }
}

static __device__ __noinline__ void image_out(
    const char *base, uint64_t *images, uint64_t from, uint64_t to, uint64_t n, uint64_t i) {
    const uint64_t *words = (const uint64_t *)base;
#pragma unroll 8
    for (uint64_t w = from; w < to; w++) {
        images[w * n + i] = words[w];
    }
}

// First and last words of the heap's used part. Between state and heap lies the pystack, which
// is empty between launches and stays where it is.
static __device__ inline uint64_t image_heap_word(char *base, const gpusnek_launch_t *launch) {
    return (uint64_t)(gpusnek_heap(base, launch) - base) / 8;
}

static __device__ inline uint64_t image_fixed_words() {
    return (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) / 8;
}

static __device__ void image_load(char *base, const gpusnek_launch_t *launch, uint32_t i) {
    const uint64_t *images = (const uint64_t *)launch->images;
    image_in(base, images, 0, image_fixed_words(), launch->n, i);
    const uint64_t heap = image_heap_word(base, launch);
    const uint64_t used = (gpusnek_head(base)->heap_used + 7) / 8;
    image_in(base, images, heap, heap + used, launch->n, i);
}

static __device__ void image_store(char *base, const gpusnek_launch_t *launch, uint32_t i) {
    uint64_t *images = (uint64_t *)launch->images;
    gpusnek_head(base)->heap_used = launch->heap_size;
    image_out(base, images, 0, image_fixed_words(), launch->n, i);
    const uint64_t heap = image_heap_word(base, launch);
    const uint64_t used = (gpusnek_head(base)->heap_used + 7) / 8;
    image_out(base, images, heap, heap + used, launch->n, i);
}

#endif
