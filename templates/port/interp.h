// The port's interface: what the runtime calls to run one interpreter.
//
// Order of calls, with the interpreter's state struct in place: gpusnek_attach, gpusnek_start,
// any number of gpusnek_exec, gpusnek_stop. A later launch of the same interpreter calls
// gpusnek_attach first, then gpusnek_exec. gpusnek_detach ends each. Nothing here raises; every function reports by status.
#ifndef GPUSNEK_INTERP_H
#define GPUSNEK_INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The runtime, which is not rewritten, defines this as what the rewriter gives every function.
#ifndef GPUSNEK_API
#define GPUSNEK_API
#endif

// Statuses of gpusnek_start, gpusnek_exec and gpusnek_stop.
enum gpusnek_statuses {
    GPUSNEK_OK = 0,
    GPUSNEK_EXCEPTION = 1, // nothing caught it; its traceback has gone to stderr
    GPUSNEK_EXIT = 2, // SystemExit; see gpusnek_exit_code()
    GPUSNEK_SYNTAX_ERROR = 3, // the source did not compile; the message has gone to stderr
    GPUSNEK_STOPPED = 4, // the host's hard stop (GPUSNEK_INTERRUPT_STOP)
    GPUSNEK_NO_MEMORY = 5, // the heap is too small for an interpreter to start in
    GPUSNEK_NO_FILE_SYSTEM = 6, // the file system region could not be mounted
    GPUSNEK_NOT_STARTED = 7, // gpusnek_exec or gpusnek_stop without a started interpreter
    GPUSNEK_MORE = 8, // GPUSNEK_CONTINUE: more lines are needed; GPUSNEK_COMPLETE: several
    GPUSNEK_OUT_OF_STEPS = 9, // gpusnek_limit_to: the program took more steps
    GPUSNEK_OUT_OF_TIME = 10, // gpusnek_limit_to: the program ran longer
    GPUSNEK_NO_ENTRY = 11, // gpusnek_call: __main__ has no function of this name
};

// Kinds of source that gpusnek_exec takes.
enum gpusnek_kinds {
    GPUSNEK_FILE = 0, // a module's statements
    GPUSNEK_SINGLE = 1, // one interactive statement: an expression's value is printed
    GPUSNEK_EVAL = 2, // one expression; its value is kept for gpusnek_value
    // A REPL's questions; nothing is compiled or run. Here source[length] must be 0.
    GPUSNEK_CONTINUE = 3, // does the statement go on? GPUSNEK_MORE or GPUSNEK_OK
    GPUSNEK_COMPLETE = 4, // how can the name at the end go on? The answer is in stdout

    // Added to one of these. COMPILE: the source is compiled only, and its code is the result, a
    // bytes object. CODE: the source is code that COMPILE gave; interpreters execute it where it is,
    // so it must outlive them.
    GPUSNEK_COMPILE = 8,
    GPUSNEK_CODE = 16,
};

// Kinds of gpusnek_bind; how `data` is read.
enum gpusnek_bind_kinds {
    GPUSNEK_BIND_MEMORY = 0, // a memoryview of `count` elements there
    GPUSNEK_BIND_READ_ONLY = 1, // a memoryview that programs cannot write to
    GPUSNEK_BIND_INT = 2, // int64_t
    GPUSNEK_BIND_UINT = 3, // uint64_t
    GPUSNEK_BIND_FLOAT = 4, // double
    GPUSNEK_BIND_BOOL = 5, // uint64_t, 0 or not
    GPUSNEK_BIND_NONE = 6, // nothing
    GPUSNEK_BIND_STR = 7, // `count` bytes of UTF-8
    GPUSNEK_BIND_BYTES = 8, // `count` bytes
    GPUSNEK_BIND_REVOKE = 9, // `count` bytes that interpreters must not reach any more
    GPUSNEK_BIND_FORGET = 10, // `count` bytes that they may, under other names
};

// Kinds of what gpusnek_value gives.
enum gpusnek_value_kinds {
    GPUSNEK_VALUE_NONE = 0, // there is no value
    GPUSNEK_VALUE_BOOL = 1, // 0 or 1
    GPUSNEK_VALUE_INT = 2, // int64_t
    GPUSNEK_VALUE_FLOAT = 3, // double
    GPUSNEK_VALUE_DATA = 4, // bytes of CPython's marshal format wait to be fetched
    GPUSNEK_VALUE_WRAPPED = 5, // they wait, with objects in them that marshal has no code for
    GPUSNEK_VALUE_STR = 6, // bytes of UTF-8 wait to be fetched
    GPUSNEK_VALUE_BYTES = 7, // a bytes object's bytes wait to be fetched
};

enum gpusnek_exception_sizes {
    GPUSNEK_EXCEPTION_BYTES = 1024, // of a record, with all its text
    GPUSNEK_EXCEPTION_FRAMES = 16, // at most: half of them the outermost, half the innermost
};

enum gpusnek_exception_flags {
    GPUSNEK_EXCEPTION_NONE = 0, // no exception has ended the program or call
    GPUSNEK_EXCEPTION_THERE = 1,
    GPUSNEK_EXCEPTION_TYPE_CUT = 2, // the type's name is longer
    GPUSNEK_EXCEPTION_MESSAGE_CUT = 4, // the message is longer
    GPUSNEK_EXCEPTION_MESSAGE_ARGUMENT = 8, // str() of it failed: the message is its first argument
    GPUSNEK_EXCEPTION_MESSAGE_MISSING = 16, // str() of it failed, and its first argument is no str
    GPUSNEK_EXCEPTION_FRAMES_OMITTED = 32, // there are more frames than it has
    GPUSNEK_EXCEPTION_NAMES_CUT = 64, // a name of a file or function is longer
};

// A frame of a traceback, or several equal frames in succession. Places are offsets into the record.
typedef struct gpusnek_frame_t {
    uint32_t line;
    uint32_t count;
    uint16_t file_at;
    uint16_t file_size; // bytes of UTF-8
    uint16_t name_at; // of the function
    uint16_t name_size; // 0: not known
} gpusnek_frame_t;

// The start of a record of GPUSNEK_EXCEPTION_BYTES: the exception that ended a program or a call. Its
// frames come next, the outermost first, then text; bytes behind `used` are 0.
typedef struct gpusnek_exception_t {
    uint32_t flags; // GPUSNEK_EXCEPTION_*
    uint32_t used; // bytes of the record that say something
    uint32_t message_length; // bytes in all
    uint32_t omitted; // frames that lie behind the first `first` ones and are not there
    uint16_t frames;
    uint16_t first;
    uint16_t type_at;
    uint16_t type_size;
    uint16_t base_at; // the built-in type that it is an instance of
    uint16_t base_size;
    uint16_t message_at;
    uint16_t message_size;
} gpusnek_exception_t;

// What gpusnek_lack gives: what was too small for the program.
enum gpusnek_lacks {
    GPUSNEK_LACK_NOTHING = 0,
    GPUSNEK_LACK_HEAP = 1,
    GPUSNEK_LACK_PYSTACK = 2,
    GPUSNEK_LACK_STACK = 3, // the C stack
};

// Values of the interrupt word. Every change to another value that is neither of these raises
// one KeyboardInterrupt, so the host writes 1, then 3, then 4 to interrupt three times.
enum gpusnek_interrupts {
    GPUSNEK_INTERRUPT_NONE = 0,
    GPUSNEK_INTERRUPT_STOP = 2, // unwinds everything; no Python handler runs
};

// Flags of gpusnek_boot_t.
#define GPUSNEK_GC_STRESS (1u << 0) // collect before every allocation
#define GPUSNEK_FS_MOUNT (1u << 1) // mount the region as littlefs2 at "/"
#define GPUSNEK_FS_FORMAT (1u << 2) // with FS_MOUNT: make a new file system if none is there
#define GPUSNEK_FAIL_REST (1u << 3) // fail_allocation: that one and every later one
#define GPUSNEK_FS_SHARED (1u << 4) // other interpreters have the same file system memory

// The arena's parts and the identity of one interpreter; read by gpusnek_start.
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
    size_t fs_size; // bytes, whole blocks are used; 0: none
    volatile uint64_t *fs_guard; // with GPUSNEK_FS_SHARED: 0 at first; NULL: nobody writes
    void *outbuf; // bytes that all interpreters share, as `outbuf`; every launch has this address
    size_t outbuf_size; // 0: none
    uint64_t seed; // random and os.urandom: mixed with index, so interpreters differ
    uint32_t fail_allocation; // N: the Nth allocation after start fails; 0: none
    uint32_t block; // blockIdx
    uint32_t block_size; // blockDim: interpreters that share a barrier
    uint32_t local; // localIdx: the index within the block
} gpusnek_boot_t;

// As gpusnek_output_t.size: every byte goes to the hook porter_console, none is stored.
#define GPUSNEK_CONSOLE ((size_t)-1)

// What becomes of text that goes out.
#define GPUSNEK_KEEP (0) // it stays in the buffer; bytes beyond `size` are counted, not stored
#define GPUSNEK_SEND (1) // lines are collected in the buffer and go out through the ring
#define GPUSNEK_PRINT (2) // lines are collected in the buffer and go to the hook porter_print

typedef struct _gpusnek_output_t {
    char *data;
    size_t size; // bytes; not 0 for lines that are collected
    size_t *length; // bytes in the buffer, for GPUSNEK_KEEP all written; never NULL, 0 at first
    uint16_t how; // GPUSNEK_KEEP ...
    uint16_t stream; // what the host knows it by: 1 stdout, 2 stderr
} gpusnek_output_t;

// Text that comes in; *position runs from 0 to size, which is the end of file.
typedef struct _gpusnek_input_t {
    const char *data;
    size_t size; // bytes
    size_t *position; // may be NULL where size is 0
    // Two words that the host writes: bytes so far, and not 0 while more may follow. NULL: `size`
    // is all.
    const volatile uint32_t *live;
} gpusnek_input_t;

// A ring of slots, which several interpreters fill and the host empties while they run. Host and
// interpreters count tickets; slot `ticket % length` is free for one whose distance to the tail
// is less than the length.
typedef struct gpusnek_ring_t {
    uint64_t slots; // address of the slots, in memory that the host sees
    uint64_t tail; // address of the uint64_t ticket that the host takes next
    uint64_t head; // the next ticket to be given
    uint64_t seen; // the tail as an interpreter read it last: reading it costs a way to the host
    uint32_t length; // slots, a power of two
    uint32_t drop; // not 0: text for which there is no room is counted and lost, not waited for
    uint64_t pad1; // to a cache line
    uint64_t pad2;
    uint64_t pad3;
} gpusnek_ring_t;

enum gpusnek_slots {
    GPUSNEK_SLOT_TEXT = 112, // bytes of text in a slot
    GPUSNEK_SLOT_MORE = 256, // in a slot's stream: the text goes on in this interpreter's next slot
};

typedef struct gpusnek_slot_t {
    uint32_t stamp; // ticket + 1, written last
    uint32_t lane; // which interpreter of the launch
    uint32_t stream; // the output's, and GPUSNEK_SLOT_MORE
    uint32_t length; // bytes of text; what follows in the last word is zero
    uint64_t text[GPUSNEK_SLOT_TEXT / 8];
} gpusnek_slot_t;

// Machine code of one piece of bytecode (native.h, porter/compiler). entries: for each byte of the
// bytecode the number of the entry there, or 0. run: on the host twin where it is, a
// gpusnek_native_run_t; in kernels the module's number. exits: by guard, how often it handed back
// there; may be 0. seen: where it is not 0 nothing runs, and the interpreter notes there what
// is on top of the stack before each instruction (GPUSNEK_SEEN_, by byte of the bytecode).
typedef struct gpusnek_native_t {
    uint64_t code;
    uint64_t size;    // bytes of the bytecode
    uint64_t entries; // uint16_t each
    uint64_t run;
    uint64_t exits;   // uint32_t each
    uint64_t seen;    // uint8_t each
} gpusnek_native_t;

// Runs from an entry on, as the frame says; leaves in the frame where the interpreter goes on.
typedef void (*gpusnek_native_run_t)(
    void *code_state, unsigned int entry, const gpusnek_native_t *native);

enum gpusnek_seen {
    GPUSNEK_SEEN_OTHER = 1,
    GPUSNEK_SEEN_INT = 2, // that fits into a word
    GPUSNEK_SEEN_FLOAT = 4,
    GPUSNEK_SEEN_BOOL = 8,
};

// All that a launch has of it, by rising `code`, and the addresses that they lie within.
typedef struct gpusnek_natives_t {
    uint64_t count;
    uint64_t each; // gpusnek_native_t
    uint64_t low;
    uint64_t span; // bytes
} gpusnek_natives_t;

// What belongs to one launch; read by gpusnek_attach, which keeps a copy.
typedef struct _gpusnek_io_t {
    gpusnek_input_t in;
    gpusnek_output_t out;
    gpusnek_output_t err;
    gpusnek_ring_t *ring; // for GPUSNEK_SEND
    uint32_t *lost; // counts bytes that the ring had no room for; may be NULL
    uint32_t lane; // this interpreter's number in the launch
    uint32_t scattered; // not 0: its block's others run elsewhere, and no barrier can hold them
    void *stack_top; // an address above every frame that this launch's calls will make
    size_t stack_size; // bytes below stack_top before RuntimeError (recursion depth)
    uint64_t epoch_ns; // wall clock at the launch, nanoseconds since 1970
    uint64_t launch; // of one launch all interpreters have this number; 0: not known
    // Not 0: the clock stands at epoch_ns, but for what programs wait, which takes no time.
    uint32_t clock_stands;
    uint32_t alike; // not 0: programs are to see the addresses that they would in any interpreter
    const volatile uint32_t *interrupt; // may be NULL: never interrupted
    const gpusnek_natives_t *natives; // may be NULL: there is no machine code
    gpusnek_exception_t *exception; // a record, 0 at first; NULL: none is wanted
} gpusnek_io_t;

GPUSNEK_API void gpusnek_attach(const gpusnek_io_t *io);
// Until the next gpusnek_attach, each gpusnek_exec has these limits; compiling has them for itself,
// and what follows (gpusnek_value, gpusnek_stop) has what is left. Who reaches one is unwound as by
// GPUSNEK_INTERRUPT_STOP. max_steps: less than UINT64_MAX. 0: no limit.
GPUSNEK_API void gpusnek_limit_to(uint64_t max_steps, uint64_t deadline_ns);
GPUSNEK_API int gpusnek_start(const gpusnek_boot_t *boot);
GPUSNEK_API int gpusnek_exec(const char *source, size_t length, int kind, const char *name);
GPUSNEK_API int gpusnek_stop(void);

// Last in every launch: lines without an end go out too.
GPUSNEK_API void gpusnek_detach(void);
// gpusnek_exec in two halves: compile a source and keep its code; run the code that was kept last.
GPUSNEK_API int gpusnek_prepare(const char *source, size_t length, int kind, const char *name);
GPUSNEK_API int gpusnek_go(int kind);
// A copy of another interpreter, made after its gpusnek_prepare, becomes the one that `boot` says.
// Only index, total, seed, fail_allocation, block, block_size and local may differ.
GPUSNEK_API int gpusnek_become(const gpusnek_boot_t *boot);
// Until the next call, what is compiled has its bytecode at `memory`, as far as that suffices.
GPUSNEK_API void gpusnek_code_to(void *memory, size_t size);
// Bytes from the start of the heap that hold anything. First come the collector's tables, *tables
// bytes; then pieces of GPUSNEK_HEAP_PIECE bytes, of which each that is in use has a byte that is
// not 0 in the first table, which is where the heap begins. What the others hold does not matter.
#define GPUSNEK_HEAP_PIECE (128)
GPUSNEK_API size_t gpusnek_heap_used(size_t *tables);

// How many allocations were tried since start; growing a block in place counts too.
GPUSNEK_API uint32_t gpusnek_allocations(void);

// Steps (loop turns, branches, calls) since the program that was executed last began to run.
GPUSNEK_API uint64_t gpusnek_steps(void);

// The value of the last GPUSNEK_EVAL, if the last gpusnek_exec was one and ended well. Returns its
// kind, and in *value the value as int64_t, as double or as a number of bytes. May run Python code
// (__repr__): if that raises, there is no value and *status becomes GPUSNEK_EXCEPTION.
GPUSNEK_API int gpusnek_value(int *status, uint64_t *value);
// Copies the bytes that the last gpusnek_value announced, in this launch or a later one.
GPUSNEK_API void gpusnek_value_data(char *to);

// Judging a program that gpusnek_exec has run: its function is called, and what that returns is
// compared with bytes that the program cannot reach. Arguments and expected values are in CPython's
// marshal format, version 2, with what that has no code for as gpusnek_value gives it.
//
// Reads a call's arguments, a tuple of a tuple and a dict of them by name. Returns a status.
GPUSNEK_API int gpusnek_arguments(const void *bytes);
// Calls the global `entry` of __main__ with these arguments; limits count anew. Returns a status; an
// exception's traceback is in the stderr buffer. What it returned waits for the next two.
GPUSNEK_API int gpusnek_call(const char *entry);
// How gpusnek_matches compares numbers of which one is a float; NULL: exactly.
typedef struct _gpusnek_tolerance_t {
    double relative;
    double absolute;
} gpusnek_tolerance_t;
enum gpusnek_equality { GPUSNEK_UNEQUAL, GPUSNEK_EQUAL, GPUSNEK_NOT_COMPARED };
// Compares the result with the pattern `expected` (matching.h); *equal becomes a gpusnek_equality.
// Allocates nothing and runs no Python code. Returns GPUSNEK_OK, or what ended the comparison:
// it has no limits, but the host can stop it.
GPUSNEK_API int gpusnek_matches(const void *expected, const gpusnek_tolerance_t *tolerance,
    uint8_t *equal);
// gpusnek_value of the result, with limits of its own for a __repr__.
GPUSNEK_API int gpusnek_result(uint64_t *value);
// From here on output goes to other buffers, of the sizes of those before, and the exception that ends
// the next call to another record; NULL: none is wanted.
GPUSNEK_API void gpusnek_output_to(char *out, char *err, gpusnek_exception_t *exception);

// Makes `name`, NUL-terminated UTF-8, a global of __main__; kind: GPUSNEK_BIND_*. Memory stays the
// caller's. Revoking makes every memoryview over `data` empty, slices too; it and forgetting delete
// the global if that is a memoryview over `data`. Returns a status; an exception's traceback is in the
// stderr buffer.
GPUSNEK_API int gpusnek_bind(int kind, const char *name, const void *data, size_t count,
    char typecode);

// What the exception lacked that ended the last gpusnek_exec or gpusnek_stop (GPUSNEK_LACK_*), and
// in *bytes the size of the allocation that the heap had no room for, 0 where there was none. An
// exception that a program catches, or raises itself, does not count.
GPUSNEK_API int gpusnek_lack(uint64_t *bytes);

// In builds with fences, once an access left this interpreter's memory: where Python's functions
// stand and what was refused go to stderr; files that others share are let go; lines without an end
// go out. Afterwards nothing of the interpreter may run. place: "py/objstr.c:123" or NULL; kind:
// PORTER_FENCE_LOAD ... of porter_runtime.h. Called again, it goes on with what was left to do.
GPUSNEK_API void gpusnek_fence_report(const char *place, const void *address, unsigned kind);

// The status that the last SystemExit carried: 0 for none, an int's value, else 1.
GPUSNEK_API int gpusnek_exit_code(void);

#endif
