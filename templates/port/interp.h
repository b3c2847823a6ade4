// The port's interface: the functions and data types by which the runtime runs one interpreter.
//
// Order of calls, with the interpreter's state struct in place: gpusnek_attach(), gpusnek_start(),
// any number of gpusnek_exec(), gpusnek_stop(), gpusnek_detach(). A later launch of the same
// interpreter calls gpusnek_attach(), then gpusnek_exec(). gpusnek_detach() ends each launch.
//
// Invariant: nothing here raises; every function reports by a status.
#ifndef GPUSNEK_INTERP_H
#define GPUSNEK_INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The runtime is not rewritten, so it defines this macro as the attribute that the rewriter gives
// every function.
#ifndef GPUSNEK_API
#define GPUSNEK_API
#endif

// Statuses of gpusnek_start, gpusnek_exec and gpusnek_stop.
enum gpusnek_statuses {
    GPUSNEK_OK = 0,
    GPUSNEK_EXCEPTION = 1, // an uncaught exception; its traceback is on stderr
    GPUSNEK_EXIT = 2, // SystemExit; gpusnek_exit_code() returns its code
    GPUSNEK_SYNTAX_ERROR = 3, // the source did not compile; the message is on stderr
    GPUSNEK_STOPPED = 4, // the host's hard stop (GPUSNEK_INTERRUPT_STOP)
    GPUSNEK_NO_MEMORY = 5, // the heap is too small to start an interpreter
    GPUSNEK_NO_FILE_SYSTEM = 6, // the file system region could not be mounted
    GPUSNEK_NOT_STARTED = 7, // gpusnek_exec or gpusnek_stop without a started interpreter
    GPUSNEK_MORE = 8, // CONTINUE: the statement needs more lines; COMPLETE: several completions
    GPUSNEK_OUT_OF_STEPS = 9, // the program exceeded the step limit of gpusnek_limit_to()
    GPUSNEK_OUT_OF_TIME = 10, // the program exceeded the time limit of gpusnek_limit_to()
    GPUSNEK_NO_ENTRY = 11, // gpusnek_call(): __main__ has no function of this name
};

// Types of source that gpusnek_exec() accepts.
enum gpusnek_kinds {
    GPUSNEK_FILE = 0, // a module's statements
    GPUSNEK_SINGLE = 1, // one interactive statement; prints an expression's value
    GPUSNEK_EVAL = 2, // one expression; keeps its value for gpusnek_value()
    // Questions of a REPL; nothing is compiled or run. source[length] must be 0.
    GPUSNEK_CONTINUE = 3, // is the statement incomplete? GPUSNEK_MORE or GPUSNEK_OK
    GPUSNEK_COMPLETE = 4, // which names complete the word at the end? Answered on stdout

    // Flags added to a type. COMPILE: only compile, and keep the shared code, a bytes object, as
    // the value. CODE: the source is shared code made with COMPILE. Interpreters execute it in
    // place, so it must outlive them.
    GPUSNEK_COMPILE = 8,
    GPUSNEK_CODE = 16,
};

// Types of binding for gpusnek_bind(): how it interprets `data`.
enum gpusnek_bind_kinds {
    GPUSNEK_BIND_MEMORY = 0, // a writable memoryview of `count` elements
    GPUSNEK_BIND_READ_ONLY = 1, // a read-only memoryview of `count` elements
    GPUSNEK_BIND_INT = 2, // int64_t
    GPUSNEK_BIND_UINT = 3, // uint64_t
    GPUSNEK_BIND_FLOAT = 4, // double
    GPUSNEK_BIND_BOOL = 5, // uint64_t; nonzero is True
    GPUSNEK_BIND_NONE = 6, // None; `data` is unused
    GPUSNEK_BIND_STR = 7, // `count` bytes of UTF-8
    GPUSNEK_BIND_BYTES = 8, // `count` bytes
    GPUSNEK_BIND_REVOKE = 9, // revoke access to `count` bytes, and delete the global
    GPUSNEK_BIND_FORGET = 10, // delete the global over `count` bytes; other names keep access
};

// Types of the value of gpusnek_value().
enum gpusnek_value_kinds {
    GPUSNEK_VALUE_NONE = 0, // no value
    GPUSNEK_VALUE_BOOL = 1, // 0 or 1
    GPUSNEK_VALUE_INT = 2, // int64_t
    GPUSNEK_VALUE_FLOAT = 3, // double
    GPUSNEK_VALUE_DATA = 4, // bytes in CPython's marshal format, to be fetched
    GPUSNEK_VALUE_WRAPPED = 5, // same, with objects for which marshal has no code
    GPUSNEK_VALUE_STR = 6, // bytes of UTF-8, to be fetched
    GPUSNEK_VALUE_BYTES = 7, // bytes of a bytes object, to be fetched
};

enum gpusnek_exception_sizes {
    GPUSNEK_EXCEPTION_BYTES = 1024, // size of a record with all its text
    GPUSNEK_EXCEPTION_FRAMES = 16, // maximum; half outermost, half innermost
};

enum gpusnek_exception_flags {
    GPUSNEK_EXCEPTION_NONE = 0, // no exception ended the program or call
    GPUSNEK_EXCEPTION_THERE = 1,
    GPUSNEK_EXCEPTION_TYPE_CUT = 2, // the type's name is truncated
    GPUSNEK_EXCEPTION_MESSAGE_CUT = 4, // the message is truncated
    GPUSNEK_EXCEPTION_MESSAGE_ARGUMENT = 8, // str() failed: the message is the first argument
    GPUSNEK_EXCEPTION_MESSAGE_MISSING = 16, // str() failed and the first argument is no str
    GPUSNEK_EXCEPTION_FRAMES_OMITTED = 32, // the record omits frames
    GPUSNEK_EXCEPTION_NAMES_CUT = 64, // a file's or function's name is truncated
};

// A run of equal consecutive frames of a traceback. Fields `*_at` are offsets into the
// record.
typedef struct gpusnek_frame_t {
    uint32_t line;
    uint32_t count;
    uint16_t file_at;
    uint16_t file_size; // bytes of UTF-8
    uint16_t name_at; // of the function
    uint16_t name_size; // 0: unknown
} gpusnek_frame_t;

// Head of a record of GPUSNEK_EXCEPTION_BYTES: the exception that ended a program or a call. Its
// frames follow, outermost first, then text. Bytes after `used` are 0.
typedef struct gpusnek_exception_t {
    uint32_t flags; // GPUSNEK_EXCEPTION_*
    uint32_t used; // bytes of the record in use
    uint32_t message_length; // bytes of the complete message
    uint32_t omitted; // number of frames missing after the first `first` frames
    uint16_t frames;
    uint16_t first;
    uint16_t type_at;
    uint16_t type_size;
    uint16_t base_at; // name of the built-in base type
    uint16_t base_size;
    uint16_t message_at;
    uint16_t message_size;
    uint16_t missing; // GPUSNEK_MISSING_*
    uint16_t owner_at; // name of the built-in type or module that lacks `missing_at`
    uint16_t owner_size; // 0: unknown, or nothing owns the name
    uint16_t missing_at; // what was missing
    uint16_t missing_size; // 0: unknown
    uint16_t reserved; // 0
} gpusnek_exception_t;

// Kinds of features that the core lacked when it raised an exception (missing.c).
enum gpusnek_missings {
    GPUSNEK_MISSING_NOTHING = 0,
    GPUSNEK_MISSING_NAME = 1, // a global or built-in name
    GPUSNEK_MISSING_ATTRIBUTE = 2, // an attribute of an object of the built-in type `owner`
    GPUSNEK_MISSING_TYPE_ATTRIBUTE = 3, // an attribute of the type `owner` itself
    GPUSNEK_MISSING_MODULE_NAME = 4, // a name of the module `owner`
    GPUSNEK_MISSING_MODULE = 5,
    GPUSNEK_MISSING_KEYWORD = 6, // a keyword argument of a function in C
    GPUSNEK_MISSING_OPERATION = 7, // the core raised NotImplementedError
};

// Results of gpusnek_lack(): the resource that was too small for the program.
enum gpusnek_lacks {
    GPUSNEK_LACK_NOTHING = 0,
    GPUSNEK_LACK_HEAP = 1,
    GPUSNEK_LACK_PYSTACK = 2,
    GPUSNEK_LACK_STACK = 3, // the C stack
    GPUSNEK_LACK_FEATURE = 4, // rows of calls only: gpusnek_missed()
    GPUSNEK_LACK_CAUGHT = 128, // rows of calls only, added to one of the first three: gpusnek_ran_out()
};

// Values of the interrupt word. Every change to a value other than these raises one
// KeyboardInterrupt. The host writes 1, then 3, then 4 to interrupt three times.
enum gpusnek_interrupts {
    GPUSNEK_INTERRUPT_NONE = 0,
    GPUSNEK_INTERRUPT_STOP = 2, // hard stop: unwinds without running Python handlers
};

// Flags of gpusnek_boot_t.
#define GPUSNEK_GC_STRESS (1u << 0) // collect before every allocation
#define GPUSNEK_FS_MOUNT (1u << 1) // mount the region as littlefs2 at "/"
#define GPUSNEK_FS_FORMAT (1u << 2) // with FS_MOUNT: format the region if it has no file system
#define GPUSNEK_FAIL_REST (1u << 3) // fail_allocation: every later allocation fails too
#define GPUSNEK_FS_SHARED (1u << 4) // other interpreters share the file system memory

// The parts of the arena and the identity of one interpreter. gpusnek_start() copies it.
typedef struct _gpusnek_boot_t {
    uint32_t index; // threadIdx
    uint32_t total; // numThreads
    uint32_t flags; // GPUSNEK_GC_STRESS ...
    uint32_t fs_block_size; // bytes, a power of two from 128; 0 means 512
    void *heap; // 16-byte aligned
    size_t heap_size; // bytes
    void *pystack; // 8-byte aligned
    size_t pystack_size; // bytes
    void *fs; // file system memory, kept between launches
    size_t fs_size; // bytes, of which whole blocks are used; 0: none
    volatile uint64_t *fs_guard; // with GPUSNEK_FS_SHARED: initially 0; NULL: read-only
    void *outbuf; // bytes that all interpreters share as `outbuf`; same address in every launch
    size_t outbuf_size; // 0: none
    uint64_t seed; // for random and os.urandom; mixed with `index`, so interpreters differ
    uint32_t fail_allocation; // N: the Nth allocation after start fails; 0: none
    uint32_t block; // blockIdx
    uint32_t block_size; // blockDim: interpreters that share a barrier
    uint32_t local; // localIdx: the index within the block
} gpusnek_boot_t;

// Value of gpusnek_output_t.size: every byte goes to the hook porter_console(), none is stored.
#define GPUSNEK_CONSOLE ((size_t)-1)

// Destinations of output text.
#define GPUSNEK_KEEP (0) // stays in the buffer; bytes beyond `size` are counted, not stored
#define GPUSNEK_SEND (1) // lines are collected in the buffer and sent by the ring
#define GPUSNEK_PRINT (2) // lines are collected in the buffer and passed to porter_print()

typedef struct _gpusnek_output_t {
    char *data;
    size_t size; // bytes; not 0 for GPUSNEK_SEND and GPUSNEK_PRINT
    size_t *length; // bytes in the buffer, or for GPUSNEK_KEEP all written; not NULL
    uint16_t how; // GPUSNEK_KEEP ...
    uint16_t stream; // number of the stream on the host: 1 stdout, 2 stderr
} gpusnek_output_t;

// An input stream; *position runs from 0 to size, which is the end of file.
typedef struct _gpusnek_input_t {
    const char *data;
    size_t size; // bytes
    size_t *position; // may be NULL if size is 0
    // Two words that the host writes: the number of bytes so far, and nonzero while more may
    // follow. NULL: `size` is final.
    const volatile uint32_t *live;
} gpusnek_input_t;

// A multi-producer, single-consumer ring of slots: interpreters fill slots and the host empties
// them while they run. Positions are tickets that only grow. Slot `ticket % length` is free if
// ticket - tail < length.
typedef struct gpusnek_ring_t {
    uint64_t slots; // address of the slots, in memory that the host can read
    uint64_t tail; // address of a uint64_t: the next ticket that the host reads
    uint64_t head; // the next ticket for an interpreter
    uint64_t seen; // cached tail; reading the tail itself costs an access to host memory
    uint32_t length; // slots, a power of two
    uint32_t drop; // not 0: a full ring drops and counts text; 0: interpreters wait
    uint64_t pad1; // pads the struct to a cache line
    uint64_t pad2;
    uint64_t pad3;
} gpusnek_ring_t;

enum gpusnek_slots {
    GPUSNEK_SLOT_TEXT = 112, // bytes of text in a slot
    GPUSNEK_SLOT_MORE = 256, // flag in `stream`: the text continues in this interpreter's next slot
};

typedef struct gpusnek_slot_t {
    uint32_t stamp; // ticket + 1, written last
    uint32_t lane; // number of the interpreter in the launch
    uint32_t stream; // gpusnek_output_t.stream, and GPUSNEK_SLOT_MORE
    uint32_t length; // bytes of text; the rest of the last word is zero
    uint64_t text[GPUSNEK_SLOT_TEXT / 8];
} gpusnek_slot_t;

// Native code of one block of bytecode (native.h, porter/compiler). entries: for each byte of the
// bytecode, the number of the entry there, or 0.
//
// run: on the host twin the address of a gpusnek_native_run_t; in kernels the module's number.
//
// exits: for each guard, the number of side exits taken there; may be 0.
//
// seen: if not 0, no native code runs, and the interpreter records the types on top of the stack
// before each instruction (GPUSNEK_SEEN_*, by byte of the bytecode).
typedef struct gpusnek_native_t {
    uint64_t code;
    uint64_t size;    // bytes of the bytecode
    uint64_t entries; // address of uint16_t
    uint64_t run;
    uint64_t exits;   // address of uint32_t
    uint64_t seen;    // address of uint8_t
} gpusnek_native_t;

// Run native code from an entry on, with the state in the frame. On return the frame holds the
// state from which the interpreter continues.
typedef void (*gpusnek_native_run_t)(
    void *code_state, unsigned int entry, const gpusnek_native_t *native);

enum gpusnek_seen {
    GPUSNEK_SEEN_OTHER = 1,
    GPUSNEK_SEEN_INT = 2, // an int that fits into a word
    GPUSNEK_SEEN_FLOAT = 4,
    GPUSNEK_SEEN_BOOL = 8,
};

// All native code of a launch, sorted by `code`, and the range of addresses that it covers.
typedef struct gpusnek_natives_t {
    uint64_t count;
    uint64_t each; // address of gpusnek_native_t
    uint64_t low;
    uint64_t span; // bytes
} gpusnek_natives_t;

// Data of one launch. gpusnek_attach() copies it.
typedef struct _gpusnek_io_t {
    gpusnek_input_t in;
    gpusnek_output_t out;
    gpusnek_output_t err;
    gpusnek_ring_t *ring; // for GPUSNEK_SEND
    uint32_t *lost; // counter of bytes that a full ring dropped; may be NULL
    uint32_t lane; // this interpreter's number in the launch
    uint32_t scattered; // not 0: no barrier; interpreters of a block run in several thread blocks
    void *stack_top; // an address above every C frame of this launch
    size_t stack_size; // bytes below stack_top before RuntimeError (recursion depth)
    uint64_t epoch_ns; // wall clock at the launch, nanoseconds since 1970
    uint64_t launch; // number of the launch; 0: unknown
    // Not 0: virtual time. The clock starts at epoch_ns and advances only by the programs' waits,
    // which take no time.
    uint32_t clock_stands;
    uint32_t alike; // not 0: hide differences of addresses between interpreters from programs
    const volatile uint32_t *interrupt; // may be NULL: never interrupted
    const gpusnek_natives_t *natives; // may be NULL: no native code
    gpusnek_exception_t *exception; // a record, initially 0; NULL: none
} gpusnek_io_t;

// Bind the interpreter to a launch: buffers, C stack, clock, interrupt word.
GPUSNEK_API void gpusnek_attach(const gpusnek_io_t *io);
// Set the limits of each gpusnek_exec() until the next gpusnek_attach(). Compiling has limits of
// its own. gpusnek_value() and gpusnek_stop() have the rest. A program that reaches a limit is
// unwound like by GPUSNEK_INTERRUPT_STOP. max_steps: steps, less than UINT64_MAX. deadline_ns:
// nanoseconds. 0: no limit.
GPUSNEK_API void gpusnek_limit_to(uint64_t max_steps, uint64_t deadline_ns);
// Initialize heap, VM and file system. Returns a status.
GPUSNEK_API int gpusnek_start(const gpusnek_boot_t *boot);
// Compile and run a source of type `kind` (gpusnek_kinds); `name` is its file name. Returns a
// status.
GPUSNEK_API int gpusnek_exec(const char *source, size_t length, int kind, const char *name);
// Run exit functions and finalisers, and shut the VM down. Returns a status.
GPUSNEK_API int gpusnek_stop(void);

// End a launch: send or print unfinished lines.
GPUSNEK_API void gpusnek_detach(void);
// gpusnek_exec() in two halves: compile a source and keep its function; run the kept function.
GPUSNEK_API int gpusnek_prepare(const char *source, size_t length, int kind, const char *name);
GPUSNEK_API int gpusnek_go(int kind);
// Give the identity `boot` to a copy of a template that ran gpusnek_prepare(). Only index, total,
// seed, fail_allocation, block, block_size and local may differ from the template's.
GPUSNEK_API int gpusnek_become(const gpusnek_boot_t *boot);
// Set the memory for bytecode that is compiled until the next call. Bytecode that does not fit goes
// to the heap.
GPUSNEK_API void gpusnek_code_to(void *memory, size_t size);
// Return the size of the used part of the heap, in bytes from its start. First come the collector's
// tables, *tables bytes; then pages of GPUSNEK_HEAP_PAGE bytes. A page is in use if its byte in
// the first table, which begins at the heap's start, is not 0. The contents of other pages are
// irrelevant.
#define GPUSNEK_HEAP_PAGE (128)
GPUSNEK_API size_t gpusnek_heap_used(size_t *tables);

// Return the number of attempted allocations since start, including growth of a block in place.
GPUSNEK_API uint32_t gpusnek_allocations(void);

// Return the number of steps (loop iterations, branches, calls) that the last program has taken.
GPUSNEK_API uint64_t gpusnek_steps(void);

// Take `steps` steps of the current window or the next one. Return false, having done nothing, if a
// limit has been reached.
GPUSNEK_API bool gpusnek_limits_take(uint32_t steps);

// Return the type (gpusnek_value_kinds) of the value of the last gpusnek_exec(), if that was a
// successful GPUSNEK_EVAL. *value is the value as int64_t or double, or its number of bytes. May
// run Python code (__repr__); if that raises, there is no value and *status becomes
// GPUSNEK_EXCEPTION.
GPUSNEK_API int gpusnek_value(int *status, uint64_t *value);
// Copy the bytes that the last gpusnek_value() announced, in this launch or a later one.
GPUSNEK_API void gpusnek_value_data(char *to);

// Judging a program that gpusnek_exec() has run: call its function, and compare the result with
// bytes that the program cannot reach. Arguments and expected values are in CPython's marshal
// format, version 2, extended as by gpusnek_value().
//
// Read the arguments of a call: a tuple of a tuple and a dict of named arguments. Returns a status.
GPUSNEK_API int gpusnek_arguments(const void *bytes);
// Call the global `entry` of __main__ with these arguments; limits start anew. Returns a status; an
// exception's traceback is on stderr. Keeps the result for gpusnek_matches() and gpusnek_result().
GPUSNEK_API int gpusnek_call(const char *entry);
// Tolerance of gpusnek_matches() for comparisons with a float; NULL: exact.
typedef struct _gpusnek_tolerance_t {
    double relative;
    double absolute;
} gpusnek_tolerance_t;
enum gpusnek_equality { GPUSNEK_UNEQUAL, GPUSNEK_EQUAL, GPUSNEK_NOT_COMPARED };
// Compare the result with the pattern `expected` (matching.h) and store a gpusnek_equality in
// *equal. Allocates nothing and runs no Python code. Returns GPUSNEK_OK, or the status of a stop:
// the comparison has no limits, but the host can stop it.
GPUSNEK_API int gpusnek_matches(const void *expected, const gpusnek_tolerance_t *tolerance,
    uint8_t *equal);
// Same as gpusnek_value() for the result, with limits of its own for a __repr__.
GPUSNEK_API int gpusnek_result(uint64_t *value);
// Redirect output to other buffers of the same sizes, and the next call's exception to another
// record; NULL: no record.
GPUSNEK_API void gpusnek_output_to(char *out, char *err, gpusnek_exception_t *exception);

// Bind `name`, NUL-terminated UTF-8, as a global of __main__; kind: GPUSNEK_BIND_*. The caller
// keeps ownership of the memory. REVOKE empties every memoryview over `data`, slices too. REVOKE
// and FORGET delete the global if it is a memoryview over `data`. Returns a status; an exception's
// traceback is on stderr.
GPUSNEK_API int gpusnek_bind(int kind, const char *name, const void *data, size_t count,
    char typecode);

// Return the resource (GPUSNEK_LACK_*) whose exhaustion raised the exception that ended the last
// gpusnek_exec(), gpusnek_stop(), gpusnek_call() or gpusnek_result(). Store in *bytes the size of
// the allocation that failed, or 0. Exceptions that a program catches do not count, nor a
// MemoryError that it raises without a failed allocation.
GPUSNEK_API int gpusnek_lack(uint64_t *bytes);

// Return the resource (GPUSNEK_LACK_*) that was exhausted first since the last gpusnek_exec() began,
// also if the program caught the exception.
GPUSNEK_API int gpusnek_ran_out(void);

// Return whether the core of the interpreter raised the exception that ended the last program or
// call because it lacks something (GPUSNEK_MISSING_*). The record of the exception names it. Store
// in *key a number that is equal for exceptions that lack the same name; 0: only the record tells.
GPUSNEK_API bool gpusnek_missed(uint32_t *key);

// Report a failed bounds check (builds with `--fences`): write the Python frames and the refused
// access to stderr, release shared files, and send unfinished lines. No code of the interpreter may
// run afterwards. place: "py/objstr.c:123" or NULL; kind: PORTER_FENCE_LOAD ... of
// porter_runtime.h. Called again after a failed check within the report, it continues with the next
// step.
GPUSNEK_API void gpusnek_fence_report(const char *place, const void *address, unsigned kind);

// Return the exit code of the last SystemExit: 0 for none, an int's value, else 1.
GPUSNEK_API int gpusnek_exit_code(void);

#endif
