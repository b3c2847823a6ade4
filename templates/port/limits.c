// Limits of one interpreter: how many steps a program may take, and how long it may run.
//
// A step is what takes one from gpusnek_poll_budget. Steps are given out in windows, so that taking
// one is a decrement; the step for which there is no window is the first one too many.
#include "hooks.h"
#include "port.h"
#include "py/mpconfig.h"

uint32_t gpusnek_poll_budget; // steps left of the window; who takes the last one calls gpusnek_poll
uint32_t gpusnek_meetings[PORTER_MEETING_WORDS]; // what porter_meet() keeps (hooks.h)

void gpusnek_meet_nobody(void) {
    gpusnek_meetings[0] = 0;
}

static uint64_t max_steps; // as gpusnek_limit_to has them
static uint64_t deadline_ns;

static uint64_t steps_given; // in all: one more than the program may take
static uint64_t steps_left; // of these, behind the window
static uint64_t time_began; // porter_clock_ns()
static uint64_t time_given; // nanoseconds; UINT64_MAX: no deadline
static int reached; // the limit that ends the program, or GPUSNEK_OK

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
    // Compiling takes steps as the source is long, which whoever gives limits has in hand.
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
    if (reached == GPUSNEK_OK) { // else the first step ends it
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

int gpusnek_limits_look(void) {
    if (reached == GPUSNEK_OK && gpusnek_poll_budget == 0) {
        open_window();
    }
    if (reached == GPUSNEK_OK && time_given != UINT64_MAX
        && porter_clock_ns() - time_began >= time_given) {
        reached = GPUSNEK_OUT_OF_TIME;
        steps_left += gpusnek_poll_budget - 1; // what the window still had was not taken
    }
    if (reached != GPUSNEK_OK) {
        gpusnek_poll_budget = 1; // finalisers and exit functions end at their first step
    }
    return reached;
}

// A step may have taken long that is no loop's: the next one looks. As many are left as before.
void gpusnek_look_soon(void) {
    if (reached == GPUSNEK_OK && gpusnek_poll_budget > 1) {
        steps_left += gpusnek_poll_budget - 1;
        gpusnek_poll_budget = 1;
    }
}

int gpusnek_limit(void) {
    return reached;
}

void gpusnek_limits_expire(void) {
    if (reached == GPUSNEK_OK) {
        reached = GPUSNEK_OUT_OF_TIME;
        steps_left += gpusnek_poll_budget; // what the window still had was not taken
        gpusnek_poll_budget = 0;
    }
}

uint64_t gpusnek_limits_end(void) {
    return time_given == UINT64_MAX ? UINT64_MAX : time_began + time_given;
}

uint64_t gpusnek_steps(void) {
    return steps_given - steps_left - gpusnek_poll_budget;
}
