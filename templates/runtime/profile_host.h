// The sampler of a profiling build of the host twin. Empty functions in other builds.
//
// Problem: reading the clock at each instruction would take longer than most instructions.
//
// Mechanism: one thread per launch samples what the launch's threads execute. Each thread has a
// Turn, in which it publishes the profile of its running interpreter.
//
// Invariants:
//   P1  Only the thread of a Turn writes `profile`. Only the sampler uses `spent` once `runs` is
//       set.
//   P2  A profile outlives the sampler: the launch's counter buffers belong to the host.
//   P3  The sampler discards a sample during which `moves` has changed or was odd (profile.h), so
//       it never mixes ip and rows of different functions.
//   P4  Only the sampler writes `time` and `samples` of a profile.
//
// Memory order: `profile` and `runs` are stored with release and loaded with acquire. `moves` and
// the fields around it are a sequence lock with one writer.
#ifndef GPUSNEK_PROFILE_HOST_H
#define GPUSNEK_PROFILE_HOST_H

#include "arena_layout.h"

#if PORTER_PROFILE

#include <atomic>
#include <thread>
#include <time.h>
#include <vector>

// Publish that the calling thread runs the interpreter that counts in `profile`; null: none.
extern "C" void porter_profile_watch(gpusnek_profile_t *profile);

// Publish that the turn of the interpreter at `base` begins. Null: no turn, or of an interpreter
// that boots and has no profile yet.
static inline void profile_turn(char *base) {
    porter_profile_watch(base ? (gpusnek_profile_t *)gpusnek_head(base)->profile : nullptr);
}

// Samples the threads of one launch, from its construction to its destruction.
class Sampler {
public:
    Sampler(const gpusnek_launch_t *launch, int threads);
    ~Sampler();
    void join(int thread); // called by thread `thread` of the launch before its first turn
    void leave();          // called by the thread after its last turn

private:
    struct alignas(64) Turn {
        std::atomic<gpusnek_profile_t *> profile{nullptr};
        std::atomic<bool> runs{false}; // `clock` and `spent` are valid
        clockid_t clock;               // processor time of the thread
        uint64_t spent;                // value of the clock at the last sample, nanoseconds
    };
    void sample();

    std::vector<Turn> turns_;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

#else

static inline void profile_turn(char *) {}

class Sampler {
public:
    Sampler(const gpusnek_launch_t *, int) {}
    void join(int) {}
    void leave() {}
};

#endif

#endif
