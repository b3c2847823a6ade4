// Prologue and epilogue of the functions of gpusnek.cuh: C stack, streams, canaries
// (kernel_call.h).
#if !PORTER_ARENA_LOCAL
#include <time.h>

#include "canary.cuh"
#include "kernel_call.h"

#ifndef __CUDACC__
#include "block.h"
#endif

extern "C" PORTER_DEVICE uint64_t porter_clock_ns(void);

#define LOCAL_WINDOW 0x1000000ull // 16 MiB, aligned to its size; the C stack begins at its end
#define STACK_SLACK 8192u // bytes of GPUSNEK_STACK_RESERVE, for calls without a check of the limit
#define MIN_STACK 2048u // bytes: with less, Python could not even raise an exception

PORTER_DEVICE uint64_t gpusnek_stack_below(const volatile void *frame) {
    const uint64_t here = (uint64_t)frame;
#ifdef __CUDACC__
    const uint64_t used = (here | (LOCAL_WINDOW - 1)) + 1 - here;
    if (used + STACK_SLACK + MIN_STACK > gpusnek_threads.local_bytes) {
        return 0;
    }
    const uint64_t room = gpusnek_threads.local_bytes - used - STACK_SLACK;
    const uint64_t allowed = gpusnek_threads.stack_bytes;
#else
    const uint64_t low = (uint64_t)gpusnek_stack_low + GPUSNEK_FIBER_SLACK * GPUSNEK_STACK_FACTOR;
    if (gpusnek_stack_low == NULL || here < low + MIN_STACK) {
        return 0;
    }
    const uint64_t room = here - low;
    const uint64_t allowed = gpusnek_threads.stack_bytes * GPUSNEK_STACK_FACTOR;
#endif
    return room < allowed ? room : allowed;
}

static PORTER_DEVICE uint64_t epoch_ns(void) {
#ifdef __CUDACC__
    return porter_clock_ns(); // the GPU's global timer counts from the Unix epoch
#else
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

PORTER_DEVICE void gpusnek_user_attach(
    char *base, const volatile void *frame, uint64_t stack_size) {
    gpusnek_head_t *head = gpusnek_head(base);
    gpusnek_user_t *user = gpusnek_user(base);
    gpusnek_io_t io;
    head->err_length = 0;
    user->error[0] = 0;
#if PORTER_BOUNDS_CHECKS
    head->launch = 0;
    porter_ranges_begin(&PORTER_STATE->porter_ranges, false);
    porter_reaches(user->out, user->out ? user->out_size : 0, true);
    porter_reaches(user->error, GPUSNEK_ERROR_BYTES, true);
#endif
    io.in.data = NULL;
    io.in.size = 0;
    io.in.position = NULL;
    io.in.live = NULL;
    io.out.data = user->out;
    io.out.size = user->out ? user->out_size - 1 : GPUSNEK_CONSOLE;
    io.out.length = &head->out_length;
    io.out.how = GPUSNEK_KEEP;
    io.out.stream = 1;
    io.err.data = user->error;
    io.err.size = GPUSNEK_ERROR_BYTES - 1;
    io.err.length = &head->err_length;
    io.err.how = GPUSNEK_KEEP;
    io.err.stream = 2;
    io.ring = NULL;
    io.lost = NULL;
    io.lane = blockIdx.x * blockDim.x + threadIdx.x;
    io.scattered = 0;
    io.stack_top = (void *)frame;
    io.stack_size = stack_size;
    io.epoch_ns = epoch_ns();
    io.launch = 0;
    io.clock_stands = 0;
    io.alike = 0;
    io.interrupt = NULL;
    io.natives = NULL;
    io.exception = NULL;
    porter_limit_stack((const char *)frame - stack_size);
    gpusnek_attach(&io);
}

PORTER_DEVICE int gpusnek_find(char **base, const volatile void *frame) {
    const int status = gpusnek_check_thread();
    if (status != GPUSNEK_OK) {
        return status;
    }
    *base = (char *)PORTER_STATE;
    if (*base == NULL || gpusnek_head(*base)->magic != GPUSNEK_MAGIC) {
        return GPUSNEK_NOT_STARTED;
    }
    const uint64_t stack = gpusnek_stack_below(frame);
    if (stack == 0) {
        return GPUSNEK_STATUS_NO_STACK;
    }
    gpusnek_user_attach(*base, frame, stack);
    return GPUSNEK_OK;
}

static PORTER_DEVICE uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

PORTER_DEVICE int gpusnek_leave(char *base, int status) {
    gpusnek_head_t *head = gpusnek_head(base);
    gpusnek_user_t *user = gpusnek_user(base);
    const uint64_t length = least(head->err_length, GPUSNEK_ERROR_BYTES - 1);
    user->error[length] = 0;
    if (user->out) {
        user->out[least(head->out_length, user->out_size - 1)] = 0;
    } else {
        gpusnek_user_flush(user);
        gpusnek_user_print(user, user->error, length);
        gpusnek_user_flush(user);
    }
    gpusnek_launch_t sizes;
    sizes.heap_size = head->heap_size;
    sizes.pystack_size = head->pystack_size;
    return canaries_intact(base, &sizes) ? status : GPUSNEK_STATUS_CANARY;
}
#endif
