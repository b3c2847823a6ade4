#include "arena.h"

#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)0)
#endif

static const unsigned char CANARY_BYTE = 0xc5; // no valid pointer, no small number

uint64_t arena_stride(uint64_t arena_size) {
    const uint64_t size = arena_size + 2 * GPUSNEK_CANARY_BYTES;
    return (size + GPUSNEK_CANARY_BYTES - 1) / GPUSNEK_CANARY_BYTES * GPUSNEK_CANARY_BYTES;
}

char *arena_map(uint64_t n, uint64_t stride) {
    if (n == 0 || stride > UINT64_MAX / 2 / n) {
        return nullptr;
    }
    void *map = mmap(nullptr, n * stride, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        return nullptr;
    }
    for (uint64_t i = 0; i < n; i++) {
        char *slot = (char *)map + i * stride;
        char *end = slot + stride - GPUSNEK_CANARY_BYTES;
        memset(slot, CANARY_BYTE, GPUSNEK_CANARY_BYTES);
        memset(end, CANARY_BYTE, GPUSNEK_CANARY_BYTES);
        ASAN_POISON_MEMORY_REGION(slot, GPUSNEK_CANARY_BYTES);
        ASAN_POISON_MEMORY_REGION(end, GPUSNEK_CANARY_BYTES);
    }
    return (char *)map;
}

void arena_unmap(char *base, uint64_t n, uint64_t stride) {
    ASAN_UNPOISON_MEMORY_REGION(base, n * stride);
    munmap(base, n * stride);
}

static bool is_canary(const char *at) {
    ASAN_UNPOISON_MEMORY_REGION(at, GPUSNEK_CANARY_BYTES);
    unsigned char differ = 0;
    for (unsigned i = 0; i < GPUSNEK_CANARY_BYTES; i++) {
        differ |= (unsigned char)at[i] ^ CANARY_BYTE;
    }
    ASAN_POISON_MEMORY_REGION(at, GPUSNEK_CANARY_BYTES);
    return differ == 0;
}

bool arena_intact(const char *slot, uint64_t stride) {
    return is_canary(slot) && is_canary(slot + stride - GPUSNEK_CANARY_BYTES);
}
