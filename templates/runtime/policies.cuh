// The choice of a reconvergence policy for a warp, and the measurement of the choice.
//
// Problem: which policy is the fastest depends on the program (docs/explanation/reconvergence.md).
// The progress of a warp over a short time does not tell: a policy that prefers most lanes makes
// fast progress at first, and pays later for the lanes that it left behind.
//
// Mechanism: a warp has one policy from its start to its end, and adds the time that it took to the
// measurements of the launch. A launch with GPUSNEK_POLICY_TRIED lets three of 16 warps try the
// other policies. A trial ends when the warp has taken longer than warps of the best policy
// usually take; the warp then continues with that policy. So a bad policy costs little, and its
// measurement is a lower bound that suffices to reject it. Python keeps the measurements of each
// program (porter/run/device/policies.py) and tells later launches.
//
// Invariant: a launch does not read the measurements that it writes, so that all of its warps agree
// on the best policy.
#ifndef GPUSNEK_POLICIES_CUH
#define GPUSNEK_POLICIES_CUH

#include "launch.h"
#include "porter_runtime.h"

#if PORTER_RECONVERGE

#define TRIAL_WARPS 16u      // one of 16 warps tries each policy that is not the best
#define MIN_GAIN 1.03f       // minimum speed, relative to a policy that precedes it in the enum
#define TRIAL_PATIENCE 0.75f // the length of a trial, in mean times of the best policy

extern "C" __device__ void porter_warp_begin(
    uint32_t lanes, uint32_t policy, uint32_t next, uint32_t trial);
extern "C" __device__ uint32_t porter_warp_end(void);

// The best policy by measurements, and the mean ticks of its warps; 0: not measured.
struct best_policy_t {
    uint32_t policy;
    float ticks;
};

static __device__ __forceinline__ best_policy_t best_policy(const uint64_t *known) {
    best_policy_t best = {GPUSNEK_POLICY_DEEPEST, 0};
    for (uint32_t policy = 0; known != nullptr && policy < GPUSNEK_POLICY_COUNT; policy++) {
        const uint64_t warps = known[2 * policy];
        const float mean = (float)known[2 * policy + 1] / (float)(warps + (warps == 0));
        const float asked = policy == GPUSNEK_POLICY_DEEPEST ? 1 : MIN_GAIN;
        if (warps != 0 && (best.ticks == 0 || mean * asked < best.ticks)) {
            best = {policy, mean};
        }
    }
    return best;
}

// The warp's lanes `lanes` begin to run. Called by these lanes, converged. warp: its number in the
// launch.
static __device__ __noinline__ uint32_t begin_policy(
    const gpusnek_launch_t *launch, uint32_t lanes, uint64_t warp) {
    uint32_t policy = launch->policy, next = policy, trial = 0;
    if (policy == GPUSNEK_POLICY_MEASURED || policy == GPUSNEK_POLICY_TRIED) {
        const best_policy_t best = best_policy((const uint64_t *)launch->policies_known);
        const uint32_t other = (uint32_t)warp * 0x9e3779b9u >> 8 & (TRIAL_WARPS - 1);
        next = best.policy;
        const bool tries = other != 0 && other < GPUSNEK_POLICY_COUNT && best.ticks > 0;
        if (policy == GPUSNEK_POLICY_TRIED && tries) {
            policy = (next + other) % GPUSNEK_POLICY_COUNT;
            trial = (uint32_t)(best.ticks * TRIAL_PATIENCE) + 1;
        } else {
            policy = next;
        }
    }
    porter_warp_begin(lanes, policy, next, trial);
    return policy;
}

// A lane has ended; the last one adds the measurement of its warp.
static __device__ __noinline__ void end_policy(const gpusnek_launch_t *launch, uint32_t policy) {
    const uint32_t took = porter_warp_end();
    if (took != 0 && policy < GPUSNEK_POLICY_COUNT && launch->policies != 0) {
        unsigned long long *const sums = (unsigned long long *)launch->policies + 2 * policy;
        atomicAdd(sums, 1ull);
        atomicAdd(sums + 1, (unsigned long long)took);
    }
}

#else
static __device__ __forceinline__ uint32_t begin_policy(
    const gpusnek_launch_t *, uint32_t, uint64_t) {
    return 0;
}

static __device__ __forceinline__ void end_policy(const gpusnek_launch_t *, uint32_t) {}
#endif

#endif
