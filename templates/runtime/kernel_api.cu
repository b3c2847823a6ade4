// gpusnek.cuh's functions. For arenas in global memory: those in local memory end with a launch.
// kernel_host.cpp includes this file for the host twin, where `stack_low` is the end of the C stack
// of the thread whose turn it is, and NULL outside users' kernels.
#if !PORTER_ARENA_LOCAL
#include <stdio.h>

#include <time.h>

#define GPUSNEK_LIBRARY // of gpusnek.cuh the declarations alone

#include "canary.cuh"
#include "gpusnek.cuh"
#include "interpreter.h"
#include "kernel_api.h"

extern "C" PORTER_DEVICE uint64_t porter_clock_ns(void);

#define LOCAL_WINDOW 0x1000000ull // its end is a multiple of it, and a thread's stack begins there
#define STACK_SLACK 8192u // of GPUSNEK_STACK_RESERVE: for what is called without a check
#define LEAST_STACK 2048u
#define LEAST_HEAP 2048u // as BuildConfig has it
#define LEAST_PYSTACK 512u
#define MOST_PYSTACK 4096u
#define LINE_BYTES 256u // one device printf at most

// Lies right above an arena, in the same piece of the user's memory.
typedef struct user_t {
    char *arena; // the arena's first byte; pointers in it hold there only
    char *out;   // NULL: device printf
    uint64_t out_size;
    uint32_t line_length;
    char line[LINE_BYTES]; // that has no end yet
    char error[GPUSNEK_ERROR_BYTES];
} user_t;

#define USER_BYTES GPUSNEK_ROUND(sizeof(user_t))
#define FIXED_BYTES (GPUSNEK_ARENA_BYTES(0, 0) + USER_BYTES)
#define LEAST_BYTES (FIXED_BYTES + LEAST_PYSTACK + LEAST_HEAP)

#define CODE_TAG 0x736e656b00000000ull // in every handle, above its slot + 1

static_assert(GPUSNEK_NO_CODE == (int)GPUSNEK_STATUS_NO_CODE, "kernel_api.h has it too");

#ifdef __CUDACC__
#define table porter_state_table
#else
static porter_state_t **table;
#endif
static __device__ uint64_t table_threads;
static __device__ uint64_t stack_allowed;
static __device__ uint64_t local_bytes;

static __device__ user_t *user_of(char *base) {
    return (user_t *)(base + GPUSNEK_STATE_BYTES + GPUSNEK_CANARY_BYTES);
}

GPUSNEK_API void gpusnek_table_get(void **found, uint64_t *threads) {
    *found = (void *)table;
    *threads = table_threads;
}

GPUSNEK_API void gpusnek_table_set(
    void *given, uint64_t threads, uint64_t stack_bytes, uint64_t local) {
    if (table_threads == 0) {
        porter_setup();
    }
    table = (porter_state_t **)given;
    table_threads = threads;
    stack_allowed = stack_bytes;
    local_bytes = local;
}

static __device__ uint64_t thread_index(void) {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// Whether this thread has an entry in the table.
static __device__ int check_thread(void) {
    if (table_threads == 0) {
        return GPUSNEK_STATUS_NO_SETUP;
    }
    if ((uint64_t)blockDim.y * blockDim.z * gridDim.y * gridDim.z != 1) {
        return GPUSNEK_STATUS_SHAPE;
    }
    return thread_index() < table_threads ? GPUSNEK_OK : GPUSNEK_STATUS_TOO_MANY;
}

static __device__ void enroll(char *base) {
    table[thread_index()] = (porter_state_t *)base;
#ifndef __CUDACC__
    porter_state_current = (porter_state_t *)base;
#endif
}

static __device__ uint64_t epoch_ns(void) {
#ifdef __CUDACC__
    return porter_clock_ns(); // the GPU's global timer counts from 1970
#else
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static __device__ void connect(char *base, void *stack_top, uint64_t stack_size) {
    gpusnek_head_t *head = gpusnek_head(base);
    user_t *user = user_of(base);
    gpusnek_io_t io;
    head->err_length = 0;
    user->error[0] = 0;
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
    io.stack_top = stack_top;
    io.stack_size = stack_size;
    io.epoch_ns = epoch_ns();
    io.launch = 0;
    io.interrupt = NULL;
    PORTER_STATE->porter_stack_limit = (const char *)stack_top - stack_size;
    gpusnek_attach(&io);
}

// C stack below `here` that Python may use; 0 where that is too little.
static __device__ uint64_t stack_below(uint64_t here) {
#ifdef __CUDACC__
    const uint64_t used = (here | (LOCAL_WINDOW - 1)) + 1 - here;
    if (used + STACK_SLACK + LEAST_STACK > local_bytes) {
        return 0;
    }
    const uint64_t room = local_bytes - used - STACK_SLACK;
    return room < stack_allowed ? room : stack_allowed;
#else
    const uint64_t low = (uint64_t)stack_low + GPUSNEK_FIBER_SLACK * GPUSNEK_STACK_FACTOR;
    const uint64_t allowed = stack_allowed * GPUSNEK_STACK_FACTOR;
    if (stack_low == NULL || here < low + LEAST_STACK) {
        return 0;
    }
    return here - low < allowed ? here - low : allowed;
#endif
}

// Begins a call: finds the thread's interpreter. Inlined, so that `frame` lies above every frame
// of what the call does.
static __device__ __forceinline__ int enter(char **base) {
    volatile uint64_t frame = 0;
    int status = check_thread();
    if (status != GPUSNEK_OK) {
        return status;
    }
    *base = (char *)PORTER_STATE;
    if (*base == NULL || gpusnek_head(*base)->magic != GPUSNEK_MAGIC) {
        return GPUSNEK_NOT_STARTED;
    }
    const uint64_t stack = stack_below((uint64_t)&frame);
    if (stack == 0) {
        return GPUSNEK_STATUS_NO_STACK;
    }
    connect(*base, (void *)&frame, stack);
    return GPUSNEK_OK;
}

static __device__ void flush_line(user_t *user) {
    if (user->line_length > 0) {
        user->line[user->line_length] = 0;
        user->line_length = 0;
        printf("%s", user->line);
    }
}

// A line goes out whole, so that those of other threads do not cut it. printf ends at a NUL, so
// there are none.
static __device__ void console(const char *text, unsigned long size) {
    user_t *user = user_of((char *)PORTER_STATE);
    for (unsigned long i = 0; i < size; i++) {
        if (text[i] != 0) {
            user->line[user->line_length++] = text[i];
        }
        if (text[i] == '\n' || user->line_length == LINE_BYTES - 1) {
            flush_line(user);
        }
    }
}

#ifdef __CUDACC__
extern "C" PORTER_DEVICE void porter_console(const char *text, unsigned long size) {
    console(text, size);
}
#else
// Whether the text was of a user's kernel; hooks_host.cpp has porter_console.
extern "C" bool gpusnek_user_console(const char *text, unsigned long size) {
    if (stack_low != NULL) {
        console(text, size);
    }
    return stack_low != NULL;
}
#endif

static __device__ uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// Ends a call: all its output is out, and texts have their NUL.
static __device__ int leave(char *base, int status) {
    gpusnek_head_t *head = gpusnek_head(base);
    user_t *user = user_of(base);
    const uint64_t length = least(head->err_length, GPUSNEK_ERROR_BYTES - 1);
    user->error[length] = 0;
    if (user->out) {
        user->out[least(head->out_length, user->out_size - 1)] = 0;
    } else {
        flush_line(user);
        console(user->error, length);
        flush_line(user);
    }
    gpusnek_launch_t sizes;
    sizes.heap_size = head->heap_size;
    sizes.pystack_size = head->pystack_size;
    return canaries_intact(base, &sizes) ? status : GPUSNEK_STATUS_CANARY;
}

static __device__ char *align_up(void *mem) {
    return (char *)GPUSNEK_ROUND((uint64_t)mem);
}

// The parts' sizes in mem[0..size): returns where the state goes, NULL where there is no room.
static __device__ char *carve(void *mem, size_t size, gpusnek_launch_t *launch) {
    const uint64_t low = (uint64_t)align_up(mem);
    const uint64_t high = ((uint64_t)mem + size) / 64 * 64;
    if (mem == NULL || high < low || high - low < LEAST_BYTES) {
        return NULL;
    }
    const uint64_t rest = high - low - FIXED_BYTES;
    uint64_t pystack = rest / 4 / 64 * 64;
    pystack = pystack < LEAST_PYSTACK ? LEAST_PYSTACK : least(pystack, MOST_PYSTACK);
    launch->pystack_size = pystack;
    launch->heap_size = rest - pystack;
    return (char *)low + GPUSNEK_BASE_OFFSET(pystack, launch->heap_size);
}

static __device__ int start(char *base, const gpusnek_launch_t *launch) {
    gpusnek_boot_t boot;
    boot.index = (uint32_t)thread_index();
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
    return LEAST_BYTES + 64; // wherever mem begins
}

GPUSNEK_API int gpusnek_init(void *mem, size_t size) {
    volatile uint64_t frame = 0;
    int status = check_thread();
    if (status != GPUSNEK_OK) {
        return status;
    }
    enroll(NULL);
    const uint64_t stack = stack_below((uint64_t)&frame);
    if (stack == 0) {
        return GPUSNEK_STATUS_NO_STACK;
    }
    gpusnek_launch_t launch;
    char *base = carve(mem, size, &launch);
    if (base == NULL) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    gpusnek_head_t *head = gpusnek_head(base);
    user_t *user = user_of(base);
    canaries_set(base, &launch);
    gpusnek_wipe(base);
    head->heap_size = launch.heap_size;
    head->pystack_size = launch.pystack_size;
    user->arena = align_up(mem);
    user->out = NULL;
    user->out_size = 0;
    user->line_length = 0;
    enroll(base);
    porter_state_init();
    connect(base, (void *)&frame, stack);
    status = leave(base, start(base, &launch));
    if (status == GPUSNEK_OK) {
        head->magic = GPUSNEK_MAGIC;
    } else {
        enroll(NULL);
    }
    return status;
}

GPUSNEK_API int gpusnek_attach_memory(void *mem, size_t size) {
    const int status = check_thread();
    if (status != GPUSNEK_OK) {
        return status;
    }
    enroll(NULL);
    gpusnek_launch_t launch;
    char *base = carve(mem, size, &launch);
    if (base == NULL) {
        return GPUSNEK_STATUS_NO_MEMORY;
    }
    const gpusnek_head_t *head = gpusnek_head(base);
    if (head->magic != GPUSNEK_MAGIC || head->heap_size != launch.heap_size
        || head->pystack_size != launch.pystack_size || user_of(base)->arena != align_up(mem)) {
        return GPUSNEK_NOT_STARTED;
    }
    enroll(base);
    return GPUSNEK_OK;
}

GPUSNEK_API int gpusnek_deinit(void) {
    char *base;
    int status = enter(&base);
    if (status == GPUSNEK_OK) {
        status = leave(base, gpusnek_stop());
        gpusnek_head(base)->magic = 0;
        enroll(NULL);
    }
    return status;
}

static __device__ size_t text_length(const char *text) {
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

// The body of each function below: `act` between enter and leave, where `given` are all there.
#define CALL(given, act)                                                                       \
    char *base;                                                                                \
    if (!(given)) {                                                                            \
        return GPUSNEK_STATUS_ARGUMENT;                                                        \
    }                                                                                          \
    const int status = enter(&base);                                                           \
    return status == GPUSNEK_OK ? leave(base, act) : status

GPUSNEK_API int gpusnek_do_str(const char *source) {
    CALL(source, gpusnek_exec(source, text_length(source), GPUSNEK_FILE, "<string>"));
}

static __device__ int compile(const char *source, mp_obj_t *handle) {
    size_t slot = 0;
    const int status = gpusnek_compile_code(source, text_length(source), &slot);
    *handle = status == GPUSNEK_OK ? (mp_obj_t)(CODE_TAG + slot + 1) : NULL;
    return status;
}

static __device__ int compile_call(const char *source, mp_obj_t *handle) {
    CALL(source, compile(source, handle));
}

GPUSNEK_API mp_obj_t gpusnek_compile(const char *source, int *status) {
    mp_obj_t handle = NULL;
    const int ended = compile_call(source, &handle);
    if (status) {
        *status = ended;
    }
    return handle;
}

// The slot of a handle; one that no interpreter has where it is none.
static __device__ size_t slot_of(mp_obj_t handle) {
    return (size_t)((uint64_t)handle - CODE_TAG - 1);
}

GPUSNEK_API int gpusnek_do_bytecode(mp_obj_t handle) {
    CALL(handle, gpusnek_run_code(slot_of(handle)));
}

GPUSNEK_API int gpusnek_release(mp_obj_t handle) {
    CALL(handle, gpusnek_release_code(slot_of(handle)));
}

GPUSNEK_API int gpusnek_new_int(const char *name, long long value) {
    CALL(name, gpusnek_store_int(name, value));
}

GPUSNEK_API int gpusnek_new_float(const char *name, double value) {
    CALL(name, gpusnek_store_float(name, value));
}

GPUSNEK_API int gpusnek_new_str(const char *name, const char *text) {
    CALL(name && text, gpusnek_store_str(name, text, text_length(text)));
}

GPUSNEK_API int gpusnek_bind_memory(const char *name, void *memory, size_t count, char typecode) {
    CALL(name && memory, gpusnek_store_memory(name, memory, count, typecode));
}

GPUSNEK_API int gpusnek_get_int(const char *name, long long *value) {
    CALL(name && value, gpusnek_load_int(name, (int64_t *)value));
}

GPUSNEK_API int gpusnek_get_float(const char *name, double *value) {
    CALL(name && value, gpusnek_load_float(name, value));
}

static __device__ int load_text(const char *name, char *text, size_t size) {
    size_t length;
    const int status = gpusnek_load_str(name, text, size - 1, &length);
    if (status == GPUSNEK_OK) {
        text[least(length, size - 1)] = 0;
    }
    return status;
}

GPUSNEK_API int gpusnek_get_str(const char *name, char *text, size_t size) {
    CALL(name && text && size, load_text(name, text, size));
}

static __device__ char *mine(void) {
    return check_thread() == GPUSNEK_OK ? (char *)PORTER_STATE : NULL;
}

GPUSNEK_API const char *gpusnek_error(void) {
    char *base = mine();
    return base ? user_of(base)->error : "";
}

GPUSNEK_API int gpusnek_last_exit(void) {
    return mine() ? gpusnek_exit_code() : 0;
}

GPUSNEK_API int gpusnek_set_output(char *buffer, size_t size) {
    char *base = mine();
    if (base == NULL) {
        return GPUSNEK_NOT_STARTED;
    }
    if (buffer && size == 0) {
        return GPUSNEK_STATUS_ARGUMENT;
    }
    user_of(base)->out = buffer;
    user_of(base)->out_size = size;
    gpusnek_head(base)->out_length = 0;
    if (buffer) {
        buffer[0] = 0;
    }
    return GPUSNEK_OK;
}

GPUSNEK_API size_t gpusnek_output_length(void) {
    char *base = mine();
    return base ? gpusnek_head(base)->out_length : 0;
}
#else
#include <cstdio>

#include "porter_runtime.h"

// Kernels that users write have global arenas, so no interpreter of this build has lines to
// collect; should one ever write here, its characters are not lost.
extern "C" PORTER_DEVICE void porter_console(const char *text, unsigned long size) {
    for (unsigned long i = 0; i < size; i++) {
        printf("%c", text[i]);
    }
}
#endif
