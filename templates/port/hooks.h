// Hooks: the functions that the port calls and the runtime provides. The host twin, the device
// build and the plain C reference build each implement them.
#ifndef GPUSNEK_HOOKS_H
#define GPUSNEK_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

// Call scan(lowest, context) with the values of all callee-saved registers in memory at or above
// `lowest`. `lowest` is an address on this interpreter's C stack below every live frame.
void porter_gc_flush(void (*scan)(void *lowest, void *context), void *context);

// Return the size of a register in bytes: 4 on a GPU, where a pointer takes two registers.
unsigned int porter_register_bytes(void);

// Return the nanoseconds of a monotonic clock with an arbitrary origin.
uint64_t porter_clock_ns(void);

// Return `pointer`, which must point to memory of this interpreter only. With arenas in local
// memory the compiler then uses local-memory instructions for accesses through the result.
void *porter_private(const void *pointer);

// Access to this interpreter's own memory by a 32-bit offset, which takes one register where a
// pointer takes two. `base` and `pointer` lie in one object. Accesses have 64 bits and are 8-byte
// aligned.
uint32_t porter_own(const void *base, const void *pointer);
uint64_t porter_own_load(const void *base, uint32_t own, int32_t offset);
void porter_own_store(void *base, uint32_t own, int32_t offset, uint64_t value);

// Return whether reading a word and extracting its bytes is faster than reading bytes. A constant.
int porter_prefers_words(void);

// Record that the instruction at `ip` runs next, in the fast path's loop or in upstream's switch.
// Only a host twin that records traces implements it; elsewhere it does nothing.
void porter_trace_bytecode(const void *ip, int fast);

// Return whether the lanes of the warp have diverged before `opcode`: upstream's switch would
// execute different opcodes, or would run with only some of the lanes. A constant false on the
// host, and in builds made with `--no-reconverge`.
bool porter_parted(unsigned int opcode);

// Wait, for a bounded time, for the other lanes of the convergence group. Return whether this lane
// may execute its instruction now; if not, the VM calls again. The lanes with the deepest call
// stack run first, and among these the lanes with the lowest place. `place`: the instruction's
// offset in its function's code (24 bits) and its opcode. `kept`: the scheduling account of the
// interpreter, PORTER_MEETING_WORDS words of which the first is 0 when a launch begins.
#define PORTER_MEETING_WORDS 8
bool porter_meet(uint32_t *kept, uint32_t place, uint32_t depth);

// Tell the warp that this interpreter starts or stops running in a launch with native code.
void porter_native_join(bool runs);

// porter_native_begin(): the converged lanes reach native code; `enters` says which lanes enter it.
// Returns a value for porter_native_end(), which a lane calls when it leaves. `kept`: as for
// porter_meet(). Both, and porter_native_holds(), do nothing except on GPUs in builds that
// reconverge.
uint32_t porter_native_begin(const uint32_t *kept, bool enters);
void porter_native_end(const uint32_t *kept, uint32_t begun);

// Return whether the lane must leave native code at once, because other lanes of the warp may wait
// at a convergence barrier for it. `rounds`: the interpreter's count of polls in the current round.
// `hasty`: the interpreter has used atomics, and may be spinning until a waiting lane makes
// progress.
bool porter_native_holds(uint32_t *rounds, bool hasty);

// Read a word that the host writes. Does not yield: lanes of a GPU stay converged.
uint32_t porter_peek(const volatile uint32_t *word);

// Return whether this build can run native code (native.h). A constant.
int porter_native(void);

// Return the gpusnek_native_run_t that a field `run` (interp.h) denotes.
void *porter_native_run(uint64_t run);

// Counters of profiling builds; in other builds these functions do nothing (profile_hooks.h).
// mpconfigport.h declares the counters that upstream's files call: the heap allocates a block; new
// code is at `bytecode`; the VM leaves `frame` and returns to its caller in C.
//
// porter_profile_frame(): the VM is about to run in `frame`, the code state of `function`, whose
// code is at `bytecode`. `caller` is the calling frame, or NULL if C code called. Returns the
// `counts` argument of porter_profile_bytecode() for the frame's instructions.
void *porter_profile_frame(const void *frame, const void *caller, const void *bytecode,
    const void *function);
void porter_profile_bytecode(void *counts, const void *ip); // before each instruction
void porter_profile_collects(void); // at the start of a collection

// Yield; an interpreter calls it repeatedly while it waits for the clock or the host.
void porter_pause(void);

// Yield the processor occasionally: a running interpreter calls it at polls, because other
// interpreters of its block may need the processor.
void porter_give_way(void);

// Return whether the last poll is so recent that a poll only has to open the next window of steps.
// A constant false on the host.
bool porter_polled_lately(void);

// porter_release_waiting(): called at the same polls. Releases lanes that have waited for this lane
// too long, at a convergence barrier or for a turn. `kept`: as for porter_meet().
// porter_restart_hold(): restart that time, because no lane has waited long. Both do nothing except
// on GPUs in builds that reconverge.
void porter_release_waiting(const uint32_t *kept);
void porter_restart_hold(void);

// Let the other lanes of a diverged warp run, within long work that takes no steps. Costs almost
// nothing and calls nothing.
void porter_yield(void);

// Wait until all interpreters of the block that have not ended arrive. The host twin waits at most
// until porter_clock_ns() reaches `end`; a GPU's barrier has no time limit.
void porter_syncthreads(uint64_t end);

// Perform one atomic operation on an item of array's `typecode` (i I l L q Q f d), aligned to its
// size. `operand`, `expected` and the result (the previous value) are the item's bytes,
// zero-extended.
#define PORTER_ATOMIC_ADD (0) // integers wrap on overflow
#define PORTER_ATOMIC_MIN (1)
#define PORTER_ATOMIC_MAX (2)
#define PORTER_ATOMIC_EXCHANGE (3)
#define PORTER_ATOMIC_CAS (4) // stores operand if the item's bytes equal expected
uint64_t porter_atomic(int operation, char typecode, void *address, uint64_t operand,
    uint64_t expected);

// Compare-and-swap, and load, of a word that interpreters share. Both are sequentially consistent:
// one order for all interpreters, and no other access moves across. Return the previous value.
uint64_t porter_cas64(volatile uint64_t *at, uint64_t expected, uint64_t desired);
uint64_t porter_load64(const volatile uint64_t *at);

// Grant this interpreter access to memory outside its arena, in builds with bounds checks
// (`--bounds-checks`, porter/config.py). porter_lend(): until the launch ends. porter_keep(): in later
// launches too, until porter_drop(). In other builds these functions do nothing.
void porter_lend(const void *data, uint64_t size, int writable);
void porter_keep(const void *data, uint64_t size, int writable);
void porter_drop(const void *data, uint64_t size);

// Show text at once by the runtime's own means: output of size GPUSNEK_CONSOLE.
void porter_console(const char *text, unsigned long size);

// Print text of a GPUSNEK_PRINT stream: by device printf, or on the process's stdout.
void porter_print(const char *text, unsigned long size);

// Memory barrier towards the host: earlier writes become visible before later ones.
void porter_publish(void);

// Return whether a bounds check of this interpreter has failed, so that it must end.
int porter_refused(void);

// Raise the RuntimeError of a recursion that is too deep. The port implements it (lifecycle.c).
_Noreturn void porter_stack_overflow(void);

// Raise OSError(EPERM), the sandbox's refusal. The port implements it (lifecycle.c).
_Noreturn void porter_refuse(void);

// Allow or forbid loading of code in a sandbox, around code that the port compiled or verified.
void porter_trust(bool trusted);

// Report a broken invariant and end this interpreter with GPUSNEK_STATUS_ABORT. No Python program
// can cause this call.
_Noreturn void porter_fatal(const char *message);

#endif
