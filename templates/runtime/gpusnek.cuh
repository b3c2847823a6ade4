// gpusnek in your own kernels: one Python interpreter per thread, in memory that you give it.
//
//     nvcc -arch=sm_90 -rdc=true -IBUILD/include user.cu -LBUILD/cuda -lgpusnek -o user
//
// BUILD is a build with --arena global. Kernels have one-dimensional grids and blocks: a thread's
// interpreter is found by blockIdx.x * blockDim.x + threadIdx.x, in every launch.
// docs/reference/kernels.md of porter has the table of errors. Without nvcc your source compiles for the host twin
// (gpusnek_host.hpp).
#ifndef GPUSNEK_CUH
#define GPUSNEK_CUH

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
// A launch, written so that the host twin understands it. A kernel whose name holds commas goes in
// parentheses.
#define GPUSNEK_LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#else
#include "gpusnek_host.hpp"
#pragma GCC visibility push(default)
#endif

#ifndef GPUSNEK_API
#define GPUSNEK_API extern "C" __device__
#endif
#include "interp.h"
#include "launch.h"

// Errors of the functions below, besides GPUSNEK_* of interp.h and GPUSNEK_STATUS_* of launch.h.
enum {
    GPUSNEK_STATUS_NO_SETUP = -6, // gpusnek_host_setup has not run on this device
    GPUSNEK_STATUS_TOO_MANY = -7, // the thread's index is not below gpusnek_host_setup's threads
    GPUSNEK_STATUS_SHAPE = -8,    // a grid or block of more than one dimension
    GPUSNEK_STATUS_NO_STACK = -9, // the kernel's own frames leave too little C stack
    GPUSNEK_STATUS_ARGUMENT = -10, // a null pointer where none may be
    GPUSNEK_STATUS_NO_CODE = -11, // a handle of no compiled code of this thread's interpreter
};

// A handle of compiled code. Interpreters number their code alike: where all of them compile equal
// sources in one order, a handle names that code in each of them, and may be an argument of a later
// kernel.
typedef struct gpusnek_code_t *mp_obj_t;

// Bytes of gpusnek_error()'s text that are kept, its NUL included.
#define GPUSNEK_ERROR_BYTES 512

// C stack that a kernel needs beyond what interpreters may use, bytes: what interpreters call
// without a check, device printf, and 4 KiB for the frames of your own functions.
#define GPUSNEK_STACK_RESERVE 12288u

// Start a fresh interpreter for this thread in mem[0..size): canaries, stack of Python frames,
// heap and state are carved from it. It is this thread's until gpusnek_deinit, in later launches
// too. GPUSNEK_STATUS_NO_MEMORY where size is below gpusnek_least_size().
GPUSNEK_API int gpusnek_init(void *mem, size_t size);
// Memory that an interpreter needs at least, bytes; a useful one wants 16 KiB more.
GPUSNEK_API size_t gpusnek_least_size(void);
// Give this thread the interpreter that some gpusnek_init started in mem, whichever thread that
// was: for a launch of another shape. mem and size are as they were then.
GPUSNEK_API int gpusnek_attach_memory(void *mem, size_t size);
// Run atexit functions and finalisers; the memory is free then.
GPUSNEK_API int gpusnek_deinit(void);

// Compile and run statements in __main__.
GPUSNEK_API int gpusnek_do_str(const char *source);

// Compile statements for __main__, to be run any number of times, in later launches too. The code
// is kept until gpusnek_release, gpusnek_deinit. NULL where it does not compile; *status says why.
GPUSNEK_API mp_obj_t gpusnek_compile(const char *source, int *status = NULL);
// Run what gpusnek_compile made.
GPUSNEK_API int gpusnek_do_bytecode(mp_obj_t code);
// Let go of it: its memory is free for others, and its handle for other code.
GPUSNEK_API int gpusnek_release(mp_obj_t code);

// Set a global of __main__.
GPUSNEK_API int gpusnek_new_int(const char *name, long long value);
GPUSNEK_API int gpusnek_new_float(const char *name, double value);
GPUSNEK_API int gpusnek_new_str(const char *name, const char *text);
// A writable memoryview of `count` elements; typecode as of Python's array ('B', 'i', 'f', ...).
// Global and shared memory; shared memory is gone when the block ends, and the name with it.
GPUSNEK_API int gpusnek_bind_memory(const char *name, void *memory, size_t count, char typecode);

// Read a global of __main__; *value is left alone on an error.
GPUSNEK_API int gpusnek_get_int(const char *name, long long *value);
GPUSNEK_API int gpusnek_get_float(const char *name, double *value);
// At most size - 1 bytes and a NUL.
GPUSNEK_API int gpusnek_get_str(const char *name, char *text, size_t size);

// What the last call of this thread wrote to stderr: the traceback where it ended with one, else
// "". Valid until the thread's next call.
GPUSNEK_API const char *gpusnek_error(void);

// What the last SystemExit of this thread's interpreter carried: 0 for none, an int's value, else 1.
GPUSNEK_API int gpusnek_last_exit(void);
#ifndef GPUSNEK_LIBRARY
#define gpusnek_exit_code gpusnek_last_exit // the port's own asks for no interpreter first
#endif

// Python's output from now on: at most size - 1 bytes and a NUL go to buffer, which is empty now.
// NULL: device printf, line by line (as it is after gpusnek_init); stderr goes there too then.
GPUSNEK_API int gpusnek_set_output(char *buffer, size_t size);
// Bytes that were written to the buffer, those beyond its size too.
GPUSNEK_API size_t gpusnek_output_length(void);

// gpusnek_host_setup's device side.
GPUSNEK_API void gpusnek_table_get(void **table, uint64_t *threads);
GPUSNEK_API void gpusnek_table_set(
    void *table, uint64_t threads, uint64_t stack_bytes, uint64_t local_bytes);

#ifndef __CUDACC__
#pragma GCC visibility pop

// As on a GPU; the C stack is memory like any other here.
static inline cudaError_t gpusnek_host_setup(size_t max_threads, size_t stack_bytes = 8192) {
    void *old = NULL;
    uint64_t had = 0;
    gpusnek_table_get(&old, &had);
    const size_t threads = max_threads > had ? max_threads : (size_t)had;
    void *table = calloc(threads, sizeof(void *));
    if (table == NULL) {
        return cudaErrorMemoryAllocation;
    }
    if (old != NULL) {
        memcpy(table, old, had * sizeof(void *));
    }
    gpusnek_table_set(table, threads, stack_bytes, 0);
    free(old);
    return cudaSuccess;
}
#elif !defined(GPUSNEK_LIBRARY)
struct gpusnek_table_t {
    void *table;
    uint64_t threads;
};

static __global__ void gpusnek_table_get_kernel(gpusnek_table_t *found) {
    gpusnek_table_get(&found->table, &found->threads);
}

static __global__ void gpusnek_table_set_kernel(
    void *table, uint64_t threads, uint64_t stack_bytes, uint64_t local_bytes) {
    gpusnek_table_set(table, threads, stack_bytes, local_bytes);
}

// Once per device, before the first kernel that uses an interpreter: room for `max_threads` in
// the state table, and C stack (cudaLimitStackSize, which is raised and never lowered) of
// `stack_bytes` that Python may use before it raises RuntimeError. Called again, it keeps the
// interpreters that there are. Waits for the device.
static inline cudaError_t gpusnek_host_setup(size_t max_threads, size_t stack_bytes = 8192) {
    size_t local = 0;
    cudaError_t error = cudaDeviceGetLimit(&local, cudaLimitStackSize);
    if (error == cudaSuccess && local < stack_bytes + GPUSNEK_STACK_RESERVE) {
        error = cudaDeviceSetLimit(cudaLimitStackSize, stack_bytes + GPUSNEK_STACK_RESERVE);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetLimit(&local, cudaLimitStackSize);
    }
    if (error != cudaSuccess) {
        return error;
    }
    // The device itself knows the table that there is, so that every unit and device has its own.
    gpusnek_table_t old = {NULL, 0};
    gpusnek_table_t *found = NULL;
    if ((error = cudaMalloc((void **)&found, sizeof old)) != cudaSuccess) {
        return error;
    }
    gpusnek_table_get_kernel<<<1, 1>>>(found);
    error = cudaMemcpy(&old, found, sizeof old, cudaMemcpyDeviceToHost);
    cudaFree(found);
    if (error != cudaSuccess) {
        return error;
    }
    const size_t threads = max_threads > old.threads ? max_threads : (size_t)old.threads;
    void *table = NULL;
    if ((error = cudaMalloc(&table, threads * sizeof(void *))) != cudaSuccess) {
        return error;
    }
    error = cudaMemset(table, 0, threads * sizeof(void *));
    if (error == cudaSuccess && old.table != NULL) {
        error = cudaMemcpy(
            table, old.table, old.threads * sizeof(void *), cudaMemcpyDeviceToDevice);
    }
    if (error == cudaSuccess) {
        gpusnek_table_set_kernel<<<1, 1>>>(table, threads, stack_bytes, local);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    if (error != cudaSuccess) {
        cudaFree(table);
        return error;
    }
    return cudaFree(old.table);
}
#endif

#endif
