// Connection of an interpreter to its launch: streams, clock, C stack, limits, and the counter
// buffer of a profiling build.
#ifndef GPUSNEK_STREAMS_H
#define GPUSNEK_STREAMS_H

#include "arena_layout.h"
#include "launch_record.h"
#include "permissions.h"

// Return a length as 32 bits, saturated.
static inline PORTER_DEVICE uint32_t gpusnek_clip(size_t length) {
    return length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
}

// Attach interpreter `i` to the launch: streams, clock, C stack (`stack_size` bytes below
// `stack_top`), interrupt word, permissions and limits.
static inline PORTER_DEVICE void gpusnek_connect(const gpusnek_launch_t *launch, uint32_t i,
    gpusnek_head_t *head, void *stack_top, size_t stack_size) {
    gpusnek_io_t io;
    const uint64_t stdin_lane = launch->stdin_stride ? i : 0;
    uint64_t rows;
    const uint64_t row = gpusnek_rows(launch, i, &rows);
    head->in_position = 0;
    head->out_length = 0;
    head->err_length = 0;
    io.in.data = (const char *)launch->stdin_base + i * launch->stdin_stride;
    io.in.size = launch->stdin_length ? ((const uint32_t *)launch->stdin_length)[stdin_lane] : 0;
    io.in.position = &head->in_position;
    io.in.live = (const volatile uint32_t *)launch->stdin_live;
    io.out.data = (char *)launch->stdout_base + row * launch->stdout_size;
    io.out.size = launch->stdout_size;
    io.out.length = &head->out_length;
    io.err.data = (char *)launch->stderr_base + row * launch->stderr_size;
    io.err.size = launch->stderr_size;
    io.err.length = &head->err_length;
    io.err.how = launch->rings ? GPUSNEK_SEND : GPUSNEK_KEEP;
    io.err.stream = 2;
    io.out.how = launch->flags & GPUSNEK_FLAG_PRINT ? GPUSNEK_PRINT : io.err.how;
    io.out.stream = 1;
    io.ring = launch->rings
        ? (gpusnek_ring_t *)launch->rings + i / GPUSNEK_WARP % launch->ring_count
        : NULL;
    io.lost = launch->lost ? (uint32_t *)launch->lost + i : NULL;
    io.lane = i;
    const bool alike = (launch->flags & GPUSNEK_FLAG_ALIKE) != 0;
    io.alike = alike;
    io.scattered = alike || (launch->order && launch->block_size > 1);
    if (launch->flags & GPUSNEK_FLAG_MERGE_STDERR) {
        io.err = io.out;
    }
    io.stack_top = stack_top;
    io.stack_size = stack_size;
    io.epoch_ns = launch->clock_origin;
    io.launch = launch->clock_origin;
    io.clock_stands = launch->flags & GPUSNEK_FLAG_CLOCK ? 1 : 0;
    io.interrupt = (const volatile uint32_t *)launch->interrupt;
    io.natives = (const gpusnek_natives_t *)launch->natives;
    io.exception = gpusnek_record_of(launch, row);
    porter_limit_stack((const char *)stack_top - stack_size);
    PORTER_STATE->porter_sandbox = launch->flags & GPUSNEK_FLAG_SANDBOX ? 1 : 0;
    gpusnek_reach(launch, i);
    gpusnek_attach(&io);
    gpusnek_limit_to(gpusnek_each(launch->max_steps_each, i, launch->max_steps),
        gpusnek_each(launch->deadline_ns_each, i, launch->deadline_ns));
}

// Write the lengths of both outputs of `row`.
static inline PORTER_DEVICE void gpusnek_write_lengths(
    const gpusnek_launch_t *launch, uint64_t row, const gpusnek_head_t *head) {
    ((uint32_t *)launch->stdout_length)[row] = gpusnek_clip(head->out_length);
    ((uint32_t *)launch->stderr_length)[row] = gpusnek_clip(head->err_length);
}

#if PORTER_PROFILE
extern "C" PORTER_DEVICE gpusnek_profile_t *porter_profile_begin(void *buffer, uint64_t size);
extern "C" PORTER_DEVICE void porter_profile_end(gpusnek_profile_t *profile);
#endif

// Begin the profile of interpreter `i`, if it has a counter buffer.
static inline PORTER_DEVICE void gpusnek_profile_begin(
    const gpusnek_launch_t *launch, uint32_t i, gpusnek_head_t *head) {
#if PORTER_PROFILE
    head->profile = 0;
    const uint64_t warp = i / GPUSNEK_WARP;
    if (launch->profile && warp % launch->profile_step == 0) {
        const uint64_t buffer = warp / launch->profile_step * GPUSNEK_WARP + i % GPUSNEK_WARP;
        if (buffer < launch->profile_rooms) {
            void *at = (char *)launch->profile + buffer * launch->profile_stride;
            head->profile = (uint64_t)porter_profile_begin(at, launch->profile_stride);
        }
    }
#else
    (void)launch;
    (void)i;
    (void)head;
#endif
}

static inline PORTER_DEVICE void gpusnek_profile_end(gpusnek_head_t *head) {
#if PORTER_PROFILE
    if (head->profile) {
        porter_profile_end((gpusnek_profile_t *)head->profile);
        head->profile = 0;
    }
#else
    (void)head;
#endif
}

#endif
