// Code that one interpreter compiles and others execute.
#ifndef GPUSNEK_CODE_H
#define GPUSNEK_CODE_H

#include "py/lexer.h"
#include "py/parse.h"

// A bytes object of the lexer's source, compiled. Raises as compiling does.
mp_obj_t gpusnek_share_code(mp_lexer_t *lexer, mp_parse_input_kind_t kind, bool is_repl);
// A function of __main__ made of bytes that gpusnek_share_code gave. They stay in use: bytecode and
// strings are not copied. Raises ValueError for other bytes.
mp_obj_t gpusnek_load_code(const char *code, size_t length);

#endif
