// Reconvergence of the lanes of a warp in the bytecode interpreter and around it.
// Left out of builds that are made with `--no-reconverge`.
//
// Problem. Each lane of a warp runs its own interpreter. Lanes whose data differ take different
// branches of the VM's dispatch loop. The compiler places no convergence barrier (BSSY, BSYNC) in
// it, because of the loop's many exits (setjmp landings, gotos, returns). Independent thread
// scheduling (Volta and later) lets diverged lanes make progress, but it does not join them again:
// without a barrier each lane runs alone until the launch ends.
//
// Mechanism. Before each opcode of upstream's switch a lane calls porter_meet() (vm_meet.h), a
// software barrier in shared memory with a bounded wait. The lanes that arrive form a cohort. The
// cohort's lanes with the highest rank execute their opcode; the other lanes call porter_meet()
// again. The rank follows the policy of the warp (launch.h). No policy is the fastest for every
// program: policies.cuh chooses one for each warp, and measures how long the warp takes. Policies
// change the order in which lanes run, never a result or the number of steps.
//
// A warp has two convergence groups. A lane that spends more than half of its time in the smaller
// part of its cohorts moves to the second group, so that it stops delaying the majority. Lanes of
// the second group reconverge with each other, by the same barrier.
//
// Native code (native.h) and C functions have the compiler's barriers. A lane that executes there
// for a long time blocks the lanes at a BSYNC. Two mechanisms bound this wait. Native code is left
// when another lane of the warp has stopped polling (porter_native_holds). At safepoint polls
// outside native code a lane releases all of its barriers by the clock (porter_release_waiting).
//
// States. docs/explanation/reconvergence.md has the diagrams: of a lane in porter_meet(), of its
// convergence group, of a lane in native code, and of the entry of a warp (warp_t::stamp).
//
// Invariants. The code cites them by number.
//   R1  A mask of a `_sync` operation names only lanes that execute this operation: __activemask()
//       of lanes that are converged here, or a cohort, each of whose lanes has seen its own bit in
//       `released`. Hence every __syncwarp(mask) completes.
//   R2  A lane leaves `waiting` by one compare-and-swap, and the lane whose compare-and-swap
//       succeeds publishes exactly these bits in `released`. Hence cohorts are disjoint.
//   R3  `released` holds one cohort from its publication until the cohort's lowest lane clears it,
//       and no lane of the cohort returns before that. Hence a lane never sees the cohort of an
//       earlier call as its own.
//   R4  A lane waits in porter_meet() for lanes of `expected` only, and for a bounded time. After
//       it, missing lanes leave `expected`, and a lane returns to `expected` only by arriving.
//   R5  A safepoint poll executes no yielding instruction while no lane needs its turn. nvcc lets a
//       lane yield in every function that contains an atomic, volatile or otherwise ordered
//       access. A yield inside a callee runs after the callee has saved and cleared the convergence
//       barriers of its callers. Lanes that are scheduled at that point find no barrier to wait at
//       and stay diverged (docs/lab/compiled.md, "Yields"). Polls therefore use plain accesses.
//   R6  A lane that yields on purpose from C (porter_release_lanes) has first cleared all
//       convergence barriers that callees save, so that no lane waits at any of them for this lane.
//   R7  An entry of `warps` is read or written only after its stamp equals this block's stamp.
//   R8  A lane in native code leaves it after a bounded number of its own polls during which some
//       running lane of the warp has not polled.
//   R9  A lane waits at the barrier of the block by `barrier.sync`, never by `barrier.sync.aligned`
//       (hooks.cu). From sm_70 on lanes of a warp may execute `barrier.sync` diverged. A lane that
//       is blocked there counts as yielded for convergence barriers, so it blocks no lane at a
//       BSYNC. The barrier may need such a lane: at the end of a loop in C, for example, whose
//       iterations call Python functions with `syncthreads()`. The blocked lane does not poll, so
//       R6 would never release it (docs/lab/compiled.md, "The barrier of a block").
//
// Progress. No lane of a warp can stall the others:
//   * A lane that raises does not jump. It returns from each function on its way
//     (docs/explanation/unwinding.md), so it passes the end of each region, where the compiler's
//     barriers are. It reaches the VM's handler and then porter_meet(), or the end of its program.
//     Until then R4 bounds the wait.
//   * A lane that ends exits its thread. The hardware removes an exited lane from convergence
//     barriers. No mask names it (R1), and R4 removes it from `expected`.
//   * A lane that waits in porter_meet() polls with volatile accesses, so it yields in each
//     iteration, and the lanes that it waits for are scheduled. By R2 and R3 the wait for
//     `released` to become 0 is a wait for lanes that poll.
//   * A lane that waits elsewhere (input, a lock built from atomics) or executes an endless loop
//     misses the deadline of R4. Lanes behind a BSYNC for it continue at its next safepoint poll
//     after MAX_HOLD_CYCLES (R6), or when they leave native code (R8).
//   * A lane that waits at the barrier of the block misses the deadline of R4, too. It blocks no
//     lane at a BSYNC (R9), so every lane of the warp can reach the barrier. The barrier opens when
//     all threads of the block have reached it or exited.
//   * A lane that is deferred runs its opcode after MAX_DEFERRALS rounds at the latest.
//
// Memory order. All words are in shared memory, and only lanes of one warp access an entry.
//   * Release of a cohort: compare-and-swap on `waiting`, then on `released`; the lanes of the
//     cohort read `released` with volatile loads. The first __syncwarp(cohort) orders these reads
//     before the store that clears `released`, the second one orders that store before the return.
//   * Arrival: `expected` before `waiting`, with a fence, so that a lane that sees a bit in
//     `waiting` sees it in `expected`.
//   * Initialization: the fields before `stamp`, with a fence.
//   * `interval`, `polled` and `round` are statistics. Plain and lost updates of them cost time,
//     never correctness: a lane waits, sleeps or leaves native code once more or once less.
#include <stdint.h>

#include "launch.h"
#include "porter_runtime.h"

#if PORTER_RECONVERGE

// Time is counted in ticks of 1,024 cycles: 0.54 us at 1.9 GHz. 32 bits of ticks last 38 minutes.
#define TICK_SHIFT 10
#define TICK_NANOSECONDS 520u // of a tick, for __nanosleep, which counts no cycles

#define MAX_WARPS 32 // of a block: CUDA allows 1,024 threads

// Deadline of porter_meet(). Both the number of polls and the time count: a poll takes as long as
// the other lanes of the warp run between two polls.
#define MAX_POLLS 300          // polls of `released`; the end of any wait
#define MIN_POLLS 16           // polls before a wait may end by time, so that the others had turns
#define MAX_WAIT_TICKS 4096u   // 2.2 ms, after which a wait may end by time with fewer polls
#define PATIENCE 32u           // mean intervals between arrivals; 3 makes graph 1.9x slower
#define MIN_PATIENCE_TICKS 32u // 17 us more, because a mean interval may be 0

#define MAX_DEFERRALS 200 // rounds that other opcodes go first; 50 makes graph 3.4x slower

// Change of the convergence group.
#define MINORITY_GRACE_TICKS 16000u // 8.6 ms beyond half of its time; 4 ms made logs 1.1x slower
#define SECOND_GROUP_ROUNDS 4000u   // rounds in the second group until a lane tries the first again

#define MAX_LATE_SLEEP_TICKS 512u     // 0.27 ms: sleep of a lane that arrives after the deadline
#define MAX_RELEASE_SLEEP_TICKS 1900u // 0.99 ms: __nanosleep takes 1 ms at most
#define MAX_INTERVAL_TICKS 0xfffffu   // 0.55 s; 8 times as much fits 32 bits, as does the deadline
#define INTERVAL_SHIFT 3              // weight of the last interval in the mean: 1 / 8

// Polls of a lane after which it leaves native code, if another lane has not polled meanwhile.
#define MAX_UNANSWERED_POLLS 256u    // lanes of one loop rarely differ by more
#define MAX_UNANSWERED_ATOMIC_POLLS 2u // if the lane has used atomics: it may wait for a lock
#define YIELDS_PER_POLL 16           // turns for lanes outside native code

// A lane in C or in the VM's fast path releases the waiting lanes after this time: 4.4 ms at
// 1.9 GHz. Shorter times separate lanes that would reconverge: 2^19 makes records 2.5x slower.
#define MAX_HOLD_CYCLES (1u << 23)
#define CALLEE_SAVED_BARRIERS 6 // B6 to B11 of sm_70 and later; tests/bench/test_guard.py checks it

// The lanes of one warp that reconverge with each other. Masks have a bit for each lane.
struct convergence_group_t {
    uint32_t expected; // lanes that arrivals wait for (R4)
    uint32_t waiting;  // lanes that have arrived and are in no cohort yet (R2)
    uint32_t released; // the cohort that is being released; 0: none (R3)
    uint32_t interval; // 1 + lane_record_t::interval of the last arrival; 0: none since a poll
                       // cleared it (porter_release_waiting)
};

// warp_t::policy: a policy (launch.h), and during a trial the policy that follows it.
#define TRIAL_SHIFT 8
#define TRIAL_FLAG (1u << 16)

// The entry of a warp. `stamp` names the block that initialized it (R7), because shared memory
// holds arbitrary data when a block begins, and a user's kernel may have used it.
struct warp_t {
    unsigned long long stamp;
    convergence_group_t groups[2];
    uint32_t running; // lanes between porter_native_join(true) and porter_native_join(false)
    uint32_t native;  // running lanes that are in native code
    uint32_t polled;  // running lanes that have polled in this round, which ends when all have
    uint32_t round;   // number of the round
    uint32_t policy;
    uint32_t trial_end; // ticks
    uint32_t left;      // lanes between porter_warp_begin() and porter_warp_end()
    uint32_t began;     // ticks, at porter_warp_begin()
};

static __shared__ warp_t warps[MAX_WARPS];

// Ordered accesses, at which a lane yields (R5).
template <typename T> static __device__ __forceinline__ volatile T &as_volatile(T &value) {
    return value;
}

// Accesses to shared memory that the compiler can neither omit nor let yield (R5).
static __device__ __forceinline__ uint32_t shared_address(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}

static __device__ __forceinline__ uint32_t load_plain(const uint32_t &word) {
    uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(&word)));
    return value;
}

static __device__ __forceinline__ void store_plain(uint32_t &word, uint32_t value) {
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(shared_address(&word)), "r"(value));
}

static __device__ __forceinline__ uint32_t lowest_lane(uint32_t lanes) {
    return lanes & (0u - lanes);
}

static __device__ __forceinline__ uint32_t own_lane_mask(void) {
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return 1u << lane;
}

// Return an odd number that differs from block to block and from launch to launch.
static __device__ __forceinline__ unsigned long long block_stamp(void) {
    unsigned long long grid;
    asm("mov.u64 %0, %%gridid;" : "=l"(grid));
    const unsigned long long block
        = blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned long long mixed = (grid + 1) * 0x9e3779b97f4a7c15ull ^ block * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 31) * 0x94d049bb133111ebull;
    return mixed | 1;
}

static __device__ __forceinline__ warp_t *warp_of_thread(void) {
    const uint32_t thread
        = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return &warps[thread / 32];
}

// Return the warp's entry, initialized for this block (R7). The lane whose compare-and-swap sets
// the even stamp initializes it. known: low half of the stamp if the lane has been here in this
// launch, else 0.
static __device__ __forceinline__ warp_t *own_warp(uint32_t known) {
    warp_t *const warp = warp_of_thread();
    if (__builtin_expect(known != 0 && (uint32_t)as_volatile(warp->stamp) == known, 1)) {
        return warp;
    }
    const unsigned long long ready = block_stamp(), busy = ready ^ 1;
    for (;;) {
        const unsigned long long stamp = as_volatile(warp->stamp);
        if (stamp == ready) {
            return warp;
        }
        if (stamp != busy && atomicCAS(&warp->stamp, stamp, busy) == stamp) {
            for (convergence_group_t &group : warp->groups) {
                as_volatile(group.expected) = 0;
                as_volatile(group.waiting) = 0;
                as_volatile(group.released) = 0;
                as_volatile(group.interval) = 0;
            }
            as_volatile(warp->native) = 0;
            as_volatile(warp->polled) = 0;
            as_volatile(warp->running) = 0;
            as_volatile(warp->policy) = GPUSNEK_POLICY_DEEPEST;
            as_volatile(warp->left) = 0;
            __threadfence_block();
            as_volatile(warp->stamp) = ready;
        }
    }
}

static __device__ __forceinline__ uint32_t ticks(void) {
    unsigned long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));
    return (uint32_t)(cycles >> TICK_SHIFT);
}

// Return the ticks after which a lane with this mean interval (lane_record_t) is late.
static __device__ __forceinline__ uint32_t deadline_of(uint32_t interval) {
    return (interval >> INTERVAL_SHIFT) * PATIENCE + MIN_PATIENCE_TICKS;
}

// Wait for the expected lanes of a convergence group, at most until a lane with this mean interval
// is late (R4). Return the cohort that contains this lane. Its lanes are converged (R1).
static __device__ __forceinline__ uint32_t wait_for_cohort(
    convergence_group_t *group, bool second, uint32_t lane, uint32_t interval) {
    const uint32_t here = __match_any_sync(__activemask(), second), begun = ticks();
    // The lowest lane arrives and polls for all lanes that are converged here.
    const bool leads = lowest_lane(here) == lane;
    if (leads) {
        as_volatile(group->interval) = interval + 1;
        atomicOr(&group->expected, here);
        __threadfence_block();
        atomicOr(&group->waiting, here);
    }
    uint32_t cohort;
    for (int polls = 0;; polls++) {
        cohort = as_volatile(group->released);
        if (cohort & lane) {
            break;
        }
        if (cohort == 0 && leads) {
            const uint32_t waiting = as_volatile(group->waiting);
            const uint32_t expected = as_volatile(group->expected);
            const uint32_t waited = ticks() - begun;
            const bool late = polls >= MAX_POLLS
                || (waited > deadline_of(interval)
                    && (polls >= MIN_POLLS || waited > MAX_WAIT_TICKS));
            // R2: the lane whose compare-and-swap takes them out of `waiting` releases them.
            if ((waiting & lane) == 0 || ((expected & ~waiting) != 0 && !late)
                || atomicCAS(&group->waiting, waiting, 0u) != waiting) {
                continue;
            }
            if (late) {
                atomicAnd(&group->expected, waiting); // R4
            }
            // R3: another lane's cohort is on its way out.
            while (atomicCAS(&group->released, 0u, waiting) != 0) {
            }
        }
    }
    __syncwarp(cohort); // R1: each lane of it has read its own bit in `released`
    if (lowest_lane(cohort) == lane) {
        as_volatile(group->released) = 0;
    }
    __syncwarp(cohort); // R3: no lane returns, and arrives again, before `released` is clear
    return cohort;
}

// How a lane has spent its time. Its interpreter keeps the record in PORTER_MEETING_WORDS words of
// its state (hooks.h). Times are in ticks.
struct lane_record_t {
    uint32_t stamp;          // low half of warp_t::stamp of this launch; 0 when a launch begins
    uint32_t second_rounds;  // rounds left in the second group; 0: the lane is in the first
    uint32_t deferrals;      // rounds that the lane has waited to execute its next opcode
    uint32_t joined;         // when the lane joined its group
    uint32_t minority_ticks; // time since then in the smaller part of a cohort
    uint32_t minority_since; // when the lane got into the smaller part; 0: it is not in it
    uint32_t last_seen;      // when the lane last left porter_meet()
    uint32_t interval;       // mean time until it arrived again, times 1 << INTERVAL_SHIFT

    // Record an arrival at `time`, after an opcode of the lane's own. Return the interval.
    __device__ __forceinline__ uint32_t arrive(uint32_t time) {
        const uint32_t took = time - last_seen;
        interval += min(took, MAX_INTERVAL_TICKS) - (interval >> INTERVAL_SHIFT);
        return took;
    }

    __device__ __forceinline__ void join(uint32_t rounds, uint32_t time) {
        second_rounds = rounds;
        joined = time;
        minority_ticks = 0;
    }

    // Account for the time up to `time`. Return whether the lane has moved to its other group.
    __device__ __forceinline__ bool change_group(uint32_t time) {
        minority_ticks += minority_since != 0 ? time - minority_since : 0;
        minority_since = 0;
        if (minority_ticks > (time - joined) / 2 + MINORITY_GRACE_TICKS || second_rounds == 1) {
            join(second_rounds != 0 ? 0 : SECOND_GROUP_ROUNDS, time);
            return true;
        }
        second_rounds -= second_rounds != 0;
        return false;
    }
};

// Whether all expected lanes of a lane's group are converged here, at one place, and none has to
// account for time. A shortcut: most arrivals are of a warp some of whose lanes have ended.
static __device__ __forceinline__ bool is_converged(
    const warp_t *warp, const lane_record_t &record, uint32_t stamp, uint32_t place) {
    const bool second = record.second_rounds != 0;
    const uint32_t here = __match_any_sync(__activemask(), second);
    const bool ready = record.stamp == stamp && record.second_rounds != 1
        && record.minority_since == 0 && as_volatile(warp->groups[second].expected) == here;
    int alike;
    __match_all_sync(here, place, &alike);
    return __all_sync(here, ready && alike);
}

// Return the policy of the warp at `time`.
static __device__ __forceinline__ uint32_t current_policy(warp_t *warp, uint32_t time) {
    const uint32_t policy = load_plain(warp->policy);
    if (policy < TRIAL_FLAG) {
        return policy;
    }
    if ((int32_t)(time - load_plain(warp->trial_end)) > 0) {
        store_plain(warp->policy, policy >> TRIAL_SHIFT & 0xff);
    }
    return policy & 0xff;
}

// Return the rank of a lane in its cohort: call depth (12 bits), number of lanes at its place (6
// bits), and how low the bytecode offset of its place is (14 or 20 bits), as the policy says.
static __device__ __forceinline__ uint32_t rank_of(
    uint32_t policy, uint32_t cohort, uint32_t place, uint32_t depth) {
    const uint32_t offset = place >> 8;
    uint32_t rank = 0xfffff - min(offset, 0xfffffu);
    if (policy & GPUSNEK_POLICY_BY_COUNT) {
        const uint32_t lanes = (uint32_t)__popc(__match_any_sync(cohort, place));
        rank = lanes << 14 | (0x3fff - min(offset, 0x3fffu));
    }
    if (policy == GPUSNEK_POLICY_RANDOM) {
        return (ticks() ^ own_lane_mask()) * 0x9e3779b9u;
    }
    return policy & GPUSNEK_POLICY_ANY_DEPTH ? rank : rank | min(depth, 0xfffu) << 20;
}

// Return the lanes of a cohort whose rank is the greatest.
static __device__ __forceinline__ uint32_t highest_ranked(uint32_t cohort, uint32_t rank) {
#if __CUDA_ARCH__ >= 800
    return __ballot_sync(cohort, rank == __reduce_max_sync(cohort, rank));
#else
    uint32_t lanes = cohort;
    for (int bit = 31; bit >= 0; bit--) {
        const uint32_t some = lanes & __ballot_sync(cohort, rank >> bit & 1);
        lanes = some != 0 ? some : lanes;
    }
    return lanes;
#endif
}

// Execute one round of the barrier. Return whether the lane may execute its opcode. If not, it
// calls again: a loop in this function would not do, because the compiler lets lanes that entered
// it together wait for each other at its end, the lanes that may run for the lanes that may not.
extern "C" __device__ __noinline__ bool porter_meet(
    uint32_t *kept, uint32_t place, uint32_t depth) {
    lane_record_t *const own = (lane_record_t *)porter_private(kept);
    lane_record_t record = *own;
    warp_t *const warp = own_warp(record.stamp);
    const uint32_t stamp = (uint32_t)as_volatile(warp->stamp), lane = own_lane_mask();
    if (is_converged(warp, record, stamp, place)) {
        store_plain(warp->groups[record.second_rounds != 0].interval, record.interval + 1);
        record.deferrals = 0;
        record.second_rounds -= record.second_rounds != 0;
        record.last_seen = ticks();
        *own = record;
        return true;
    }
    const uint32_t time = ticks() | 1; // 0 means "none" in the record
    if (record.stamp != stamp) {
        record = {stamp, 0, 0, time, 0, 0, 0, 0};
    } else {
        convergence_group_t *const group = &warp->groups[record.second_rounds != 0];
        if (record.deferrals == 0) {
            const uint32_t took = record.arrive(time), interval = as_volatile(group->interval);
            // The lane has kept the others waiting without a poll. It sleeps so that they run: the
            // scheduler prefers a lane that never yields to lanes that poll.
            if (interval != 0 && took > deadline_of(interval - 1)
                && (as_volatile(group->expected) & ~lane) != 0) {
                __nanosleep(min(took, MAX_LATE_SLEEP_TICKS) * TICK_NANOSECONDS);
            }
        }
        if (record.change_group(ticks() | 1)) {
            atomicAnd(&group->expected, ~lane);
        }
    }
    const bool second = record.second_rounds != 0;
    convergence_group_t *const group = &warp->groups[second];
    uint32_t cohort = __match_any_sync(__activemask(), second);
    if (!__all_sync(cohort, as_volatile(group->expected) == cohort)) {
        cohort = wait_for_cohort(group, second, lane, record.interval);
    }
    // R1: lanes that read different policies would execute different collective operations.
    const uint32_t policy
        = __shfl_sync(cohort, current_policy(warp, time), __ffs((int)cohort) - 1);
    const uint32_t first = highest_ranked(cohort, rank_of(policy, cohort, place, depth));
    const bool runs = place == __shfl_sync(cohort, place, __ffs(first) - 1);
    const uint32_t running = __ballot_sync(cohort, runs);
    const int all = __popc(cohort), part = __popc(runs ? running : cohort & ~running);
    if (runs ? running != cohort && 2 * part <= all : 2 * part < all) {
        record.minority_since = ticks() | 1;
    }
    record.deferrals = runs || record.deferrals >= MAX_DEFERRALS ? 0 : record.deferrals + 1;
    record.last_seen = ticks();
    *own = record;
    return record.deferrals == 0;
}

// The converged lanes `lanes` of this warp begin to run their interpreters.
//
// The warp uses `policy`. If `trial` is not 0, the warp uses `next` when `trial` ticks have passed.
extern "C" __device__ __noinline__ void porter_warp_begin(
    uint32_t lanes, uint32_t policy, uint32_t next, uint32_t trial) {
    warp_t *const warp = own_warp(0);
    if (lowest_lane(lanes) == own_lane_mask()) {
        const uint32_t now = ticks();
        warp->policy = trial != 0 ? policy | next << TRIAL_SHIFT | TRIAL_FLAG : policy;
        warp->trial_end = now + trial;
        warp->began = now;
        warp->left = (uint32_t)__popc(lanes);
    }
    __syncwarp(lanes);
}

// A lane of porter_warp_begin() has run its interpreter. Return the ticks that the warp has taken,
// if the lane is the last one; else 0. Lanes whose threads were ended elsewhere do not come here,
// so their warps are not measured.
extern "C" __device__ __noinline__ uint32_t porter_warp_end(void) {
    warp_t *const warp = own_warp(0);
    return atomicSub(&warp->left, 1u) == 1 ? max(ticks() - as_volatile(warp->began), 1u) : 0;
}

extern "C" __device__ void porter_restart_hold(void) {
    PORTER_STATE->porter_released = porter_clock();
}

// Whether the other lanes reconverge in the VM without this lane: it is in the second group, or it
// has left `expected`, or its mean interval is above their deadline.
static __device__ __forceinline__ bool missed_deadline(
    const warp_t *warp, const lane_record_t &record) {
    if (record.stamp == 0 || load_plain(*(const uint32_t *)&warp->stamp) != record.stamp) {
        return false; // R7
    }
    const convergence_group_t &first = warp->groups[0];
    const uint32_t interval = load_plain(first.interval);
    return interval != 0
        && (record.second_rounds != 0 || (load_plain(first.expected) & own_lane_mask()) == 0
            || record.interval >> INTERVAL_SHIFT > deadline_of(interval - 1));
}

// Nested regions across calls, each with a convergence barrier of its own. `lanes` is always 0, so
// no region is entered, but the compiler cannot know it.
template <int LEVELS> static __device__ __forceinline__ void open_regions(uint32_t lanes) {
    if (lanes & 1) {
        porter_give_turn();
        open_regions<LEVELS - 1>(lanes >> 1);
        porter_give_turn();
    }
}

template <> __device__ __forceinline__ void open_regions<0>(uint32_t) {}

// Yield for `nanoseconds` and release the lanes that wait for this lane (R6). Convergence barriers
// belong to warps, not to calls. A lane is named in each barrier that a caller has set and no
// callee has cleared, and it blocks lanes that wait at another place for a barrier of the same
// number. This function uses all barriers that callees save. It has cleared them when it yields.
// lanes: 0.
extern "C" __device__ __noinline__ void porter_release_lanes(uint32_t lanes, uint32_t nanoseconds) {
    open_regions<CALLEE_SAVED_BARRIERS>(lanes);
    __nanosleep(nanoseconds);
    porter_give_turn();
}

// Safepoint poll outside native code (R5). kept: as of porter_meet(). A lane that missed the
// deadline releases at each poll and sleeps for the time since its last poll, if a lane has arrived
// since: the others may have ended.
extern "C" __device__ __noinline__ void porter_release_waiting(const uint32_t *kept) {
    warp_t *const warp = warp_of_thread();
    const uint32_t now = porter_clock();
    const bool missed = porter_one_of_us(missed_deadline(warp, *(const lane_record_t *)kept));
    if (!missed && !porter_one_of_us(now - PORTER_STATE->porter_released > MAX_HOLD_CYCLES)) {
        return;
    }
    uint32_t sleep = 0;
    if (missed) {
        store_plain(warp->groups[0].interval, 0);
        const uint32_t ran = (now - PORTER_STATE->porter_polled) >> TICK_SHIFT;
        sleep = min(ran, MAX_RELEASE_SLEEP_TICKS) * TICK_NANOSECONDS;
    }
    porter_release_lanes(0, sleep);
    porter_restart_hold();
}

extern "C" __device__ __noinline__ void porter_native_join(bool runs) {
    warp_t *const warp = own_warp(0);
    const uint32_t here = __activemask();
    if (lowest_lane(here) != own_lane_mask()) {
        return;
    }
    if (runs) {
        atomicOr(&warp->running, here);
    } else {
        atomicAnd(&warp->running, ~here);
    }
}

extern "C" __device__ __noinline__ uint32_t porter_native_enter(const uint32_t *kept) {
    warp_t *const warp = own_warp(((const lane_record_t *)kept)->stamp);
    const uint32_t lane = own_lane_mask();
    atomicOr(&warp->polled, lane);
    return lane & ~atomicOr(&warp->native, lane);
}

extern "C" __device__ __noinline__ void porter_native_end(const uint32_t *kept, uint32_t begun) {
    if (begun != 0) {
        atomicAnd(&own_warp(((const lane_record_t *)kept)->stamp)->native, ~begun);
    }
}

// Safepoint poll of native code (R5, R8). The lane has entered, so its entry is initialized (R7).
// Concurrent polls may overwrite each other; then a lane leaves native code that could have stayed.
extern "C" __device__ __noinline__ bool porter_native_holds(uint32_t *rounds, bool hasty) {
    warp_t *const warp = warp_of_thread();
    const uint32_t here = __activemask(), running = load_plain(warp->running);
    if (lowest_lane(here) == own_lane_mask()) {
        const uint32_t polled = load_plain(warp->polled) | here;
        const bool all = (running & ~polled) == 0;
        store_plain(warp->polled, all ? 0 : polled);
        store_plain(warp->round, load_plain(warp->round) + all);
    }
    __syncwarp(here);
    // High half: the round of the last poll. Low half: polls of this lane in that round.
    const uint32_t round = load_plain(warp->round);
    *rounds = (*rounds ^ round << 16) <= 0xffffu ? *rounds + 1 : round << 16;
    if ((running & ~load_plain(warp->native)) != 0) { // a lane needs its turn (R5)
        for (int i = 0; i < YIELDS_PER_POLL; i++) {
            porter_give_turn();
        }
    }
    const uint32_t unanswered = *rounds & 0xffffu;
    return __any_sync(
        here, unanswered >= (hasty ? MAX_UNANSWERED_ATOMIC_POLLS : MAX_UNANSWERED_POLLS));
}

#endif
