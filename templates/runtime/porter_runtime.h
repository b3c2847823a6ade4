// What every rewritten unit stands on: the device attribute, the state, unwinding.
#ifndef PORTER_RUNTIME_H
#define PORTER_RUNTIME_H

#ifdef __CUDACC__
#define PORTER_DEVICE __device__
#define PORTER_NOINLINE __noinline__
#else
#define PORTER_DEVICE
#define PORTER_NOINLINE
#endif

#include "porter_state.h"

// PORTER_STATE is the state of the interpreter that this thread runs.
#if defined(__CUDACC__) && PORTER_ARENA_LOCAL
// Local memory's window is 16 MiB and a thread's stack grows down from its end, so an offset
// from the end is one address in every thread, kernel and launch (docs/reference/architecture.md).
// The state is an arena's topmost part and lies right below the C stack, its slack and a canary;
// heap and pystack lie below the state. So this address depends on the stack's size alone, and
// units need not be compiled again for another heap.
#define PORTER_LOCAL_WINDOW 0x1000000ull
#define PORTER_ROUND_UP(bytes, to) (((bytes) + (to) - 1) / (to) * (to))
#define PORTER_LOCAL_TOP \
    (PORTER_ROUND_UP(sizeof(porter_state_t), 64) + 64 \
        + PORTER_ROUND_UP(PORTER_STACK_BYTES + PORTER_STACK_SLACK, 64))
#define PORTER_STATE \
    ((porter_state_t *)__cvta_local_to_generic(PORTER_LOCAL_WINDOW - PORTER_LOCAL_TOP))
#elif defined(__CUDACC__)
extern "C" __device__ porter_state_t **porter_state_table; // by thread of the launch
static __device__ __forceinline__ porter_state_t *porter_state_of_thread(void) {
    return porter_state_table[blockIdx.x * blockDim.x + threadIdx.x];
}
#define PORTER_STATE porter_state_of_thread()
#else
extern "C" __thread porter_state_t *porter_state_current
    __attribute__((tls_model("initial-exec")));
#define PORTER_STATE porter_state_current
#endif

#if defined(__CUDACC__) && PORTER_FENCES
// Where in the thread's window the state is, for the pass over PTX that puts checks in; 0 where
// arenas are in global memory.
#if PORTER_ARENA_LOCAL
#define PORTER_FENCE_STATE (PORTER_LOCAL_WINDOW - PORTER_LOCAL_TOP)
#else
#define PORTER_FENCE_STATE 0
#endif
static __device__ unsigned long porter_fence_state __attribute__((used)) = PORTER_FENCE_STATE;
#endif

extern "C" {
PORTER_DEVICE void porter_state_init(void); // initial values of a zeroed state
PORTER_DEVICE void porter_setup(void);      // once per load: cycles' references, calls' targets
PORTER_DEVICE void porter_stack_overflow(void); // the port's: raises, and so returns

// In builds with PORTER_FENCES: ends this interpreter with GPUSNEK_STATUS_FENCE and does not
// return. place: "py/objstr.c:123", or NULL where it is not known; kind: PORTER_FENCE_LOAD ...
PORTER_DEVICE void porter_fence_failed(const char *place, const void *address, unsigned kind);
PORTER_DEVICE void porter_poll_loop(int raises); // the port's: sets the budget, and may unwind
PORTER_DEVICE void porter_refuse(void);         // the port's as well
}

#define PORTER_FENCE_LOAD 0u
#define PORTER_FENCE_STORE 1u
#define PORTER_FENCE_CALL 2u

// Before a loop: the rule `rolled`.
#ifdef __CUDACC__
#define PORTER_ROLLED _Pragma("unroll 1")
#else
#define PORTER_ROLLED
#endif

// The hooks porter_private and porter_own of the port (hooks.h). A local address is an offset in the thread's window, so the low
// bits of a generic one are enough.
extern "C" {
static inline PORTER_DEVICE void *porter_private(const void *pointer) {
#if defined(__CUDACC__) && PORTER_ARENA_LOCAL
    return __cvta_local_to_generic((size_t)pointer & (PORTER_LOCAL_WINDOW - 1));
#else
    return (void *)pointer;
#endif
}

// A number of porter_own is the local address itself, or the distance from `base`.
static inline PORTER_DEVICE unsigned int porter_own(const void *base, const void *pointer) {
#if defined(__CUDACC__) && PORTER_ARENA_LOCAL
    return (unsigned int)(size_t)pointer & (PORTER_LOCAL_WINDOW - 1);
#else
    return (unsigned int)((const char *)pointer - (const char *)base);
#endif
}

static inline PORTER_DEVICE char *porter_own_at(const void *base, unsigned int own, int offset) {
#if defined(__CUDACC__) && PORTER_ARENA_LOCAL
    return (char *)__cvta_local_to_generic((size_t)own) + offset;
#else
    return (char *)base + (int)own + offset;
#endif
}

static inline PORTER_DEVICE unsigned long porter_own_load(
    const void *base, unsigned int own, int offset) {
    return *(const unsigned long *)porter_own_at(base, own, offset);
}

static inline PORTER_DEVICE void porter_own_store(
    void *base, unsigned int own, int offset, unsigned long value) {
    *(unsigned long *)porter_own_at(base, own, offset) = value;
}

#if PORTER_TRACED
void porter_trace_bytecode(const void *ip, int fast); // trace_host.cpp
#else
static inline PORTER_DEVICE void porter_trace_bytecode(const void *, int) {}
#endif

#ifndef PORTER_RECONVERGE
#define PORTER_RECONVERGE 0
#endif
PORTER_DEVICE void porter_give_turn(void);

static inline PORTER_DEVICE bool porter_parted(unsigned int opcode) {
#if defined(__CUDACC__) && PORTER_RECONVERGE
    if (__activemask() != 0xffffffffu) {
        return true;
    }
    int alike;
    __match_all_sync(0xffffffffu, opcode, &alike);
    return !alike;
#else
    (void)opcode;
    return false;
#endif
}

#if defined(__CUDACC__) && PORTER_RECONVERGE
PORTER_DEVICE bool porter_meet(unsigned int *kept, unsigned int place, unsigned int depth);
PORTER_DEVICE unsigned int porter_native_enter(const unsigned int *kept);
PORTER_DEVICE void porter_native_end(const unsigned int *kept, unsigned int begun);
PORTER_DEVICE void porter_native_join(bool runs);
PORTER_DEVICE bool porter_native_holds(unsigned int *rounds, bool hasty);

static inline PORTER_DEVICE unsigned int porter_native_begin(
    const unsigned int *kept, bool enters) {
    return __any_sync(__activemask(), enters) ? porter_native_enter(kept) : 0;
}
#else
static inline PORTER_DEVICE bool porter_meet(unsigned int *, unsigned int, unsigned int) {
    return true;
}

static inline PORTER_DEVICE unsigned int porter_native_begin(const unsigned int *, bool) {
    return 0;
}

static inline PORTER_DEVICE void porter_native_end(const unsigned int *, unsigned int) {}

static inline PORTER_DEVICE void porter_native_join(bool) {}

static inline PORTER_DEVICE bool porter_native_holds(unsigned int *, bool) {
    return false;
}
#endif

// `word`, which the host writes. A plain load, that no cache of the multiprocessor keeps: a stronger
// one has the lane yield (reconvergence.cu), of which is enough where lanes meet.
static inline PORTER_DEVICE unsigned int porter_peek(const volatile unsigned int *word) {
#if defined(__CUDACC__) && PORTER_RECONVERGE
    unsigned int value;
    asm volatile("ld.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(word));
    return value;
#else
    return *word;
#endif
}

static inline PORTER_DEVICE void porter_yield(void) {
#ifdef __CUDACC__
    asm volatile("nanosleep.u32 0;");
#endif
}

static inline PORTER_DEVICE int porter_prefers_words(void) {
#ifdef __CUDACC__
    return 1;
#else
    return 0;
#endif
}
}

#include "profile_hooks.h"
#include "native_hooks.h"

// The rule `reentry` writes PORTER_REENTER(f)(...) where f calls itself: on a GPU through a function
// in between, so that the compiler gives f convergence barriers.
#ifdef __CUDACC__
template <auto f> struct porter_reentry;
template <class R, class... A, R (*f)(A...)> struct porter_reentry<f> {
    static __device__ __noinline__ R call(A... arguments) {
        return f(arguments...);
    }
};
#define PORTER_REENTER(f) porter_reentry<f>::call
#else
#define PORTER_REENTER(f) f
#endif

// The rule `sandbox` asks this before an integer of a program's becomes an address. Bit 0 is the
// launch's, bit 1 is set while the port loads code that it compiled itself (hooks.h).
extern "C" {
static inline PORTER_DEVICE bool porter_sandboxed(void) {
    return __builtin_expect(PORTER_STATE->porter_sandbox == 1, 0);
}

static inline PORTER_DEVICE void porter_trust(bool trusted) {
    PORTER_STATE->porter_sandbox = (PORTER_STATE->porter_sandbox & 1) | (trusted ? 2 : 0);
}
}

// Any type where a declarator is a name alone.
template <class T> using porter_as = T;

// A moved variable: `field` is its bytes in the state, T the type it was declared with.
template <class T> static inline PORTER_DEVICE T &porter_at(void *field) {
    return *(T *)field;
}

#include "builtins.inc"
#include "divisions.inc"
#include "sizes.inc"
#include "targets.inc"

// Stores into an object that is const for everyone else.
template <class T, class V> static inline PORTER_DEVICE void porter_put(const T &slot, V value) {
    const_cast<T &>(slot) = (T)value;
}

static inline PORTER_DEVICE void porter_copy(void *to, const void *from, unsigned long size) {
    for (unsigned long i = 0; i < size; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
}

// A compound literal whose address is used: its value in memory of the enclosing block.
template <class T> static inline PORTER_DEVICE T &porter_hold(void *memory, const T &value) {
    porter_copy(memory, &value, sizeof value);
    return *(T *)memory;
}

// An unwind goes on until the function that owns the buffer lands at its setjmp. One that no
// buffer waits for (abort) has this target and ends at the runtime's entry.
#define PORTER_UNWIND_ALL ((const void *)1)
#ifdef __CUDACC__
// Half of the word says as much, and is one instruction less where it is asked, after most calls:
// buffers are in local memory, whose window begins at a multiple of its size, 16 MiB.
#define PORTER_UNWINDING (__builtin_expect((unsigned int)(size_t)PORTER_CERTAIN(porter_unwind) != 0, 0))
#else
#define PORTER_UNWINDING (__builtin_expect(PORTER_CERTAIN(porter_unwind) != 0, 0))
#endif

// A pointer in the state, whose place is certain: half of all checks would be of these. g++ puts
// none before an operand of assembly.
#if PORTER_FENCES && defined(__x86_64__) && !defined(__CUDACC__)
static inline const void *porter_certain(const void *const *at) {
    const void *value;
    asm("movq %1, %0" : "=r"(value) : "m"(*at));
    return value;
}
#define PORTER_CERTAIN(field) porter_certain(&PORTER_STATE->field)
#else
#define PORTER_CERTAIN(field) PORTER_STATE->field
#endif

static inline PORTER_DEVICE bool porter_landing_at(const void *buffer) {
    return PORTER_STATE->porter_unwind == buffer;
}

static inline PORTER_DEVICE int porter_setjmp(const void *buffer) {
    if (PORTER_STATE->porter_unwind != buffer) {
        return 0;
    }
    PORTER_STATE->porter_unwind = 0;
    return PORTER_STATE->porter_unwind_value;
}

// The runtime sets the limit of the C stack: frames below `lowest` must not call any deeper. On a GPU
// it is kept as an address of local memory, which has 32 bits.
static inline PORTER_DEVICE void porter_limit_stack(const void *lowest) {
#ifdef __CUDACC__
    PORTER_STATE->porter_stack_limit = (const void *)__cvta_generic_to_local(lowest);
#else
    PORTER_STATE->porter_stack_limit = lowest;
#endif
}

// Whether the C stack is used up; no limit means never.
static inline PORTER_DEVICE bool porter_stack_is_low(void) {
#ifdef __CUDACC__
    unsigned int here;
    asm volatile("{ .reg .u64 at; stacksave.u64 at; cvt.u32.u64 %0, at; }" : "=r"(here));
    return here < (unsigned int)(size_t)PORTER_STATE->porter_stack_limit;
#else
    return __builtin_frame_address(0) < PORTER_CERTAIN(porter_stack_limit);
#endif
}

// Raising needs some stack too: the slack below the limit, which is not watched meanwhile.
static inline PORTER_DEVICE void porter_raise_overflow(void) {
    const void *limit = PORTER_STATE->porter_stack_limit;
    PORTER_STATE->porter_stack_limit = 0;
    porter_stack_overflow();
    PORTER_STATE->porter_stack_limit = limit;
}

// Draws on the poll budget, whose bytes in the state `budget` are, and looks whether or not it
// suffices: it is never 0 between polls. Whether an unwind is in flight.
static inline PORTER_DEVICE bool porter_poll_look(void *budget, unsigned int turns, bool raises) {
    unsigned int &left = porter_at<unsigned int>(budget);
    const bool spent = left <= turns;
    const unsigned int owed = spent ? turns - left : 0;
    left = spent ? 0 : left - turns;
    porter_poll_loop(raises);
    if (spent) {
        left = left > owed ? left - owed : 1; // 1: the next turn is the last
    }
    return PORTER_UNWINDING;
}

#ifdef __CUDACC__
#define PORTER_LATE (1u << 17) // cycles from one look to the next: some 75 microseconds

static inline PORTER_DEVICE unsigned int porter_clock(void) {
    unsigned int now;
    asm volatile("mov.u32 %0, %clock;" : "=r"(now));
    return now;
}

// Whether a lane is late whose last look is long ago. Only that: steps are what they are without a
// clock.
static inline PORTER_DEVICE bool porter_is_late(void) {
    return porter_clock() - PORTER_STATE->porter_looked > PORTER_LATE;
}

// Whether one of the lanes that are here has to look: then all do. From a branch that one of them
// takes, in which it may return, a compiler lets them meet again at the function's end only.
static inline PORTER_DEVICE bool porter_one_of_us(bool looks) {
    return __any_sync(__activemask(), looks);
}

// What loops call to look: a function, so that they are short.
extern "C" PORTER_DEVICE bool porter_poll_due(void *budget, unsigned int turns, bool raises);
#else
#define porter_is_late() false
#define porter_one_of_us(looks) (looks)
#define porter_poll_due porter_poll_look
#endif

// Draws on the poll budget. Whether an unwind is in flight.
static inline PORTER_DEVICE bool porter_poll(void *budget, unsigned int turns, bool raises) {
    unsigned int &left = porter_at<unsigned int>(budget);
    if (__builtin_expect(!porter_one_of_us(left <= turns), 1)) {
        left -= turns;
        return false;
    }
    return porter_poll_due(budget, turns, raises);
}

// As porter_poll, of a turn that may take long: on a GPU also looks where the last look is long ago.
// Lanes of a warp whose ways have parted take turns at looks, and limits are seen there.
static inline PORTER_DEVICE bool porter_poll_timed(void *budget, unsigned int turns, bool raises) {
    unsigned int &left = porter_at<unsigned int>(budget);
    if (__builtin_expect(!porter_one_of_us((left <= turns) | porter_is_late()), 1)) {
        left -= turns;
        return false;
    }
    return porter_poll_due(budget, turns, raises);
}

static inline PORTER_DEVICE void porter_unwind_to(const void *buffer, int value) {
    PORTER_STATE->porter_unwind = buffer;
    PORTER_STATE->porter_unwind_value = value ? value : 1;
}

#endif
