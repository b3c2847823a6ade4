// Limits of one interpreter: the number of steps of a program, and its run time.
//
// Problem: the VM, C loops and native code take a step at each branch or turn, so a step must cost
// no more than a decrement and a test.
//
// Mechanism: steps are granted in windows of at most MICROPY_GPUSNEK_POLL_INTERVAL steps.
// gpusnek_poll_budget counts the steps left of the current window. The code that takes the last one
// calls gpusnek_poll() (mphalport.c), which opens the next window here and checks the clock.
//
// States: `reached` is GPUSNEK_OK while the program may run. GPUSNEK_OUT_OF_STEPS or _OUT_OF_TIME
// ends the program by a hard stop, and stays until gpusnek_limits_begin() or
// gpusnek_limits_suspend().
//
// Invariants:
//   S1  steps taken = steps_given - steps_left - gpusnek_poll_budget.
//   S2  A program with a limit of N steps is granted N + 1, so that the limit is reached by the
//       first step beyond N.
//   S3  After a limit was reached, the window has one step: code that runs while the program
//       unwinds, for example a finaliser, ends at its first step.
#include "hooks.h"
#include "port.h"
#include "py/mpconfig.h"
#include "reconvergence.h"

uint32_t gpusnek_poll_budget; // steps left of the window; its last step calls gpusnek_poll()
uint32_t gpusnek_meetings[PORTER_MEETING_WORDS]; // the account of porter_meet(): hooks.h

void gpusnek_meet_nobody(void) {
    gpusnek_meetings[0] = 0;
}

static uint64_t max_steps; // set by gpusnek_limit_to(); 0: no limit
static uint64_t deadline_ns; // nanoseconds after the start; 0: no limit

static uint64_t steps_given; // granted in all (S2)
static uint64_t steps_left; // granted, but in no window yet (S1)
static uint64_t time_began; // porter_clock_ns() at the start
static uint64_t time_given; // nanoseconds; UINT64_MAX: no deadline
static int reached; // the limit that ends the program, or GPUSNEK_OK

// Moves steps from steps_left to a new window, or sets `reached` if none are left.
static void open_window(void) {
    const uint64_t left = steps_left;
    if (left == 0) {
        reached = GPUSNEK_OUT_OF_STEPS;
        return;
    }
    gpusnek_poll_budget =
        left < MICROPY_GPUSNEK_POLL_INTERVAL ? (uint32_t)left : MICROPY_GPUSNEK_POLL_INTERVAL;
    steps_left = left - gpusnek_poll_budget;
}

// Starts counting `steps` steps and `time` nanoseconds; UINT64_MAX: no limit.
static void begin(uint64_t steps, uint64_t time) {
    reached = GPUSNEK_OK;
    steps_given = steps;
    steps_left = steps;
    time_given = time;
    if (time != UINT64_MAX) {
        time_began = porter_clock_ns();
    }
    open_window();
}

void gpusnek_limits_suspend(void) {
    begin(UINT64_MAX, UINT64_MAX);
}

void gpusnek_limits_lift(void) {
    max_steps = deadline_ns = 0;
    gpusnek_limits_suspend();
}

void gpusnek_limit_to(uint64_t steps, uint64_t nanoseconds) {
    max_steps = steps;
    deadline_ns = nanoseconds;
}

void gpusnek_limits_begin(bool compiles) {
    // The steps of compilation are proportional to the source's length, which the caller controls.
    const bool endless = compiles || max_steps == 0;
    begin(endless ? UINT64_MAX : max_steps + 1, deadline_ns ? deadline_ns : UINT64_MAX);
}

void gpusnek_limits_lend(gpusnek_limits_t *saved, uint64_t steps, bool timed) {
    saved->given = steps_given;
    saved->left = steps_left;
    saved->time = time_given;
    saved->budget = gpusnek_poll_budget;
    saved->reached = reached;
    if (!timed) {
        reached = GPUSNEK_OK;
        time_given = UINT64_MAX;
    }
    if (reached == GPUSNEK_OK) { // otherwise the work ends at its first step (S3)
        const bool fewer = timed && max_steps != 0 && max_steps < steps;
        steps_given = steps_left = fewer ? max_steps + 1 : steps;
        open_window();
    }
}

void gpusnek_limits_return(const gpusnek_limits_t *saved) {
    steps_given = saved->given;
    steps_left = saved->left;
    time_given = saved->time;
    gpusnek_poll_budget = saved->budget;
    reached = saved->reached;
}

bool gpusnek_limits_reopen(void) {
    if (reached == GPUSNEK_OK && gpusnek_poll_budget == 0) {
        open_window();
    }
    return reached == GPUSNEK_OK;
}

// Invariant: the result is that of porter_poll_look() in porter_runtime.h, without the poll.
bool gpusnek_limits_take(uint32_t steps) {
    const uint32_t left = gpusnek_poll_budget;
    if (left > steps) {
        gpusnek_poll_budget = left - steps;
        return true;
    }
    if (reached != GPUSNEK_OK || steps_left == 0) {
        return false;
    }
    open_window();
    const uint32_t owed = steps - left;
    gpusnek_poll_budget = gpusnek_poll_budget > owed ? gpusnek_poll_budget - owed : 1;
    return true;
}

int gpusnek_limits_look(void) {
    gpusnek_limits_reopen();
    if (reached == GPUSNEK_OK && time_given != UINT64_MAX
        && porter_clock_ns() - time_began >= time_given) {
        reached = GPUSNEK_OUT_OF_TIME;
        steps_left += gpusnek_poll_budget - 1; // the window's rest was not taken (S1)
    }
    if (reached != GPUSNEK_OK) {
        gpusnek_poll_budget = 1; // S3, for finalisers and exit functions
    }
    return reached;
}

// Takes `steps` steps, and shortens the window to one step, so that the next step polls (S1).
// Called by the allocator, which must not poll, before the work on a large object.
void gpusnek_look_soon(size_t steps) {
    if (reached == GPUSNEK_OK && gpusnek_poll_budget > 0) {
        steps_left += gpusnek_poll_budget - 1;
        gpusnek_poll_budget = 1;
        steps_left = steps_left > steps ? steps_left - steps : 0;
    }
}

int gpusnek_limit(void) {
    return reached;
}

void gpusnek_limits_expire(void) {
    if (reached == GPUSNEK_OK) {
        reached = GPUSNEK_OUT_OF_TIME;
        steps_left += gpusnek_poll_budget; // the window's rest was not taken (S1)
        gpusnek_poll_budget = 0;
    }
}

uint64_t gpusnek_limits_end(void) {
    return time_given == UINT64_MAX ? UINT64_MAX : time_began + time_given;
}

uint64_t gpusnek_steps(void) {
    return steps_given - steps_left - gpusnek_poll_budget;
}
