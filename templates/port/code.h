// Shared code (code.c) and properties of bytecode (bytecode.c). Called by lifecycle.c, unmarshal and
// verify code.
#ifndef GPUSNEK_CODE_H
#define GPUSNEK_CODE_H

#include "py/bc.h"
#include "py/lexer.h"
#include "py/parse.h"

// Return whether execution can continue with the next instruction after one with opcode `op`.
bool gpusnek_bytecode_continues(unsigned int op);

// Compile the lexer's source and return the shared code as a bytes object. Raises SyntaxError and
// MemoryError.
mp_obj_t gpusnek_share_code(mp_lexer_t *lexer, mp_parse_input_kind_t kind, bool is_repl);
// Return a function of __main__ made of shared code. The function refers to the bytes, which must
// outlive it. Raises ValueError for bytes that gpusnek_share_code() did not return.
mp_obj_t gpusnek_load_code(const char *code, size_t length);

// Load a .mpy that the port compiled itself or has verified; upstream's loader checks nothing.
// free_length: as of mp_reader_new_mem(). Raises MemoryError.
void gpusnek_load_trusted(const byte *mpy, size_t length, size_t free_length,
    mp_compiled_module_t *module);

#endif
