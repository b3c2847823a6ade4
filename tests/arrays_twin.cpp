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

#include "arrays.cu"

#define EXPORT extern "C" __attribute__((visibility("default")))

static const char *const names[] = {"gpusnek_rows_find", "gpusnek_rows_first", "gpusnek_rows_copy"};

EXPORT int kernel_number(const char *name) {
    for (int i = 0; i < 3; i++) {
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
    } else {
        gpusnek_rows_copy((uint64_t *)a[0], a[1], a[2], (const uint64_t *)a[3], a[4], a[5],
            (const uint32_t *)a[6]);
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
