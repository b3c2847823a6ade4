// Compare highest_ranked() of 32 lanes with a sequential computation. Exits with 0 when they agree.
#include "warp.hpp"
static unsigned long long lane_clock() {
    return 0;
}
#include "meeting.inc" // reconvergence.cu, without its PTX (test_meeting.py)

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

int main() {
    std::mt19937 random(1);
    for (int turn = 0; turn < 300; turn++) {
        const uint32_t group = (uint32_t)random() | 1u << random() % 32;
        // Alternate between few ranks, which are often equal, and full words, which test each bit.
        std::array<uint32_t, 32> rank;
        for (uint32_t &one : rank) {
            one = turn % 2 ? (uint32_t)random() : (uint32_t)random() % 4 << turn % 30;
        }
        uint32_t most = 0, expected = 0, wrong = 0;
        for (int lane = 0; lane < 32; lane++) {
            most = group >> lane & 1 ? std::max(most, rank[lane]) : most;
        }
        for (int lane = 0; lane < 32; lane++) {
            expected |= (group >> lane & 1) && rank[lane] == most ? 1u << lane : 0;
        }
        std::vector<std::thread> lanes;
        for (unsigned lane = 0; lane < 32; lane++) {
            if (group >> lane & 1) {
                lanes.emplace_back([&, lane] {
                    threadIdx.x = lane;
                    if (highest_ranked(group, rank[lane]) != expected) {
                        __atomic_fetch_or(&wrong, 1u << lane, __ATOMIC_SEQ_CST);
                    }
                });
            }
        }
        for (std::thread &lane : lanes) {
            lane.join();
        }
        if (wrong != 0) {
            rendezvous.fail("highest_ranked() is wrong", wrong);
        }
    }
}
