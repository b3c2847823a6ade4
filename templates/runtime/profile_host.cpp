// The sampler of a profiling build of the host twin (profile_host.h). It adds the processor time of
// each thread since its last sample to the row of the instruction that the thread executes.
#include "profile_host.h"

#if PORTER_PROFILE

#include <chrono>
#include <pthread.h>
#include <system_error>
#include <time.h>

static thread_local std::atomic<gpusnek_profile_t *> *turn;

void porter_profile_watch(gpusnek_profile_t *profile) {
    if (turn) {
        turn->store(profile, std::memory_order_release);
    }
}

// Read a thread's processor time in nanoseconds. Return false if the thread has ended.
static bool spent(clockid_t clock, uint64_t *nanoseconds) {
    timespec now;
    if (clock_gettime(clock, &now) != 0) {
        return false;
    }
    *nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return true;
}

Sampler::Sampler(const gpusnek_launch_t *launch, int threads) : turns_((size_t)threads) {
    if (launch->profile) {
        try {
            thread_ = std::thread(&Sampler::sample, this);
        } catch (const std::system_error &) {
            // The system has no more threads: the profile has counts but no times.
        }
    }
}

Sampler::~Sampler() {
    over_ = true;
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Sampler::join(int thread) {
    Turn &own = turns_[(size_t)thread];
    clockid_t clock;
    if (pthread_getcpuclockid(pthread_self(), &clock) == 0 && spent(clock, &own.spent)) {
        own.clock = clock;
        own.runs.store(true, std::memory_order_release);
        turn = &own.profile;
    }
}

void Sampler::leave() {
    turn = nullptr;
}

// Add a sample to the running instruction. Return false if the VM is changing the function (P3).
static bool found(gpusnek_profile_t *profile, uint64_t nanoseconds) {
    const volatile gpusnek_profile_t *const seen = profile;
    const uint64_t moves = seen->moves;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const uint64_t row = seen->rows + seen->ip * sizeof(gpusnek_profile_row_t);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (moves % 2 != 0 || seen->moves != moves) {
        return false;
    }
    ((gpusnek_profile_row_t *)row)->time += nanoseconds;
    profile->samples++;
    return true;
}

// Sample every 100 to 355 us. The interval is random, because with a constant one a loop of the
// same period would always be found at one instruction.
void Sampler::sample() {
    uint32_t random = 1;
    while (!over_) {
        random = random * 1664525u + 1013904223u;
        std::this_thread::sleep_for(std::chrono::microseconds(100 + (random >> 24)));
        for (Turn &turn : turns_) {
            uint64_t now;
            if (!turn.runs.load(std::memory_order_acquire) || !spent(turn.clock, &now)) {
                continue;
            }
            gpusnek_profile_t *const profile = turn.profile.load(std::memory_order_acquire);
            if (!profile || now == turn.spent || found(profile, now - turn.spent)) {
                turn.spent = now; // a discarded sample's time counts for the next one
            }
        }
    }
}

#endif
