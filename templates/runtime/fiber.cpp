#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define SWITCH_START(save, bottom, size) __sanitizer_start_switch_fiber(save, bottom, size)
#define SWITCH_FINISH(save, bottom, size) __sanitizer_finish_switch_fiber(save, bottom, size)
#else
#define SWITCH_START(save, bottom, size) ((void)0)
#define SWITCH_FINISH(save, bottom, size) ((void)0)
#endif

static thread_local Fiber *running;

static size_t page_size() {
    static const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    return size;
}

char *fiber_stack_new(size_t size) {
    const size_t guard = page_size();
    void *map = mmap(nullptr, size + guard, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED) {
        return nullptr;
    }
    mprotect(map, guard, PROT_NONE);
    return (char *)map + guard;
}

void fiber_stack_free(char *stack, size_t size) {
    munmap(stack - page_size(), size + page_size());
}

static void start() {
    Fiber *fiber = running;
    SWITCH_FINISH(nullptr, &fiber->resumer_stack, &fiber->resumer_stack_size);
    fiber->entry(fiber->argument);
    fiber_yield(true);
}

void fiber_make(Fiber *fiber, char *stack, size_t size, void (*entry)(void *), void *argument) {
    getcontext(&fiber->own);
    fiber->own.uc_stack.ss_sp = stack;
    fiber->own.uc_stack.ss_size = size;
    fiber->own.uc_link = nullptr;
    fiber->entry = entry;
    fiber->argument = argument;
    fiber->stack = stack;
    fiber->stack_size = size;
    fiber->done = false;
    fiber->own_shadow = nullptr;
    makecontext(&fiber->own, start, 0);
}

void fiber_resume(Fiber *fiber) {
    Fiber *outer = running;
    running = fiber;
    SWITCH_START(&fiber->resumer_shadow, fiber->stack, fiber->stack_size);
    swapcontext(&fiber->resumer, &fiber->own);
    SWITCH_FINISH(fiber->resumer_shadow, nullptr, nullptr);
    running = outer;
}

void fiber_yield(bool final) {
    Fiber *fiber = running;
    fiber->done = final;
    SWITCH_START(final ? nullptr : &fiber->own_shadow, fiber->resumer_stack,
        fiber->resumer_stack_size);
    swapcontext(&fiber->own, &fiber->resumer);
    SWITCH_FINISH(fiber->own_shadow, &fiber->resumer_stack, &fiber->resumer_stack_size);
}
