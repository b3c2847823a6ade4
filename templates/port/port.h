// Shared by the port's own files, not part of its interface.
#ifndef GPUSNEK_PORT_H
#define GPUSNEK_PORT_H

#include "interp.h"
#include "py/obj.h"

// Copies of what the runtime gave; every unit of the port reads them, interp.c writes them.
extern gpusnek_boot_t gpusnek_boot;
extern gpusnek_io_t gpusnek_io;

extern const mp_obj_type_t gpusnek_block_device_type;
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_add_obj);
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_min_obj);
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_max_obj);
MP_DECLARE_CONST_FUN_OBJ_3(gpusnek_atomic_exchange_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN(gpusnek_atomic_cas_obj);
extern const mp_obj_base_t gpusnek_outbuf_obj;

// Text for stdout or stderr (console.c). May raise KeyboardInterrupt while it waits for the host.
void gpusnek_output_write(gpusnek_output_t *output, const char *text, size_t size);
// Lines without an end go out now.
void gpusnek_output_flush(void);
// The next byte of stdin, or -1 at its end. While it waits for the host it may raise too.
int gpusnek_input_byte(void);
// Whether gpusnek_input_byte() would not wait.
bool gpusnek_input_ready(void);
// Restarts the clock, the random state and the interrupt state for a new launch or interpreter.
void gpusnek_clock_attach(void);
void gpusnek_random_start(void);
// Applies GPUSNEK_GC_STRESS and fail_allocation; call once the interpreter is up.
void gpusnek_gc_start(void);
// During a collection: marks what `word` points to or into, if that is on the heap.
void gpusnek_collect_word(uintptr_t word);
// During a collection that has marked what lives: whether `object`, which is on the heap, does.
bool gpusnek_lives(const void *object);
// Mounts gpusnek_boot's region at "/". Raises OSError when it cannot.
void gpusnek_fs_mount(void);
// What a protected call that raised `raised` ended with: prints the traceback, returns a status.
// `compiled`: the source was, so that a SyntaxError is the program's own.
int gpusnek_report(void *raised, bool compiled);
// For gpusnek_lack: forget the last program's, and look at what ended this one.
void gpusnek_lack_start(void);
void gpusnek_lack_of(mp_obj_t exception);
// Sources of the kinds GPUSNEK_CONTINUE and GPUSNEK_COMPLETE; returns a status, may raise.
int gpusnek_ask(const char *source, size_t length, int kind);
// Looks at the interrupt word and at the limits now; raises nothing except what ends the program.
void gpusnek_poll(void);
// The same in machine code, where others of a GPU's warp may wait for this interpreter.
void gpusnek_poll_quietly(void);

// Limits (limits.c). Begin: what gpusnek_limit_to was told counts from here on. Lift: there are none.
void gpusnek_limits_begin(bool compiles);
// Until the next gpusnek_limits_begin there are no limits; gpusnek_limits_expire ends what runs.
void gpusnek_limits_suspend(void);
void gpusnek_limits_lift(void);
// For work of the port's own: at most `steps` steps, but no more than the program may take, and what is
// left of its time if `timed`. UINT64_MAX, false: no limits. Until they are returned, what the program
// was given waits in `saved`.
typedef struct _gpusnek_limits_t {
    uint64_t given;
    uint64_t left;
    uint64_t time;
    uint32_t budget;
    int reached;
} gpusnek_limits_t;
void gpusnek_limits_lend(gpusnek_limits_t *saved, uint64_t steps, bool timed);
void gpusnek_limits_return(const gpusnek_limits_t *saved);
// Gives out the next window if this one is used up, and looks at the clock. Returns the limit that
// was reached, a status, or GPUSNEK_OK; gpusnek_limit says it again.
int gpusnek_limits_look(void);
int gpusnek_limit(void);
// The next poll looks, whatever was left of the window; no step is lost by it.
void gpusnek_look_soon(void);
// The program is out of time now.
void gpusnek_limits_expire(void);
// When a launch begins: what porter_meet() kept is of no worth in it.
void gpusnek_meet_nobody(void);
// When the deadline is, of porter_clock_ns(); UINT64_MAX: never.
uint64_t gpusnek_limits_end(void);

#endif
