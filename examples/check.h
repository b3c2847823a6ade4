// What the examples' host sides share: a failed CUDA call or a wrong result ends the program.
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

// Memory that host and device see.
template <class T> static T *shared_with_host(size_t count) {
    T *memory;
    check(cudaMallocManaged(&memory, count * sizeof(T)), "memory");
    return memory;
}

// Waits for the kernels so far.
static inline void finish(const char *what) {
    check(cudaGetLastError(), what);
    check(cudaDeviceSynchronize(), what);
}

#endif
