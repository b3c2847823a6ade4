// The numeric programs written by hand: CUDA C for the GPU, plain C++ for the host twin.
// NAME_of() does the work of one interpreter and returns the number that this interpreter prints.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define WORK static __device__ inline
#define ENTRY(name) \
    extern "C" __global__ void name(int *out, unsigned n) { \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; \
        if (i < n) { \
            out[i] = name##_of(i); \
        } \
    }
#else
#define WORK static inline
#define ENTRY(name) \
    extern "C" void name(int *out, unsigned n) { \
        for (unsigned i = 0; i < n; i++) { \
            out[i] = name##_of(i); \
        } \
    }
#endif

WORK float figure8_of(const float *data, unsigned n, unsigned i) {
    float total = 0;
    for (unsigned row = 0; row < 256; row++) {
        total += data[(unsigned long long)row * n + i];
    }
    return total;
}
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
extern "C" __global__ void figure8(float *data, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = figure8_of(data, n, i);
    }
}
#else
extern "C" void figure8(float *data, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        data[i] = figure8_of(data, n, i);
    }
}
#endif

WORK int integers_of(unsigned i) {
    const int x = (int)(i % 64);
    int total = 0;
    for (int k = 0; k < 256; k++) {
        total = (total * 5 + k + x) & 0xffff;
    }
    return total;
}
ENTRY(integers)

WORK int mandelbrot_of(unsigned i) {
    const int pixel = (int)(i % 64);
    const double cr = pixel % 8 * 0.375 - 2.0;
    const double ci = pixel / 8 * 0.375 - 1.25;
    double zr = 0, zi = 0;
    int steps = 0;
    while (steps < 100) {
        const double rr = zr * zr;
        const double ii = zi * zi;
        if (rr + ii > 4.0) {
            break;
        }
        zi = 2.0 * zr * zi + ci;
        zr = rr - ii + cr;
        steps++;
    }
    return steps;
}
ENTRY(mandelbrot)
