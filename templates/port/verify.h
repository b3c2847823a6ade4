// The verifier of untrusted bytecode: `.mpy` files and the argument of `marshal.loads`.
//
// Upstream's loader (py/persistentcode.c, patch `verified-code`) calls gpusnek_load_outside() with
// the bytes of a file. Three passes verify them. verify.c checks the file's structure and tables,
// verify_code.c a function's prelude and instructions, and verify_flow.c the stack and the
// exception handlers by abstract interpretation. docs/explanation/robustness.md states the
// guarantees.
#ifndef GPUSNEK_VERIFY_H
#define GPUSNEK_VERIFY_H

#include "py/bc.h"
#include "py/bc0.h"
#include "py/emitglue.h"
#include "py/runtime.h"

#define VERIFY_LOCALS (256) // local variables that can be cells: a prelude has 8-bit numbers
#define VERIFY_FLAGS (0x0f) // MP_SCOPE_FLAG_ALL_SIG: generator, **, *, defaults by name

// The unread bytes of the file.
typedef struct {
    byte *at;
    const byte *end;
} verify_bytes_t;

// The properties of a verified function on which an instruction that creates it depends.
typedef struct {
    uint8_t defaults; // default values of positional arguments
    uint8_t flags; // VERIFY_FLAGS
    uint8_t free_cells; // leading arguments that must be cells, passed by the closure
} verify_child_t;

// A decoded instruction. Offsets are in bytes from the function's first instruction.
typedef struct {
    uint32_t at; // offset of the instruction
    uint32_t next; // offset of the next instruction
    uint32_t argument; // the operand: number of a name, object or variable, or a count
    uint32_t target; // offset to which a jump or an exception handler leads
    uint8_t op;
    uint8_t extra; // a second operand of one byte
} verify_instruction_t;

// A function during its verification.
typedef struct {
    byte *code; // the first instruction
    uint32_t size; // bytes from there to the end of the function's data
    uint32_t names; // size of the module's table of names
    uint32_t objects; // size of the module's table of objects
    const verify_child_t *children; // the functions that this one creates
    uint32_t child_count;
    uint32_t state; // slots of the frame
    uint32_t handlers; // slots of the exception stack
    uint32_t positional; // arguments
    uint32_t locals; // slots of local variables, which are at the end of the frame
    uint32_t free_cells; // as of verify_child_t; grows during verification
    uint8_t flags;
    uint8_t *marks; // VERIFY_START and VERIFY_TARGET, one byte per byte of code
    uint8_t cells[VERIFY_LOCALS / 8]; // bit set of the locals that the prelude makes cells
    uint8_t stored[VERIFY_LOCALS / 8]; // bit set of the locals that instructions store to or delete
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
// Read the next byte, or a number of seven bits per byte that fits 32 bits. Raise ValueError at the
// end of the bytes, or if the number is too long.
byte gpusnek_verify_byte(verify_bytes_t *bytes);
uint32_t gpusnek_verify_number(verify_bytes_t *bytes);
// Decodes the instruction at offset `at`. Raises ValueError if it is incomplete.
void gpusnek_verify_decode(const verify_t *of, uint32_t at, verify_instruction_t *instruction);
// Verifies a function: `length` bytes at `data`. Raises ValueError or MemoryError. May replace an
// instruction in place by equivalent ones (verify_flow.c).
verify_child_t gpusnek_verify_code(verify_t *of, byte *data, uint32_t length);
// Interprets a function abstractly, after verify_code.c has marked its instructions. Raises
// ValueError or MemoryError.
void gpusnek_verify_flow(verify_t *of);
// Loads untrusted code: reads all of `reader` (an mp_reader_t), verifies and loads it. Raises
// ValueError if verification fails, RuntimeError if the C stack is nearly used up, MemoryError, and
// what the reader raises.
//
// No parameter is an mp_reader_t *, so the sandbox's rule does not classify this function as a
// reader of code. Upstream's loader stays refused unless this function or the port's own code calls
// it.
void gpusnek_load_outside(void *reader, mp_compiled_module_t *module);

// Creates the function of a code object. The prelude counts default values, but a code object has
// none: a call without these arguments would read memory behind the function. Here each default is
// MP_OBJ_NULL, so that such an argument is an unbound variable.
mp_obj_t gpusnek_function_of_code(mp_proto_fun_t proto_fun, const mp_module_context_t *context,
    const mp_obj_t *def_args);

#endif
