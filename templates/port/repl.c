// What a REPL asks an interpreter beside running lines: is this input whole, how may it go on.
#include "port.h"
#include "py/mphal.h"
#include "py/mpstate.h" // for py/repl.h
#include "py/repl.h"
#include "py/runtime.h"

// How the name that `source` ends in can go on: what all candidates share, to be appended; or,
// where they share nothing, the candidates themselves, and GPUSNEK_MORE.
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
