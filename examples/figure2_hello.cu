// Figure 2 of the paper: every thread prints Hello World! Additional kernels show a later launch,
// an exception, and too little memory.
#include "check.h"

__global__
void my_kernel(char* mem, int per_thread_mem) {
    char* my_mem = &mem[threadIdx.x * per_thread_mem];
    gpusnek_init(my_mem, per_thread_mem);

    gpusnek_do_str("print('Hello World!')\n");
}

// A later launch uses the interpreters of the first; it gets no pointer to them.
__global__ void later_kernel(long long *squares, int *status) {
    const int i = threadIdx.x;
    gpusnek_new_int("n", i);
    status[i] = gpusnek_do_str("square = n * n\nif n == 3:\n    raise ValueError('not me')\n");
    gpusnek_get_int("square", &squares[i]);
}

// Too little memory results in an error code, not in a fault.
__global__ void starved_kernel(char *mem, int *status) {
    status[threadIdx.x] = gpusnek_init(mem + threadIdx.x * 1024, 1024);
}

int main() {
    constexpr int threads = 4;
    constexpr int per_thread_mem = 32 * 1024;
    char *mem;
    long long *squares = shared_with_host<long long>(threads);
    int *status = shared_with_host<int>(threads);
    check(gpusnek_host_setup(threads), "gpusnek_host_setup");
    check(cudaMalloc(&mem, threads * per_thread_mem), "memory for the interpreters");

    GPUSNEK_LAUNCH(my_kernel, 1, threads, mem, per_thread_mem);
    finish("my_kernel");

    GPUSNEK_LAUNCH(later_kernel, 1, threads, squares, status);
    finish("later_kernel");
    for (int i = 0; i < threads; i++) {
        std::printf("thread %d: status %d, square %lld\n", i, status[i], squares[i]);
        expect(status[i] == (i == 3) && squares[i] == i * i, "later_kernel");
    }

    GPUSNEK_LAUNCH(starved_kernel, 1, threads, mem, status);
    finish("starved_kernel");
    std::printf("1 KiB: status %d\n", status[0]);
    expect(status[0] == GPUSNEK_STATUS_NO_MEMORY, "starved_kernel");
    return 0;
}
