// Soft keywords: look ahead in the tokens of a line where one token does not decide what begins.
// The patch `syntax` puts this between upstream's lexer (py/lexer.c) and its parser.
#ifndef GPUSNEK_TOKENS_H
#define GPUSNEK_TOKENS_H

#include "py/lexer.h"

typedef struct _gpusnek_tokens_t gpusnek_tokens_t;

// Values of a lexer's gpusnek_refused: the fault of its token.
#define GPUSNEK_WRONG_TOKEN (1) // SyntaxError
#define GPUSNEK_WRONG_TABS (2) // TabError

// Upstream's mp_lexer_to_next(), renamed. It scans one token.
void gpusnek_scan_token(mp_lexer_t *lex);

// Returns whether a source that the interpreter has read names `__doc__`, `getdoc`, `doctest` or
// `help`. The compiler omits docstrings otherwise.
bool gpusnek_keeps_docs(void);

#endif
