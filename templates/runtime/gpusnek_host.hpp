// The part of CUDA C++ and its runtime that a user's kernel needs when g++ compiles it against the
// host twin:
//
//     g++ -x c++ -std=c++17 user.cu -IBUILD/include -LBUILD/host -lgpusnek -Wl,-rpath,BUILD/host
//
// gpusnek.cuh includes it if the compiler is not nvcc. Blocks run one after the other on one
// thread. The threads of a block take turns, and __syncthreads() is the host twin's barrier. The
// functions of the CUDA runtime work on ordinary memory.
#ifndef GPUSNEK_HOST_HPP
#define GPUSNEK_HOST_HPP

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __shared__ static // one block at a time
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#define GPUSNEK_EXPORTED extern "C" __attribute__((visibility("default")))

// Of the running thread of the kernel.
GPUSNEK_EXPORTED __thread uint3 threadIdx;
GPUSNEK_EXPORTED __thread uint3 blockIdx;
GPUSNEK_EXPORTED __thread uint3 blockDim;
GPUSNEK_EXPORTED __thread uint3 gridDim;
GPUSNEK_EXPORTED void gpusnek_host_syncthreads(void);
#define __syncthreads gpusnek_host_syncthreads

typedef enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
} cudaError_t;

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
} cudaMemcpyKind;

// Run body(context) in every thread of a grid, and wait. cudaGetLastError() and
// cudaDeviceSynchronize() return an error of the launch.
GPUSNEK_EXPORTED void gpusnek_host_run(
    const unsigned grid[3], const unsigned block[3], void (*body)(void *), void *context);
GPUSNEK_EXPORTED cudaError_t gpusnek_host_error(void); // return the last error and clear it

template <class F> static inline void gpusnek_host_launch(dim3 grid, dim3 block, F body) {
    const unsigned blocks[3] = {grid.x, grid.y, grid.z};
    const unsigned threads[3] = {block.x, block.y, block.z};
    gpusnek_host_run(blocks, threads, [](void *f) { (*(F *)f)(); }, &body);
}

#define GPUSNEK_LAUNCH(kernel, grid, block, ...) \
    gpusnek_host_launch(grid, block, [=] { kernel(__VA_ARGS__); })

static inline cudaError_t cudaGetLastError() {
    return gpusnek_host_error();
}

static inline cudaError_t cudaDeviceSynchronize() {
    return gpusnek_host_error();
}

static inline const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "no error";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        default:
            return "invalid argument";
    }
}

template <class T> static inline cudaError_t cudaMalloc(T **memory, size_t size) {
    *memory = (T *)aligned_alloc(256, (size + 255) / 256 * 256);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

template <class T> static inline cudaError_t cudaMallocManaged(T **memory, size_t size) {
    return cudaMalloc(memory, size);
}

static inline cudaError_t cudaFree(void *memory) {
    free(memory);
    return cudaSuccess;
}

static inline cudaError_t cudaMemset(void *memory, int value, size_t size) {
    memset(memory, value, size);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind) {
    memmove(to, from, size);
    return cudaSuccess;
}

#endif
