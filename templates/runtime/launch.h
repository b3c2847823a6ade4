// One launch: what Python hands to the host twin and to the kernels.
//
// Plain C, fixed-width integers only, no bit fields: porter/compile/shared_layout.py reads structs and
// enums here and in interp.h, and compares them with what the compilers say; the numpy dtype that
// fills a record is made from that, so the sides cannot disagree. Addresses are
// uint64_t, of host memory for the host twin and of device (or mapped host) memory for kernels.
// Per-interpreter arrays are indexed by the interpreter's index within the launch.
#ifndef GPUSNEK_LAUNCH_H
#define GPUSNEK_LAUNCH_H

#include <stdint.h>

#include "profile.h"

enum gpusnek_flags {
    GPUSNEK_FLAG_START = 1,         // boot a fresh VM (else go on with the arena or image)
    GPUSNEK_FLAG_EXEC = 2,          // run each interpreter's program
    GPUSNEK_FLAG_STOP = 4,          // finalisers and atexit, then the VM is gone
    GPUSNEK_FLAG_PERSIST = 8,       // keep the arena (or write the image) for a later launch
    GPUSNEK_FLAG_MERGE_STDERR = 16, // stderr goes where stdout goes, in order
    GPUSNEK_FLAG_GC_STRESS = 32,    // collect before every allocation
    GPUSNEK_FLAG_FS_MOUNT = 64,     // mount the file system region at "/"
    GPUSNEK_FLAG_FS_FORMAT = 128,   // with FS_MOUNT: make a file system where there is none
    GPUSNEK_FLAG_FAIL_REST = 256,   // fail_alloc: that allocation and every later one
    GPUSNEK_FLAG_PRINT = 512,       // stdout goes to printf, line by line
    GPUSNEK_FLAG_COMPILE = 1024,    // with EXEC: only compile the program and keep its code
    GPUSNEK_FLAG_FORK = 2048,       // local arenas: begin as a copy of fork_images; not with START
    GPUSNEK_FLAG_COMPILED = 4096,   // with EXEC, FORK: run the code that COMPILE kept in the copy
    GPUSNEK_FLAG_SANDBOX = 8192,    // programs can name no address
    GPUSNEK_FLAG_ALIKE = 16384,     // every interpreter has threadIdx `first`, is alone in its block,
                                    // and draws the same random numbers
    GPUSNEK_FLAG_RENEW = 65536,     // host twin, with judging: each row begins as its program left the
                                    // interpreter, whatever the rows before it did
    GPUSNEK_FLAG_CLOCK = 32768,     // the clock stands at clock_origin, but for what programs wait
};

// Statuses of the runtime itself; those of the port, 0 and up, are in interp.h.
enum gpusnek_runtime_statuses {
    GPUSNEK_STATUS_NOT_RUN = -1,   // it rested, or the launch ended before this interpreter
    GPUSNEK_STATUS_NO_MEMORY = -2, // arena too small for state, pystack and heap
    GPUSNEK_STATUS_MOVED = -3,     // the local window is not where the build assumed it
    GPUSNEK_STATUS_CANARY = -4,    // something wrote past an arena's end
    GPUSNEK_STATUS_ABORT = -5,     // an assertion in the port or in upstream failed
    GPUSNEK_STATUS_FENCE = -12,    // a fenced build refused an access outside the interpreter's
                                   // memory (-6 to -11 are gpusnek.cuh's)
};

// A global of __main__ that comes from outside: gpusnek_bind's arguments for every interpreter.
typedef struct gpusnek_binding_t {
    uint64_t name;     // NUL-terminated
    uint64_t data;     // the memory, or where interpreter 0's value is
    uint64_t stride;   // bytes from one interpreter's to the next; 0: all have this one
    uint64_t count;    // elements of memory, bytes of a text
    uint64_t counts;   // uint32_t[n]: each interpreter's count; 0: `count` for all
    int32_t kind;      // GPUSNEK_BIND_* of interp.h
    uint32_t typecode; // of array, for memory
} gpusnek_binding_t;

// What is called once a program has run, and what with. Each interpreter has rows of its own, one for
// each call; a row's output goes to that row of stdout_base and stderr_base.
typedef struct gpusnek_judging_t {
    uint64_t entry;             // name of a function of __main__, NUL-terminated
    uint64_t arguments;         // gpusnek_arguments' bytes of all cases, one after the other
    uint64_t argument_offsets;  // uint64_t[cases + 1]
    uint64_t expected;          // gpusnek_matches' bytes of all cases; 0: nothing is compared
    uint64_t expected_offsets;  // uint64_t[cases + 1]
    uint64_t first_case;        // uint32_t[n]: of its first row; the next row has the next case
    uint64_t first_row;         // uint32_t[n + 1]
    uint64_t tolerance;         // two doubles, relative and absolute; 0: numbers compare exactly
    uint64_t status;            // int32_t[rows]: what the call, or the program before it, ended with
    uint64_t equal;             // uint8_t[rows]: 1 where the result is what was expected
    uint64_t steps;             // uint64_t[rows]: of the call, or of the program where that failed
    uint64_t lack;              // uint8_t[rows]: GPUSNEK_LACK_*
    uint64_t value_kind;        // uint8_t[rows]: GPUSNEK_VALUE_* of the result; 0: not wanted
    uint64_t value;             // uint64_t[rows]
    uint64_t value_base;        // value_size bytes for each row: data, where it is no longer
    uint64_t value_size;
} gpusnek_judging_t;

// In program_of: the interpreter rests. Nothing of it is read or written.
enum gpusnek_no_program {
    GPUSNEK_NO_PROGRAM = 4294967295,
};

// In order: the thread runs no interpreter.
enum gpusnek_idle {
    GPUSNEK_IDLE = 4294967295,
};

// An image is kept in pieces of 16 words, of which those stand in rows that differ from its base: an
// image that it began as a copy of, piece after piece. A row holds one piece of each of 32
// neighbouring images, a bundle, so that a warp moves whole sectors: unit u (two words) of image
// 32 * bundle + k is unit 32 * u + k of the row. A base is preceded by a piece of which the first word
// says how many pieces it has.
enum gpusnek_image_sizes {
    GPUSNEK_BUNDLE = 32,       // images
    GPUSNEK_PIECE_WORDS = 16,
    GPUSNEK_ROW_WORDS = 512,   // of 8 bytes
};

// Piece p of a bundle's images, at [bundle * image_stride + p].
typedef struct gpusnek_piece_t {
    uint32_t row;    // 1 + the number of its row; 0: it has none
    uint32_t images; // bit k: the piece of the bundle's image k is in that row, and not the base's
} gpusnek_piece_t;

typedef struct gpusnek_launch_t {
    uint64_t record_size; // sizeof(gpusnek_launch_t), checked first
    uint32_t flags;       // GPUSNEK_FLAG_*
    uint32_t n;           // interpreters in this launch
    uint32_t first;       // threadIdx of this launch's interpreter 0
    uint32_t total;       // numThreads as the programs see it
    uint32_t block_size;  // interpreters per block: the range of one barrier; threads per block
    int32_t kind;         // how programs are compiled: file, single or eval (see interp.h)

    uint64_t order;   // uint32_t[threads]: the interpreter that each thread runs, or GPUSNEK_IDLE;
                      // every one that does not rest stands there once; 0: thread i runs i
    uint64_t threads; // with order: how many there are
    uint64_t offset;  // of this kernel's first thread: a launch may be several kernels, one after the
                      // other, of whole blocks each

    uint64_t arenas;       // base of the arenas; 0: scratch, they do not outlive the launch
    uint64_t arena_stride; // bytes from one arena to the next, canaries included
    // Local arenas at rest: image.cuh.
    uint64_t image_pieces;   // gpusnek_piece_t[bundles * image_stride]: where pieces are
    uint64_t image_stride;   // pieces that an image has at most
    uint64_t image_used;     // uint32_t[n]: pieces of each image; 0: there is none
    uint64_t image_bases;    // uint64_t[n]: the base of each image; 0: none
    uint64_t image_segments; // uint64_t[]: addresses of 2**image_shift rows each
    uint64_t image_shift;
    uint64_t image_taken;    // uint32_t: rows that are taken, from the first
    uint64_t fork_images;    // with FORK: uint64_t[programs], or of one: the address of a template, an
                             // image of equal heap and pystack size; 0: who runs it boots
    uint64_t code;         // with COMPILE: memory for bytecode, read by all that fork; 0: none
    uint64_t code_offsets; // uint64_t[programs + 1], from code: each program's part of it
    uint64_t state_table;  // kernels of global arenas: room for an address of each thread
    uint64_t heap_size;    // bytes
    uint64_t pystack_size; // bytes
    uint64_t stack_size;   // C stack that an interpreter may use before it raises, bytes
    uint64_t local_bytes;  // local arenas: local memory that a thread has, as the device is set

    uint64_t text;         // all programs' source text, UTF-8, one after the other
    uint64_t text_offsets; // uint64_t[programs + 1]
    uint64_t names;        // all programs' names, NUL-terminated
    uint64_t name_offsets; // uint64_t[programs]
    uint64_t program_of;   // uint32_t[n]; 0: all run program 0
    uint64_t programs;

    uint64_t stdin_base;   // bytes that interpreters read
    uint64_t stdin_stride; // from one interpreter's to the next; 0: all read these
    uint64_t stdin_length; // uint32_t[n], or uint32_t[1] when the stride is 0

    uint64_t stdin_live;   // uint32_t[2] in memory that the host writes meanwhile: bytes so far of
                           // what all read, and not 0 while more may follow; 0: all is there

    uint64_t stdin_room;   // with stdin_live: bytes at stdin_base

    uint64_t stdout_base; // stdout_size bytes per interpreter
    uint64_t stdout_size;
    uint64_t stdout_length; // uint32_t[n]: all bytes written, the ones past the end too; with
                            // rings or PRINT those that could not go out
    uint64_t stderr_base;
    uint64_t stderr_size;
    uint64_t stderr_length;

    uint64_t rings;      // gpusnek_ring_t[ring_count] (interp.h): both streams go there; 0: none
    uint64_t ring_count; // the interpreters of a warp share one
    uint64_t lost;       // uint32_t[n]: bytes for which a ring had no room

    uint64_t exceptions; // GPUSNEK_EXCEPTION_BYTES of each interpreter (interp.h), or of each row that
                         // is judged; 0: not wanted

    uint64_t status;    // int32_t[n]
    uint64_t exit_code; // int32_t[n]: what SystemExit carried, where the status says so
    uint64_t lack;      // uint64_t[n]: 4 * bytes of the allocation that failed, and GPUSNEK_LACK_*
                        // of interp.h: what the program had too little of; 0: not wanted

    uint64_t bindings; // gpusnek_binding_t[binding_count], made before the program runs
    uint64_t binding_count;

    uint64_t value_kind;   // uint8_t[n]: what each program left (interp.h); 0: not wanted
    uint64_t value;        // uint64_t[n]: the value itself, or how many bytes wait to be fetched
    uint64_t data_base;    // where bytes that wait go; 0: none are fetched
    uint64_t data_offsets; // uint64_t[n], from data_base; UINT64_MAX: not this interpreter's

    uint64_t fs_base; // file system images
    uint64_t fs_stride; // from one interpreter's to the next; 0: all share one
    uint64_t fs_size;
    uint64_t fs_block;
    uint64_t fs_guard; // uint64_t, kept as long as the images: guards the one; 0: nobody writes

    uint64_t outbuf_base; // bytes that all interpreters share, `outbuf` in programs
    uint64_t outbuf_size; // 0: none

    uint64_t interrupt; // uint32_t that every interpreter's VM polls (values: interp.h); 0: none

    uint64_t natives; // gpusnek_natives_t (interp.h): machine code of bytecode; 0: none
    uint64_t judging; // gpusnek_judging_t; 0: programs are run, and nothing is called

    uint64_t clock_origin; // nanoseconds since the epoch at the launch
    uint64_t seed;         // of random numbers; interpreters derive their own from it
    uint64_t max_steps;       // of each program (interp.h); 0: no limit
    uint64_t max_steps_each;  // uint64_t[n]: each interpreter's; 0: all have max_steps
    uint64_t deadline_ns;     // nanoseconds that each program may run; 0: no limit
    uint64_t deadline_ns_each; // uint64_t[n]: each interpreter's; 0: all have deadline_ns
    uint64_t steps;           // uint64_t[n]: steps that each program took; 0: not wanted
    uint64_t fail_alloc;   // uint32_t[n]: fail that allocation (1 is the first, 0 none); 0: none
    uint64_t allocations;  // uint32_t[n]: how many allocations were tried, in all; 0: not wanted

    uint64_t profile;        // profiling builds: room of the interpreters that count; 0: none do
    uint64_t profile_stride; // bytes of each one's: gpusnek_profile_t and what follows it
    uint64_t profile_rooms;  // how many count: every profile_step-th warp's, from the first
    uint64_t profile_step;
} gpusnek_launch_t;

// What a build says of itself, which holds for every launch: GPUSNEK_INFO of interpreter.h.
typedef struct gpusnek_info_t {
    uint64_t record_size;  // sizeof(gpusnek_launch_t)
    uint64_t state_size;   // sizeof(porter_state_t)
    uint64_t arena_size;   // an arena without heap and pystack, which a launch chooses
    uint64_t image_size;   // an image without the heap
    uint64_t local_top;    // from the end of the local window to the state; 0: global arenas
    uint64_t stack_size;   // local arenas: C stack as built; a launch cannot have more; else 0
    uint64_t grain;        // heap and pystack are rounded up to this
    uint64_t base_offset;  // from an arena's start to its state, without heap and pystack
} gpusnek_info_t;

#endif
