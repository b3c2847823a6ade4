// Blocks of the host twin. The interpreters of a block are fibers of one thread and share a
// barrier.
//
// Problem: syncthreads() must wait for all interpreters of a block, and a launch has more
// interpreters than threads can be made.
//
// Mechanism: a Worker, one per thread of the pool, opens blocks and gives each interpreter that can
// continue a turn. A turn ends when the interpreter yields: at a barrier, in a pause, or at its
// end.
//
// States: Phase (turn.h). docs/reference/architecture.md, "Shared tables and locks", has the
// diagram.
//
// Invariants:
//   B1  All fibers of a block run on the worker's thread. No two of them run at the same time, so
//       they need neither locks nor atomics.
//   B2  `gpusnek_turn` is the running fiber's Turn, and null between turns.
//   B3  An interpreter in PHASE_WAITING becomes PHASE_READY only when no interpreter of its block
//       is PHASE_READY or PHASE_NEW, or when its time is over.
//
// Progress: an interpreter that waits at the barrier depends on the interpreters of its own block
// only. A block that runs for long does not delay others: the worker opens the next block beside
// it (LONG_BLOCK_NS).
#ifndef GPUSNEK_BLOCK_H
#define GPUSNEK_BLOCK_H

#include <memory>
#include <vector>

#include "fiber.h"
#include "launch.h"
#include "turn.h"

// Bytes of C stack below the limit that the port enforces, for functions that the port calls
// without a check of the limit, among them printf of the C library.
#define GPUSNEK_FIBER_SLACK 65536u
#ifdef __SANITIZE_ADDRESS__
#define GPUSNEK_STACK_FACTOR 4 // AddressSanitizer puts red zones around every local variable
#else
#define GPUSNEK_STACK_FACTOR 1
#endif

// Runs blocks on one thread of the pool. Owns C stacks and scratch arenas, which interpreters reuse
// one after the other.
class Worker {
public:
    explicit Worker(const gpusnek_launch_t *launch);
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    // Whether to open another block: none is open, or the open blocks have run for LONG_BLOCK_NS
    // and may never end.
    bool wants_block() const;
    // Opens the block of the launch's threads [first, first + count).
    void open_block(uint64_t first, uint32_t count);
    bool has_blocks() const { return !blocks_.empty(); }
    // Gives a turn to each interpreter of the open blocks that can continue. Closes ended blocks.
    void go_round();

    struct Interpreter;

private:
    struct Block;
    struct Scratch {
        char *slot; // the arena's first byte
        gpusnek_booted_t booted;
    };

    static void enter(void *interpreter);
    bool begin(Interpreter *interpreter);
    void go_round(Block *block);
    void step(Interpreter *interpreter);
    void finish(Interpreter *interpreter);

    const gpusnek_launch_t *launch_;
    uint64_t stride_;
    size_t stack_size_;
    std::vector<char *> free_stacks_;
    std::vector<Scratch> free_slots_;
    std::vector<std::unique_ptr<Block>> blocks_;
    uint64_t opened_ = 0; // porter_clock_ns() when the last block was opened
};

#endif
