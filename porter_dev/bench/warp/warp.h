// State of a simulated warp: convergence barriers, fragments of lanes, and a policy's groups.
#ifndef PORTER_WARP_WARP_H
#define PORTER_WARP_WARP_H

#include "lanes.h"

#include <deque>
#include <memory>

struct Model {
    uint32_t stops; // bits: lanes regroup before upstream's switch (1), in the fast path (2)
    uint32_t policy; // index in POLICIES
    uint32_t rounds; // the policy's limit of waiting rounds
    uint32_t patience; // instructions of the warp that lanes wait for a member; 0: for ever
    uint32_t cost; // instructions of a round in which lanes are at different bytecode instructions
    uint32_t agreed; // instructions of a round in which all lanes are at the same instruction
    uint32_t whole; // whether all lanes of the warp form one group
    uint32_t reentry; // whether functions that call themselves have barriers
    uint32_t calls_meet; // whether lanes that called different functions reconverge after the calls
};

// Why a fragment has fewer lanes than the warp: the block of divergence, lanes before and after.
struct Origin {
    std::shared_ptr<Origin> parent;
    uint32_t block;
    uint32_t before, after;
};
typedef std::shared_ptr<Origin> Cause;

// Lanes that run in lockstep, all in the same block.
struct Fragment {
    std::vector<uint32_t> lanes;
    Cause cause;
};

// A convergence barrier: the lanes that diverged, and which of them have arrived.
struct Scope {
    uint32_t block; // the reconvergence point; NONE: the return to the caller
    int32_t loop; // a lane that leaves this loop leaves the barrier
    uint32_t parted; // the block of divergence
    uint32_t before; // number of lanes at the divergence
    uint32_t pending; // lanes that have neither arrived nor left
    std::vector<uint32_t> arrived;
    Cause cause;
};

// Lanes that entered the execution of one function's bytecode together.
struct Group {
    uint32_t members = 0, waiting = 0;
    uint64_t since = 0; // instructions of the warp when the first waiting lane arrived
    Cause cause;
};

struct Barrier {
    std::shared_ptr<Scope> scope;
    uint32_t depth; // of the activation in which the lanes diverged
};
struct Membership {
    std::shared_ptr<Group> group;
    uint32_t depth;
};

struct Thread : Lane {
    std::vector<Barrier> barriers;
    std::vector<Membership> groups;
    bool waits = false;
    uint32_t ip = 0, waited = 0;
    uint64_t ended = 0; // instructions of the warp at the lane's end; 0: it did not end
};

struct Warp {
    const Program &program;
    const Model &model;
    Counts &counts;
    std::vector<Thread> threads;
    std::deque<Fragment> running;

    static const int QUANTUM = 64; // blocks that a fragment runs before the next one runs

    void charge(uint32_t block, const Cause &cause);
    void complete(const std::shared_ptr<Scope> &scope);
    // Continue lanes that returned from a function, each in its next block of the caller.
    void returned(const Fragment &fragment);
    void leave(uint32_t lane);
    void drop_group(Thread &thread);
    // Return whether the lane waits at its innermost barrier. Leave barriers of loops that it left.
    bool arrives(uint32_t lane);
    // Move lanes with equal steps to their next block: some wait at a barrier, the others run.
    void go_on(Fragment fragment);
    void enter_vm(const Fragment &fragment);
    void stop(const Fragment &fragment, const std::vector<Step> &steps);
    void finish(const Fragment &fragment);
    void settle(const Fragment &fragment, const std::vector<Step> &steps);
    static bool equal(const Step &a, const Step &b);
    // Return whether lanes diverge at an indirect call, for which compilers place no barrier.
    static bool calls(const std::vector<Step> &steps);
    void meet_at(const Fragment &fragment, uint32_t parted, int32_t block, int32_t loop,
        const std::vector<uint32_t> &depths);
    // Create the barriers for lanes that diverge in `block`, from the outermost loop inwards.
    void prepare(const Fragment &fragment, uint32_t block, bool called,
        const std::vector<uint32_t> &depths);
    void part(const Fragment &fragment, uint32_t block, const std::vector<Step> &steps,
        const std::vector<uint32_t> &depths);
    // Advance the fragment from `block`, which has been issued.
    void advance(const Fragment &fragment, uint32_t block);
    void turn();
    // Let the policy choose which waiting lanes of a group run; the others wait for another round.
    void release(const std::vector<uint32_t> &waiting, const Cause &cause);
    std::vector<uint32_t> waiting(const Group *group) const;
    // Move the members that the group waits for in vain to a group of their own.
    void split(const std::shared_ptr<Group> &group);
    // Release complete groups; return whether any lane ran. stuck: no lane can run otherwise.
    bool regroup(bool stuck);
    void run();
};

#endif
