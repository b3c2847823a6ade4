// Releasing waiting lanes: at which polls a long-running lane releases the lanes of its warp that
// wait for it. A single thread simulates all lanes. Argument: the lane's number,
// not 9. Exits with 0 on success.
#include "warp.hpp"
static unsigned long long lane_clock();
#include "meeting.inc" // reconvergence.cu, without its PTX (test_meeting.py)

static unsigned long long cycles = 1ull << 33;

static unsigned long long lane_clock() {
    return cycles;
}

struct lane_t {
    unsigned index;
    uint32_t kept[PORTER_MEETING_WORDS] = {0};

    lane_record_t &record() {
        return *(lane_record_t *)kept;
    }
    void meet() {
        threadIdx.x = index;
        while (!porter_meet(kept, 33, 0)) {
        }
    }
    // Advance the clock by `worked` cycles and poll. Return whether the poll released the waiting
    // lanes.
    bool looks(unsigned worked) {
        threadIdx.x = index;
        cycles += worked;
        const unsigned before = turns;
        porter_release_waiting(kept);
        own_state.porter_polled = (uint32_t)cycles;
        return turns != before;
    }
};

int main(int, char **argv) {
    lane_t lane{(unsigned)atoi(argv[1])}, other{9};
    warps[0].stamp = 12345; // data of an earlier kernel in shared memory
    warps[0].groups[0] = {0, 0, 0, 1};
    own_state.porter_polled = (uint32_t)cycles;
    porter_restart_hold();
    check(!lane.looks(MAX_HOLD_CYCLES - 1), "others wait some milliseconds");
    check(lane.looks(2), "and no longer");
    check(!lane.looks(2), "those were let go just now");
    check(!lane.looks(MAX_HOLD_CYCLES / 2) && lane.looks(MAX_HOLD_CYCLES),
        "time counts from then on");
    threadIdx.x = lane.index;
    porter_restart_hold();

    const unsigned quick = 100u << TICK_SHIFT;
    lane.meet();
    check(!lane.looks(quick), "nobody goes on without it");
    other.meet(); // stops waiting for the first lane
    slept = 0;
    check(lane.looks(quick), "others go on without it");
    check(slept == 100 * TICK_NANOSECONDS, "they get as long as it took");
    check(!lane.looks(quick), "if one has met since then");
    other.meet();
    slept = 0;
    check(lane.looks(MAX_HOLD_CYCLES / 2), "one has, with nobody to wait for");
    check(slept == MAX_RELEASE_SLEEP_TICKS * TICK_NANOSECONDS && slept <= 1000000,
        "a GPU sleeps for a millisecond at most");

    lane.meet();
    other.meet();
    warps[0].groups[0].expected = 1u << lane.index | 1u << other.index;
    lane.record().interval = other.record().interval = 10u << INTERVAL_SHIFT;
    warps[0].groups[0].interval = other.record().interval + 1;
    check(!lane.looks(quick), "all meet");
    lane.record().second_rounds = 5;
    check(lane.looks(quick), "a lane of the second group is not waited for");
    lane.record().second_rounds = 0;
    warps[0].groups[0].interval = other.record().interval + 1;
    lane.record().interval = (10 * PATIENCE + MIN_PATIENCE_TICKS) << INTERVAL_SHIFT;
    check(!lane.looks(quick), "it takes longer than others, not much longer");
    lane.record().interval += 1u << INTERVAL_SHIFT;
    check(lane.looks(quick), "it takes much longer");
}
