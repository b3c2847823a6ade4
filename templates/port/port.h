// Internal declarations of the port's files. interp.h has the interface to the runtime.
#ifndef GPUSNEK_PORT_H
#define GPUSNEK_PORT_H

#include "interp.h"
#include "py/obj.h"

// Copies of the runtime's parameters. lifecycle.c writes them (gpusnek_start(), gpusnek_attach()); all
// units of the port read them.
extern gpusnek_boot_t gpusnek_boot;
extern gpusnek_io_t gpusnek_io;

extern const mp_obj_type_t gpusnek_block_device_type;
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_add_obj);
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_min_obj);
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_max_obj);
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_exchange_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(gpusnek_atomic_cas_obj);
extern const mp_obj_base_t gpusnek_outbuf_obj;

// Writes text to stdout or stderr (console.c). May raise KeyboardInterrupt while it waits for the
// host.
void gpusnek_output_write(gpusnek_output_t *output, const char *text, size_t size);
// From now on drops text for stdout, or no longer does.
void gpusnek_output_drop(bool drops);
// Sends buffered text out, including an incomplete line.
void gpusnek_output_flush(void);
// Returns the next byte of stdin, or -1 at its end. May raise KeyboardInterrupt while it waits for
// the host.
int gpusnek_input_byte(void);
// Returns whether gpusnek_input_byte() would return without waiting.
bool gpusnek_input_ready(void);
// Reset the clock and the interrupt state for a launch, and the random state for an interpreter.
void gpusnek_clock_attach(void);
void gpusnek_random_start(void);
// Applies GPUSNEK_GC_STRESS and fail_allocation; called when the interpreter has booted.
void gpusnek_gc_start(void);
// Marks the heap object that `word` points to or into, if any. Called during a collection.
void gpusnek_collect_word(uintptr_t word);
// Returns whether `object`, which is on the heap, is marked. Called after the mark phase.
bool gpusnek_lives(const void *object);
// Mounts gpusnek_boot's file system region at "/". Raises OSError if that fails.
void gpusnek_fs_mount(void);
// Handles the exception `raised` that ended a protected call: prints its traceback and returns a
// status. compiled: whether compilation succeeded, so that a SyntaxError is one of the running
// program.
int gpusnek_report(void *raised, bool compiled);
// For gpusnek_lack(): clear the last program's diagnosis, and diagnose the exception that ended
// this program (lack.c).
void gpusnek_lack_start(void);
// As gpusnek_lack_start(), and for gpusnek_ran_out(), where a program begins.
void gpusnek_lack_of_program(void);
void gpusnek_lack_of(mp_obj_t exception);
// Answers a REPL's question, a source of kind GPUSNEK_CONTINUE or GPUSNEK_COMPLETE (repl.c).
// Returns a status; may raise.
int gpusnek_ask(const char *source, size_t length, int kind);
// Polls the interrupt word and the limits. Raises nothing; unwinds if the program must end.
void gpusnek_poll(void);
// Polls from native code, where other lanes of the warp may wait for this interpreter.
void gpusnek_poll_quietly(void);

// Limits (limits.c). gpusnek_limits_begin() starts counting towards the limits of
// gpusnek_limit_to(). compiles: without a limit of steps, for compilation.
void gpusnek_limits_begin(bool compiles);
// Suspends the limits until the next gpusnek_limits_begin(). gpusnek_limits_lift() also removes
// them.
void gpusnek_limits_suspend(void);
void gpusnek_limits_lift(void);
// Grants limits to work of the port itself, and saves the program's until gpusnek_limits_return().
// At most `steps` steps, but no more than the program's limit if `timed`; `timed`: the program's
// deadline stays. UINT64_MAX and false: no limits.
typedef struct _gpusnek_limits_t {
    uint64_t given;
    uint64_t left;
    uint64_t time;
    uint32_t budget;
    int reached;
} gpusnek_limits_t;
void gpusnek_limits_lend(gpusnek_limits_t *saved, uint64_t steps, bool timed);
void gpusnek_limits_return(const gpusnek_limits_t *saved);
// Opens the next window of steps if this one is used up, and checks the clock. Returns the status
// of the limit that was reached, or GPUSNEK_OK. gpusnek_limit() returns the last result.
int gpusnek_limits_look(void);

// Opens the next window if the last one is used up. Returns whether no limit is known to be
// reached; does not look at the clock.
bool gpusnek_limits_reopen(void);
int gpusnek_limit(void);
// Takes `steps` steps, and makes the next step poll.
void gpusnek_look_soon(size_t steps);
// Lets the program run out of time now.
void gpusnek_limits_expire(void);
// Clears the time account of porter_meet(), which is valid within one launch. Called when a launch
// begins.
void gpusnek_meet_nobody(void);
// Returns the deadline as a value of porter_clock_ns(); UINT64_MAX: none.
uint64_t gpusnek_limits_end(void);

#endif
