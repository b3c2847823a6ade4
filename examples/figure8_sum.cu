// Figure 8 of the paper: the sum of each column of a matrix, in CUDA C, in Python, and in Python
// that an earlier launch compiled.
#include "check.h"

#define NUM_ROWS (256)
#ifndef NUM_COLS
#define NUM_COLS (262144)
#endif
#define SIZE ((size_t)NUM_ROWS * NUM_COLS)
#define BLOCK (128)

__global__ void cuda_sum(float *data) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    for (int row = 0; row < NUM_ROWS; row++)
        total += data[(size_t)row * NUM_COLS + tid];
    data[tid] = total;
}

__global__ void gpusnek_sum(float *data, char *mem, size_t per_thread_mem, mp_obj_t *handles,
    int *status) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    status[tid] = gpusnek_init(mem + tid * per_thread_mem, per_thread_mem);
    gpusnek_bind_memory("data", data, SIZE, 'f');
    gpusnek_new_int("tid", tid);
    gpusnek_new_int("NUM_ROWS", NUM_ROWS);
    gpusnek_new_int("NUM_COLS", NUM_COLS);
    mp_obj_t compiled_code = gpusnek_compile(R"(
total = 0.0
for row in range(NUM_ROWS):
    total += data[row * NUM_COLS + tid]
data[tid] = total
)");

    gpusnek_do_bytecode(compiled_code);
    handles[tid] = compiled_code;
}

__global__ void gpusnek_precompiled_sum(
float *data, mp_obj_t precompiled_code
) {
    gpusnek_bind_memory("data", data, SIZE, 'f');
    gpusnek_do_bytecode(precompiled_code);
}

// Small integers, so that the order of additions does not affect the float result.
static float element(size_t row, size_t column, int round) {
    return (float)((row * 7 + column * 13 + round) % 64);
}

static void fill(float *data, int round) {
    for (size_t i = 0; i < SIZE; i++) {
        data[i] = element(i / NUM_COLS, i % NUM_COLS, round);
    }
}

static void check_sums(const float *data, int round, const char *what) {
    for (size_t column = 0; column < NUM_COLS; column++) {
        float sum = 0;
        for (size_t row = 0; row < NUM_ROWS; row++) {
            sum += element(row, column, round);
        }
        expect(data[column] == sum, what);
    }
    std::printf("%s: %d columns\n", what, NUM_COLS);
}

int main() {
    const size_t per_thread_mem = 24 * 1024;
    char *mem;
    float *data = shared_with_host<float>(SIZE);
    mp_obj_t *handles = shared_with_host<mp_obj_t>(NUM_COLS);
    int *status = shared_with_host<int>(NUM_COLS);
    check(gpusnek_host_setup(NUM_COLS), "gpusnek_host_setup");
    check(cudaMalloc(&mem, NUM_COLS * per_thread_mem), "memory for the interpreters");

    fill(data, 1);
    GPUSNEK_LAUNCH(cuda_sum, NUM_COLS / BLOCK, BLOCK, data);
    finish("cuda_sum");
    check_sums(data, 1, "cuda_sum");

    fill(data, 2);
    GPUSNEK_LAUNCH(gpusnek_sum, NUM_COLS / BLOCK, BLOCK, data, mem, per_thread_mem, handles, status);
    finish("gpusnek_sum");
    check_sums(data, 2, "gpusnek_sum");
    for (int i = 0; i < NUM_COLS; i++) {
        expect(status[i] == GPUSNEK_OK && handles[i] == handles[0], "handles are alike");
    }

    fill(data, 3);
    GPUSNEK_LAUNCH(gpusnek_precompiled_sum, NUM_COLS / BLOCK, BLOCK, data, handles[0]);
    finish("gpusnek_precompiled_sum");
    check_sums(data, 3, "gpusnek_precompiled_sum");
    return 0;
}
