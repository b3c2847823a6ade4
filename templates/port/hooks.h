// What the port asks of the runtime. Host twin and device build each provide these.
#ifndef GPUSNEK_HOOKS_H
#define GPUSNEK_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

// Calls scan(lowest, context) with every callee-saved register's value in memory at or above
// `lowest`, an address on this interpreter's C stack below every live frame.
void porter_gc_flush(void (*scan)(void *lowest, void *context), void *context);

// Bytes of one register: 4 on a GPU, where a pointer takes two.
unsigned int porter_register_bytes(void);

// Nanoseconds of a clock that never goes back; its zero means nothing.
uint64_t porter_clock_ns(void);

// `pointer` itself, which must be to memory of this interpreter alone: with arenas in local memory
// the compiler then reads and writes it with the instructions for local memory.
void *porter_private(const void *pointer);

// This interpreter's own memory by number, which takes one register where a pointer takes two.
// `base`, `pointer` and what is read or written, 64 bits at a multiple of 8, lie in one object.
uint32_t porter_own(const void *base, const void *pointer);
uint64_t porter_own_load(const void *base, uint32_t own, int32_t offset);
void porter_own_store(void *base, uint32_t own, int32_t offset, uint64_t value);

// Whether reading a word and taking it apart beats reading its bytes. A constant.
int porter_prefers_words(void);

// The instruction at `ip` comes next, in the fast path's loop or in upstream's switch. Nothing, but
// for the host twin that records what interpreters do.
void porter_trace_bytecode(const void *ip, int fast);

// Whether upstream's switch would run different instructions, or only some of a warp's lanes, as it
// runs `opcode`: lanes of a GPU whose ways have parted. Elsewhere, and in builds made with
// `--no-reconverge`, it is a constant, false.
bool porter_parted(unsigned int opcode);

// Waits a while for the other lanes of the warp. Returns whether this one may run its instruction
// now; if not, it comes again. The first run: those deepest in calls, and of these the ones at the
// least place (of the instruction in its function's code, 24 bits, and its opcode). kept: how its
// interpreter has spent its time; words of which the first is 0 when a launch begins.
#define PORTER_MEETING_WORDS 8
bool porter_meet(uint32_t *kept, uint32_t place, uint32_t depth);

// From here on this interpreter runs, or does no longer, in a launch that has machine code.
void porter_native_join(bool runs);

// Lanes that are here together come to machine code of programs, which some enter and the others wait
// for, perhaps; and one leaves it. begun: what the first gave. kept: as of porter_meet(). Elsewhere
// than on GPUs whose lanes meet these are nothing, and so is the next.
uint32_t porter_native_begin(const uint32_t *kept, bool enters);
void porter_native_end(const uint32_t *kept, uint32_t begun);

// Whether machine code must be left at once, for other lanes of the warp may wait for this one where
// their ways meet. rounds: its own, of the interpreter. hasty: it has used atomics, which it may do
// to wait for one of these.
bool porter_native_holds(uint32_t *rounds, bool hasty);

// What `word` holds, which the host writes. Lanes of a GPU stay where they wait for each other.
uint32_t porter_peek(const volatile uint32_t *word);

// Whether machine code of bytecode may run in this build (native.h). A constant.
int porter_native(void);

// A gpusnek_native_run_t for a field `run` (interp.h).
void *porter_native_run(uint64_t run);

// What profiling builds count; in other builds each of these is nothing (profile_hooks.h).
// mpconfigport.h has those that upstream's files call: the heap is asked for a block; new code is
// at `bytecode`; the VM leaves `frame` for the C code that called it.
//
// The VM is about to run in `frame`, its code state, the `bytecode` of `function`; `caller` called
// it, or C code where that is NULL. Returns what porter_profile_bytecode needs for its
// instructions.
void *porter_profile_frame(const void *frame, const void *caller, const void *bytecode,
    const void *function);
void porter_profile_bytecode(void *counts, const void *ip); // the instruction at `ip` comes next
void porter_profile_collects(void); // a collection begins

// Called again and again while an interpreter waits for the clock: give way to others.
void porter_pause(void);

// Called now and then by an interpreter that runs on: others of its block may need its processor.
void porter_give_way(void);

// Called as often. Other lanes of its warp may wait for this one, where their ways meet or for a turn:
// where it has kept them for long, it lets them go on. kept: as of porter_meet(). porter_keeps: nobody
// has waited for long. Elsewhere than on GPUs whose lanes meet these are nothing.
void porter_let_others(const uint32_t *kept);
void porter_keeps(void);

// Called within long work that takes no steps: the other lanes of a warp whose ways have parted may
// run. Costs next to nothing, and calls nothing.
void porter_yield(void);

// Waits until all interpreters of the block that have not ended are here; on the host twin at most
// until porter_clock_ns() is `end`. A GPU's barrier has no such end.
void porter_syncthreads(uint64_t end);

// One atomic operation on an item of array's `typecode` (i I l L q Q f d), aligned to its size.
// `operand`, `expected` and what comes back (the old value) are the item's bytes, zero-extended.
#define PORTER_ATOMIC_ADD (0) // integers wrap around
#define PORTER_ATOMIC_MIN (1)
#define PORTER_ATOMIC_MAX (2)
#define PORTER_ATOMIC_EXCHANGE (3)
#define PORTER_ATOMIC_CAS (4) // stores operand where the item's bytes are those of expected
uint64_t porter_atomic(int operation, char typecode, void *address, uint64_t operand,
    uint64_t expected);

// Compare and swap, and read, a word in memory that interpreters share: in one order for all of
// them, and no other access moves across. Returns what stood there.
uint64_t porter_cas64(volatile uint64_t *at, uint64_t expected, uint64_t desired);
uint64_t porter_load64(const volatile uint64_t *at);

// With fences (porter/config.py): memory outside its own that this interpreter may reach from now
// on. porter_lend: until the launch ends. porter_keep: in later launches too, until porter_drop.
// Without fences these do nothing.
void porter_lend(const void *data, uint64_t size, int writable);
void porter_keep(const void *data, uint64_t size, int writable);
void porter_drop(const void *data, uint64_t size);

// Shows text at once, in a way of the runtime's own: output of size GPUSNEK_CONSOLE.
void porter_console(const char *text, unsigned long size);

// Shows text that GPUSNEK_PRINT sends out: by device printf, or on the process's stdout.
void porter_print(const char *text, unsigned long size);

// The host sees what was written before this before what is written after it.
void porter_publish(void);

// Whether a fence has refused an access of this interpreter, which is to end.
int porter_refused(void);

// The port's own: raises what a recursion that is too deep raises.
_Noreturn void porter_stack_overflow(void);

// The port's own: raises what a sandbox raises where it refuses something.
_Noreturn void porter_refuse(void);

// While this is on, a sandbox loads code that the port itself compiled or has verified.
void porter_trust(bool trusted);

// A broken invariant: ends this interpreter with GPUSNEK_STATUS_ABORT. Never called for anything
// that a Python program can do.
_Noreturn void porter_fatal(const char *message);

#endif
