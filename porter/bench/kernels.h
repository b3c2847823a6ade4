// The numeric programs by hand: CUDA C for the GPU, plain C++ for the host twin. A name's work is
// one interpreter's; its output is what that interpreter prints.
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
