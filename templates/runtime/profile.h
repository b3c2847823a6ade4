// Counter buffer of one interpreter of a profiling build, in memory of the launch (launch.h:
// profile): a tree of calls, and in each node counters for each byte of the function's bytecode.
// profile_hooks.h and profile.inc write it, porter/profiling reads it.
//
// Plain C like launch.h, which includes it. Offsets are in bytes from the start of the buffer.
#ifndef GPUSNEK_PROFILE_H
#define GPUSNEK_PROFILE_H

#include <stdint.h>

enum gpusnek_profile_sizes {
    GPUSNEK_PROFILE_DEPTH = 256,  // nested calls; deeper calls count for the deepest known caller
    GPUSNEK_PROFILE_NODES = 1024, // nodes of the call tree
    GPUSNEK_PROFILE_CODES = 512,  // functions
};

// Counters of one instruction, beside its number of executions. The row of a byte at which no
// instruction begins stays 0.
typedef struct gpusnek_profile_row_t {
    uint64_t time;  // GPU: clock cycles until the next instruction of any function; host twin:
                    // nanoseconds of processor time, estimated from samples
    uint64_t lanes; // GPU: number of active lanes of the warp, summed over executions
    uint64_t bytes; // requested from the heap
    uint32_t allocations;
    uint32_t collections;
} gpusnek_profile_row_t;

// A function's bytecode.
typedef struct gpusnek_profile_code_t {
    uint64_t key;   // its address; 0: the address may hold other code by now
    uint32_t size;  // bytes
    uint32_t lines; // uint32_t[size]: offset of the line number of each byte
    uint32_t name;  // offsets of texts
    uint32_t name_size;
    uint32_t file;
    uint32_t file_size;
} gpusnek_profile_code_t;

// A node of the call tree: a function, called through the functions of its ancestors. A recursive
// call gets no node of its own. Node 0, the root, is no function.
typedef struct gpusnek_profile_node_t {
    uint64_t calls; // entries; of a generator, resumptions
    uint32_t code;
    uint32_t parent;
    uint32_t child;  // first child; 0: none
    uint32_t next;   // next child of the parent; 0: none
    uint32_t counts; // offset of uint64_t[size of the code]: executions
    uint32_t rows;   // offset of gpusnek_profile_row_t[size of the code]
} gpusnek_profile_node_t;

// An active call.
typedef struct gpusnek_profile_frame_t {
    uint64_t frame; // the VM's code state
    uint64_t ip;    // the instruction that called the next frame's function
    uint64_t rows;  // rows of this frame's function
    uint32_t node;
    uint32_t unused;
} gpusnek_profile_frame_t;

// The start of the buffer. After it: the row of time outside of functions; frames, nodes and codes;
// then counts, rows, line numbers and texts in order of allocation.
typedef struct gpusnek_profile_t {
    uint64_t size;   // bytes of the buffer
    uint64_t ip;     // address of the running instruction
    uint64_t counts; // address of the count of an instruction at address 0; 0: the buffer is full
    uint64_t rows;   // address of its row; of a caller's if the buffer is full
    uint64_t code;   // address of the running function's bytecode
    uint64_t frame;  // its code state
    uint64_t then;    // GPU: clock at which the running instruction began
    uint64_t samples; // host twin: number of samples
    uint64_t moves;   // odd while the VM changes the function, when ip and rows may not match
    uint32_t depth;   // active calls
    uint32_t node;    // of the running function
    uint32_t nodes;
    uint32_t codes;
    uint32_t used;   // bytes of the buffer
    uint32_t full;   // not 0: an allocation has failed
} gpusnek_profile_t;

#endif
