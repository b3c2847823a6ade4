// What an interpreter of a profiling build counts, in memory that the launch gives it
// (launch.h: profile): a tree of calls, and in each node counters for each byte of the function's
// bytecode. porter/profiling reads it.
//
// Plain C like launch.h, which includes it. Offsets are from the start of the interpreter's room.
#ifndef GPUSNEK_PROFILE_H
#define GPUSNEK_PROFILE_H

#include <stdint.h>

enum gpusnek_profile_sizes {
    GPUSNEK_PROFILE_DEPTH = 256,  // calls inside each other whose callers are known
    GPUSNEK_PROFILE_NODES = 1024, // ways of calls
    GPUSNEK_PROFILE_CODES = 512,  // functions
};

// Of one instruction, beside how often it was executed; the row of a byte at which none begins
// stays 0.
typedef struct gpusnek_profile_row_t {
    uint64_t time;  // on a GPU ticks until the next instruction of any function; on the host twin
                    // nanoseconds of the processor's, as samples show them
    uint64_t lanes; // on a GPU, sum over executions: lanes of the warp that were active
    uint64_t bytes; // that it asked the heap for
    uint32_t allocations;
    uint32_t collections;
} gpusnek_profile_row_t;

// A function's bytecode.
typedef struct gpusnek_profile_code_t {
    uint64_t key;   // its address; 0: other code may be there by now
    uint32_t size;  // bytes
    uint32_t lines; // uint32_t[size]: offset of the line number of each byte
    uint32_t name;  // offsets of texts
    uint32_t name_size;
    uint32_t file;
    uint32_t file_size;
} gpusnek_profile_code_t;

// A function, called by way of the functions above it. A function that is among them already
// (recursion) is no node of its own. Node 0 is where nothing was called yet.
typedef struct gpusnek_profile_node_t {
    uint64_t calls; // entries; of a generator, resumptions
    uint32_t code;
    uint32_t parent;
    uint32_t child; // the first, 0: none
    uint32_t next;  // the parent's next child, 0: none
    uint32_t counts; // offset of uint64_t[size of the code]: how often each was executed
    uint32_t rows;   // offset of gpusnek_profile_row_t[size of the code]
} gpusnek_profile_node_t;

// A call under way.
typedef struct gpusnek_profile_frame_t {
    uint64_t frame; // the VM's code state
    uint64_t ip;    // the instruction that called on from here, and the function's rows
    uint64_t rows;
    uint32_t node;
    uint32_t unused;
} gpusnek_profile_frame_t;

// The start of the room. Then: the row of what is no line's; frames, nodes and codes; counts, rows,
// line numbers and texts as they come.
typedef struct gpusnek_profile_t {
    uint64_t size;   // bytes of the room
    uint64_t ip;     // address of the running instruction
    uint64_t counts; // where the count of an instruction at address 0 would be; 0: there was no room
    uint64_t rows;   // where its row would be; where there was no room, of a function that called
    uint64_t code;   // address of the running function's bytecode
    uint64_t frame;  // its code state
    uint64_t then;    // on a GPU, ticks when the running instruction began
    uint64_t samples; // on the host twin, how many there were
    uint64_t moves;   // odd while the VM moves from function to function, when ip and rows may differ
    uint32_t depth;
    uint32_t node;
    uint32_t nodes;
    uint32_t codes;
    uint32_t used;   // bytes of the room
    uint32_t full;   // not 0: something had no room
} gpusnek_profile_t;

#endif
