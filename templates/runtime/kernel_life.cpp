// Lifecycle of interpreters in users' memory: divide the memory, start, attach again, end.
#if !PORTER_ARENA_LOCAL
#include "canary.cuh"
#include "kernel_call.h"

extern "C" PORTER_DEVICE uint64_t porter_clock_ns(void);

#define MIN_HEAP 2048u // bytes, the minimum of BuildConfig
#define MIN_PYSTACK 512u // bytes: frames of a few small functions
#define MAX_PYSTACK 4096u // bytes; the rest of the memory is more useful as heap

#define USER_BYTES GPUSNEK_ROUND(sizeof(gpusnek_user_t))
#define FIXED_BYTES (GPUSNEK_ARENA_BYTES(0, 0) + USER_BYTES)
#define MIN_BYTES (FIXED_BYTES + MIN_PYSTACK + MIN_HEAP)

static PORTER_DEVICE char *align_up(void *mem) {
    return (char *)GPUSNEK_ROUND((uint64_t)mem);
}

// Divide mem[0..size): a quarter for the pystack within its limits, the rest for the heap. Return
// the address of the state, or NULL if the memory is too small.
static PORTER_DEVICE char *carve(void *mem, size_t size, gpusnek_launch_t *launch) {
    const uint64_t low = (uint64_t)align_up(mem);
    const uint64_t high = ((uint64_t)mem + size) / 64 * 64;
    if (mem == NULL || high < low || high - low < MIN_BYTES) {
        return NULL;
    }
    const uint64_t rest = high - low - FIXED_BYTES;
    uint64_t pystack = rest / 4 / 64 * 64;
    pystack = pystack < MIN_PYSTACK ? MIN_PYSTACK : pystack;
    pystack = pystack > MAX_PYSTACK ? MAX_PYSTACK : pystack;
    launch->pystack_size = pystack;
    launch->heap_size = rest - pystack;
    return (char *)low + GPUSNEK_BASE_OFFSET(pystack, launch->heap_size);
}

static PORTER_DEVICE int start(char *base, const gpusnek_launch_t *launch) {
    gpusnek_boot_t boot;
    boot.index = (uint32_t)gpusnek_thread_index();
    boot.total = gridDim.x * blockDim.x;
    boot.flags = 0;
    boot.fs_block_size = 0;
    boot.heap = gpusnek_heap(base, launch);
    boot.heap_size = launch->heap_size;
    boot.pystack = gpusnek_pystack(base, launch);
    boot.pystack_size = launch->pystack_size;
    boot.fs = NULL;
    boot.fs_size = 0;
    boot.fs_guard = NULL;
    boot.outbuf = NULL;
    boot.outbuf_size = 0;
    boot.seed = porter_clock_ns();
    boot.fail_allocation = 0;
    boot.block = blockIdx.x;
    boot.block_size = blockDim.x;
    boot.local = threadIdx.x;
    return gpusnek_start(&boot);
}

GPUSNEK_API size_t gpusnek_least_size(void) {
    return MIN_BYTES + 64; // 64: alignment of any address
}

GPUSNEK_API int gpusnek_init(void *mem, size_t size) {
    volatile uint64_t frame = 0;
    int status = gpusnek_check_thread();
    if (status != GPUSNEK_OK) {
        return status;
    }
    gpusnek_enroll(NULL);
    const uint64_t stack = gpusnek_stack_below(&frame);
    if (stack == 0) {
        return GPUSNEK_STATUS_NO_STACK;
    }
    gpusnek_launch_t launch;
    char *base = carve(mem, size, &launch);
    if (base == NULL) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    gpusnek_head_t *head = gpusnek_head(base);
    gpusnek_user_t *user = gpusnek_user(base);
    canaries_set(base, &launch);
    gpusnek_wipe(base);
    head->heap_size = launch.heap_size;
    head->pystack_size = launch.pystack_size;
    user->arena = align_up(mem);
    user->out = NULL;
    user->out_size = 0;
    user->line_length = 0;
    gpusnek_enroll(base);
    porter_state_init();
    gpusnek_user_attach(base, &frame, stack);
    status = gpusnek_leave(base, start(base, &launch));
    if (status == GPUSNEK_OK) {
        head->magic = GPUSNEK_MAGIC;
    } else {
        gpusnek_enroll(NULL);
    }
    return status;
}

GPUSNEK_API int gpusnek_attach_memory(void *mem, size_t size) {
    const int status = gpusnek_check_thread();
    if (status != GPUSNEK_OK) {
        return status;
    }
    gpusnek_enroll(NULL);
    gpusnek_launch_t launch;
    char *base = carve(mem, size, &launch);
    if (base == NULL) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    const gpusnek_head_t *head = gpusnek_head(base);
    if (head->magic != GPUSNEK_MAGIC || head->heap_size != launch.heap_size
        || head->pystack_size != launch.pystack_size
        || gpusnek_user(base)->arena != align_up(mem)) {
        return GPUSNEK_NOT_STARTED;
    }
    gpusnek_enroll(base);
    return GPUSNEK_OK;
}

GPUSNEK_API int gpusnek_deinit(void) {
    char *base;
    int status = gpusnek_enter(&base);
    if (status == GPUSNEK_OK) {
        status = gpusnek_leave(base, gpusnek_stop());
        gpusnek_head(base)->magic = 0;
        gpusnek_enroll(NULL);
    }
    return status;
}
#endif
