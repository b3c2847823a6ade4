// gpusnek in your own kernels: one Python interpreter per thread, in memory that you provide.
//
//     nvcc -arch=sm_90 -rdc=true -IBUILD/include user.cu -LBUILD/cuda -lgpusnek -o user
//
// BUILD is a build with --arena global. Kernels have one-dimensional grids and blocks. The thread
// blockIdx.x * blockDim.x + threadIdx.x has the same interpreter in every launch.
// docs/how-to/kernels.md of porter has the table of errors. Without nvcc your source compiles for
// the host twin (gpusnek_host.hpp).
#ifndef GPUSNEK_CUH
#define GPUSNEK_CUH

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
// Launch a kernel, on a GPU or on the host twin. Put a kernel whose name contains commas in
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
    GPUSNEK_STATUS_TOO_MANY = -7, // the thread's index exceeds the threads of gpusnek_host_setup
    GPUSNEK_STATUS_SHAPE = -8,    // a grid or block of more than one dimension
    GPUSNEK_STATUS_NO_STACK = -9, // the kernel's own frames leave too little C stack
    GPUSNEK_STATUS_ARGUMENT = -10, // a null pointer that the function requires
    GPUSNEK_STATUS_NO_CODE = -11, // the handle names no compiled code of this interpreter
};

// A handle of compiled code. Interpreters that compile equal sources in the same order number them
// alike, so a handle names the same code in all of them and may be an argument of a later kernel.
typedef struct gpusnek_code_t *mp_obj_t;

// Maximum size of gpusnek_error()'s text, with its NUL; longer texts are cut.
#define GPUSNEK_ERROR_BYTES 512

// Bytes of C stack that a kernel needs beyond the stack of interpreters: 8 KiB for calls without a
// check of the limit, among them device printf, and 4 KiB for frames of your own functions.
#define GPUSNEK_STACK_RESERVE 12288u

// Start a new interpreter for this thread in mem[0..size), which is divided into canaries, stack of
// Python frames, heap and state. It belongs to this thread until gpusnek_deinit, in later launches
// too. Return GPUSNEK_STATUS_NO_MEMORY if size is below gpusnek_least_size().
GPUSNEK_API int gpusnek_init(void *mem, size_t size);
// Return the minimum memory of an interpreter in bytes. Useful programs need about 16 KiB more.
GPUSNEK_API size_t gpusnek_least_size(void);
// Give this thread an interpreter that gpusnek_init started in mem, in any thread, for example
// after a change of the launch's shape. mem and size are the arguments of that call.
GPUSNEK_API int gpusnek_attach_memory(void *mem, size_t size);
// Run atexit functions and finalisers, and end the interpreter. The memory is unused afterwards.
GPUSNEK_API int gpusnek_deinit(void);

// Compile and run statements in __main__.
GPUSNEK_API int gpusnek_do_str(const char *source);

// Compile statements for __main__, to be run any number of times, in later launches too. The code
// exists until gpusnek_release or gpusnek_deinit. Return NULL if the source does not compile; then
// *status is the reason.
GPUSNEK_API mp_obj_t gpusnek_compile(const char *source, int *status = NULL);
// Run compiled code.
GPUSNEK_API int gpusnek_do_bytecode(mp_obj_t code);
// Free compiled code. Its handle may name other code afterwards.
GPUSNEK_API int gpusnek_release(mp_obj_t code);

// Set a global of __main__.
GPUSNEK_API int gpusnek_new_int(const char *name, long long value);
GPUSNEK_API int gpusnek_new_float(const char *name, double value);
GPUSNEK_API int gpusnek_new_str(const char *name, const char *text);
// Set a global to a writable memoryview of `count` elements in global or shared memory. typecode:
// as in Python's array ('B', 'i', 'f', ...). Shared memory ends with its block: bind it
// again in each launch.
GPUSNEK_API int gpusnek_bind_memory(const char *name, void *memory, size_t count, char typecode);

// Get a global of __main__. *value is unchanged on an error.
GPUSNEK_API int gpusnek_get_int(const char *name, long long *value);
GPUSNEK_API int gpusnek_get_float(const char *name, double *value);
// Copies at most size - 1 bytes and a NUL.
GPUSNEK_API int gpusnek_get_str(const char *name, char *text, size_t size);

// Return the stderr of this thread's last call: a traceback, or "". Valid until the thread's next
// call.
GPUSNEK_API const char *gpusnek_error(void);

// Return the code of the last SystemExit of this thread's interpreter: 0 for None, the value of an
// int, else 1.
GPUSNEK_API int gpusnek_last_exit(void);
#ifndef GPUSNEK_LIBRARY
#define gpusnek_exit_code gpusnek_last_exit // the port's function does not check for an interpreter
#endif

// Direct Python's output to buffer: at most size - 1 bytes and a NUL. The buffer is emptied. NULL:
// device printf, line by line, for stderr too. This is the state after gpusnek_init.
GPUSNEK_API int gpusnek_set_output(char *buffer, size_t size);
// Return the number of bytes written to the buffer, including those beyond its size.
GPUSNEK_API size_t gpusnek_output_length(void);

// The device side of gpusnek_host_setup.
GPUSNEK_API void gpusnek_table_get(void **table, uint64_t *threads);
GPUSNEK_API void gpusnek_table_set(
    void *table, uint64_t threads, uint64_t stack_bytes, uint64_t local_bytes);

#ifndef __CUDACC__
#pragma GCC visibility pop

// As on a GPU. The host twin needs no limit of the C stack.
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

// Set up the device, before the first kernel that uses an interpreter: allocate the state table for
// `max_threads` threads, and raise cudaLimitStackSize, so that Python may use `stack_bytes` of C
// stack before it raises RuntimeError. The limit is never lowered. A later call keeps existing
// interpreters. Waits for the device.
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
    // The device stores the address of its table, so each device and each linked library has its
    // own.
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
