// Verification of bytecode from outside: `.mpy` files and `marshal.loads`.
//
// verify.c reads the file and its tables, verify_code.c one function's prelude and instructions, and
// verify_flow.c interprets the instructions abstractly. docs/robustness.md says what is promised.
#ifndef GPUSNEK_VERIFY_H
#define GPUSNEK_VERIFY_H

#include "py/bc.h"
#include "py/bc0.h"
#include "py/emitglue.h"
#include "py/runtime.h"

#define VERIFY_LOCALS (256) // local variables that may be cells: a byte numbers them
#define VERIFY_FLAGS (0x0f) // MP_SCOPE_FLAG_ALL_SIG: generator, **, *, defaults by name

// Bytes of the file that are still to be read.
typedef struct {
    byte *at;
    const byte *end;
} verify_bytes_t;

// Facts of a function that its maker must respect.
typedef struct {
    uint8_t defaults; // of positional arguments
    uint8_t flags; // VERIFY_FLAGS
    uint8_t free_cells; // leading arguments that are cells of a closure
} verify_child_t;

// An instruction. Offsets count from the function's first instruction.
typedef struct {
    uint32_t at;
    uint32_t next;
    uint32_t argument; // of names, numbers and counts
    uint32_t target; // of jumps and handlers
    uint8_t op;
    uint8_t extra;
} verify_instruction_t;

// One function while it is verified.
typedef struct {
    byte *code; // its first instruction
    uint32_t size; // bytes from there to the end of the function's data
    uint32_t names; // of the module's tables
    uint32_t objects;
    const verify_child_t *children;
    uint32_t child_count;
    uint32_t state; // slots of the frame
    uint32_t handlers; // slots of the exception stack
    uint32_t positional;
    uint32_t locals; // slots that local variables use, from the frame's end
    uint32_t free_cells;
    uint8_t flags;
    uint8_t *marks; // VERIFY_START and VERIFY_TARGET, one byte per byte of code
    uint8_t cells[VERIFY_LOCALS / 8]; // locals that the prelude makes cells of
    uint8_t stored[VERIFY_LOCALS / 8]; // locals that instructions store to or delete
} verify_t;

enum {
    VERIFY_START = 1, // an instruction begins here
    VERIFY_TARGET = 2, // a jump or an exception handler leads here
};

static inline bool verify_bit(const uint8_t *bits, uint32_t number) {
    return number < VERIFY_LOCALS && (bits[number / 8] >> number % 8 & 1) != 0;
}

static inline void verify_set_bit(uint8_t *bits, uint32_t number) {
    if (number < VERIFY_LOCALS) {
        bits[number / 8] |= (uint8_t)(1 << number % 8);
    }
}

// Raises ValueError unless `holds`.
void gpusnek_verify_need(bool holds);
// The next byte, or a number of seven bits a byte that fits 32 bits.
byte gpusnek_verify_byte(verify_bytes_t *bytes);
uint32_t gpusnek_verify_number(verify_bytes_t *bytes);
// The instruction at offset `at`. Raises ValueError if it is incomplete.
void gpusnek_verify_decode(const verify_t *of, uint32_t at, verify_instruction_t *instruction);
// Verifies a function: `length` bytes at `data`. Raises ValueError or MemoryError. May rewrite an
// instruction in place by equivalent ones (verify_flow.c).
verify_child_t gpusnek_verify_code(verify_t *of, byte *data, uint32_t length);
// Interprets the instructions that verify_code.c has marked.
void gpusnek_verify_flow(verify_t *of);
// Loads code from outside: reads all of `reader` (an mp_reader_t), verifies and loads it. Raises
// ValueError for code that is not acceptable, MemoryError, and what the reader raises.
//
// No parameter is an mp_reader_t *, so the sandbox's rule does not count this function as a reader of
// code: upstream's loader stays refused except when this function or the port's own code calls it.
void gpusnek_load_outside(void *reader, mp_compiled_module_t *module);

// A function of a code object. Its prelude counts default values, which a code object lacks: a call
// without these arguments would read memory behind the function. Such an argument is unbound instead.
mp_obj_t gpusnek_function_of_code(mp_proto_fun_t proto_fun, const mp_module_context_t *context,
    const mp_obj_t *def_args);

#endif
