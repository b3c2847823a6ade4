// Kernels that run interpreters, one per thread: the entry points of the device build.
#include "canary.cuh"
#include "snapshots.cuh"
#include "interpreter.h"
#include "policies.cuh"

#if PORTER_ARENA_LOCAL
#define LOCAL_TOP PORTER_LOCAL_TOP
#define STACK_BYTES PORTER_STACK_BYTES
#else
#define LOCAL_TOP 0
#define STACK_BYTES 0
#endif

extern "C" __device__ const uint64_t gpusnek_info[] = GPUSNEK_INFO(LOCAL_TOP, STACK_BYTES);

#if PORTER_BOUNDS_CHECKS
// Bytes at the end of the local window that only the kernel's own frame uses. A bounds check
// compares its address with the window's end less the maximum size of an access, whatever its size
// (porter/run/device/bounds_checks.py), so it would refuse accesses there.
#define ROOF_BYTES 128
#define RUNS PORTER_NOINLINE
#else
#define RUNS
#endif

#if PORTER_ARENA_LOCAL
// Run interpreter `i` in local memory. Below the end of the thread's window are the kernel's
// frames, the free C stack, slack, and the arena.
static __device__ RUNS int32_t run_local(const gpusnek_launch_t *launch, uint32_t i) {
    char *base = (char *)PORTER_STATE;
    volatile char frame = 0;
    const uint64_t here = (uint64_t)&frame;
    const uint64_t arena = GPUSNEK_BASE_OFFSET(launch->pystack_size, launch->heap_size);
    if (arena + PORTER_LOCAL_TOP > launch->local_bytes) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    const uint64_t end = (uint64_t)base + GPUSNEK_STATE_BYTES + GPUSNEK_CANARY_BYTES;
    if ((here | (PORTER_LOCAL_WINDOW - 1)) + 1 - (uint64_t)base != PORTER_LOCAL_TOP
        || here < end + PORTER_STACK_SLACK) {
        return GPUSNEK_STATUS_MOVED;
    }
    const uint64_t room = here - end - PORTER_STACK_SLACK;
    const uint64_t stack = launch->stack_size < room ? launch->stack_size : room;
    canaries_set(base, launch);
    snapshot_begin(base, launch, i);
    int32_t status = gpusnek_run(launch, i, base, (void *)here, stack);
    if (!canaries_intact(base, launch)) {
        status = GPUSNEK_STATUS_CANARY;
    }
    // A refused interpreter has not run, so its snapshot remains valid.
    if (launch->flags & GPUSNEK_FLAG_PERSIST && status != GPUSNEK_NOT_STARTED) {
        snapshot_store(base, launch, i);
    }
    return status;
}
#define run_one run_local
#else
extern "C" __device__ porter_state_t **porter_state_table;
__device__ porter_state_t **porter_state_table;

static __device__ RUNS int32_t run_global(const gpusnek_launch_t *launch, uint32_t i) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    char *slot = (char *)launch->arenas + i * launch->arena_stride;
    char *base = slot + launch->arena_stride - GPUSNEK_CANARY_BYTES - GPUSNEK_STATE_BYTES;
    volatile char frame = 0;
    if (GPUSNEK_ARENA_BYTES(launch->pystack_size, launch->heap_size) > launch->arena_stride) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    if (launch->flags & GPUSNEK_FLAG_START) {
        canaries_set(base, launch);
    }
    porter_state_table = (porter_state_t **)launch->state_table; // every thread writes this value
    porter_state_table[thread] = (porter_state_t *)base;
    int32_t status = gpusnek_run(launch, i, base, (void *)&frame, launch->stack_size);
    if (!canaries_intact(base, launch)) {
        status = GPUSNEK_STATUS_CANARY;
    }
    return status;
}
#define run_one run_global
#endif

// Runs once per load with one thread: initial values that the compiler cannot put into constants.
extern "C" __global__ void gpusnek_setup() {
    porter_setup();
}

#if PORTER_BOUNDS_CHECKS
// End this thread. Barriers do not wait for a thread that has ended.
extern "C" PORTER_DEVICE PORTER_NOINLINE void porter_fence_failed(
    const char *place, const void *address, unsigned kind) {
    char *base = (char *)PORTER_STATE;
    const gpusnek_launch_t *launch = gpusnek_fenced(base, place, address, kind);
    if (launch) {
        const uint32_t i = (uint32_t)gpusnek_head(base)->index;
#if PORTER_ARENA_LOCAL
        if (launch->flags & GPUSNEK_FLAG_PERSIST) {
            snapshot_store(base, launch, i); // it has ended, so its snapshot loses all pages
        }
#endif
        ((int32_t *)launch->status)[i] = GPUSNEK_STATUS_OUT_OF_BOUNDS;
    }
    asm volatile("exit;");
}
#endif

// Run a launch. The grid is one-dimensional, with at least as many threads as the launch. `launch`
// is in device memory.
extern "C" __global__ void gpusnek_launch(const gpusnek_launch_t *launch) {
    if (launch->record_size != sizeof(gpusnek_launch_t)) {
        return;
    }
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t i = gpusnek_of_thread(launch, thread);
    const bool runs = i != (uint32_t)GPUSNEK_IDLE && !gpusnek_rests(launch, i);
    const uint32_t lanes = __ballot_sync(__activemask(), runs); // a warp starts converged
    if (!runs) {
        return;
    }
    const uint32_t policy = begin_policy(launch, lanes, (launch->offset + thread) / 32);
#if PORTER_BOUNDS_CHECKS
    volatile char roof[ROOF_BYTES];
    roof[0] = 0;
#endif
    int32_t *status = (int32_t *)launch->status + i;
    *status = GPUSNEK_STATUS_ABORT; // remains if porter_fatal ends the thread
    *status = run_one(launch, i);
    end_policy(launch, policy);
}
