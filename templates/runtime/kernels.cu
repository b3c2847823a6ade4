// The device's entry points: one thread, one interpreter.
#include "image.cuh"
#include "interpreter.h"

#define CANARY 0xc5c5c5c5c5c5c5c5ull // no valid pointer, no small number
#define CANARY_BYTES 64u

#if PORTER_ARENA_LOCAL
#define LOCAL_BYTES PORTER_LOCAL_BYTES
#else
#define LOCAL_BYTES 0
#endif

// Read by the host from the PTX and from the loaded module; fields as gpusnek_info_t has them.
extern "C" __device__ const uint64_t gpusnek_info[8] = {
    sizeof(gpusnek_launch_t),
    GPUSNEK_STATE_BYTES,
    GPUSNEK_ARENA_BYTES(PORTER_PYSTACK_BYTES, PORTER_HEAP_BYTES),
    LOCAL_BYTES,
    PORTER_HEAP_BYTES,
    PORTER_PYSTACK_BYTES,
    PORTER_STACK_BYTES,
    CANARY_BYTES,
};

static __device__ void canary_set(char *at) {
    for (uint32_t i = 0; i < CANARY_BYTES / 8; i++) {
        ((uint64_t *)at)[i] = CANARY;
    }
}

static __device__ bool canary_intact(const char *at) {
    uint64_t differ = 0;
    for (uint32_t i = 0; i < CANARY_BYTES / 8; i++) {
        differ |= ((const volatile uint64_t *)at)[i] ^ CANARY;
    }
    return differ == 0;
}

#if PORTER_ARENA_LOCAL
// The arena lies at a fixed distance below the end of the thread's local window, the C stack
// between it and the end: [state, head, pystack, heap, canary, free stack ... frames].
static_assert(GPUSNEK_ARENA_BYTES(PORTER_PYSTACK_BYTES, PORTER_HEAP_BYTES) + CANARY_BYTES
            + PORTER_STACK_BYTES + PORTER_STACK_SLACK <= PORTER_LOCAL_BYTES,
    "PORTER_LOCAL_BYTES has no room for arena and C stack");

static __device__ int32_t run_local(const gpusnek_launch_t *launch, uint32_t i) {
    char *base = (char *)PORTER_STATE;
    volatile char frame = 0;
    const uint64_t here = (uint64_t)&frame;
    const uint64_t arena = GPUSNEK_ARENA_BYTES(launch->pystack_size, launch->heap_size);
    if (launch->pystack_size > PORTER_PYSTACK_BYTES || launch->heap_size > PORTER_HEAP_BYTES) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    const uint64_t end = (uint64_t)base + arena + CANARY_BYTES;
    if ((here | (PORTER_LOCAL_WINDOW - 1)) + 1 - (uint64_t)base != PORTER_LOCAL_BYTES
        || here < end + PORTER_STACK_SLACK) {
        return GPUSNEK_STATUS_MOVED;
    }
    const uint64_t room = here - end - PORTER_STACK_SLACK;
    const uint64_t stack = launch->stack_size < room ? launch->stack_size : room;
    canary_set(base + arena);
    if (!(launch->flags & GPUSNEK_FLAG_START)) {
        image_load(base, launch, i);
    }
    int32_t status = gpusnek_run(launch, i, base, (void *)here, stack);
    if (!canary_intact(base + arena)) {
        status = GPUSNEK_STATUS_CANARY;
    }
    if (launch->flags & GPUSNEK_FLAG_PERSIST) {
        image_store(base, launch, i);
    }
    return status;
}
#define run_one run_local
#else
extern "C" __device__ porter_state_t **porter_state_table;
__device__ porter_state_t **porter_state_table;

static __device__ int32_t run_global(const gpusnek_launch_t *launch, uint32_t i) {
    char *slot = (char *)launch->arenas + i * launch->arena_stride;
    char *base = slot + CANARY_BYTES;
    char *last = slot + launch->arena_stride - CANARY_BYTES;
    volatile char frame = 0;
    if (base + GPUSNEK_ARENA_BYTES(launch->pystack_size, launch->heap_size) > last) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    if (launch->flags & GPUSNEK_FLAG_START) {
        canary_set(slot);
        canary_set(last);
    }
    porter_state_table = (porter_state_t **)launch->state_table; // every thread the same value
    porter_state_table[i] = (porter_state_t *)base;
    int32_t status = gpusnek_run(launch, i, base, (void *)&frame, launch->stack_size);
    if (!canary_intact(slot) || !canary_intact(last)) {
        status = GPUSNEK_STATUS_CANARY;
    }
    return status;
}
#define run_one run_global
#endif

// Once per load, one thread: what the compiler cannot put into constants.
extern "C" __global__ void gpusnek_setup() {
    porter_setup();
}

// At least launch->n threads, of one-dimensional blocks. `launch` is in device memory.
extern "C" __global__ void gpusnek_launch(const gpusnek_launch_t *launch) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (launch->record_size != sizeof(gpusnek_launch_t) || i >= launch->n) {
        return;
    }
    int32_t *status = (int32_t *)launch->status + i;
    *status = GPUSNEK_STATUS_ABORT; // what stands if porter_fatal ends the thread
    *status = run_one(launch, i);
}
