// Users' kernels on the host twin. Blocks run one after the other on the calling thread. The
// threads of a block are fibers with the states and the barrier of block.h.
#include <mutex>
#include <vector>

#include "block.h"
#include "fences_host.h"
#include "kernel_user.h"

#define MAX_BLOCK_THREADS 1024u // as on a GPU
#define USER_FRAMES 65536u // bytes of C stack for the user's own functions, beyond Python's

__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread uint3 blockDim;
__thread uint3 gridDim;

static thread_local cudaError_t last_error;
thread_local char *gpusnek_stack_low;

struct UserThread : Turn {
    Fiber fiber;
    porter_state_t *state;
    uint3 index;
    void (*body)(void *);
    void *context;
};

static void enter_thread(void *argument) {
    UserThread *self = (UserThread *)argument;
    self->body(self->context);
}

static uint3 index_in(unsigned i, const unsigned size[3]) {
    return {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
}

static void take_turn(UserThread *self) {
    self->phase = PHASE_READY;
    gpusnek_turn = self;
    threadIdx = self->index;
    gpusnek_stack_low = self->fiber.stack;
    porter_state_current = self->state;
    fence_stack(self->fiber.stack, self->fiber.stack_size);
    gpusnek_fence_user();
    fiber_resume(&self->fiber);
    fence_nothing();
    self->state = porter_state_current;
    porter_state_current = nullptr;
    gpusnek_turn = nullptr;
    gpusnek_stack_low = nullptr;
    if (self->fiber.done) {
        self->phase = PHASE_DONE;
    }
}

static void run_threads(std::vector<UserThread> &threads) {
    for (size_t done = 0; done < threads.size();) {
        bool ready = false;
        for (UserThread &self : threads) {
            if (self.phase == PHASE_READY) {
                take_turn(&self);
                ready |= self.phase == PHASE_READY;
                done += self.phase == PHASE_DONE;
            }
        }
        for (UserThread &self : threads) {
            if (!ready && self.phase == PHASE_WAITING) {
                self.phase = PHASE_READY;
            }
        }
    }
}

void gpusnek_host_run(
    const unsigned grid[3], const unsigned block[3], void (*body)(void *), void *context) {
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint64_t count = (uint64_t)block[0] * block[1] * block[2];
    if (blocks == 0 || count == 0 || count > MAX_BLOCK_THREADS) {
        last_error = cudaErrorInvalidConfiguration;
        return;
    }
    const size_t needed = gpusnek_threads.stack_bytes + GPUSNEK_FIBER_SLACK + USER_FRAMES;
    const size_t stack_size = (needed + 4095) / 4096 * 4096 * GPUSNEK_STACK_FACTOR;
    std::vector<char *> stacks;
    for (uint64_t i = 0; i < count; i++) {
        char *stack = fiber_stack_new(stack_size);
        if (stack == nullptr) {
            last_error = cudaErrorMemoryAllocation;
            break;
        }
        stacks.push_back(stack);
    }
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    for (uint64_t b = 0; b < blocks && stacks.size() == count; b++) {
        blockIdx = index_in((unsigned)b, grid);
        std::vector<UserThread> threads(count);
        for (uint64_t i = 0; i < count; i++) {
            UserThread &self = threads[i];
            self.phase = PHASE_READY;
            self.index = threadIdx = index_in((unsigned)i, block);
            self.state = gpusnek_check_thread() == GPUSNEK_OK ? gpusnek_entry() : nullptr;
            self.body = body;
            self.context = context;
            fiber_make(&self.fiber, stacks[i], stack_size, enter_thread, &self);
        }
        run_threads(threads);
    }
    for (char *stack : stacks) {
        fiber_stack_free(stack, stack_size);
    }
}

// Permit the arena of the running thread's interpreter, if it has one.
void gpusnek_fence_user(void) {
    char *base = (char *)porter_state_current;
    if (base) {
        fence_arena(gpusnek_user(base)->arena, base + GPUSNEK_STATE_BYTES + GPUSNEK_CANARY_BYTES);
    } else {
        fence_arena(nullptr, nullptr);
    }
}

void gpusnek_host_syncthreads(void) {
    gpusnek_barrier();
}

cudaError_t gpusnek_host_error(void) {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}
