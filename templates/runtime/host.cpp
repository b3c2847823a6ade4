// Entry points of the host twin, which Python calls through ctypes (porter/run/device/host.py): run
// a launch on a pool of threads, allocate arenas, describe the build.
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "arena.h"
#include "arena_layout.h"
#include "block.h"
#include "profile_host.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// Take blocks of the launch from the shared counter `next` until none is left. The counter is the
// only word that the threads of the pool share.
static void run_blocks(
    const gpusnek_launch_t *launch, std::atomic<uint64_t> *next, Sampler *sampler, int thread) {
    sampler->join(thread);
    Worker worker(launch);
    const uint64_t size = launch->block_size ? launch->block_size : 1;
    const uint64_t threads = launch->order ? launch->threads : launch->n;
    bool more = true;
    while (more || worker.has_blocks()) {
        if (more && worker.wants_block()) {
            const uint64_t first = next->fetch_add(size);
            more = first < threads;
            if (more) {
                const uint64_t left = threads - first;
                worker.open_block(first, (uint32_t)(left < size ? left : size));
            }
        }
        worker.go_round();
    }
    sampler->leave();
}

// Run all interpreters of `launch` on up to `threads` threads. Return 0, or -1 if the record is of
// another build.
EXPORT int gpusnek_launch(const gpusnek_launch_t *launch, int threads) {
    if (launch->record_size != sizeof(gpusnek_launch_t)) {
        return -1;
    }
    // std::call_once would use thread-local variables of libstdc++ with the initial-exec model. In
    // a process that has loaded libstdc++ before, these are not where this library expects them.
    static const bool loaded = (porter_setup(), true);
    (void)loaded;
    std::atomic<uint64_t> next(0);
    Sampler sampler(launch, threads);
    std::vector<std::thread> pool;
    for (int i = 1; i < threads; i++) {
        try {
            pool.emplace_back(run_blocks, launch, &next, &sampler, i);
        } catch (const std::system_error &) {
            break; // the system has no more threads; the launch runs on fewer
        }
    }
    run_blocks(launch, &next, &sampler, 0);
    for (std::thread &thread : pool) {
        thread.join();
    }
    return 0;
}

EXPORT void *gpusnek_arena_new(uint64_t n, uint64_t stride) {
    return arena_map(n, stride);
}

EXPORT void gpusnek_arena_free(void *base, uint64_t n, uint64_t stride) {
    arena_unmap((char *)base, n, stride);
}

EXPORT const uint64_t gpusnek_info[] = GPUSNEK_INFO(0, 0);
