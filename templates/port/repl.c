// The prompt's questions about unfinished input: is the statement complete, and which names
// complete the last word. gpusnek_exec() (lifecycle.c) calls gpusnek_ask() for these kinds of source.
#include "port.h"
#include "py/mphal.h"
#include "py/mpstate.h" // for py/repl.h
#include "py/repl.h"
#include "py/runtime.h"

// Completes the name at the end of `source`. Prints the text to append, the common continuation of
// all candidates, and returns GPUSNEK_OK. Without a common continuation it prints the candidates
// and returns GPUSNEK_MORE.
static int complete(const char *source, size_t length) {
    const char *rest = NULL;
    size_t count = mp_repl_autocomplete(source, length, &mp_plat_print, &rest);
    if (count == (size_t)-1) {
        return GPUSNEK_MORE;
    }
    mp_hal_stdout_tx_strn(rest, count);
    return GPUSNEK_OK;
}

int gpusnek_ask(const char *source, size_t length, int kind) {
    if (kind == GPUSNEK_COMPLETE) {
        return complete(source, length);
    }
    return mp_repl_continue_with_input(source) ? GPUSNEK_MORE : GPUSNEK_OK;
}
