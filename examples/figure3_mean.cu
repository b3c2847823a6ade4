// Figure 3 of the paper: the mean of an array by a parallel reduction in shared memory.
#include "check.h"

#define NUM_THREADS (256)

__global__
void init_kernel(char *mem, int per_thread_mem, int *status) {
    status[threadIdx.x] = gpusnek_init(&mem[threadIdx.x * per_thread_mem], per_thread_mem);
}

__global__
void average_kernel(float *data) {
    int threadId = threadIdx.x;
    __shared__ float cache[NUM_THREADS];
    gpusnek_bind_memory("cache", cache, NUM_THREADS, 'f');
    gpusnek_bind_memory("data", data, NUM_THREADS, 'f');
    gpusnek_new_int("tid", threadId);
    gpusnek_new_int("N", NUM_THREADS);
    gpusnek_do_str(R"(

from math import log

cache[tid] = data[tid]
syncthreads()

steps = int(log(N, 2))
for i in range(steps):
    offset = N >> (i + 1)
    if tid < offset:
        cache[tid] += cache[tid + offset]
    syncthreads()

if tid == 0:
    data[0] = cache[0] / len(data)
)");
}

int main() {
    constexpr int per_thread_mem = 32 * 1024;
    char *mem;
    float *data = shared_with_host<float>(NUM_THREADS);
    int *status = shared_with_host<int>(NUM_THREADS);
    check(gpusnek_host_setup(NUM_THREADS), "gpusnek_host_setup");
    check(cudaMalloc(&mem, (size_t)NUM_THREADS * per_thread_mem), "memory");
    GPUSNEK_LAUNCH(init_kernel, 1, NUM_THREADS, mem, per_thread_mem, status);
    finish("init_kernel");
    for (int round = 1; round <= 3; round++) {
        double sum = 0;
        for (int i = 0; i < NUM_THREADS; i++) {
            expect(status[i] == GPUSNEK_OK, "an interpreter did not start");
            sum += data[i] = (float)((i * 37 + round) % 101); // small integers, so sums are exact
        }
        GPUSNEK_LAUNCH(average_kernel, 1, NUM_THREADS, data);
        finish("average_kernel");
        std::printf("mean %.6f\n", data[0]);
        expect(data[0] == (float)(sum / NUM_THREADS), "the mean");
    }
    return 0;
}
