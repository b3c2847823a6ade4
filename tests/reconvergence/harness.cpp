// Lanes that run different programs through porter_meet(). Arguments: a seed, the number of finite
// lanes, and the number of endless lanes. Exits with 0 when all finite lanes have ended.
#include "warp.hpp"
static unsigned long long lane_clock();
#include "meeting.inc" // reconvergence.cu, without its PTX (test_meeting.py)

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

static std::atomic<int> running;
static uint32_t policy; // of the warp

// A fast clock, so that lanes change convergence groups often.
static unsigned long long lane_clock() {
    return (unsigned long long)std::chrono::steady_clock::now().time_since_epoch().count() << 8;
}

static void lane(unsigned index, unsigned seed, bool endless) {
    threadIdx.x = index;
    std::mt19937 random(seed * 64 + index);
    uint32_t kept[PORTER_MEETING_WORDS] = {0};
    static_assert(sizeof kept == sizeof(lane_record_t));
    // Every lane begins by itself here: a trial of the policy, then the default.
    porter_warp_begin(own_lane_mask(), policy, GPUSNEK_POLICY_DEEPEST, 1 + random() % 4000);
    // Simulates a loop with calls: places, depths and iteration counts differ between lanes.
    const unsigned turns = 20 + random() % 60;
    for (unsigned turn = 0; endless ? running != 0 : turn < turns; turn++) {
        const unsigned steps = endless ? 1 : 1 + random() % 5;
        for (unsigned step = 0; step < steps; step++) {
            const uint32_t place = (step * 7 + (uint32_t)random() % 2) << 8 | 33;
            const uint32_t depth = endless ? 9 : (uint32_t)random() % 3;
            while (!porter_meet(kept, place, depth)) {
            }
        }
        if (random() % 8 == 0) { // long work
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        }
    }
    if (!endless) {
        running--;
    }
}

int main(int, char **argv) {
    const unsigned seed = (unsigned)atoi(argv[1]);
    const int finite = atoi(argv[2]), endless = atoi(argv[3]);
    // Shared memory contains data of an earlier kernel.
    std::mt19937 random(seed);
    for (warp_t &warp : warps) {
        const auto any = [&] { return (uint32_t)random(); };
        warp = {any(), {{any(), any(), any(), any()}, {any(), any(), any(), any()}},
            any(), any(), any(), any(), any(), any(), any()};
    }
    policy = seed % 3 == 0 ? GPUSNEK_POLICY_RANDOM : seed % GPUSNEK_POLICY_COUNT;
    running = finite;
    std::vector<std::thread> threads;
    for (int i = 0; i < finite + endless; i++) {
        threads.emplace_back(lane, i, seed, i >= finite);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    printf("all have ended\n");
}
