// Permissions for bounds checks: the memory outside of its arena that an interpreter may access in
// a launch. They fill the table of ranges (porter_ranges.h, ranges.h). Empty functions in builds
// without bounds checks.
#ifndef GPUSNEK_PERMISSIONS_H
#define GPUSNEK_PERMISSIONS_H

#include "arena_layout.h"
#include "launch_record.h"
#include "ranges.h"

#if PORTER_BOUNDS_CHECKS && defined(__CUDACC__)
extern "C" __constant__ uint64_t porter_fence_pieces[8]; // fences.cu
#endif

// Permit reads that device code makes on its own account: of constants outside of the main range,
// and of the thread's entry in the table of states.
static inline PORTER_DEVICE void gpusnek_reach_own(const gpusnek_launch_t *launch) {
#if PORTER_BOUNDS_CHECKS && defined(__CUDACC__)
    for (int k = 0; k < 8; k += 2) {
        porter_reaches((const void *)porter_fence_pieces[k], porter_fence_pieces[k + 1], false);
    }
    if (launch->state_table) {
        const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
        porter_reaches((const uint64_t *)launch->state_table + thread, sizeof(uint64_t), false);
    }
#else
    (void)launch;
#endif
}

// Permit the memory outside of its arena that interpreter `i` may access in this launch.
// Permissions that were lent for one operation end.
static inline PORTER_DEVICE void gpusnek_reach(const gpusnek_launch_t *launch, uint32_t i) {
#if PORTER_BOUNDS_CHECKS
    porter_ranges_t *ranges = &PORTER_STATE->porter_ranges;
    const bool compiles = (launch->flags & GPUSNEK_FLAG_COMPILE) != 0;
    if (compiles) {
        uint64_t size;
        const void *code = gpusnek_code_of(launch, i, &size);
        porter_ranges_keep(ranges, code, size, PORTER_KEPT_CODE);
    }
    porter_ranges_begin(ranges, compiles);
    gpusnek_reach_own(launch);
    uint64_t rows;
    const uint64_t row = gpusnek_rows(launch, i, &rows);
    porter_reaches((const char *)launch->stdout_base + row * launch->stdout_size,
        rows * launch->stdout_size, true);
    porter_reaches((const char *)launch->stderr_base + row * launch->stderr_size,
        rows * launch->stderr_size, true);
    porter_reaches(gpusnek_record_of(launch, row), rows * GPUSNEK_EXCEPTION_BYTES, true);
    if (launch->lost) {
        porter_reaches((const uint32_t *)launch->lost + i, sizeof(uint32_t), true);
    }
    if (launch->rings) {
        const gpusnek_ring_t *ring =
            (const gpusnek_ring_t *)launch->rings + i / GPUSNEK_WARP % launch->ring_count;
        porter_reaches(ring, sizeof(gpusnek_ring_t), true);
        porter_reaches(
            (const void *)ring->slots, (uint64_t)ring->length * sizeof(gpusnek_slot_t), true);
        porter_reaches((const void *)ring->tail, sizeof(uint64_t), false);
    }
    const void *files = (const void *)(launch->fs_base + i * launch->fs_stride);
    porter_reaches(files, launch->fs_base ? launch->fs_size : 0,
        launch->fs_stride != 0 || launch->fs_guard != 0);
    porter_reaches((const void *)launch->fs_guard, sizeof(uint64_t), true);
    porter_reaches((const void *)launch->outbuf_base, launch->outbuf_size, true);
    const uint64_t lane = launch->stdin_stride ? i : 0;
    const uint64_t read = launch->stdin_live ? launch->stdin_room
        : launch->stdin_length ? ((const uint32_t *)launch->stdin_length)[lane] : 0;
    porter_reaches((const char *)launch->stdin_base + i * launch->stdin_stride,
        launch->stdin_base ? read : 0, false);
    porter_reaches((const void *)launch->stdin_live, 2 * sizeof(uint32_t), false);
    porter_reaches((const void *)launch->interrupt, sizeof(uint32_t), false);
#else
    (void)launch;
    (void)i;
#endif
}

// Permit reads of a text, including its NUL.
static inline PORTER_DEVICE void gpusnek_reach_text(const char *text) {
#if PORTER_BOUNDS_CHECKS
    uint64_t size = 1;
    while (text[size - 1] != 0) {
        size++;
    }
    porter_reaches(text, size, false);
#else
    (void)text;
#endif
}

// Permit reads of a program's source, or of its bytecode. Bytecode is executed in place, in later
// launches too, and a GPU reads it in aligned words.
static inline PORTER_DEVICE void gpusnek_reach_source(
    const char *text, uint64_t length, bool is_code) {
#if PORTER_BOUNDS_CHECKS
    const uint64_t low = (uint64_t)text / 8 * 8;
    const uint64_t size = ((uint64_t)text + length + 7) / 8 * 8 - low;
    if (is_code) {
        porter_ranges_keep(
            &PORTER_STATE->porter_ranges, (const void *)low, size, PORTER_KEPT_READ);
        porter_reaches((const void *)low, size, false);
    } else {
        porter_reaches(text, length + 1, false); // questions of a REPL end with a NUL
    }
#else
    (void)text;
    (void)length;
    (void)is_code;
#endif
}

// Permit reads of a value that gpusnek_bind copies. The port itself keeps the permission of bound
// memory (porter_keep).
static inline PORTER_DEVICE void gpusnek_reach_value(
    const gpusnek_binding_t *b, uint32_t i, uint64_t count) {
    const void *data = (const void *)(b->data + i * b->stride);
    switch (b->kind) {
        case GPUSNEK_BIND_INT:
        case GPUSNEK_BIND_UINT:
        case GPUSNEK_BIND_FLOAT:
        case GPUSNEK_BIND_BOOL:
            porter_reaches(data, sizeof(uint64_t), false);
            break;
        case GPUSNEK_BIND_STR:
        case GPUSNEK_BIND_BYTES:
            porter_reaches(data, count, false);
            break;
        default:
            break;
    }
}

// Permit the interpreter's arena in global memory. The address of a local arena is constant.
static inline PORTER_DEVICE void gpusnek_own_arena(const gpusnek_launch_t *launch, char *base) {
#if PORTER_BOUNDS_CHECKS && defined(__CUDACC__) && !PORTER_ARENA_LOCAL
    const char *low = gpusnek_pystack(base, launch);
    PORTER_STATE->porter_ranges.arena_low = (uint64_t)low;
    PORTER_STATE->porter_ranges.arena_size = (uint64_t)(base + GPUSNEK_STATE_BYTES - low);
    gpusnek_reach_own(launch);
#else
    (void)launch;
    (void)base;
#endif
}

#endif
