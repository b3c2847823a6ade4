// The record of one launch, which Python fills and host twin and kernels read.
//
// Plain C, fixed-width integers only, no bit fields: porter/compile/shared_layout.py reads structs
// and enums here and in interp.h and compares their layout with that of both compilers. The numpy
// dtype that fills a record is derived from the result, so all sides agree. Addresses are uint64_t,
// of host memory for the host twin and of device (or mapped host) memory for kernels. Arrays per
// interpreter are indexed by the interpreter's index in the launch. An address of 0 means that the
// array is absent, and a limit of 0 that there is no limit.
#ifndef GPUSNEK_LAUNCH_H
#define GPUSNEK_LAUNCH_H

#include <stdint.h>

#include "profile.h"

enum gpusnek_flags {
    GPUSNEK_FLAG_START = 1,         // boot a fresh VM; else the arena or snapshot holds one
    GPUSNEK_FLAG_EXEC = 2,          // run each interpreter's program
    GPUSNEK_FLAG_STOP = 4,          // run atexit functions and finalisers, and end the VM
    GPUSNEK_FLAG_PERSIST = 8,       // keep the arena (or write the snapshot) for a later launch
    GPUSNEK_FLAG_MERGE_STDERR = 16, // write stderr to stdout, in order
    GPUSNEK_FLAG_GC_STRESS = 32,    // collect before every allocation
    GPUSNEK_FLAG_FS_MOUNT = 64,     // mount the file system region at "/"
    GPUSNEK_FLAG_FS_FORMAT = 128,   // with FS_MOUNT: format a region without a file system
    GPUSNEK_FLAG_FAIL_REST = 256,   // fail the allocation of fail_alloc and every later one
    GPUSNEK_FLAG_PRINT = 512,       // write stdout with printf, line by line
    GPUSNEK_FLAG_COMPILE = 1024,    // with EXEC: compile the program and keep its code, do not run
    GPUSNEK_FLAG_FORK = 2048,       // local arenas: copy a snapshot of fork_snapshots; not with START
    GPUSNEK_FLAG_COMPILED = 4096,   // with EXEC, FORK: run the code that COMPILE kept in the copy
    GPUSNEK_FLAG_SANDBOX = 8192,    // programs cannot use integers as addresses
    GPUSNEK_FLAG_ALIKE = 16384,     // every interpreter has threadIdx `first`, a block of its own,
                                    // and the same random numbers
    GPUSNEK_FLAG_RENEW = 65536,     // host twin, with judging: reset the interpreter before each
                                    // row to its state after the program
    GPUSNEK_FLAG_CLOCK = 32768,     // the clock stands at clock_origin and advances only by the
                                    // time that programs sleep
};

// Which diverged lanes of a warp run first (reconvergence.cu). A place is an offset in the bytecode
// of a function.
enum gpusnek_policies {
    GPUSNEK_POLICY_DEEPEST = 0,      // the deepest call, then the least place: lanes behind catch up
                                     // (min-SP-PC: S. Collange, "Stack-less SIMT reconvergence at
                                     // low cost", 2011)
    GPUSNEK_POLICY_LEAST = 1,        // the least place
    GPUSNEK_POLICY_DEEPEST_MOST = 2, // the deepest call, then the place with most lanes
    GPUSNEK_POLICY_MOST = 3,         // the place with most lanes
    GPUSNEK_POLICY_COUNT = 4,
    GPUSNEK_POLICY_RANDOM = 5,       // any lane, for tests
    GPUSNEK_POLICY_MEASURED = 6,     // the best one by policies_known
    GPUSNEK_POLICY_TRIED = 7,        // so, and some warps try the others
};
#define GPUSNEK_POLICY_ANY_DEPTH 1u // bits of these policies
#define GPUSNEK_POLICY_BY_COUNT 2u

// Statuses of the runtime itself; those of the port, 0 and up, are in interp.h.
enum gpusnek_runtime_statuses {
    GPUSNEK_STATUS_NOT_RUN = -1,   // no program, or the launch ended before this interpreter
    GPUSNEK_STATUS_NO_MEMORY = -2, // arena too small for state, pystack and heap
    GPUSNEK_STATUS_MOVED = -3,     // the local window is not at the address that the build assumed
    GPUSNEK_STATUS_CANARY = -4,    // a canary of the arena has changed
    GPUSNEK_STATUS_ABORT = -5,     // an assertion in the port or in upstream failed
    GPUSNEK_STATUS_OUT_OF_BOUNDS = -12, // a bounds check refused an access outside the
                                        // interpreter's memory (-6 to -11 are gpusnek.cuh's)
};
#define GPUSNEK_STATUS_FENCE GPUSNEK_STATUS_OUT_OF_BOUNDS // deprecated name, until 0.2.0

// A global of __main__ that the host sets: arguments of gpusnek_bind for all interpreters.
typedef struct gpusnek_binding_t {
    uint64_t name;     // NUL-terminated
    uint64_t data;     // the memory, or interpreter 0's value
    uint64_t stride;   // bytes from one interpreter's value to the next; 0: all share one
    uint64_t count;    // elements of memory, or bytes of a text
    uint64_t counts;   // uint32_t[n]: each interpreter's count; 0: `count` for all
    int32_t kind;      // GPUSNEK_BIND_* of interp.h
    uint32_t typecode; // of memory, as in Python's array
} gpusnek_binding_t;

// Calls of a function after the program has run, and their expected results. Each interpreter has
// rows of its own, one per call. The output of a row goes to the same row of stdout_base and
// stderr_base.
typedef struct gpusnek_judging_t {
    uint64_t entry;             // name of a function of __main__, NUL-terminated
    uint64_t arguments;         // input of gpusnek_arguments for all cases, concatenated
    uint64_t argument_offsets;  // uint64_t[cases + 1]
    uint64_t expected;          // input of gpusnek_matches for all cases; 0: do not compare
    uint64_t expected_offsets;  // uint64_t[cases + 1]
    uint64_t first_case;        // uint32_t[n]: case of the first row; later rows have later cases
    uint64_t first_row;         // uint32_t[n + 1]
    uint64_t tolerance;         // two doubles, relative and absolute; 0: numbers compare exactly
    uint64_t status;            // int32_t[rows]: of the call, or of the program if that failed
    uint64_t equal;             // uint8_t[rows]: 1 if the result equals the expected value
    uint64_t steps;             // uint64_t[rows]: of the call, or of the program if that failed
    uint64_t lack;              // uint8_t[rows]: GPUSNEK_LACK_*, with CAUGHT
    uint64_t missing;           // uint32_t[rows]: gpusnek_missed()
    uint64_t value_kind;        // uint8_t[rows]: GPUSNEK_VALUE_* of the result; 0: not wanted
    uint64_t value;             // uint64_t[rows]
    uint64_t value_base;        // value_size bytes per row: data of values that fit
    uint64_t value_size;
} gpusnek_judging_t;

// In program_of: the interpreter has no program. The launch neither reads nor writes its memory.
enum gpusnek_no_program {
    GPUSNEK_NO_PROGRAM = 4294967295,
};

// In order: the thread runs no interpreter.
enum gpusnek_idle {
    GPUSNEK_IDLE = 4294967295,
};

// Layout of snapshots, which are divided into pages. Only pages that differ from the base snapshot
// are stored, in rows. A row holds one page of each of 32 neighbouring snapshots, a bundle, so that
// a warp moves whole sectors: unit u (two words) of snapshot 32 * bundle + k is unit 32 * u + k of
// the row. A base snapshot is stored contiguously, after a page whose first word is its number of
// pages (docs/reference/architecture.md, "The arena").
enum gpusnek_snapshot_sizes {
    GPUSNEK_BUNDLE = 32,     // snapshots: one per lane of a warp
    GPUSNEK_PAGE_WORDS = 16, // words of 8 bytes: four blocks of the heap
    GPUSNEK_ROW_WORDS = 512, // words: GPUSNEK_BUNDLE pages
};

// The entry of page p of a bundle, at [bundle * snapshot_stride + p].
typedef struct gpusnek_page_t {
    uint32_t row;       // 1 + the number of the row; 0: none
    uint32_t snapshots; // bit k: the page of the bundle's snapshot k is in the row, not in its base
} gpusnek_page_t;

typedef struct gpusnek_launch_t {
    uint64_t record_size; // sizeof(gpusnek_launch_t), checked first
    uint32_t flags;       // GPUSNEK_FLAG_*
    uint32_t n;           // interpreters in this launch
    uint32_t first;       // threadIdx of this launch's interpreter 0
    uint32_t total;       // numThreads as the programs see it
    uint32_t block_size;  // interpreters per block (they share a barrier); threads per block
    int32_t kind;         // how programs are compiled: file, single or eval (see interp.h)

    uint64_t order;   // uint32_t[threads]: the interpreter that each thread runs, or GPUSNEK_IDLE;
                      // contains each interpreter with a program once; 0: thread i runs i
    uint64_t threads; // with order: its length
    uint64_t offset;  // of this kernel's first thread, if the launch consists of several kernels
                      // (chunks of whole blocks)

    uint64_t arenas;       // base of the arenas; 0: scratch, they do not outlive the launch
    uint64_t arena_stride; // bytes from one arena to the next, canaries included
    // Snapshots of local arenas (snapshots.cuh).
    uint64_t snapshot_pages;    // gpusnek_page_t[bundles * snapshot_stride]
    uint64_t snapshot_stride;   // maximum number of pages of a snapshot
    uint64_t snapshot_used;     // uint32_t[n]: number of pages of each snapshot; 0: no snapshot
    uint64_t snapshot_bases;    // uint64_t[n]: address of each snapshot's base; 0: none
    uint64_t snapshot_segments; // uint64_t[]: addresses of segments of 2**snapshot_shift rows
    uint64_t snapshot_shift;
    uint64_t snapshot_taken;    // uint32_t: number of allocated rows, from the first
    uint64_t fork_snapshots;    // with FORK: uint64_t[programs]: address of each program's
                                // template, a snapshot of equal heap and pystack size; 0: its
                                // interpreters boot
    uint64_t code;         // with COMPILE: memory for bytecode that all copies share; 0: none
    uint64_t code_offsets; // uint64_t[programs + 1], from code: each program's part of it
    uint64_t state_table;  // kernels of global arenas: uint64_t[threads], written by the threads
    uint64_t heap_size;    // bytes
    uint64_t pystack_size; // bytes
    uint64_t stack_size;   // C stack that an interpreter may use before it raises, bytes
    uint64_t local_bytes;  // local arenas: local memory per thread, by the device's setting

    uint64_t text;         // source text of all programs, UTF-8, concatenated
    uint64_t text_offsets; // uint64_t[programs + 1]
    uint64_t names;        // names of all programs, NUL-terminated
    uint64_t name_offsets; // uint64_t[programs]
    uint64_t shared_code;  // uint8_t[programs]: 1: the program's text is shared code (GPUSNEK_CODE);
                           // 0: as `kind` says
    uint64_t program_of;   // uint32_t[n]; 0: all run program 0
    uint64_t programs;

    uint64_t stdin_base;   // bytes that interpreters read
    uint64_t stdin_stride; // bytes from one interpreter's input to the next; 0: all read the same
    uint64_t stdin_length; // uint32_t[n], or uint32_t[1] if the stride is 0

    uint64_t stdin_live;   // uint32_t[2] that the host writes during the launch: bytes so far, and
                           // a flag that is not 0 while more may follow; 0: the input is complete

    uint64_t stdin_room;   // with stdin_live: capacity at stdin_base, bytes

    uint64_t stdout_base; // stdout_size bytes per interpreter
    uint64_t stdout_size;
    uint64_t stdout_length; // uint32_t[n]: bytes written, including those beyond the end; with
                            // rings or PRINT: bytes that could not be sent
    uint64_t stderr_base;
    uint64_t stderr_size;
    uint64_t stderr_length;

    uint64_t rings;      // gpusnek_ring_t[ring_count] (interp.h) for both streams; 0: none
    uint64_t ring_count; // a ring is shared by the interpreters of a warp
    uint64_t lost;       // uint32_t[n]: bytes that were dropped because a ring was full

    uint64_t exceptions; // GPUSNEK_EXCEPTION_BYTES (interp.h) per interpreter, or per row with
                         // judging; 0: not wanted

    uint64_t status;    // int32_t[n]
    uint64_t exit_code; // int32_t[n]: code of SystemExit, if the status is GPUSNEK_EXIT
    uint64_t lack;      // uint64_t[n]: 4 * bytes of the failed allocation + GPUSNEK_LACK_* of
                        // interp.h, the exhausted resource; 0: not wanted

    uint64_t bindings; // gpusnek_binding_t[binding_count], set before the program runs
    uint64_t binding_count;

    uint64_t value_kind;   // uint8_t[n]: type of each program's value (interp.h); 0: not wanted
    uint64_t value;        // uint64_t[n]: the value, or the size of its data in bytes
    uint64_t data_base;    // where a later launch writes the data; 0: it is not fetched
    uint64_t data_offsets; // uint64_t[n], from data_base; UINT64_MAX: not this interpreter's
    uint64_t data_sizes;   // uint64_t[n]: bytes at each offset, for values that this launch
                           // announces; longer data is not written. 0: as announced earlier

    uint64_t fs_base; // file system images
    uint64_t fs_stride; // bytes from one interpreter's image to the next; 0: all share one
    uint64_t fs_size;
    uint64_t fs_block;
    uint64_t fs_guard; // uint64_t that lives as long as a shared image and guards it; 0: read-only

    uint64_t outbuf_base; // bytes that all interpreters share, `outbuf` in programs
    uint64_t outbuf_size; // 0: none

    uint64_t interrupt; // uint32_t that every interpreter's VM polls (values: interp.h); 0: none

    uint64_t natives; // gpusnek_natives_t (interp.h): native code of bytecode; 0: none
    uint64_t judging; // gpusnek_judging_t; 0: run programs without calls after them

    uint64_t clock_origin; // nanoseconds since the epoch at the launch
    uint64_t seed;         // of random numbers; each interpreter derives its own from it
    uint64_t max_steps;       // limit of each program (interp.h)
    uint64_t max_steps_each;  // uint64_t[n]: limit of each interpreter; 0: max_steps for all
    uint64_t deadline_ns;     // time limit of each program, nanoseconds
    uint64_t deadline_ns_each; // uint64_t[n]: limit of each interpreter; 0: deadline_ns for all
    uint64_t steps;           // uint64_t[n]: steps of each program; 0: not wanted
    uint64_t fail_alloc;   // uint32_t[n]: number of the allocation that fails (from 1; 0: none)
    uint64_t allocations;  // uint32_t[n]: number of allocations, in all launches; 0: not wanted

    // Measurements of policies: uint64_t[2 * GPUSNEK_POLICY_COUNT], for each policy the number of
    // warps and their ticks from start to end (1,024 cycles).
    uint32_t policy;         // GPUSNEK_POLICY_*
    uint32_t policy_padding;
    uint64_t policies_known; // measurements of earlier launches; 0: none
    uint64_t policies;       // measurements of this launch are added here; 0: not wanted

    uint64_t profile;        // profiling builds: counter buffers; 0: no profile
    uint64_t profile_stride; // bytes of a counter buffer: gpusnek_profile_t and its tables
    uint64_t profile_rooms;  // number of counter buffers: all lanes of every profile_step-th warp
    uint64_t profile_step;
} gpusnek_launch_t;

// Constants of a build, which hold for every launch (GPUSNEK_INFO of arena_layout.h).
typedef struct gpusnek_info_t {
    uint64_t record_size;  // sizeof(gpusnek_launch_t)
    uint64_t state_size;   // sizeof(porter_state_t)
    uint64_t arena_size;   // bytes of an arena without heap and pystack, whose sizes a launch sets
    uint64_t snapshot_size; // bytes of a snapshot without the heap
    uint64_t local_top;    // bytes from the end of the local window to the state; 0: global arenas
    uint64_t stack_size;   // local arenas: C stack of the build, maximum of a launch; else 0
    uint64_t grain;        // sizes of heap and pystack are rounded up to a multiple of it
    uint64_t base_offset;  // bytes from an arena's start to its state, without heap and pystack
} gpusnek_info_t;

#endif
