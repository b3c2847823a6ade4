// Calls after a program, and comparisons of their results with expected values (gpusnek_judging_t).
#ifndef GPUSNEK_JUDGING_H
#define GPUSNEK_JUDGING_H

#include "arena_layout.h"
#include "launch_record.h"
#include "permissions.h"
#include "streams.h"

#ifndef __CUDACC__
#include "image.h"
#endif

// Record the outcome of `row`: of its call, or of the program before it.
static inline PORTER_DEVICE void gpusnek_close_row(
    const gpusnek_launch_t *launch, uint64_t row, int32_t status, uint64_t steps) {
    const gpusnek_judging_t *judging = gpusnek_judging(launch);
    uint64_t bytes;
    uint32_t missing = 0;
    int lack = GPUSNEK_LACK_NOTHING;
    if (status == GPUSNEK_EXCEPTION) {
        lack = gpusnek_lack(&bytes);
        if (lack == GPUSNEK_LACK_NOTHING && gpusnek_missed(&missing)) {
            lack = GPUSNEK_LACK_FEATURE;
        }
    }
    if (lack == GPUSNEK_LACK_NOTHING && gpusnek_ran_out() != GPUSNEK_LACK_NOTHING) {
        lack = gpusnek_ran_out() | GPUSNEK_LACK_CAUGHT;
    }
    ((uint32_t *)judging->missing)[row] = missing;
    ((uint64_t *)judging->steps)[row] = steps;
    ((uint8_t *)judging->lack)[row] = (uint8_t)lack;
    ((int32_t *)judging->status)[row] = status;
}

// Write the result of `row`, and its data if it fits.
static inline PORTER_DEVICE void gpusnek_close_value(
    const gpusnek_launch_t *launch, uint32_t i, uint64_t row) {
    const gpusnek_judging_t *judging = gpusnek_judging(launch);
    char *to = (char *)judging->value_base + row * judging->value_size;
    uint64_t value;
    const int kind = gpusnek_result(&value);
    if (kind == GPUSNEK_VALUE_NONE) { // the value could not be encoded
        uint64_t bytes;
        ((uint8_t *)judging->lack)[row] = (uint8_t)gpusnek_lack(&bytes);
    }
    ((uint64_t *)judging->value)[row] = value;
    if (kind >= GPUSNEK_VALUE_DATA && value <= judging->value_size) {
        gpusnek_value_data(to);
        gpusnek_reach(launch, i); // ends the permission that gpusnek_value_data lent
    }
    ((uint8_t *)judging->value_kind)[row] = (uint8_t)kind;
}

// Make one call and compare its result. The interpreter may read arguments and expected values only
// while they are decoded, when no code of the program runs.
static inline PORTER_DEVICE void gpusnek_judge_row(
    const gpusnek_launch_t *launch, uint32_t i, uint64_t row, uint64_t number) {
    const gpusnek_judging_t *judging = gpusnek_judging(launch);
    const uint64_t *arguments = (const uint64_t *)judging->argument_offsets + number;
    const uint64_t *expected = (const uint64_t *)judging->expected_offsets + number;
    const char *bytes = (const char *)judging->arguments + arguments[0];
    porter_reaches(bytes, arguments[1] - arguments[0], false);
    int32_t status = gpusnek_arguments(bytes);
    gpusnek_reach(launch, i);
    if (status == GPUSNEK_OK) {
        gpusnek_reach_text((const char *)judging->entry);
        status = gpusnek_call((const char *)judging->entry);
    }
    if (porter_refused()) {
        return;
    }
    gpusnek_close_row(launch, row, status, status == GPUSNEK_NO_ENTRY ? 0 : gpusnek_steps());
    if (status == GPUSNEK_OK && judging->expected) {
        gpusnek_tolerance_t tolerance;
        const gpusnek_tolerance_t *given = NULL;
        if (judging->tolerance) {
            tolerance = *(const gpusnek_tolerance_t *)judging->tolerance;
            given = &tolerance;
        }
        bytes = (const char *)judging->expected + expected[0];
        porter_reaches(bytes, expected[1] - expected[0], false);
        uint8_t equal;
        status = gpusnek_matches(bytes, given, &equal);
        gpusnek_reach(launch, i);
        ((uint8_t *)judging->equal)[row] = equal;
        ((int32_t *)judging->status)[row] = status;
    }
    if (status == GPUSNEK_OK && judging->value_kind) {
        gpusnek_close_value(launch, i, row);
    }
}

// A copy of an interpreter after its program: head, state, and the used part of the heap.
typedef struct gpusnek_snapshot_t {
    char *memory; // NULL: no copy
    uint64_t used;
    uint64_t out_length;
    uint64_t err_length;
} gpusnek_snapshot_t;

// Direct output and the exception's record to `row`.
static inline PORTER_DEVICE void gpusnek_open(const gpusnek_launch_t *launch, uint64_t row) {
    gpusnek_output_to((char *)launch->stdout_base + row * launch->stdout_size,
        (char *)launch->stderr_base + row * launch->stderr_size, gpusnek_record_of(launch, row));
}

#ifdef __CUDACC__
// On a GPU the host gives each row an interpreter of its own, so no copy is needed.
static inline PORTER_DEVICE void gpusnek_snapshot(
    const gpusnek_launch_t *launch, char *base, gpusnek_snapshot_t *snapshot) {
    (void)launch;
    (void)base;
    snapshot->memory = NULL;
}

static inline PORTER_DEVICE void gpusnek_renew(const gpusnek_launch_t *launch, char *base,
    const gpusnek_snapshot_t *snapshot, uint64_t first, uint64_t row) {
    (void)launch;
    (void)base;
    (void)snapshot;
    (void)first;
    (void)row;
}
#else
static inline void gpusnek_snapshot(
    const gpusnek_launch_t *launch, char *base, gpusnek_snapshot_t *snapshot) {
    snapshot->used = gpusnek_image_heap(launch);
    snapshot->memory = (char *)gpusnek_turn_memory(GPUSNEK_IMAGE_FIXED + snapshot->used);
    if (snapshot->memory) {
        gpusnek_image_save(launch, base, snapshot->memory, snapshot->used);
    }
}

// Copy the program's output from the first row to `row`: it precedes the output of each call.
static inline void gpusnek_copy_output(
    uint64_t output, uint64_t size, uint64_t length, uint64_t first, uint64_t row) {
    memcpy((char *)output + row * size, (const char *)output + first * size,
        length < size ? length : size);
}

static inline void gpusnek_renew(const gpusnek_launch_t *launch, char *base,
    const gpusnek_snapshot_t *snapshot, uint64_t first, uint64_t row) {
    if (snapshot->memory) { // else the program did not end with GPUSNEK_OK, so no call follows
        gpusnek_image_restore(launch, base, snapshot->memory, snapshot->used);
    }
    gpusnek_open(launch, row);
    gpusnek_head(base)->out_length = snapshot->out_length;
    gpusnek_head(base)->err_length = snapshot->err_length;
    gpusnek_copy_output(
        launch->stdout_base, launch->stdout_size, snapshot->out_length, first, row);
    gpusnek_copy_output(
        launch->stderr_base, launch->stderr_size, snapshot->err_length, first, row);
}
#endif

// Make the calls of all rows of interpreter `i`, whose program ended with `status`. Return false if
// a bounds check has refused an access.
static inline PORTER_DEVICE bool gpusnek_judge(
    const gpusnek_launch_t *launch, uint32_t i, int32_t status, char *base) {
    const gpusnek_head_t *head = gpusnek_head(base);
    const gpusnek_judging_t *judging = gpusnek_judging(launch);
    const uint32_t number = ((const uint32_t *)judging->first_case)[i];
    uint64_t rows;
    const uint64_t first = gpusnek_rows(launch, i, &rows);
    const uint64_t steps = gpusnek_steps();
    const bool renews = (launch->flags & GPUSNEK_FLAG_RENEW) != 0;
    gpusnek_snapshot_t snapshot;
    snapshot.memory = NULL;
    snapshot.out_length = head->out_length;
    snapshot.err_length = head->err_length;
    if (renews && rows > 1 && status == GPUSNEK_OK) {
        gpusnek_snapshot(launch, base, &snapshot);
        if (!snapshot.memory) {
            rows = 1; // the other rows keep the status GPUSNEK_STATUS_NOT_RUN
        }
    }
    for (uint64_t k = 0; k < rows; k++) {
        const uint64_t row = first + k;
        if (k > 0 && renews) {
            gpusnek_renew(launch, base, &snapshot, first, row);
        } else if (k > 0) { // the first row already has the program's output
            gpusnek_open(launch, row);
        }
        if (status == GPUSNEK_OK) {
            gpusnek_judge_row(launch, i, row, number + k);
        } else {
            gpusnek_close_row(launch, row, status, steps);
        }
        if (porter_refused()) {
            return false;
        }
        gpusnek_write_lengths(launch, row, head);
    }
    return true;
}

#endif
