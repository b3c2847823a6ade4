// Whose turn it is, for the sampler of a profiling build. In others all of it is nothing.
#ifndef GPUSNEK_PROFILE_HOST_H
#define GPUSNEK_PROFILE_HOST_H

#include "interpreter.h"

#if PORTER_PROFILE

#include <atomic>
#include <thread>
#include <time.h>
#include <vector>

// The calling thread runs the interpreter that counts in `profile`, or none.
extern "C" void porter_profile_watch(gpusnek_profile_t *profile);

// The turn of the interpreter at `base` goes on, of one that begins, or of none where it is null.
static inline void profile_turn(char *base) {
    porter_profile_watch(base ? (gpusnek_profile_t *)gpusnek_head(base)->profile : nullptr);
}

// Samples, as long as it lives, what the threads of one launch run.
class Sampler {
public:
    Sampler(const gpusnek_launch_t *launch, int threads);
    ~Sampler();
    void join(int thread); // called by thread number `thread` of the launch, before its turns
    void leave();          // and after them

private:
    struct alignas(64) Turn {
        std::atomic<gpusnek_profile_t *> profile{nullptr};
        std::atomic<bool> runs{false}; // then the clock is the thread's
        clockid_t clock;
        uint64_t spent; // of the clock, at the last look
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
