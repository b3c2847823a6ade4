// A warp whose lanes meet at convergence barriers, and where a policy regroups them.
#ifndef PORTER_WARP_WARP_H
#define PORTER_WARP_WARP_H

#include "lanes.h"

#include <deque>
#include <memory>

struct Model {
    uint32_t stops; // where lanes regroup: 1 before upstream's switch, 2 in the fast path, 0 nowhere
    uint32_t policy; // index in POLICIES
    uint32_t rounds; // the policy's bound
    uint32_t patience; // instructions of the warp that lanes wait for one of their group; 0: for ever
    uint32_t cost; // instructions of a round in which lanes stand at different ones
    uint32_t agreed; // of a round in which all stand at one
    uint32_t whole; // whether all lanes of the warp are one group
    uint32_t reentry; // whether functions that call themselves have barriers
    uint32_t calls_meet; // whether lanes that called different functions meet after the calls
};

// Why a fragment has fewer lanes than the warp: where they parted, how many there were and are.
struct Origin {
    std::shared_ptr<Origin> parent;
    uint32_t block;
    uint32_t before, after;
};
typedef std::shared_ptr<Origin> Cause;

// Lanes that run together, all in the same block.
struct Fragment {
    std::vector<uint32_t> lanes;
    Cause cause;
};

// A convergence barrier: lanes that parted, and those of them that are back.
struct Scope {
    uint32_t block; // where they meet; NONE: where the function returned to
    int32_t loop; // who leaves it no longer belongs to the scope
    uint32_t parted; // the block in which they parted
    uint32_t before; // how many
    uint32_t pending;
    std::vector<uint32_t> arrived;
    Cause cause;
};

// Lanes that entered the execution of one function's bytecode together.
struct Group {
    uint32_t members = 0, waiting = 0;
    uint64_t since = 0; // when the first of them came that waits
    Cause cause;
};

struct Barrier {
    std::shared_ptr<Scope> scope;
    uint32_t depth; // of the activation that it is in
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
    uint64_t ended = 0; // the warp's instructions until then; 0: it never did
};

struct Warp {
    const Program &program;
    const Model &model;
    Counts &counts;
    std::vector<Thread> threads;
    std::deque<Fragment> running;

    static const int QUANTUM = 64; // blocks that a fragment runs before others do

    void charge(uint32_t block, const Cause &cause);
    void complete(const std::shared_ptr<Scope> &scope);
    // Lanes are back from a function, each in its next block of the caller.
    void returned(const Fragment &fragment);
    void leave(uint32_t lane);
    void drop_group(Thread &thread);
    // Whether the lane waits at its innermost barrier, having left those of loops that it has left.
    bool arrives(uint32_t lane);
    // Lanes of equal steps are in their next block: some wait at a barrier there, the others run on.
    void go_on(Fragment fragment);
    void enter_vm(const Fragment &fragment);
    void stop(const Fragment &fragment, const std::vector<Step> &steps);
    void finish(const Fragment &fragment);
    void settle(const Fragment &fragment, const std::vector<Step> &steps);
    static bool equal(const Step &a, const Step &b);
    // Whether lanes part at a call of different functions, for which compilers have no barrier.
    static bool calls(const std::vector<Step> &steps);
    void meet_at(const Fragment &fragment, uint32_t parted, int32_t block, int32_t loop,
        const std::vector<uint32_t> &depths);
    // The barriers that lanes have which part in `block`, those of the outermost loop first.
    void prepare(const Fragment &fragment, uint32_t block, bool called,
        const std::vector<uint32_t> &depths);
    void part(const Fragment &fragment, uint32_t block, const std::vector<Step> &steps,
        const std::vector<uint32_t> &depths);
    // On from `block`, which has been issued.
    void advance(const Fragment &fragment, uint32_t block);
    void turn();
    // Lanes of one group go on from where they wait, or wait for another round.
    void release(const std::vector<uint32_t> &waiting, const Cause &cause);
    std::vector<uint32_t> waiting(const Group *group) const;
    // The lanes that the group waits for in vain make a group of their own.
    void split(const std::shared_ptr<Group> &group);
    // Whether some lanes went on from where they waited. stuck: nothing else will happen.
    bool regroup(bool stuck);
    void run();
};

#endif
