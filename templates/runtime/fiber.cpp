#include "fiber.h"

#include <stdint.h>
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

#if FIBER_SWITCH
// Registers that a function preserves, and the modes of floating-point arithmetic. The address to
// continue at lies above them.
#define SAVED_WORDS 7

// Save the running function's registers on its stack and its stack pointer in *from, and continue
// the function whose stack pointer is `to`.
extern "C" void fiber_switch(void **from, void *to) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden fiber_switch\n"
        ".globl fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fiber_switch, .-fiber_switch\n");

static void make_context(void **context, char *stack, size_t size, void (*start)()) {
    uint64_t *top = (uint64_t *)((uintptr_t)(stack + size) & ~(uintptr_t)15);
    *--top = 0; // in place of a return address: `start` does not return
    *--top = (uint64_t)(uintptr_t)start;
    for (int i = 0; i < SAVED_WORDS; i++) {
        *--top = 0;
    }
    __asm__("stmxcsr %0\n\tfnstcw %1" : "=m"(*(uint32_t *)top), "=m"(*((uint16_t *)top + 2)));
    *context = top;
}

static void switch_context(void **from, void **to) {
    fiber_switch(from, *to);
}
#else
static void make_context(ucontext_t *context, char *stack, size_t size, void (*start)()) {
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = size;
    context->uc_link = nullptr;
    makecontext(context, start, 0);
}

static void switch_context(ucontext_t *from, ucontext_t *to) {
    swapcontext(from, to);
}
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
    fiber->entry = entry;
    fiber->argument = argument;
    fiber->stack = stack;
    fiber->stack_size = size;
    fiber->done = false;
    fiber->own_shadow = nullptr;
    make_context(&fiber->own, stack, size, start);
}

void fiber_resume(Fiber *fiber) {
    Fiber *outer = running;
    running = fiber;
    SWITCH_START(&fiber->resumer_shadow, fiber->stack, fiber->stack_size);
    switch_context(&fiber->resumer, &fiber->own);
    SWITCH_FINISH(fiber->resumer_shadow, nullptr, nullptr);
    running = outer;
}

void fiber_yield(bool final) {
    Fiber *fiber = running;
    fiber->done = final;
    SWITCH_START(final ? nullptr : &fiber->own_shadow, fiber->resumer_stack,
        fiber->resumer_stack_size);
    switch_context(&fiber->own, &fiber->resumer);
    SWITCH_FINISH(fiber->own_shadow, &fiber->resumer_stack, &fiber->resumer_stack_size);
}
