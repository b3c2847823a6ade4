// Arenas of the host twin (arena.h).
#include "arena.h"

#include <string.h>
#include <sys/mman.h>

#include "arena_layout.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)0)
#endif

static const int CANARIES = 3;

char *arena_base(char *slot, uint64_t stride) {
    return slot + stride - GPUSNEK_CANARY_BYTES - GPUSNEK_STATE_BYTES;
}

static void canaries_of(char *slot, uint64_t stride, char *at[CANARIES]) {
    char *base = arena_base(slot, stride);
    at[0] = slot;
    at[1] = gpusnek_heap_end(base);
    at[2] = base + GPUSNEK_STATE_BYTES;
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
        char *at[CANARIES];
        canaries_of((char *)map + i * stride, stride, at);
        for (char *canary : at) {
            memset(canary, (int)(GPUSNEK_CANARY & 0xff), GPUSNEK_CANARY_BYTES);
            ASAN_POISON_MEMORY_REGION(canary, GPUSNEK_CANARY_BYTES);
        }
    }
    return (char *)map;
}

void arena_unmap(char *base, uint64_t n, uint64_t stride) {
    ASAN_UNPOISON_MEMORY_REGION(base, n * stride);
    munmap(base, n * stride);
}

bool arena_intact(char *slot, uint64_t stride) {
    char *at[CANARIES];
    canaries_of(slot, stride, at);
    uint64_t differ = 0;
    for (char *canary : at) {
        ASAN_UNPOISON_MEMORY_REGION(canary, GPUSNEK_CANARY_BYTES);
        for (unsigned i = 0; i < GPUSNEK_CANARY_BYTES / 8; i++) {
            differ |= ((const uint64_t *)canary)[i] ^ GPUSNEK_CANARY;
        }
        ASAN_POISON_MEMORY_REGION(canary, GPUSNEK_CANARY_BYTES);
    }
    return differ == 0;
}
