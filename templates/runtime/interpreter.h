// Lifecycle of one interpreter in one launch, for host twin and kernels: start or continue, set
// globals, run the program, make calls, write results, stop. The only place that calls the port's
// functions in their order (docs/reference/architecture.md, "The port's own interface"). Users'
// kernels have kernel_life.cpp.
#ifndef GPUSNEK_INTERPRETER_H
#define GPUSNEK_INTERPRETER_H

#include "arena_layout.h"
#include "judging.h"
#include "launch_record.h"
#include "permissions.h"
#include "streams.h"

#ifdef __CUDACC__
// On a GPU interpreters that are alike start as copies of templates.
static inline PORTER_DEVICE bool gpusnek_boot_again(const gpusnek_launch_t *launch, char *base) {
    (void)launch;
    (void)base;
    return false;
}

static inline PORTER_DEVICE void gpusnek_keep_boot(const gpusnek_launch_t *launch, char *base) {
    (void)launch;
    (void)base;
}
#endif

// Start the VM of interpreter `i`, or adapt a `copy` of another one to its index. Return a status.
static inline PORTER_DEVICE int32_t gpusnek_boot_vm(
    const gpusnek_launch_t *launch, uint32_t i, char *base, bool copy) {
    gpusnek_boot_t boot;
    boot.total = launch->total;
    boot.flags = (launch->flags & GPUSNEK_FLAG_GC_STRESS ? GPUSNEK_GC_STRESS : 0)
        | (launch->flags & GPUSNEK_FLAG_FS_MOUNT ? GPUSNEK_FS_MOUNT : 0)
        | (launch->flags & GPUSNEK_FLAG_FS_FORMAT ? GPUSNEK_FS_FORMAT : 0)
        | (launch->flags & GPUSNEK_FLAG_FAIL_REST ? GPUSNEK_FAIL_REST : 0)
        | (launch->fs_stride ? 0 : GPUSNEK_FS_SHARED);
    boot.fs_block_size = (uint32_t)launch->fs_block;
    boot.heap = gpusnek_heap(base, launch);
    boot.heap_size = launch->heap_size;
    boot.pystack = gpusnek_pystack(base, launch);
    boot.pystack_size = launch->pystack_size;
    boot.fs = (void *)(launch->fs_base + i * launch->fs_stride);
    boot.fs_size = launch->fs_size;
    boot.fs_guard = (volatile uint64_t *)launch->fs_guard;
    boot.outbuf = (void *)launch->outbuf_base;
    boot.outbuf_size = launch->outbuf_size;
    boot.seed = launch->seed;
    boot.fail_allocation = launch->fail_alloc ? ((const uint32_t *)launch->fail_alloc)[i] : 0;
    const uint32_t block_size = launch->block_size ? launch->block_size : 1;
    const bool alike = (launch->flags & GPUSNEK_FLAG_ALIKE) != 0;
    boot.index = alike ? launch->first : launch->first + i;
    boot.block = alike ? 0 : launch->first / block_size + i / block_size;
    boot.block_size = alike ? 1 : block_size;
    boot.local = alike ? 0 : i % block_size;
    if (copy) {
        return gpusnek_become(&boot);
    }
    const int32_t status = gpusnek_start(&boot);
    if (status == GPUSNEK_OK) {
        gpusnek_keep_boot(launch, base);
    }
    return status;
}

// Compile and run the program of interpreter `i`, or what the flags ask for. Return a status.
static inline PORTER_DEVICE int32_t gpusnek_program(const gpusnek_launch_t *launch, uint32_t i) {
    if (launch->flags & GPUSNEK_FLAG_COMPILED && gpusnek_template(launch, i)) {
        return gpusnek_go(launch->kind);
    }
    const uint64_t *offsets = (const uint64_t *)launch->text_offsets;
    const uint64_t *names = (const uint64_t *)launch->name_offsets;
    const uint32_t program = gpusnek_program_of(launch, i);
    const char *text = (const char *)launch->text + offsets[program];
    const size_t length = (size_t)(offsets[program + 1] - offsets[program]);
    const char *name = (const char *)launch->names + names[program];
    const int kind = gpusnek_kind_of(launch, i);
    gpusnek_reach_source(text, length, (kind & GPUSNEK_CODE) != 0);
    gpusnek_reach_text(name);
    if (launch->flags & GPUSNEK_FLAG_COMPILE) {
        uint64_t size;
        void *code = gpusnek_code_of(launch, i, &size);
        gpusnek_code_to(size ? code : NULL, (size_t)size); // shared code needs none
        const int32_t status = gpusnek_prepare(text, length, kind, name);
        gpusnek_code_to(NULL, 0);
        return status;
    }
    return gpusnek_exec(text, length, kind, name);
}

// Set the globals of interpreter `i` that the host provides. Return the first status that is not
// GPUSNEK_OK.
static inline PORTER_DEVICE int32_t gpusnek_bind_all(const gpusnek_launch_t *launch, uint32_t i) {
    const gpusnek_binding_t *bindings = (const gpusnek_binding_t *)launch->bindings;
    for (uint64_t k = 0; k < launch->binding_count; k++) {
        const gpusnek_binding_t *b = &bindings[k];
        const uint64_t count = b->counts ? ((const uint32_t *)b->counts)[i] : b->count;
        gpusnek_reach(launch, i); // ends the permissions for the previous name and value
        gpusnek_reach_text((const char *)b->name);
        gpusnek_reach_value(b, i, count);
        const int status = gpusnek_bind(b->kind, (const char *)b->name,
            (const void *)(b->data + i * b->stride), (size_t)count, (char)b->typecode);
        if (status != GPUSNEK_OK) {
            return status;
        }
    }
    if (launch->binding_count) {
        gpusnek_reach(launch, i);
    }
    return GPUSNEK_OK;
}

// Write the value of interpreter `i`'s program. If computing it raises, *status changes.
static inline PORTER_DEVICE void gpusnek_write_value(
    const gpusnek_launch_t *launch, uint32_t i, int32_t *status) {
    int left = *status;
    uint64_t value;
    ((uint8_t *)launch->value_kind)[i] = (uint8_t)gpusnek_value(&left, &value);
    ((uint64_t *)launch->value)[i] = value;
    *status = left;
}

// Write the resource that interpreter `i` has exhausted.
static inline PORTER_DEVICE void gpusnek_write_lack(const gpusnek_launch_t *launch, uint32_t i) {
    if (launch->lack) {
        uint64_t bytes;
        const uint64_t lack = (uint64_t)gpusnek_lack(&bytes);
        ((uint64_t *)launch->lack)[i] = bytes * 4 + lack;
    }
}

// Write the data of interpreter `i`'s value, whose size this launch or an earlier one has written,
// unless it is longer than the memory for it.
static inline PORTER_DEVICE void gpusnek_write_data(const gpusnek_launch_t *launch, uint32_t i) {
    const uint64_t offset = ((const uint64_t *)launch->data_offsets)[i];
    const uint64_t *sizes = (const uint64_t *)launch->data_sizes;
    if (offset != UINT64_MAX && (!sizes || ((const uint64_t *)launch->value)[i] <= sizes[i])) {
        gpusnek_value_data((char *)launch->data_base + offset);
    }
}

#if PORTER_BOUNDS_CHECKS
// End the interpreter at `base` because a bounds check has refused an access: write the report to
// stderr, and the lengths of its outputs. Return the record of its launch; NULL in a user's kernel.
// A check that refuses an access in the report calls this function again, and gpusnek_fence_report
// then continues with its next step.
static inline PORTER_DEVICE const gpusnek_launch_t *gpusnek_fenced(
    char *base, const char *place, const void *address, unsigned kind) {
    gpusnek_head_t *head = gpusnek_head(base);
    const gpusnek_launch_t *launch = (const gpusnek_launch_t *)head->launch;
    PORTER_STATE->porter_unwind = 0;
    PORTER_STATE->porter_stack_limit = 0; // no check of the C stack in the report
    head->magic = 0;
    gpusnek_fence_report(place, address, kind);
#ifdef __CUDACC__
    // A check has refused an access in the report, which then continues with its next step.
    for (int tries = 0; PORTER_STATE->porter_unwind && tries < 8; tries++) {
        PORTER_STATE->porter_unwind = 0;
        gpusnek_fence_report(place, address, kind);
    }
#endif
    if (launch) {
        gpusnek_write_lengths(launch, gpusnek_open_row(launch, (uint32_t)head->index), head);
    }
    return launch;
}
#endif

// End the interpreter at `base` after a check of device code has refused an access
// (porter_refused). The function that contains the access and all of its callers have returned by
// unwinding. Return the status.
static inline PORTER_DEVICE int32_t gpusnek_refusal(char *base) {
#if defined(__CUDACC__) && PORTER_BOUNDS_CHECKS
    const porter_ranges_t *ranges = &PORTER_STATE->porter_ranges;
    gpusnek_fenced(base, (const char *)ranges->place, (const void *)ranges->address,
        (unsigned)ranges->kind);
#else
    (void)base;
#endif
    return GPUSNEK_STATUS_OUT_OF_BOUNDS;
}

// Run interpreter `i` of `launch` through the phases that the flags name: start, program, calls,
// stop. base: its arena, which is PORTER_STATE already. Write its outputs' lengths; return a
// status.
static inline PORTER_DEVICE int32_t gpusnek_run(const gpusnek_launch_t *launch, uint32_t i,
    char *base, void *stack_top, size_t stack_size) {
    gpusnek_head_t *head = gpusnek_head(base);
#if PORTER_PROFILE
    head->profile = 0;
#endif
    const bool start = gpusnek_boots(launch, i);
    const bool again = start && gpusnek_boot_again(launch, base);
    if (again) {
        gpusnek_own_arena(launch, base);
    } else if (start) {
        gpusnek_wipe(base);
        gpusnek_own_arena(launch, base);
        porter_state_init();
        head->heap_size = launch->heap_size;
        head->pystack_size = launch->pystack_size;
    } else if (head->magic != GPUSNEK_MAGIC || head->heap_size != launch->heap_size
        || head->pystack_size != launch->pystack_size) {
        return GPUSNEK_NOT_STARTED;
    } else {
        gpusnek_own_arena(launch, base); // a snapshot may come from another arena
    }
#if PORTER_BOUNDS_CHECKS
    head->launch = (uint64_t)launch;
    head->index = i;
#endif
    gpusnek_connect(launch, i, head, stack_top, stack_size);
    gpusnek_profile_begin(launch, i, head);
    const bool fresh = start || launch->flags & GPUSNEK_FLAG_FORK;
    const bool copy = again || gpusnek_template(launch, i);
    int32_t status = fresh ? gpusnek_boot_vm(launch, i, base, copy) : GPUSNEK_OK;
    if (status == GPUSNEK_OK) {
        head->magic = GPUSNEK_MAGIC;
        status = gpusnek_bind_all(launch, i);
        if (launch->flags & GPUSNEK_FLAG_EXEC) {
            status = status == GPUSNEK_OK ? gpusnek_program(launch, i) : status;
            if (porter_refused()) {
                return gpusnek_refusal(base);
            }
            if (launch->exit_code) {
                ((int32_t *)launch->exit_code)[i] = gpusnek_exit_code();
            }
            if (launch->value_kind) {
                gpusnek_write_value(launch, i, &status);
            }
            if (launch->judging && !gpusnek_judge(launch, i, status, base)) {
                return gpusnek_refusal(base);
            }
        }
        if (launch->data_base) {
            gpusnek_write_data(launch, i);
        }
        if (launch->allocations) {
            ((uint32_t *)launch->allocations)[i] = gpusnek_allocations();
        }
        if (launch->flags & GPUSNEK_FLAG_STOP) {
            const int32_t stopped = gpusnek_stop();
            const bool limited = stopped == GPUSNEK_OUT_OF_STEPS || stopped == GPUSNEK_OUT_OF_TIME;
            status = status == GPUSNEK_OK || limited ? stopped : status;
            head->magic = 0;
        }
        gpusnek_write_lack(launch, i);
        if (launch->steps) {
            ((uint64_t *)launch->steps)[i] = gpusnek_steps();
        }
    }
    if (porter_refused()) {
        return gpusnek_refusal(base);
    }
    gpusnek_detach();
    gpusnek_profile_end(head);
    if (!launch->judging) {
        gpusnek_write_lengths(launch, i, head);
    }
    return status;
}

#endif
