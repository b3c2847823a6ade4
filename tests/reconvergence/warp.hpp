// A warp whose lanes are threads of this process: the CUDA functions that reconvergence.cu uses,
// for 32 diverged lanes. The process ends with a message if lanes of a collective operation name
// different masks, or if the operation is never completed.
#pragma once
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#define __device__
#define __shared__
#define __forceinline__ inline
#define __noinline__

struct index_t {
    unsigned x = 0, y = 0, z = 0;
};
inline thread_local index_t threadIdx;
inline index_t blockIdx;
inline index_t blockDim{32, 1, 1}, gridDim{1, 1, 1};

class rendezvous_t {
    std::mutex mutex;
    std::condition_variable changed;
    std::array<uint32_t, 32> mask{}, given{};
    std::array<bool, 32> here{};
    std::array<std::array<uint32_t, 32>, 32> result{};

public:
    // Each lane of `lanes` contributes a value and receives the values of all.
    std::array<uint32_t, 32> meet(uint32_t lanes, uint32_t value) {
        const unsigned own = threadIdx.x;
        std::unique_lock lock(mutex);
        if (!(lanes >> own & 1)) {
            fail("a lane is not in the mask that it names", lanes);
        }
        mask[own] = lanes;
        given[own] = value;
        here[own] = true;
        bool all = true;
        for (unsigned lane = 0; lane < 32; lane++) {
            if (lanes >> lane & 1) {
                if (here[lane] && mask[lane] != lanes) {
                    fail("lanes name different masks", lanes);
                }
                all = all && here[lane];
            }
        }
        if (all) {
            for (unsigned lane = 0; lane < 32; lane++) {
                if (lanes >> lane & 1) {
                    result[lane] = given;
                    here[lane] = false;
                }
            }
            changed.notify_all();
        } else if (!changed.wait_for(
                       lock, std::chrono::seconds(20), [&] { return !here[own]; })) {
            fail("a group never meets", lanes);
        }
        return result[own];
    }

    [[noreturn]] void fail(const char *why, uint32_t lanes) {
        fprintf(stderr, "lane %u: %s: %08x\n", threadIdx.x, why, lanes);
        _Exit(1);
    }
};
inline rendezvous_t rendezvous;

inline void check(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

// Fakes of declarations in porter_runtime.h.
struct porter_state_t {
    uint32_t porter_polled, porter_released;
};
inline thread_local porter_state_t own_state;
#define PORTER_STATE (&own_state)
inline void *porter_private(void *pointer) {
    return pointer;
}
inline unsigned turns; // turns that lanes yielded
inline void porter_give_turn() {
    turns++;
}
inline bool porter_one_of_us(bool looks) {
    return looks;
}

inline uint32_t __activemask() {
    return 1u << threadIdx.x;
}
inline int __popc(uint32_t lanes) {
    return __builtin_popcount(lanes);
}
inline int __ffs(uint32_t lanes) {
    return __builtin_ffs((int)lanes);
}
inline thread_local unsigned long long slept;
inline void __nanosleep(unsigned nanoseconds) {
    slept += nanoseconds;
    std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
}
inline uint32_t max(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}
inline uint32_t min(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
inline void __threadfence_block() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline uintptr_t __cvta_generic_to_shared(const void *at) {
    return (uintptr_t)at;
}
inline void __syncwarp(uint32_t lanes) {
    rendezvous.meet(lanes, 0);
}
inline uint32_t __ballot_sync(uint32_t lanes, bool truth) {
    const auto all = rendezvous.meet(lanes, truth);
    uint32_t found = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        found |= (lanes >> lane & 1) && all[lane] ? 1u << lane : 0;
    }
    return found;
}
inline uint32_t __match_any_sync(uint32_t lanes, uint32_t value) {
    const auto all = rendezvous.meet(lanes, value);
    uint32_t found = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        found |= (lanes >> lane & 1) && all[lane] == value ? 1u << lane : 0;
    }
    return found;
}
inline uint32_t __match_all_sync(uint32_t lanes, uint32_t value, int *alike) {
    const uint32_t found = __match_any_sync(lanes, value);
    *alike = found == lanes;
    return *alike ? found : 0;
}
inline bool __all_sync(uint32_t lanes, bool truth) {
    return __ballot_sync(lanes, truth) == lanes;
}
inline bool __any_sync(uint32_t lanes, bool truth) {
    return __ballot_sync(lanes, truth) != 0;
}
inline uint32_t __shfl_sync(uint32_t lanes, uint32_t value, int from) {
    return rendezvous.meet(lanes, value)[from];
}
inline uint32_t __reduce_max_sync(uint32_t lanes, uint32_t value) {
    const auto all = rendezvous.meet(lanes, value);
    uint32_t most = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        most = (lanes >> lane & 1) && all[lane] > most ? all[lane] : most;
    }
    return most;
}
// A random delay: a value that a lane has read may be outdated when the lane uses it.
inline void dawdle() {
    static thread_local std::minstd_rand random(threadIdx.x + 1);
    if (random() % 8 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 64));
    }
}
template <typename T> T atomicCAS(T *at, T expected, T desired) {
    dawdle();
    __atomic_compare_exchange_n(
        at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
inline uint32_t atomicOr(uint32_t *at, uint32_t bits) {
    dawdle();
    return __atomic_fetch_or(at, bits, __ATOMIC_SEQ_CST);
}
inline uint32_t atomicSub(uint32_t *at, uint32_t value) {
    dawdle();
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);
}
inline uint32_t atomicAnd(uint32_t *at, uint32_t bits) {
    dawdle();
    return __atomic_fetch_and(at, bits, __ATOMIC_SEQ_CST);
}
