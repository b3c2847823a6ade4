// Queries on the record of a launch (launch.h): the interpreter of a thread, and the program, the
// template, the rows and the limits of an interpreter.
#ifndef GPUSNEK_LAUNCH_RECORD_H
#define GPUSNEK_LAUNCH_RECORD_H

#include "launch.h"
#include "port_api.h"

#define GPUSNEK_WARP 32u // threads of a warp, on the host twin too

// Return the interpreter that thread `t` of the kernel runs, or GPUSNEK_IDLE.
static inline PORTER_DEVICE uint32_t gpusnek_of_thread(const gpusnek_launch_t *launch, uint64_t t) {
    t += launch->offset;
    if (launch->order) {
        return t < launch->threads ? ((const uint32_t *)launch->order)[t] : (uint32_t)GPUSNEK_IDLE;
    }
    return t < launch->n ? (uint32_t)t : (uint32_t)GPUSNEK_IDLE;
}

static inline PORTER_DEVICE uint32_t gpusnek_program_of(const gpusnek_launch_t *launch, uint32_t i) {
    return launch->program_of ? ((const uint32_t *)launch->program_of)[i] : 0;
}

// Return the address of the template from which interpreter `i` is copied; 0: it boots, or
// continues.
static inline PORTER_DEVICE uint64_t gpusnek_template(const gpusnek_launch_t *launch, uint32_t i) {
    if (!(launch->flags & GPUSNEK_FLAG_FORK)) {
        return 0;
    }
    return ((const uint64_t *)launch->fork_snapshots)[gpusnek_program_of(launch, i)];
}

// Whether interpreter `i` starts as a new VM in this launch.
static inline PORTER_DEVICE bool gpusnek_boots(const gpusnek_launch_t *launch, uint32_t i) {
    return launch->flags & GPUSNEK_FLAG_START
        || (launch->flags & GPUSNEK_FLAG_FORK && !gpusnek_template(launch, i));
}

// Return how interpreter `i`'s program is compiled; with GPUSNEK_CODE, it is shared code.
static inline PORTER_DEVICE int gpusnek_kind_of(const gpusnek_launch_t *launch, uint32_t i) {
    const uint8_t *shared = (const uint8_t *)launch->shared_code;
    return launch->kind | (shared && shared[gpusnek_program_of(launch, i)] ? GPUSNEK_CODE : 0);
}

// With COMPILE: return the memory for the bytecode of interpreter `i`'s program, *size bytes.
static inline PORTER_DEVICE void *gpusnek_code_of(
    const gpusnek_launch_t *launch, uint32_t i, uint64_t *size) {
    const uint64_t *offsets =
        (const uint64_t *)launch->code_offsets + gpusnek_program_of(launch, i);
    *size = offsets[1] - offsets[0];
    return (char *)launch->code + offsets[0];
}

static inline PORTER_DEVICE const gpusnek_judging_t *gpusnek_judging(const gpusnek_launch_t *launch) {
    return (const gpusnek_judging_t *)launch->judging;
}

// Return the first row of interpreter `i` in stdout_base and stderr_base. *count: number of its
// rows.
static inline PORTER_DEVICE uint64_t gpusnek_rows(
    const gpusnek_launch_t *launch, uint32_t i, uint64_t *count) {
    if (!launch->judging) {
        *count = 1;
        return i;
    }
    const uint32_t *first = (const uint32_t *)gpusnek_judging(launch)->first_row;
    *count = first[i + 1] - first[i];
    return first[i];
}

// Return the memory for the record of an uncaught exception of `row`; NULL: not wanted.
static inline PORTER_DEVICE gpusnek_exception_t *gpusnek_record_of(
    const gpusnek_launch_t *launch, uint64_t row) {
    return launch->exceptions
        ? (gpusnek_exception_t *)(launch->exceptions + row * GPUSNEK_EXCEPTION_BYTES) : NULL;
}

// Return item `i` of the uint64_t array at `each`, or `all` without an array.
static inline PORTER_DEVICE uint64_t gpusnek_each(uint64_t each, uint32_t i, uint64_t all) {
    return each ? ((const uint64_t *)each)[i] : all;
}

// Whether interpreter `i` has no program in this launch.
static inline PORTER_DEVICE bool gpusnek_rests(const gpusnek_launch_t *launch, uint32_t i) {
    return launch->program_of
        && ((const uint32_t *)launch->program_of)[i] == (uint32_t)GPUSNEK_NO_PROGRAM;
}

// Return the first row of interpreter `i` that is not judged yet, or its last row.
static inline PORTER_DEVICE uint64_t gpusnek_open_row(const gpusnek_launch_t *launch, uint32_t i) {
    uint64_t rows;
    uint64_t row = gpusnek_rows(launch, i, &rows);
    const uint64_t end = row + rows;
    if (launch->judging) {
        const int32_t *status = (const int32_t *)gpusnek_judging(launch)->status;
        while (row + 1 < end && status[row] != GPUSNEK_STATUS_NOT_RUN) {
            row++;
        }
    }
    return row;
}

#endif
