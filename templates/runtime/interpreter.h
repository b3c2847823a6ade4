// What the host twin and the kernels share: how an arena is laid out, and how one interpreter
// goes through one launch.
#ifndef GPUSNEK_INTERPRETER_H
#define GPUSNEK_INTERPRETER_H

#include "launch.h"
#include "porter_runtime.h"
#include "ranges.h"

#include <stddef.h>

#define GPUSNEK_API extern "C" PORTER_DEVICE
#include "interp.h"
#include "kernel_api.h"

extern "C" PORTER_DEVICE int porter_refused(void); // hooks.h

#define GPUSNEK_WARP 32u
#define GPUSNEK_ROUND(x) (((uint64_t)(x) + 63u) / 64u * 64u)
#define GPUSNEK_MAGIC 0x6b656e7375706721ull // "!gpusnek": the arena or image holds a VM

// Stands right below the state struct. From `sealed` to the end of the state's table of ranges all is
// the runtime's alone: fences refuse a program's stores there. In local memory to the end of the
// state's fields that begin with porter_.
typedef struct gpusnek_head_t {
    // Of the running launch; the port counts in them through pointers.
#if PORTER_PROFILE
    uint64_t profile; // address of its gpusnek_profile_t; 0: it does not count
#endif
    size_t in_position;
    size_t out_length;
    size_t err_length;
#if PORTER_FENCES
    uint64_t sealed;
    uint64_t launch; // address of the running launch's record; 0: in a user's kernel
    uint64_t index;  // in that launch
#endif
    uint64_t magic;
    uint64_t heap_used; // at rest: bytes at the start of the heap that an image must hold,
    uint64_t heap_tables; // and of them the collector's tables (gpusnek_heap_used)
    uint64_t heap_size; // pointers into the heap hold for this size only, as for the pystack's
    uint64_t pystack_size;
} gpusnek_head_t;

#define GPUSNEK_STATE_BYTES GPUSNEK_ROUND(sizeof(porter_state_t))
#define GPUSNEK_HEAD_BYTES GPUSNEK_ROUND(sizeof(gpusnek_head_t))
#if PORTER_FENCES
// porter/compile/bounds_checks/lookup.py reckons with these distances from the state.
static_assert(GPUSNEK_HEAD_BYTES - offsetof(gpusnek_head_t, sealed) == PORTER_SEALED_BELOW,
    "what is sealed begins elsewhere");
static_assert(offsetof(porter_state_t, porter_unwind) == PORTER_SEALED_ABOVE
        && sizeof(porter_ranges_t) == PORTER_SEALED_ABOVE, "what is sealed ends elsewhere");
static_assert(offsetof(porter_state_t, porter_stack_limit) + sizeof(void *)
        == PORTER_SEALED_ABOVE + 24, "the state's fields of ours end elsewhere");
#endif
#if PORTER_PROFILE
static_assert(GPUSNEK_HEAD_BYTES - offsetof(gpusnek_head_t, profile) == PORTER_PROFILE_BELOW,
    "what is counted is looked for elsewhere");
#endif
#define GPUSNEK_CANARY_BYTES 64u
#define GPUSNEK_CANARY 0xc5c5c5c5c5c5c5c5ull // no valid pointer, no small number

// An arena, by rising addresses: canary, pystack, heap, canary, head, state, canary. `base` is
// where the state struct is: what lies above it has a fixed size, what varies lies below.
#define GPUSNEK_ARENA_BYTES(pystack, heap) \
    (3 * GPUSNEK_CANARY_BYTES + GPUSNEK_ROUND(pystack) + GPUSNEK_ROUND(heap) \
        + GPUSNEK_HEAD_BYTES + GPUSNEK_STATE_BYTES)
// From an arena's first byte to its state struct.
#define GPUSNEK_BASE_OFFSET(pystack, heap) \
    (GPUSNEK_ARENA_BYTES(pystack, heap) - GPUSNEK_STATE_BYTES - GPUSNEK_CANARY_BYTES)
// An image holds state, head and heap: the pystack is empty between launches.
#define GPUSNEK_IMAGE_BYTES(heap) \
    (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES + GPUSNEK_ROUND(heap))

// What a build says of itself, fields as gpusnek_info_t has them: porter reads it out of the
// library or the cubin when it writes build.json.
#define GPUSNEK_INFO(local_top, stack_size) \
    { \
        sizeof(gpusnek_launch_t), GPUSNEK_STATE_BYTES, GPUSNEK_ARENA_BYTES(0, 0), \
            GPUSNEK_IMAGE_BYTES(0), local_top, stack_size, GPUSNEK_ROUND(1), \
            GPUSNEK_BASE_OFFSET(0, 0) \
    }

static inline PORTER_DEVICE gpusnek_head_t *gpusnek_head(char *base) {
    return (gpusnek_head_t *)(base - GPUSNEK_HEAD_BYTES);
}

static inline PORTER_DEVICE char *gpusnek_heap_end(char *base) {
    return base - GPUSNEK_HEAD_BYTES - GPUSNEK_CANARY_BYTES;
}

static inline PORTER_DEVICE char *gpusnek_heap(char *base, const gpusnek_launch_t *launch) {
    return gpusnek_heap_end(base) - GPUSNEK_ROUND(launch->heap_size);
}

static inline PORTER_DEVICE char *gpusnek_pystack(char *base, const gpusnek_launch_t *launch) {
    return gpusnek_heap(base, launch) - GPUSNEK_ROUND(launch->pystack_size);
}

// The canaries: where an overrun of C stack, heap, pystack or a neighbour's arena would end.
static inline PORTER_DEVICE void gpusnek_canaries(
    char *base, const gpusnek_launch_t *launch, char *at[3]) {
    at[0] = gpusnek_pystack(base, launch) - GPUSNEK_CANARY_BYTES;
    at[1] = gpusnek_heap_end(base);
    at[2] = base + GPUSNEK_STATE_BYTES;
}

// Zero the head and the state struct. By words: both are 8-byte aligned.
static inline PORTER_DEVICE void gpusnek_wipe(char *base) {
    uint64_t *words = (uint64_t *)gpusnek_head(base);
    const uint32_t count = (GPUSNEK_STATE_BYTES + GPUSNEK_HEAD_BYTES) / 8;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = 0;
    }
}

static inline PORTER_DEVICE uint32_t gpusnek_clip(size_t length) {
    return length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
}

// The interpreter that thread `t` of the kernel runs; GPUSNEK_IDLE: none.
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

// The address of the image that interpreter `i` begins as a copy of; 0: it boots, or goes on.
static inline PORTER_DEVICE uint64_t gpusnek_template(const gpusnek_launch_t *launch, uint32_t i) {
    if (!(launch->flags & GPUSNEK_FLAG_FORK)) {
        return 0;
    }
    return ((const uint64_t *)launch->fork_images)[gpusnek_program_of(launch, i)];
}

static inline PORTER_DEVICE bool gpusnek_boots(const gpusnek_launch_t *launch, uint32_t i) {
    return launch->flags & GPUSNEK_FLAG_START
        || (launch->flags & GPUSNEK_FLAG_FORK && !gpusnek_template(launch, i));
}

// With COMPILE: where the bytecode of interpreter `i`'s program goes, *size bytes.
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

// The rows of stdout_base and stderr_base that are interpreter `i`'s: *count from the returned one.
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

// Where the exception goes that ends the program, or the call, of `row`; NULL: nobody wants it.
static inline PORTER_DEVICE gpusnek_exception_t *gpusnek_record_of(
    const gpusnek_launch_t *launch, uint64_t row) {
    return launch->exceptions
        ? (gpusnek_exception_t *)(launch->exceptions + row * GPUSNEK_EXCEPTION_BYTES) : NULL;
}

#if PORTER_FENCES && defined(__CUDACC__)
extern "C" __constant__ uint64_t porter_fence_pieces[8]; // fences.cu
#endif

// What device code reads for itself: constants that lie apart from the others, and the thread's row of
// the table of states, by which it finds its own.
static inline PORTER_DEVICE void gpusnek_reach_own(const gpusnek_launch_t *launch) {
#if PORTER_FENCES && defined(__CUDACC__)
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

// The memory outside its arena that interpreter `i` may reach in this launch.
static inline PORTER_DEVICE void gpusnek_reach(const gpusnek_launch_t *launch, uint32_t i) {
#if PORTER_FENCES
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

// Text of a program or a binding, up to and with its NUL.
static inline PORTER_DEVICE void gpusnek_reach_text(const char *text) {
#if PORTER_FENCES
    uint64_t size = 1;
    while (text[size - 1] != 0) {
        size++;
    }
    porter_reaches(text, size, false);
#else
    (void)text;
#endif
}

// A source's text; code that others made is executed where it is, by later launches too, and a GPU
// reads it in aligned words.
static inline PORTER_DEVICE void gpusnek_reach_source(
    const char *text, uint64_t length, bool is_code) {
#if PORTER_FENCES
    const uint64_t low = (uint64_t)text / 8 * 8;
    const uint64_t size = ((uint64_t)text + length + 7) / 8 * 8 - low;
    if (is_code) {
        porter_ranges_keep(
            &PORTER_STATE->porter_ranges, (const void *)low, size, PORTER_KEPT_READ);
        porter_reaches((const void *)low, size, false);
    } else {
        porter_reaches(text, length + 1, false); // a REPL's questions end with a NUL
    }
#else
    (void)text;
    (void)length;
    (void)is_code;
#endif
}

// Item `i` of the uint64_t array at `each`, or `all` where there is none.
static inline PORTER_DEVICE uint64_t gpusnek_each(uint64_t each, uint32_t i, uint64_t all) {
    return each ? ((const uint64_t *)each)[i] : all;
}

// Streams, clock, C stack, interrupt word and limits of interpreter `i`. `stack_size` is in bytes below
// `stack_top`.
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

static inline PORTER_DEVICE int32_t gpusnek_boot_vm(
    const gpusnek_launch_t *launch, uint32_t i, char *base) {
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
    return gpusnek_template(launch, i) ? gpusnek_become(&boot) : gpusnek_start(&boot);
}

static inline PORTER_DEVICE bool gpusnek_rests(const gpusnek_launch_t *launch, uint32_t i) {
    return launch->program_of
        && ((const uint32_t *)launch->program_of)[i] == (uint32_t)GPUSNEK_NO_PROGRAM;
}

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
    gpusnek_reach_source(text, length, (launch->kind & GPUSNEK_CODE) != 0);
    gpusnek_reach_text(name);
    if (launch->flags & GPUSNEK_FLAG_COMPILE) {
        uint64_t size;
        void *code = gpusnek_code_of(launch, i, &size);
        gpusnek_code_to(code, (size_t)size);
        const int32_t status = gpusnek_prepare(text, length, launch->kind, name);
        gpusnek_code_to(NULL, 0);
        return status;
    }
    return gpusnek_exec(text, length, launch->kind, name);
}

// What gpusnek_bind copies. Memory that stays bound is the port's to keep (porter_keep).
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

// Interpreter `i`'s globals from outside. Returns a status; an exception ends the rest.
static inline PORTER_DEVICE int32_t gpusnek_bind_all(const gpusnek_launch_t *launch, uint32_t i) {
    const gpusnek_binding_t *bindings = (const gpusnek_binding_t *)launch->bindings;
    for (uint64_t k = 0; k < launch->binding_count; k++) {
        const gpusnek_binding_t *b = &bindings[k];
        const uint64_t count = b->counts ? ((const uint32_t *)b->counts)[i] : b->count;
        gpusnek_reach(launch, i); // no longer the last one's name and value
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

// What interpreter `i`'s program left, for the host's arrays.
static inline PORTER_DEVICE void gpusnek_give_value(
    const gpusnek_launch_t *launch, uint32_t i, int32_t *status) {
    int left = *status;
    uint64_t value;
    ((uint8_t *)launch->value_kind)[i] = (uint8_t)gpusnek_value(&left, &value);
    ((uint64_t *)launch->value)[i] = value;
    *status = left;
}

static inline PORTER_DEVICE void gpusnek_give_lack(const gpusnek_launch_t *launch, uint32_t i) {
    if (launch->lack) {
        uint64_t bytes;
        const uint64_t lack = (uint64_t)gpusnek_lack(&bytes);
        ((uint64_t *)launch->lack)[i] = bytes * 4 + lack;
    }
}

#if PORTER_PROFILE
extern "C" PORTER_DEVICE gpusnek_profile_t *porter_profile_begin(void *room, uint64_t size);
extern "C" PORTER_DEVICE void porter_profile_end(gpusnek_profile_t *profile);
#endif

// Where interpreter `i` counts from now on.
static inline PORTER_DEVICE void gpusnek_profile_from(
    const gpusnek_launch_t *launch, uint32_t i, gpusnek_head_t *head) {
#if PORTER_PROFILE
    head->profile = 0;
    const uint64_t warp = i / GPUSNEK_WARP;
    if (launch->profile && warp % launch->profile_step == 0) {
        const uint64_t room = warp / launch->profile_step * GPUSNEK_WARP + i % GPUSNEK_WARP;
        if (room < launch->profile_rooms) {
            void *at = (char *)launch->profile + room * launch->profile_stride;
            head->profile = (uint64_t)porter_profile_begin(at, launch->profile_stride);
        }
    }
#else
    (void)launch;
    (void)i;
    (void)head;
#endif
}

static inline PORTER_DEVICE void gpusnek_profile_over(gpusnek_head_t *head) {
#if PORTER_PROFILE
    if (head->profile) {
        porter_profile_end((gpusnek_profile_t *)head->profile);
        head->profile = 0;
    }
#else
    (void)head;
#endif
}

// The bytes that interpreter `i` announced in an earlier launch, or in this one.
static inline PORTER_DEVICE void gpusnek_give_data(const gpusnek_launch_t *launch, uint32_t i) {
    const uint64_t offset = ((const uint64_t *)launch->data_offsets)[i];
    if (offset != UINT64_MAX) {
        gpusnek_value_data((char *)launch->data_base + offset);
    }
}

static inline PORTER_DEVICE void gpusnek_give_lengths(
    const gpusnek_launch_t *launch, uint64_t row, const gpusnek_head_t *head) {
    ((uint32_t *)launch->stdout_length)[row] = gpusnek_clip(head->out_length);
    ((uint32_t *)launch->stderr_length)[row] = gpusnek_clip(head->err_length);
}

// The row of interpreter `i` that is not judged yet, or its last one.
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

#include "judging.h"

#if PORTER_FENCES
// What becomes of the interpreter at `base` that a fence ends: its report, its output, its end.
// Returns the record of its launch; NULL in a user's kernel. A fence that fails meanwhile comes
// here again, and goes on with what is left to do.
static inline PORTER_DEVICE const gpusnek_launch_t *gpusnek_fenced(
    char *base, const char *place, const void *address, unsigned kind) {
    gpusnek_head_t *head = gpusnek_head(base);
    const gpusnek_launch_t *launch = (const gpusnek_launch_t *)head->launch;
    PORTER_STATE->porter_unwind = 0;
    PORTER_STATE->porter_stack_limit = 0; // the report is called without checks
    head->magic = 0;
    gpusnek_fence_report(place, address, kind);
#ifdef __CUDACC__
    // Refused meanwhile: it returned, and goes on with the next step.
    for (int tries = 0; PORTER_STATE->porter_unwind && tries < 8; tries++) {
        PORTER_STATE->porter_unwind = 0;
        gpusnek_fence_report(place, address, kind);
    }
#endif
    if (launch) {
        gpusnek_give_lengths(launch, gpusnek_open_row(launch, (uint32_t)head->index), head);
    }
    return launch;
}
#endif

// What becomes of the interpreter at `base`, an access of which a check of device code has refused
// (porter_refused): the function that it stood in returned as one does that unwinds, and all that
// called it.
static inline PORTER_DEVICE int32_t gpusnek_refusal(char *base) {
#if defined(__CUDACC__) && PORTER_FENCES
    const porter_ranges_t *ranges = &PORTER_STATE->porter_ranges;
    gpusnek_fenced(base, (const char *)ranges->place, (const void *)ranges->address,
        (unsigned)ranges->kind);
#else
    (void)base;
#endif
    return GPUSNEK_STATUS_FENCE;
}

// Where its arena is, for checks of device code that cannot tell by the address alone.
static inline PORTER_DEVICE void gpusnek_own_arena(const gpusnek_launch_t *launch, char *base) {
#if PORTER_FENCES && defined(__CUDACC__) && !PORTER_ARENA_LOCAL
    const char *low = gpusnek_pystack(base, launch);
    PORTER_STATE->porter_ranges.arena_low = (uint64_t)low;
    PORTER_STATE->porter_ranges.arena_size = (uint64_t)(base + GPUSNEK_STATE_BYTES - low);
    gpusnek_reach_own(launch);
#else
    (void)launch;
    (void)base;
#endif
}

// Interpreter `i` of `launch` from start to stop, as the flags say. Its arena is at `base`, which
// PORTER_STATE is by now. Returns a status and leaves the lengths of its outputs.
static inline PORTER_DEVICE int32_t gpusnek_run(const gpusnek_launch_t *launch, uint32_t i,
    char *base, void *stack_top, size_t stack_size) {
    gpusnek_head_t *head = gpusnek_head(base);
#if PORTER_PROFILE
    head->profile = 0;
#endif
    const bool start = gpusnek_boots(launch, i);
    if (start) {
        gpusnek_wipe(base);
        gpusnek_own_arena(launch, base);
        porter_state_init();
        head->heap_size = launch->heap_size;
        head->pystack_size = launch->pystack_size;
    } else if (head->magic != GPUSNEK_MAGIC || head->heap_size != launch->heap_size
        || head->pystack_size != launch->pystack_size) {
        return GPUSNEK_NOT_STARTED;
    } else {
        gpusnek_own_arena(launch, base); // an image may have been another's
    }
#if PORTER_FENCES
    head->launch = (uint64_t)launch;
    head->index = i;
#endif
    gpusnek_connect(launch, i, head, stack_top, stack_size);
    gpusnek_profile_from(launch, i, head);
    const bool fresh = start || launch->flags & GPUSNEK_FLAG_FORK;
    int32_t status = fresh ? gpusnek_boot_vm(launch, i, base) : GPUSNEK_OK;
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
                gpusnek_give_value(launch, i, &status);
            }
            if (launch->judging && !gpusnek_judge(launch, i, status, base)) {
                return gpusnek_refusal(base);
            }
        }
        if (launch->data_base) {
            gpusnek_give_data(launch, i);
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
        gpusnek_give_lack(launch, i);
        if (launch->steps) {
            ((uint64_t *)launch->steps)[i] = gpusnek_steps();
        }
    }
    if (porter_refused()) {
        return gpusnek_refusal(base);
    }
    gpusnek_detach();
    gpusnek_profile_over(head);
    if (!launch->judging) {
        gpusnek_give_lengths(launch, i, head);
    }
    return status;
}

#endif
