// Included by every rewritten unit and by the runtime: the device attribute, access to the state of
// the interpreter, hooks that are inlined (templates/port/hooks.h), unwinding
// (docs/explanation/unwinding.md), the check of the C stack, and safepoint polls. Included as well:
// the helpers that the rules call (builtins.inc, divisions.inc, sizes.inc, targets.inc).
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
// The window of local memory has 16 MiB, and a thread's C stack grows down from its end. So an
// offset from the end is the same address in every thread, kernel and launch
// (docs/reference/architecture.md, "The arena"). The state is the topmost part of an arena and lies
// below a canary, slack and C stack. Heap and pystack lie below the state. So the address of the
// state depends only on the size of the C stack, and units are independent of the heap size.
#define PORTER_LOCAL_WINDOW 0x1000000ull
#define PORTER_ROUND_UP(bytes, to) (((bytes) + (to) - 1) / (to) * (to))
#define PORTER_LOCAL_TOP \
    (PORTER_ROUND_UP(sizeof(porter_state_t), 64) + 64 \
        + PORTER_ROUND_UP(PORTER_STACK_BYTES + PORTER_STACK_SLACK, 64))
#define PORTER_STATE \
    ((porter_state_t *)__cvta_local_to_generic(PORTER_LOCAL_WINDOW - PORTER_LOCAL_TOP))
#elif defined(__CUDACC__)
extern "C" __device__ porter_state_t **porter_state_table; // indexed by thread of the launch
static __device__ __forceinline__ porter_state_t *porter_state_of_thread(void) {
    return porter_state_table[blockIdx.x * blockDim.x + threadIdx.x];
}
#define PORTER_STATE porter_state_of_thread()
#else
extern "C" __thread porter_state_t *porter_state_current
    __attribute__((tls_model("initial-exec")));
#define PORTER_STATE porter_state_current
#endif

#if defined(__CUDACC__) && PORTER_BOUNDS_CHECKS
// Offset of the state in the thread's window, for the pass that inserts bounds checks into PTX
// (porter/compile/fencing/); 0 with arenas in global memory.
#if PORTER_ARENA_LOCAL
#define PORTER_FENCE_STATE (PORTER_LOCAL_WINDOW - PORTER_LOCAL_TOP)
#else
#define PORTER_FENCE_STATE 0
#endif
static __device__ unsigned long porter_fence_state __attribute__((used)) = PORTER_FENCE_STATE;
#endif

extern "C" {
PORTER_DEVICE void porter_state_init(void); // sets the initial values of a zeroed state
PORTER_DEVICE void porter_setup(void);      // once per load: cyclic references, call targets
PORTER_DEVICE void porter_stack_overflow(void); // in the port: raises, so it returns

// In builds with bounds checks: end this interpreter with GPUSNEK_STATUS_OUT_OF_BOUNDS. Does not
// return. place: "py/objstr.c:123", or NULL if unknown; kind: PORTER_FENCE_LOAD ...
PORTER_DEVICE void porter_fence_failed(const char *place, const void *address, unsigned kind);
PORTER_DEVICE void porter_poll_loop(int raises); // in the port: sets the budget, may unwind
PORTER_DEVICE void porter_refuse(void);         // in the port: raises
}

#define PORTER_FENCE_LOAD 0u
#define PORTER_FENCE_STORE 1u
#define PORTER_FENCE_CALL 2u

// Precedes a loop that must not be unrolled (rule `rolled`).
#ifdef __CUDACC__
#define PORTER_ROLLED _Pragma("unroll 1")
#else
#define PORTER_ROLLED
#endif

// The hooks porter_private and porter_own_* (hooks.h). A local address is an offset in the thread's
// window, so the low bits of a generic address suffice.
extern "C" {
static inline PORTER_DEVICE void *porter_private(const void *pointer) {
#if defined(__CUDACC__) && PORTER_ARENA_LOCAL
    return __cvta_local_to_generic((size_t)pointer & (PORTER_LOCAL_WINDOW - 1));
#else
    return (void *)pointer;
#endif
}

// Return the local address of `pointer`, or on other targets its distance from `base`.
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

// Return `word`, which the host writes during the launch. The load is a plain one, because a lane
// yields at an ordered load (invariant R5 of reconvergence.cu). It bypasses the L1 cache, so it
// sees new values.
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
#if defined(__CUDACC__) || PORTER_BOUNDS_CHECKS // one check per word instead of one per byte
    return 1;
#else
    return 0;
#endif
}
}

#include "profile_hooks.h"
#include "native_hooks.h"

// Recursive calls. The rule `reentry` rewrites f(...) in f to PORTER_REENTER(f)(...). On a GPU the
// call goes through another function, because nvcc places no convergence barriers in a function
// that calls itself directly.
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

// Whether a program may use an integer as an address: a check that the rule `sandbox` inserts. In
// porter_sandbox bit 0 is the launch's flag. Bit 1 is set while the port loads trusted code
// (hooks.h).
extern "C" {
static inline PORTER_DEVICE bool porter_sandboxed(void) {
    return __builtin_expect(PORTER_STATE->porter_sandbox == 1, 0);
}

static inline PORTER_DEVICE void porter_trust(bool trusted) {
    PORTER_STATE->porter_sandbox = (PORTER_STATE->porter_sandbox & 1) | (trusted ? 2 : 0);
}
}

// Names any type, including those whose C declarator encloses the name.
template <class T> using porter_as = T;

// Access a moved variable. field: its bytes in the state; T: its declared type.
template <class T> static inline PORTER_DEVICE T &porter_at(void *field) {
    return *(T *)field;
}

#include "builtins.inc"
#include "divisions.inc"
#include "sizes.inc"
#include "targets.inc"

// Initialize a const object.
template <class T, class V> static inline PORTER_DEVICE void porter_put(const T &slot, V value) {
    const_cast<T &>(slot) = (T)value;
}

static inline PORTER_DEVICE void porter_copy(void *to, const void *from, unsigned long size) {
    for (unsigned long i = 0; i < size; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
}

// Store the value of a compound literal, whose address is used, in memory of the enclosing block.
template <class T> static inline PORTER_DEVICE T &porter_hold(void *memory, const T &value) {
    porter_copy(memory, &value, sizeof value);
    return *(T *)memory;
}

// Target of an unwind that no setjmp catches (abort): it ends at the runtime's entry. Other unwinds
// end at the setjmp of the function that owns the buffer.
#define PORTER_UNWIND_ALL ((const void *)1)
#ifdef __CUDACC__
// The low half of the word suffices: buffers are in local memory, whose window begins at a multiple
// of 16 MiB. It saves an instruction after most calls.
#define PORTER_UNWINDING (__builtin_expect((unsigned int)(size_t)PORTER_CERTAIN(porter_unwind) != 0, 0))
#else
#define PORTER_UNWINDING (__builtin_expect(PORTER_CERTAIN(porter_unwind) != 0, 0))
#endif

// Load a pointer field of the state without a bounds check, because its address is always valid.
// Half of all executed checks would be of these loads. g++ inserts no check before an operand of
// inline assembly.
#if PORTER_BOUNDS_CHECKS && defined(__x86_64__) && !defined(__CUDACC__)
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

// Set the limit of the C stack: functions whose frame is below `lowest` must not call deeper. On a
// GPU the limit is an address in local memory, which has 32 bits.
static inline PORTER_DEVICE void porter_limit_stack(const void *lowest) {
#ifdef __CUDACC__
    PORTER_STATE->porter_stack_limit = (const void *)__cvta_generic_to_local(lowest);
#else
    PORTER_STATE->porter_stack_limit = lowest;
#endif
}

// Whether the C stack is exhausted. Without a limit (0) it never is.
static inline PORTER_DEVICE bool porter_stack_is_low(void) {
#ifdef __CUDACC__
    unsigned int here;
    asm volatile("{ .reg .u64 at; stacksave.u64 at; cvt.u32.u64 %0, at; }" : "=r"(here));
    return here < (unsigned int)(size_t)PORTER_STATE->porter_stack_limit;
#else
    return __builtin_frame_address(0) < PORTER_CERTAIN(porter_stack_limit);
#endif
}

// Raise RuntimeError because the C stack is exhausted. Raising uses the slack below the limit, so
// the limit is off meanwhile.
static inline PORTER_DEVICE void porter_raise_overflow(void) {
    const void *limit = PORTER_STATE->porter_stack_limit;
    PORTER_STATE->porter_stack_limit = 0;
    porter_stack_overflow();
    PORTER_STATE->porter_stack_limit = limit;
}

// Take `turns` steps from the poll budget, and poll even if it suffices. The budget is never 0
// between polls. budget: its bytes in the state. Return whether an unwind is in flight.
static inline PORTER_DEVICE bool porter_poll_look(void *budget, unsigned int turns, bool raises) {
    unsigned int &left = porter_at<unsigned int>(budget);
    const bool spent = left <= turns;
    const unsigned int owed = spent ? turns - left : 0;
    left = spent ? 0 : left - turns;
    porter_poll_loop(raises);
    if (spent) {
        left = left > owed ? left - owed : 1; // 1: the next step polls
    }
    return PORTER_UNWINDING;
}

#ifdef __CUDACC__
// Cycles after which a poll is due: 2.2 ms at 1.9 GHz. Interrupts and limits are checked this
// often. A warp of an evaluation lives for 20 ms.
#define PORTER_LATE (1u << 22)

static inline PORTER_DEVICE unsigned int porter_clock(void) {
    unsigned int now;
    asm volatile("mov.u32 %0, %clock;" : "=r"(now));
    return now;
}

// Whether the lane's last poll is longer ago than PORTER_LATE. The clock decides only when to poll;
// steps do not depend on it.
static inline PORTER_DEVICE bool porter_is_late(void) {
    return porter_clock() - PORTER_STATE->porter_polled > PORTER_LATE;
}

// Whether one of the converged lanes has to poll; then all of them do. If only one took the branch,
// which may return, the compiler would let the lanes reconverge at the function's end only.
static inline PORTER_DEVICE bool porter_one_of_us(bool looks) {
    return __any_sync(__activemask(), looks);
}

// porter_poll_look as a function, so that loops are short.
extern "C" PORTER_DEVICE bool porter_poll_due(void *budget, unsigned int turns, bool raises);
#else
#define porter_is_late() false
#define porter_one_of_us(looks) (looks)
#define porter_poll_due porter_poll_look
#endif

// Without a clock for it (hosts), no poll counts as recent.
extern "C" {
static inline PORTER_DEVICE bool porter_polled_lately(void) {
#ifdef __CUDACC__
    return !porter_one_of_us(porter_is_late());
#else
    return false;
#endif
}
}

// Take `turns` steps from the poll budget, and poll if it is used up. Return whether an unwind is
// in flight.
static inline PORTER_DEVICE bool porter_poll(void *budget, unsigned int turns, bool raises) {
    unsigned int &left = porter_at<unsigned int>(budget);
    if (__builtin_expect(!porter_one_of_us(left <= turns), 1)) {
        left -= turns;
        return false;
    }
    return porter_poll_due(budget, turns, raises);
}

// As porter_poll, for an iteration that may take long: on a GPU also poll if the last poll is
// longer ago than PORTER_LATE. Diverged lanes of a warp take turns at polls, and limits are checked
// there.
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
