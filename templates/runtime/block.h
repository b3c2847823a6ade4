// A block of interpreters on the host twin: they share a barrier and one thread.
#ifndef GPUSNEK_BLOCK_H
#define GPUSNEK_BLOCK_H

#include <memory>
#include <vector>

#include "fiber.h"
#include "launch.h"

// C stack below the limit that the port enforces, for what is called without a check.
#define GPUSNEK_FIBER_SLACK 65536u
#ifdef __SANITIZE_ADDRESS__
#define GPUSNEK_STACK_FACTOR 4 // red zones around every local
#else
#define GPUSNEK_STACK_FACTOR 1
#endif

enum Phase {
    PHASE_NEW,
    PHASE_READY,   // can go on
    PHASE_WAITING, // at the barrier
    PHASE_DONE,
};

// One of a block, as the barrier sees it: an interpreter, or a thread of a user's kernel.
struct Turn {
    Phase phase;
    int32_t status;
    uint64_t until; // of porter_clock_ns(): waits at the barrier no longer
    bool alone;     // in its launch: there is nobody to give way to
    void *kept;     // of gpusnek_turn_memory
};

extern thread_local Turn *gpusnek_turn; // who has it

// One pool thread's memory: C stacks and scratch arenas, reused from interpreter to interpreter.
class Worker {
public:
    explicit Worker(const gpusnek_launch_t *launch);
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    // Whether another block is to be opened: none is open, or those that are have run for long and
    // may never end, which must not keep others from beginning.
    bool wants_block() const;
    // The interpreters of threads [first, first + count) of the launch, from their beginnings.
    void open_block(uint64_t first, uint32_t count);
    bool has_blocks() const { return !blocks_.empty(); }
    // A turn for each interpreter of the open blocks that can go on. Blocks that ended are closed.
    void go_round();

    struct Interpreter;

private:
    struct Block;

    static void enter(void *interpreter);
    bool begin(Interpreter *interpreter);
    void go_round(Block *block);
    void step(Interpreter *interpreter);
    void finish(Interpreter *interpreter);

    const gpusnek_launch_t *launch_;
    uint64_t stride_;
    size_t stack_size_;
    std::vector<char *> free_stacks_;
    std::vector<char *> free_slots_; // scratch arenas
    std::vector<std::unique_ptr<Block>> blocks_;
    uint64_t opened_ = 0; // porter_clock_ns() when the last of them was
};

// The running interpreter waits for all of its block that have not ended, until `end` at most.
void gpusnek_barrier(uint64_t end = UINT64_MAX);

// The running interpreter lets the others of its block go on for a while.
void gpusnek_pause();

// The running interpreter, which has something to do, lets others go on now and then: it may be
// waiting for what one of them does.
void gpusnek_give_way();

// Memory of the running interpreter outside its arena, which goes when it ends; once. NULL: none.
void *gpusnek_turn_memory(size_t size);

// The running interpreter ends at once with `status`; the others go on.
[[noreturn]] void gpusnek_end_here(int32_t status);

#endif
