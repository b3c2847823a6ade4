// Where the time goes, on the host twin: a thread looks again and again at what each thread of the
// launch executes, and adds 1 to that instruction's row (profile.h).
#include "profile_host.h"

#if PORTER_PROFILE

#include <chrono>
#include <system_error>

static thread_local std::atomic<gpusnek_profile_t *> *turn;

void porter_profile_watch(gpusnek_profile_t *profile) {
    if (turn) {
        turn->store(profile, std::memory_order_release);
    }
}

Sampler::Sampler(const gpusnek_launch_t *launch, int threads) : turns_((size_t)threads) {
    if (launch->profile) {
        try {
            thread_ = std::thread(&Sampler::sample, this);
        } catch (const std::system_error &) {
            // no more threads to be had: nothing is known of time
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
    turn = thread < (int)turns_.size() ? &turns_[(size_t)thread].profile : nullptr;
}

void Sampler::leave() {
    turn = nullptr;
}

// The VM may be on its way from function to function: what does not fit together is no sample.
static void found(gpusnek_profile_t *profile) {
    const volatile gpusnek_profile_t *const seen = profile;
    const uint64_t rows = seen->rows, ip = seen->ip;
    const uint64_t row = rows + ip * sizeof(gpusnek_profile_row_t), room = (uint64_t)profile;
    const bool inside = row >= room + sizeof(gpusnek_profile_t)
        && row <= room + seen->used - sizeof(gpusnek_profile_row_t);
    if (seen->rows == rows && inside) {
        ((gpusnek_profile_row_t *)row)->time++;
    }
}

// At uneven times, or a loop that takes as long as the time between two would always be found at one
// place.
void Sampler::sample() {
    uint32_t random = 1;
    while (!over_) {
        random = random * 1664525u + 1013904223u;
        std::this_thread::sleep_for(std::chrono::microseconds(100 + random % 256));
        for (Turn &turn : turns_) {
            gpusnek_profile_t *profile = turn.profile.load(std::memory_order_acquire);
            if (profile) {
                found(profile);
            }
        }
    }
}

#endif
