// Permitted and forbidden operations of users' kernels, on either target. Prints one line per
// check.
#include "check.h"

#define THREADS 96
#define BLOCK 32
#define BYTES (24 * 1024)

static int *status; // one a thread, written by every kernel below

// Prints the number of threads for each status, in order of the threads.
static void show(const char *what, int threads = THREADS) {
    finish(what);
    std::printf("%s:", what);
    for (int i = 0; i < threads;) {
        int n = i;
        while (n < threads && status[n] == status[i]) {
            n++;
        }
        std::printf(" %dx%d", n - i, status[i]);
        i = n;
    }
    std::printf("\n");
}

static __device__ int me() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void early(int *status) {
    status[me()] = gpusnek_do_str("pass");
}

__global__ void start(char *mem, int *status, char *text) {
    status[me()] = gpusnek_init(mem + me() * (size_t)BYTES, BYTES);
    gpusnek_set_output(text + me() * 256, 256);
}

// 0: good code; 1: SyntaxError; 2: raises; 3: exits.
__global__ void compile_all(mp_obj_t *codes, int *status) {
    int error = 0;
    codes[0 * THREADS + me()] = gpusnek_compile("n += 1\nif n == 99: print('never')\n", &error);
    codes[1 * THREADS + me()] = gpusnek_compile("n = = 1\n", &status[me()]);
    codes[2 * THREADS + me()] = gpusnek_compile("[][n]\n");
    codes[3 * THREADS + me()] = gpusnek_compile("import sys\nsys.exit(n)\n");
    gpusnek_new_int("n", me());
    gpusnek_do_str("import gc\nx = [bytes(50) for i in range(20)]\nx = None\ngc.collect()\n");
    if (error != GPUSNEK_OK) {
        status[me()] = error;
    }
}

__global__ void run_code(mp_obj_t code, int times, int *status) {
    for (int i = 0; i < times; i++) {
        status[me()] = gpusnek_do_bytecode(code);
    }
}

__global__ void read_n(long long *values, int *status) {
    status[me()] = gpusnek_get_int("n", &values[me()]);
}

__global__ void release(mp_obj_t code, int *status) {
    status[me()] = gpusnek_release(code);
}

__global__ void compile_one(mp_obj_t *code, int *status) {
    code[me()] = gpusnek_compile("n = 5", &status[me()]);
}

__global__ void exit_code(int *status) {
    status[me()] = gpusnek_exit_code() == me() + 3;
}

// One thread in three raises after the C++ barrier and before Python's barriers.
__global__ void ended_neighbours(int *sums, int *status) {
    __shared__ int cells[BLOCK];
    gpusnek_bind_memory("cells", cells, BLOCK, 'i');
    cells[threadIdx.x] = 0;
    __syncthreads();
    if (me() % 3 == 1) {
        status[me()] = gpusnek_do_str("raise ValueError('early')");
        return;
    }
    status[me()] = gpusnek_do_str(
        "cells[localIdx] = 1\nsyncthreads()\ntotal = sum(cells)\nsyncthreads()\n");
    long long total = 0;
    gpusnek_get_int("total", &total);
    sums[me()] = (int)total;
}

// All threads of all blocks change the same items; `local` ones those of their block.
__global__ void contention(int *all, double *real, unsigned long long *wide, int *status) {
    __shared__ int local[2];
    if (threadIdx.x < 2) {
        local[threadIdx.x] = 0;
    }
    __syncthreads();
    gpusnek_bind_memory("all", all, 4, 'i');
    gpusnek_bind_memory("real", real, 2, 'd');
    gpusnek_bind_memory("wide", wide, 1, 'Q');
    gpusnek_bind_memory("local", local, 2, 'i');
    status[me()] = gpusnek_do_str(R"(
import gpu
tickets = []
for i in range(50):
    tickets.append(gpu.atomic_add(all, 0, 1))
    gpu.atomic_add(real, 0, 0.5)
    gpu.atomic_add(wide, 0, 1 << 40)
    gpu.atomic_add(local, 0, 1)
assert tickets == sorted(set(tickets))
gpu.atomic_max(all, 1, threadIdx)
gpu.atomic_min(all, 2, -threadIdx)
gpu.atomic_max(real, 1, threadIdx / 2)
for i in range(3): # a lock, whose holder counts without atomics
    while gpu.atomic_cas(local, 1, 0, 1):
        pass
    n = all[3] if blockIdx == 0 else 0
    for j in range(30):
        pass
    if blockIdx == 0:
        all[3] = n + 1
    gpu.atomic_exchange(local, 1, 0)
syncthreads()
assert local[0] == 50 * blockDim
)");
}

__global__ void shared_again(int *status) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = 7;
    __syncthreads();
    status[me()] = gpusnek_bind_memory("shared_bytes", bytes, 64, 'B');
    if (status[me()] == GPUSNEK_OK) {
        status[me()] = gpusnek_do_str("assert shared_bytes[localIdx] == 7 and len(shared_bytes) == 64");
    }
}

__global__ void small_memory(char *mem, int *status) {
    const size_t sizes[] = {0, 1, 63, 64, 1000, gpusnek_least_size() - 65, gpusnek_least_size()};
    status[threadIdx.x] = gpusnek_init(mem + threadIdx.x * 65536 + threadIdx.x, sizes[threadIdx.x]);
}

__global__ void no_memory(int *status) {
    status[me()] = gpusnek_init(NULL, 1 << 20);
}

__global__ void shaped(int *status) {
    status[threadIdx.x + 2 * threadIdx.y] = gpusnek_do_str("pass");
}

__global__ void deep(int *status) {
    status[me()] = gpusnek_do_str("def f(n):\n    return f(n + 1) + 1\nf(0)\n");
}

__global__ void bad_arguments(int *memory, int *status) {
    switch (me()) {
        case 0:
            status[0] = gpusnek_bind_memory("m", memory, 1, '?');
            break;
        case 1:
            status[1] = gpusnek_bind_memory("m", (char *)memory + 1, 1, 'i');
            break;
        case 2:
            status[2] = gpusnek_bind_memory(NULL, memory, 1, 'i');
            break;
        case 3:
            status[3] = gpusnek_bind_memory("m", NULL, 1, 'i');
            break;
        case 4:
            status[4] = gpusnek_compile(NULL, &status[4]) == NULL ? status[4] : 0;
            break;
        case 5:
            status[5] = gpusnek_do_bytecode((mp_obj_t)memory);
            break;
    }
}

int main() {
    char *mem;
    status = shared_with_host<int>(THREADS);
    char *text = shared_with_host<char>(THREADS * 256);
    mp_obj_t *codes = shared_with_host<mp_obj_t>(4 * THREADS);
    long long *values = shared_with_host<long long>(THREADS);
    int *cells = shared_with_host<int>(THREADS);
    double *real = shared_with_host<double>(2);
    unsigned long long *wide = shared_with_host<unsigned long long>(1);
    check(cudaMalloc(&mem, (size_t)THREADS * BYTES + 7 * 65536), "memory");

    GPUSNEK_LAUNCH(early, 3, BLOCK, status);
    show("before setup");
    check(gpusnek_host_setup(THREADS - BLOCK), "gpusnek_host_setup");
    GPUSNEK_LAUNCH(early, 3, BLOCK, status);
    show("before init");
    check(gpusnek_host_setup(THREADS), "gpusnek_host_setup");
    GPUSNEK_LAUNCH(start, 3, BLOCK, mem, status, text);
    show("init");

    GPUSNEK_LAUNCH(compile_all, 3, BLOCK, codes, status);
    show("SyntaxError");
    bool alike = true;
    for (int i = 0; i < THREADS; i++) {
        alike &= codes[i] == codes[0] && codes[i] != NULL && codes[THREADS + i] == NULL;
    }
    std::printf("handles are alike: %d\n", alike);
    GPUSNEK_LAUNCH(run_code, 3, BLOCK, codes[0], 3, status);
    show("bytecode");
    GPUSNEK_LAUNCH(read_n, 3, BLOCK, values, status);
    show("its global");
    std::printf("n: %lld to %lld\n", values[0], values[THREADS - 1]);
    GPUSNEK_LAUNCH(run_code, 3, BLOCK, codes[2 * THREADS], 1, status);
    show("bytecode that raises");
    GPUSNEK_LAUNCH(run_code, 3, BLOCK, codes[3 * THREADS], 1, status);
    show("bytecode that exits");
    GPUSNEK_LAUNCH(exit_code, 3, BLOCK, status);
    show("exit code as asked");
    GPUSNEK_LAUNCH(release, 3, BLOCK, codes[0], status);
    show("release");
    GPUSNEK_LAUNCH(release, 3, BLOCK, codes[0], status);
    show("release again");
    GPUSNEK_LAUNCH(run_code, 3, BLOCK, codes[0], 1, status);
    show("bytecode that is gone");
    GPUSNEK_LAUNCH(compile_one, 3, BLOCK, codes + THREADS, status);
    show("compile");
    std::printf("the handle comes again: %d\n", codes[THREADS] == codes[0]);

    GPUSNEK_LAUNCH(ended_neighbours, 3, BLOCK, cells, status);
    finish("ended_neighbours");
    int right = 0;
    for (int i = 0; i < THREADS; i++) {
        const int waiting = i / BLOCK == 0 ? 21 : i / BLOCK == 1 ? 22 : 21;
        right += i % 3 == 1 ? status[i] == GPUSNEK_EXCEPTION : cells[i] == waiting;
    }
    std::printf("ended neighbours: %d right\n", right);

    memset(cells, 0, 4 * sizeof *cells);
    real[0] = real[1] = 0;
    wide[0] = 0;
    GPUSNEK_LAUNCH(contention, 3, BLOCK, cells, real, wide, status);
    show("contention");
    std::printf("%d %d %d %d, %g %g, %llu\n", cells[0], cells[1], cells[2], cells[3], real[0],
        real[1], wide[0] >> 40);

    GPUSNEK_LAUNCH(shared_again, 3, BLOCK, status);
    show("shared memory");
    GPUSNEK_LAUNCH(shared_again, 3, BLOCK, status);
    show("shared memory, bound again");
    GPUSNEK_LAUNCH(deep, 3, BLOCK, status);
    show("recursion");
    GPUSNEK_LAUNCH(early, 3, BLOCK, status);
    show("afterwards");
    GPUSNEK_LAUNCH(bad_arguments, 1, 6, cells, status);
    show("arguments", 6);
    GPUSNEK_LAUNCH(shaped, 1, dim3(2, 2), status);
    show("two dimensions", 4);
    GPUSNEK_LAUNCH(no_memory, 3, BLOCK, status);
    show("no memory");
    GPUSNEK_LAUNCH(small_memory, 1, 7, mem + (size_t)THREADS * BYTES, status);
    show("little memory", 7);
    return 0;
}
