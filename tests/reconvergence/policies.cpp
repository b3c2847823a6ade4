// Policies: which lanes of 32 have the highest rank, compared with a sequential computation, when a
// trial ends, and which lane of a warp is the last one. Exits with 0 when all is as expected.
#include "warp.hpp"
static unsigned long long now;
static unsigned long long lane_clock() {
    return now;
}
#include "meeting.inc" // reconvergence.cu, without its PTX (test_meeting.py)

#include <algorithm>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

struct lane_t {
    uint32_t place, depth, count; // count: lanes of the cohort at the same place
};

// Whether lane a runs before lane b.
static bool is_before(uint32_t policy, const lane_t &a, const lane_t &b) {
    const bool deep = policy == GPUSNEK_POLICY_DEEPEST || policy == GPUSNEK_POLICY_DEEPEST_MOST;
    const bool most = policy == GPUSNEK_POLICY_MOST || policy == GPUSNEK_POLICY_DEEPEST_MOST;
    const auto key = [&](const lane_t &lane) {
        return std::make_tuple(deep ? -(int)lane.depth : 0, most ? -(int)lane.count : 0,
            (int)(lane.place >> 8));
    };
    return key(a) < key(b);
}

static void check_ranks(std::mt19937 &random, uint32_t policy) {
    const uint32_t cohort = (uint32_t)random() | 1u << random() % 32;
    std::array<lane_t, 32> lane;
    for (lane_t &one : lane) {
        one = {((uint32_t)random() % 4 * 9) << 8 | 33, (uint32_t)random() % 3, 0};
    }
    for (int i = 0; i < 32; i++) {
        for (int j = 0; j < 32; j++) {
            lane[i].count += (cohort >> j & 1) && lane[j].place == lane[i].place;
        }
    }
    std::array<uint32_t, 32> rank{};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 32; i++) {
        if (cohort >> i & 1) {
            threads.emplace_back([&, i] {
                threadIdx.x = i;
                rank[i] = rank_of(policy, cohort, lane[i].place, lane[i].depth);
            });
        }
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned j = 0; j < 32; j++) {
            if ((cohort >> i & 1) && (cohort >> j & 1)) {
                check((rank[i] > rank[j]) == is_before(policy, lane[i], lane[j]),
                    "ranks order lanes as the policy says");
            }
        }
    }
}

int main() {
    std::mt19937 random(1);
    for (int turn = 0; turn < 40; turn++) {
        for (uint32_t policy = 0; policy < GPUSNEK_POLICY_COUNT; policy++) {
            check_ranks(random, policy);
        }
    }
    threadIdx.x = 0;
    now = 5ull << TICK_SHIFT;
    porter_warp_begin(1, GPUSNEK_POLICY_MOST, GPUSNEK_POLICY_LEAST, 100);
    warp_t *const warp = own_warp(0);
    check(current_policy(warp, 105) == GPUSNEK_POLICY_MOST, "a trial lasts until its end");
    check(current_policy(warp, 106) == GPUSNEK_POLICY_MOST, "the trial ends after this round");
    check(current_policy(warp, 107) == GPUSNEK_POLICY_LEAST, "the next policy follows a trial");
    check(current_policy(warp, 5) == GPUSNEK_POLICY_LEAST, "a trial does not come back");
    now = 1005ull << TICK_SHIFT;
    check(porter_warp_end() == 1000, "the last lane gets the time of the warp");
    porter_warp_begin(1, GPUSNEK_POLICY_DEEPEST_MOST, 0, 0);
    warp->left = 3; // three lanes
    check(current_policy(warp, 1u << 31) == GPUSNEK_POLICY_DEEPEST_MOST, "without a trial");
    now = 1006ull << TICK_SHIFT;
    check(porter_warp_end() == 0 && porter_warp_end() == 0, "other lanes are still running");
    check(porter_warp_end() == 1, "the third lane is the last one");
}
