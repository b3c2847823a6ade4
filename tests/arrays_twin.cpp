// The kernels over arrays on the CPU: four threads share a grid's threads, so that atomics matter.
#include <stdint.h>
#include <string.h>

#include <thread>
#include <vector>

#define __device__
#define __global__

struct Index {
    unsigned int x;
};
static thread_local Index blockIdx, blockDim, threadIdx;

static inline uint64_t __umul64hi(uint64_t a, uint64_t b) {
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint32_t atomicCAS(uint32_t *at, uint32_t old, uint32_t value) {
    __atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return old;
}

static inline void atomicMin(uint32_t *at, uint32_t value) {
    uint32_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    while (value < old
        && !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

static inline uint32_t atomicAnd(uint32_t *at, uint32_t value) {
    return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);
}

#include "arrays.cu"

#define EXPORT extern "C" __attribute__((visibility("default")))

static const char *const names[] = {"gpusnek_rows_find", "gpusnek_rows_first", "gpusnek_rows_copy",
    "gpusnek_snapshots_copy", "gpusnek_snapshots_common", "gpusnek_snapshots_merge",
    "gpusnek_snapshots_compare", "gpusnek_snapshots_based", "gpusnek_snapshots_owners",
    "gpusnek_snapshots_move"};

EXPORT int kernel_number(const char *name) {
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static void one(int kernel, const uint64_t *a) {
    if (kernel == 0) {
        gpusnek_rows_find((const uint64_t *)a[0], a[1], a[2], (const uint32_t *)a[3], a[4], a[5],
            (uint32_t *)a[6], a[7], (uint32_t *)a[8]);
    } else if (kernel == 1) {
        gpusnek_rows_first((uint32_t *)a[0], a[1], (const uint32_t *)a[2]);
    } else if (kernel == 2) {
        gpusnek_rows_copy((uint64_t *)a[0], a[1], a[2], (const uint64_t *)a[3], a[4], a[5],
            (const uint32_t *)a[6]);
    } else if (kernel == 3) {
        gpusnek_snapshots_copy((uint64_t *)a[0], a[1], a[2], (const uint32_t *)a[3],
            (const gpusnek_page_t *)a[4], a[5], (const uint64_t *)a[6], a[7], (const uint64_t *)a[8],
            (const uint32_t *)a[9]);
    } else if (kernel == 4) {
        gpusnek_snapshots_common((const gpusnek_page_t *)a[0], a[1], a[2], (const uint64_t *)a[3],
            (const uint32_t *)a[4], a[5], a[6], (uint32_t *)a[7]);
    } else if (kernel == 5) {
        gpusnek_snapshots_merge(
            (uint64_t *)a[0], a[1], (const uint64_t *)a[2], (const uint32_t *)a[3]);
    } else if (kernel == 6) {
        gpusnek_snapshots_compare((gpusnek_page_t *)a[0], a[1], a[2], (const uint64_t *)a[3], a[4],
            (const uint64_t *)a[5], (const uint32_t *)a[6], a[7], a[8], (const uint64_t *)a[9]);
    } else if (kernel == 7) {
        gpusnek_snapshots_based((uint64_t *)a[0], (const uint32_t *)a[1], a[2], a[3], a[4]);
    } else if (kernel == 8) {
        gpusnek_snapshots_owners((gpusnek_page_t *)a[0], a[1], (uint64_t *)a[2]);
    } else {
        gpusnek_snapshots_move((gpusnek_page_t *)a[0], (const uint64_t *)a[1], a[2],
            (const uint32_t *)a[3], (const uint32_t *)a[4], (const uint64_t *)a[5], a[6]);
    }
}

EXPORT void run_kernel(int kernel, unsigned int grid, unsigned int block, const uint64_t *arguments) {
    const unsigned int shares = 4;
    std::vector<std::thread> threads;
    for (unsigned int share = 0; share < shares; share++) {
        threads.emplace_back([=] {
            blockDim.x = block;
            for (uint64_t i = share; i < (uint64_t)grid * block; i += shares) {
                blockIdx.x = (unsigned int)(i / block);
                threadIdx.x = (unsigned int)(i % block);
                one(kernel, arguments);
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}
