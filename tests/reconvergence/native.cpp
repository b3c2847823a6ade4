// Leaving native code: a lane must leave if another lane in native code never polls. A single
// thread simulates all lanes in turn. Exits with 0 on success.
#include "warp.hpp"
static unsigned long long lane_clock() {
    return 0;
}
#include "meeting.inc" // reconvergence.cu, without its PTX (test_meeting.py)

#include <algorithm>
#include <numeric>
#include <vector>

struct lane_t {
    unsigned index;
    uint32_t kept[PORTER_MEETING_WORDS] = {0};
    uint32_t rounds = 0, begun = 0;

    void start() {
        threadIdx.x = index;
        porter_native_join(true);
    }
    void end() {
        threadIdx.x = index;
        porter_native_join(false);
    }
    void enter() {
        threadIdx.x = index;
        begun = porter_native_enter(kept);
    }
    bool must_leave(bool hasty = false) {
        threadIdx.x = index;
        return porter_native_holds(&rounds, hasty);
    }
    void leave() {
        threadIdx.x = index;
        porter_native_end(kept, begun);
    }
};

// Return the number of polls after which lane 0 must leave, or most + 1. All lanes poll, or,
// without `all`, every lane but the last.
static int looks(std::vector<lane_t> &lanes, int most, bool hasty, bool all) {
    for (int turn = 1; turn <= most; turn++) {
        for (size_t i = 1; i < lanes.size() - !all; i++) {
            lanes[i].must_leave();
        }
        if (lanes[0].must_leave(hasty)) {
            return turn;
        }
    }
    return most + 1;
}

int main(int, char **argv) {
    const unsigned count = (unsigned)atoi(argv[2]); // of lanes; the first argument is a seed
    std::mt19937 random((unsigned)atoi(argv[1]));
    for (warp_t &warp : warps) {
        warp.stamp = random(); // data of an earlier kernel in shared memory
        warp.native = random();
        warp.polled = random();
        warp.round = random();
        warp.running = random();
    }
    std::array<unsigned, 32> places;
    std::iota(places.begin(), places.end(), 0u);
    std::shuffle(places.begin(), places.end(), random);
    std::vector<lane_t> lanes;
    for (unsigned i = 0; i < count; i++) {
        lanes.push_back({places[i]});
    }
    for (lane_t &lane : lanes) {
        lane.start();
        lane.enter();
        check(lane.begun != 0, "a lane that enters is told so");
        const uint32_t before = lane.begun;
        lane.enter();
        check(lane.begun == 0, "a lane that is in native code enters no second time");
        lane.begun = before;
    }
    const int many = 3000;
    check(looks(lanes, many, false, true) > many, "a lane stays if all lanes poll equally often");
    if (count > 1) {
        const int usual = looks(lanes, many, false, false);
        check(usual >= (int)MAX_UNANSWERED_POLLS && usual <= 2 * (int)MAX_UNANSWERED_POLLS + 1,
            "a lane leaves if it polls alone");
        looks(lanes, 2, false, true); // a round ends
        const int soon = looks(lanes, many, true, false);
        check(soon >= (int)MAX_UNANSWERED_ATOMIC_POLLS
                && soon <= 2 * (int)MAX_UNANSWERED_ATOMIC_POLLS + 1,
            "a lane that uses atomics leaves soon");
    }
    turns = 0;
    check(looks(lanes, many, false, true) > many && turns == 0, "no lane yields without a need");
    if (count > 1) { // one lane runs outside of native code
        lanes.back().leave();
        const int usual = looks(lanes, many, false, false);
        check(usual >= (int)MAX_UNANSWERED_POLLS && usual <= 2 * (int)MAX_UNANSWERED_POLLS + 1,
            "a lane outside native code counts as a lane that does not poll");
        check(turns >= MAX_UNANSWERED_POLLS * YIELDS_PER_POLL,
            "a lane outside native code gets turns");
        lanes.back().end();
        check(looks(lanes, many, false, false) > many, "an ended lane is not waited for");
        turns = 0;
        lanes[0].must_leave();
        check(turns == 0, "an ended lane gets no turns");
        lanes.back().start();
        lanes.back().enter();
    }
    for (lane_t &lane : lanes) {
        lane.leave();
        lane.end();
    }
    check(warps[0].native == 0 && warps[0].running == 0, "all have left");
    printf("all have ended\n");
}
