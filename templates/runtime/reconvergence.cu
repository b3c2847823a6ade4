// Lanes of a warp whose ways have parted meet again in the bytecode interpreter, but in builds made
// with `--no-reconverge`.
//
// The VM's loop has so many ways out that a compiler puts no convergence barrier in it: lanes that
// part in an instruction run alone from then on. So before an instruction of upstream's switch they
// come here. Whoever comes waits for the lanes that are expected, bounded; then all that wait go on
// as one group, in which the lanes at one place of the code run next and the others wait on. Which
// place: the one of the lane deepest in calls, and of these the least, which lets lanes that are
// behind catch up (S. Collange, "Stack-less SIMT reconvergence at low cost", 2011: min-SP-PC).
//
// Nobody waits for a lane that might not come. A group is made of lanes that wait here, each of
// which sees its bit in `called`; only they are named in a mask. A lane that does not come in time
// (it works in C, waits at a barrier, has ended) is not expected until it comes again. What is in
// time depends on how long lanes usually take from one meeting to the next, which is microseconds
// or, among many, hundreds of these. One that took much longer than that sleeps a while, so that others
// run: a processor lets a lane run on that never looks around, while others look whether it comes.
//
// In machine code of programs (native.h) lanes meet where the compiler has barriers for them: those
// that leave a loop early wait behind it for the others. A lane that never comes, or waits for one
// that waits there, would keep them. So each says that it looks around, and one that has done so many
// times while another never did leaves its machine code, which takes it out of all barriers. Lanes
// that run, but no machine code, are such others too: whoever leaves meets them in the VM.
//
// In C and in the VM's fast path lanes wait behind such barriers too, and who works there for long
// keeps them, or the processor. So once in some milliseconds it lets others go on (KEEPS), and at each
// look if they run without it anyhow. More often would break up lanes that would have met.
//
// A lane that looks there must not yield. Whom it calls has saved and cleared the barriers that its
// callers made, so lanes that get their turn then find none where they should wait, and never meet
// again (docs/lab/compiled.md, "Yields"). A compiler lets a lane yield in each function that has an
// atomic operation, or a volatile access, or another that is stronger than a plain one. So looking
// takes none, but where lanes that run are out of machine code, and want their turn.
//
// Lanes with much work of their own, an endless program's, would keep the others of their warp. So
// a warp has two rooms. A lane that for half of its time is of a group's smaller part, which runs
// while the larger one waits or waits while that one runs, goes to the other room. Who is there
// meets too.
#include <stdint.h>

#include "porter_runtime.h"

#if PORTER_RECONVERGE

#define WARPS 32      // of a block at most
#define LOOKS 300     // at `called`, before a group goes on without lanes that are expected,
#define FEW 16        // or so many, or
#define SURELY 4096u  // TICKs, if it takes
#define PATIENCE 32u  // times as long as is usual from one meeting to the next, and
#define LEAST 32u     // TICKs more
#define ROUNDS 200    // that a lane waits for others, until it runs whoever else runs
#define GRACE 16000u  // TICKs beyond half of its time that take a lane to the other room
#define STAY 4000u    // rounds that it stays there, unless it is of a smaller part again
#define SLEEP 512u    // TICKs at most of a lane that took longer than that
#define REST 1900u    // or of one that is left behind: a millisecond, the most that there is
#define LONGEST 0xfffffu  // TICKs from one meeting to the next that count: half a second
#define USUAL 3       // 1 / (1 << USUAL) is what the last time counts in an average
#define HELD 256u     // times that a lane looks around in machine code while another never does,
#define HELD_SOON 2u  // or so many, if it uses atomics, until it leaves
#define TURNS 16      // that lanes out of machine code get at each look of one in it
#define KEEPS (1u << 23) // cycles that a lane keeps those that wait for it: some milliseconds
#define NESTS 6       // regions, for which a compiler takes all barriers that callees save
#define TICK 10       // a TICK is 1 << TICK cycles: half a microsecond,
#define NANOSECONDS 520u  // or about so many

// Lanes of one warp that wait for each other.
struct room_t {
    uint32_t expected; // lanes that are worth waiting for
    uint32_t waiting;  // lanes that wait, and are in no group yet
    uint32_t called;   // the group that is being made; 0: none
    uint32_t usual;    // one more than account_t has, of a lane that met; 0: none since others asked
};

// `stamp` says whose it is: shared memory has any value when a block begins, and a user's kernel
// may have used it.
struct warp_t {
    unsigned long long stamp;
    room_t rooms[2];
    uint32_t running; // lanes of a launch that has machine code of programs, until they have ended
    uint32_t native;  // of these, those in machine code
    uint32_t looked;  // those that looked around in this round, which ends when all have
    uint32_t round;
};

static __shared__ warp_t warps[WARPS];

template <typename T> static __device__ __forceinline__ volatile T &now(T &value) {
    return value;
}

// As now(), but no yield comes of these.
static __device__ __forceinline__ uint32_t in_shared(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}

static __device__ __forceinline__ uint32_t glance(const uint32_t &word) {
    uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(in_shared(&word)));
    return value;
}

static __device__ __forceinline__ void put(uint32_t &word, uint32_t value) {
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(in_shared(&word)), "r"(value));
}

static __device__ __forceinline__ uint32_t lowest(uint32_t lanes) {
    return lanes & (0u - lanes);
}

static __device__ __forceinline__ uint32_t own_lane(void) {
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return 1u << lane;
}

// Odd, and another one for each block of each launch.
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

// The warp's entry, ready for use. One lane makes it so; an even stamp says that it is at work. known:
// half of the stamp, of a lane that has been here in this launch; 0: it has not.
static __device__ __forceinline__ warp_t *own_warp(uint32_t known) {
    warp_t *const warp = warp_of_thread();
    if (__builtin_expect(known != 0 && (uint32_t)now(warp->stamp) == known, 1)) {
        return warp;
    }
    const unsigned long long ready = block_stamp(), busy = ready ^ 1;
    for (;;) {
        const unsigned long long stamp = now(warp->stamp);
        if (stamp == ready) {
            return warp;
        }
        if (stamp != busy && atomicCAS(&warp->stamp, stamp, busy) == stamp) {
            for (room_t &room : warp->rooms) {
                now(room.expected) = 0;
                now(room.waiting) = 0;
                now(room.called) = 0;
                now(room.usual) = 0;
            }
            now(warp->native) = 0;
            now(warp->looked) = 0;
            now(warp->running) = 0;
            __threadfence_block();
            now(warp->stamp) = ready;
        }
    }
}

static __device__ __forceinline__ uint32_t ticks(void) {
    unsigned long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));
    return (uint32_t)(cycles >> TICK);
}

// What is long from one meeting to the next, where so much is usual.
static __device__ __forceinline__ uint32_t too_long(uint32_t usual) {
    return (usual >> USUAL) * PATIENCE + LEAST;
}

// Waits for the expected lanes of a room, or until it takes too long for one that usually takes
// `usual`, as account_t has it. Returns the group, which is converged.
static __device__ __forceinline__ uint32_t gather(
    room_t *room, bool second, uint32_t lane, uint32_t usual) {
    const uint32_t here = __match_any_sync(__activemask(), second), begun = ticks();
    const bool leads = lowest(here) == lane;
    if (leads) {
        now(room->usual) = usual + 1;
        atomicOr(&room->expected, here);
        __threadfence_block();
        atomicOr(&room->waiting, here);
    }
    uint32_t group;
    for (int looks = 0;; looks++) {
        group = now(room->called);
        if (group & lane) {
            break;
        }
        if (group == 0 && leads) {
            const uint32_t waiting = now(room->waiting), expected = now(room->expected);
            const uint32_t took = ticks() - begun;
            const bool late = looks >= LOOKS
                || (took > too_long(usual) && (looks >= FEW || took > SURELY));
            // Who takes them out of `waiting` calls them, so no lane is called twice.
            if ((waiting & lane) == 0 || ((expected & ~waiting) != 0 && !late)
                || atomicCAS(&room->waiting, waiting, 0u) != waiting) {
                continue;
            }
            if (late) {
                atomicAnd(&room->expected, waiting);
            }
            while (atomicCAS(&room->called, 0u, waiting) != 0) {
            }
        }
    }
    __syncwarp(group);
    if (lowest(group) == lane) {
        now(room->called) = 0;
    }
    __syncwarp(group);
    return group;
}

// How a lane spent its time. Its interpreter keeps that (PORTER_MEETING_WORDS, hooks.h).
struct account_t {
    uint32_t block;  // half of the stamp, whose clock that is; 0 when a launch begins
    uint32_t stays;  // how many more rounds it stays in the second room; 0: it is in the first
    uint32_t rounds; // that it has waited before the instruction that comes next
    uint32_t since;  // when it came to its room
    uint32_t small;  // TICKs of these that it was of a smaller part
    uint32_t left;   // since when it is, 0: it is not
    uint32_t seen;   // when it was here last
    uint32_t usual;  // TICKs << USUAL until it came again, an average

    // At `time`, from an instruction of its own. Returns how long that took.
    __device__ __forceinline__ uint32_t come(uint32_t time) {
        const uint32_t took = time - seen;
        usual += min(took, LONGEST) - (usual >> USUAL);
        return took;
    }

    __device__ __forceinline__ void enter(uint32_t stay, uint32_t time) {
        stays = stay;
        since = time;
        small = 0;
    }

    // Up to `time`. Whether the lane goes to the other room, where it is then.
    __device__ __forceinline__ bool settle(uint32_t time) {
        small += left != 0 ? time - left : 0;
        left = 0;
        if (small > (time - since) / 2 + GRACE || stays == 1) {
            enter(stays != 0 ? 0 : STAY, time);
            return true;
        }
        stays -= stays != 0;
        return false;
    }
};

// Whether all that are expected in a lane's room are here, at one place, and none of them has to
// settle: most lanes that come are of a warp some of whose lanes have ended.
static __device__ __forceinline__ bool together(
    const warp_t *warp, const account_t &account, uint32_t block, uint32_t place) {
    const bool second = account.stays != 0;
    const uint32_t group = __match_any_sync(__activemask(), second);
    const bool ready = account.block == block && account.stays != 1 && account.left == 0
        && now(warp->rooms[second].expected) == group;
    int alike;
    __match_all_sync(group, place, &alike);
    return __all_sync(group, ready && alike);
}

// The lanes of a group whose rank is the greatest.
static __device__ __forceinline__ uint32_t foremost(uint32_t group, uint32_t rank) {
#if __CUDA_ARCH__ >= 800
    return __ballot_sync(group, rank == __reduce_max_sync(group, rank));
#else
    uint32_t lanes = group;
    for (int bit = 31; bit >= 0; bit--) {
        const uint32_t some = lanes & __ballot_sync(group, rank >> bit & 1);
        lanes = some != 0 ? some : lanes;
    }
    return lanes;
#endif
}

// One round. A lane that waits comes again: all leave this function together, for a compiler has
// lanes that came together wait at its end for each other.
extern "C" __device__ __noinline__ bool porter_meet(
    uint32_t *kept, uint32_t place, uint32_t depth) {
    account_t account = *(const account_t *)kept;
    warp_t *const warp = own_warp(account.block);
    const uint32_t block = (uint32_t)now(warp->stamp), lane = own_lane();
    if (together(warp, account, block, place)) {
        put(warp->rooms[account.stays != 0].usual, account.usual + 1);
        account.rounds = 0;
        account.stays -= account.stays != 0;
        account.seen = ticks();
        *(account_t *)kept = account;
        return true;
    }
    const uint32_t time = ticks() | 1;
    if (account.block != block) {
        account = {block, 0, 0, time, 0, 0, 0, 0};
    } else {
        room_t *const room = &warp->rooms[account.stays != 0];
        if (account.rounds == 0) {
            const uint32_t took = account.come(time), usual = now(room->usual);
            if (usual != 0 && took > too_long(usual - 1) && (now(room->expected) & ~lane) != 0) {
                __nanosleep(min(took, SLEEP) * NANOSECONDS);
            }
        }
        if (account.settle(ticks() | 1)) {
            atomicAnd(&room->expected, ~lane);
        }
    }
    const bool second = account.stays != 0;
    room_t *const room = &warp->rooms[second];
    const uint32_t rank = min(depth, 0xfffu) << 20 | (0xfffff - min(place >> 8, 0xfffffu));
    uint32_t group = __match_any_sync(__activemask(), second);
    if (!__all_sync(group, now(room->expected) == group)) {
        group = gather(room, second, lane, account.usual);
    }
    const uint32_t first = foremost(group, rank);
    const bool runs = place == __shfl_sync(group, place, __ffs(first) - 1);
    const uint32_t running = __ballot_sync(group, runs);
    const int all = __popc(group), part = __popc(runs ? running : group & ~running);
    if (runs ? running != group && 2 * part <= all : 2 * part < all) {
        account.left = ticks() | 1;
    }
    account.rounds = runs || account.rounds >= ROUNDS ? 0 : account.rounds + 1;
    account.seen = ticks();
    *(account_t *)kept = account;
    return account.rounds == 0;
}

extern "C" __device__ void porter_keeps(void) {
    PORTER_STATE->porter_let_go = porter_clock();
}

// Whether others meet in the VM without this lane: it went to the second room, or they have stopped
// waiting for it, or it takes much longer from one meeting to the next than they do.
static __device__ __forceinline__ bool left_behind(const warp_t *warp, const account_t &account) {
    if (account.block == 0 || glance(*(const uint32_t *)&warp->stamp) != account.block) {
        return false;
    }
    const room_t &room = warp->rooms[0];
    const uint32_t usual = glance(room.usual);
    return usual != 0
        && (account.stays != 0 || (glance(room.expected) & own_lane()) == 0
            || account.usual >> USUAL > too_long(usual - 1));
}

// Never true, which a compiler cannot know: regions in regions, across calls, each with a barrier of
// its own.
template <int LEVELS> static __device__ __forceinline__ void nest(uint32_t lanes) {
    if (lanes & 1) {
        porter_give_turn();
        nest<LEVELS - 1>(lanes >> 1);
        porter_give_turn();
    }
}

template <> __device__ __forceinline__ void nest<0>(uint32_t) {}

// Others run for so long, and whoever waits for this lane goes on. Barriers belong to warps, not to
// calls: a lane is named in each that one of its callers has made and no callee has cleared, and
// holds those that wait at another place behind a barrier of the same number. So this function uses
// all that are saved by callees, and has cleared them when it yields. lanes: 0.
extern "C" __device__ __noinline__ void porter_let_go(uint32_t lanes, uint32_t nanoseconds) {
    nest<NESTS>(lanes);
    __nanosleep(nanoseconds);
    porter_give_turn();
}

// kept: as of porter_meet(). A lane that is left behind gives others as much time as it took since it
// looked around last, if one has met since then: all may have ended.
extern "C" __device__ __noinline__ void porter_let_others(const uint32_t *kept) {
    warp_t *const warp = warp_of_thread();
    const uint32_t now = porter_clock();
    const bool behind = porter_one_of_us(left_behind(warp, *(const account_t *)kept));
    if (!behind && !porter_one_of_us(now - PORTER_STATE->porter_let_go > KEEPS)) {
        return;
    }
    uint32_t sleep = 0;
    if (behind) {
        put(warp->rooms[0].usual, 0);
        sleep = min((now - PORTER_STATE->porter_looked) >> TICK, REST) * NANOSECONDS;
    }
    porter_let_go(0, sleep);
    porter_keeps();
}

extern "C" __device__ __noinline__ void porter_native_join(bool runs) {
    warp_t *const warp = own_warp(0);
    const uint32_t here = __activemask();
    if (lowest(here) != own_lane()) {
        return;
    }
    if (runs) {
        atomicOr(&warp->running, here);
    } else {
        atomicAnd(&warp->running, ~here);
    }
}

extern "C" __device__ __noinline__ uint32_t porter_native_enter(const uint32_t *kept) {
    warp_t *const warp = own_warp(((const account_t *)kept)->block);
    const uint32_t lane = own_lane();
    atomicOr(&warp->looked, lane);
    return lane & ~atomicOr(&warp->native, lane);
}

extern "C" __device__ __noinline__ void porter_native_end(const uint32_t *kept, uint32_t begun) {
    if (begun != 0) {
        atomicAnd(&own_warp(((const account_t *)kept)->block)->native, ~begun);
    }
}

// The lane's entry is ready, for it has entered. A look that another one overtakes may be lost, and
// somebody leaves who might stay.
extern "C" __device__ __noinline__ bool porter_native_holds(uint32_t *rounds, bool hasty) {
    warp_t *const warp = warp_of_thread();
    const uint32_t here = __activemask(), running = glance(warp->running);
    if (lowest(here) == own_lane()) {
        const uint32_t looked = glance(warp->looked) | here;
        const bool all = (running & ~looked) == 0;
        put(warp->looked, all ? 0 : looked);
        put(warp->round, glance(warp->round) + all);
    }
    __syncwarp(here);
    // In its low half how often this lane looked around in the round that its high half has.
    const uint32_t round = glance(warp->round);
    *rounds = (*rounds ^ round << 16) <= 0xffffu ? *rounds + 1 : round << 16;
    if ((running & ~glance(warp->native)) != 0) {
        for (int i = 0; i < TURNS; i++) {
            porter_give_turn();
        }
    }
    return __any_sync(here, (*rounds & 0xffffu) >= (hasty ? HELD_SOON : HELD));
}

#endif
