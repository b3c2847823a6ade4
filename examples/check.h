// Helpers of the examples' host code: end the program on a failed CUDA call or a wrong result.
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpusnek.cuh"

static inline void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

static inline void expect(bool good, const char *what) {
    if (!good) {
        std::fprintf(stderr, "wrong: %s\n", what);
        std::exit(1);
    }
}

// Allocate memory that host and device can access.
template <class T> static T *shared_with_host(size_t count) {
    T *memory;
    check(cudaMallocManaged(&memory, count * sizeof(T)), "memory");
    return memory;
}

// Wait for all launched kernels; end the program if a launch or a kernel failed.
static inline void finish(const char *what) {
    check(cudaGetLastError(), what);
    check(cudaDeviceSynchronize(), what);
}

#endif
