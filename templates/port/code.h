// Code that one interpreter compiles and others execute.
#ifndef GPUSNEK_CODE_H
#define GPUSNEK_CODE_H

#include "py/bc.h"
#include "py/lexer.h"
#include "py/parse.h"

// Whether execution can continue with the next instruction after one with opcode `op`.
bool gpusnek_bytecode_continues(unsigned int op);

// A bytes object of the lexer's source, compiled. Raises as compiling does.
mp_obj_t gpusnek_share_code(mp_lexer_t *lexer, mp_parse_input_kind_t kind, bool is_repl);
// A function of __main__ made of bytes that gpusnek_share_code gave. They stay in use: bytecode and
// strings are not copied. Raises ValueError for other bytes.
mp_obj_t gpusnek_load_code(const char *code, size_t length);

// Loads a .mpy that the port compiled itself or has verified, because upstream's loader checks
// nothing. free_length: as of mp_reader_new_mem.
void gpusnek_load_trusted(const byte *mpy, size_t length, size_t free_length,
    mp_compiled_module_t *module);

#endif
