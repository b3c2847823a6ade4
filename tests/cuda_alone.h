// The parts of CUDA that snapshots.cuh uses, for threads that are alone in their warp.
#pragma once

#include <stdint.h>

struct ulonglong2 {
    unsigned long long x, y;
};

template <class T> static inline T __ldg(const T *at) {
    return *at;
}

static inline unsigned long long __ldcg(const unsigned long long *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline uint32_t atomicCAS(uint32_t *at, uint32_t old, uint32_t value) {
    __atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return old;
}

static inline uint32_t atomicAdd(uint32_t *at, uint32_t value) {
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t atomicExch(uint32_t *at, uint32_t value) {
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t atomicXor(uint32_t *at, uint32_t value) {
    return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);
}

static thread_local uint32_t cuda_lane; // of the thread that runs

static inline uint32_t __match_any_sync(uint32_t lanes, uint32_t) {
    return lanes;
}

static inline uint32_t __activemask() {
    return (uint32_t)1 << cuda_lane;
}

static inline int __ffs(int bits) {
    return __builtin_ffs(bits);
}

static inline uint32_t __shfl_sync(uint32_t, uint32_t value, int) {
    return value;
}
