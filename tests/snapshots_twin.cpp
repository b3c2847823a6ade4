// templates/runtime/snapshots.cuh on the CPU, with interpreters that consist of memory only. The
// memory that an interpreter finds is copied out, and the memory that it shall leave is copied in.
// Threads share the interpreters of a launch, so that atomics matter.
#include <stdint.h>
#include <string.h>

#include <thread>
#include <vector>

#include "cuda_alone.h"
#include "launch.h"

// The parts of arena_layout.h, launch_record.h and interp.h that snapshots.cuh uses.
#define GPUSNEK_ARENA_LAYOUT_H
#define GPUSNEK_LAUNCH_RECORD_H
#define PORTER_DEVICE
#define PORTER_NOINLINE
#define GPUSNEK_WARP 32u
#define GPUSNEK_MAGIC 0x1234567890ull
#define GPUSNEK_HEAP_PAGE 128
#define GPUSNEK_HEAD_BYTES 64u
#define GPUSNEK_STATE_BYTES 256u // with the head two and a half pages
#define HEAP 4096u
#define TABLES 96u // a byte of each page, and other words
#define PAGES ((HEAP - TABLES) / GPUSNEK_HEAP_PAGE)
#define ARENA (HEAP + 64u + GPUSNEK_HEAD_BYTES + GPUSNEK_STATE_BYTES)

typedef struct {
    uint64_t magic, heap_used, heap_tables, heap_size, others[4];
} gpusnek_head_t;

static thread_local char *arena_base; // the state of the arena that the thread is in

static gpusnek_head_t *gpusnek_head(char *base) {
    return (gpusnek_head_t *)(base - GPUSNEK_HEAD_BYTES);
}

static char *gpusnek_heap(char *base, const gpusnek_launch_t *) {
    return base - GPUSNEK_HEAD_BYTES - 64 - HEAP;
}

static void *porter_private(const void *pointer) {
    return (void *)pointer;
}

static uint64_t gpusnek_heap_used(size_t *tables) {
    const uint8_t *table = (const uint8_t *)gpusnek_heap(arena_base, nullptr);
    uint64_t pages = PAGES;
    while (pages > 0 && table[pages - 1] == 0) {
        pages--;
    }
    *tables = TABLES;
    return TABLES + pages * GPUSNEK_HEAP_PAGE;
}

static uint64_t gpusnek_template(const gpusnek_launch_t *launch, uint32_t i) {
    if (!(launch->flags & GPUSNEK_FLAG_FORK)) {
        return 0;
    }
    return ((const uint64_t *)launch->fork_snapshots)[((const uint32_t *)launch->program_of)[i]];
}

static bool gpusnek_boots(const gpusnek_launch_t *launch, uint32_t i) {
    return launch->flags & GPUSNEK_FLAG_START
        || (launch->flags & GPUSNEK_FLAG_FORK && !gpusnek_template(launch, i));
}

#ifdef SNAPSHOTS
#include SNAPSHOTS
#else
#include "snapshots.cuh"
#endif

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT uint64_t arena_size() {
    return ARENA;
}

// Runs threads [offset, offset + count) of a launch on `shares` threads. seen, next: ARENA bytes
// per interpreter, the memory that it finds and the memory that it leaves.
EXPORT void run(const uint64_t *fields, uint64_t count, uint64_t shares, char *seen, const char *next) {
    gpusnek_launch_t launch;
    memset(&launch, 0, sizeof launch);
    launch.flags = (uint32_t)fields[0];
    launch.n = (uint32_t)fields[1];
    launch.block_size = (uint32_t)fields[2];
    launch.order = fields[3];
    launch.offset = fields[4];
    launch.program_of = fields[5];
    launch.fork_snapshots = fields[6];
    launch.snapshot_pages = fields[7];
    launch.snapshot_stride = fields[8];
    launch.snapshot_used = fields[9];
    launch.snapshot_bases = fields[10];
    launch.snapshot_segments = fields[11];
    launch.snapshot_shift = fields[12];
    launch.snapshot_taken = fields[13];
    launch.heap_size = HEAP;
    std::vector<std::thread> threads;
    for (uint64_t share = 0; share < shares; share++) {
        threads.emplace_back([=, &launch] {
            alignas(64) static thread_local char arena[ARENA];
            char *base = arena + ARENA - GPUSNEK_STATE_BYTES;
            arena_base = base;
            for (uint64_t t = launch.offset + share; t < launch.offset + count; t += shares) {
                const uint32_t i = launch.order ? ((const uint32_t *)launch.order)[t] : (uint32_t)t;
                if (i >= launch.n
                    || ((const uint32_t *)launch.program_of)[i] == (uint32_t)GPUSNEK_NO_PROGRAM) {
                    continue;
                }
                cuda_lane = i % GPUSNEK_WARP;
                memset(arena, 0xEE, sizeof arena);
                snapshot_begin(base, &launch, i);
                memcpy(seen + (uint64_t)i * ARENA, arena, ARENA);
                if (gpusnek_head(base)->magic != GPUSNEK_MAGIC && !gpusnek_boots(&launch, i)) {
                    continue; // refused
                }
                memcpy(arena, next + (uint64_t)i * ARENA, ARENA);
                snapshot_store(base, &launch, i);
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}
