// Facts about functions for the profiler: size, names and line table of bytecode. The runtime of
// profiling builds (templates/runtime/profile.inc) calls the functions gpusnek_profile_...().
#include "prelude.h"
#include "py/gc.h"
#include "py/qstr.h"

// Evaluates an expression without taking steps of the program: its loops poll too.
#define WITHOUT_STEPS(expression) do { \
    const uint32_t budget = gpusnek_poll_budget; \
    gpusnek_poll_budget = UINT32_MAX; \
    expression; \
    gpusnek_poll_budget = budget; \
} while (0)

// Returns the line of the instruction at `offset`. Lines do not decrease with the offset.
static size_t line_at(const gpusnek_prelude_t *prelude, size_t offset) {
    return mp_bytecode_get_source_line(prelude->lines, prelude->lines_end, offset);
}

// Writes the line of each byte of bytecode to lines[0, size). The search for the end of each line's
// bytes doubles its distance and then bisects, because reading one line number is linear.
static void fill_lines(const mp_obj_fun_bc_t *function, unsigned int *lines, size_t size) {
    const gpusnek_prelude_t prelude = gpusnek_prelude(function);
    const size_t skipped = (size_t)(prelude.first - function->bytecode);
    if (skipped >= size) {
        return;
    }
    const size_t count = size - skipped;
    for (size_t from = 0; from < count;) {
        const size_t line = line_at(&prelude, from);
        // The byte at `inside` belongs to the line, the byte at `beyond` does not.
        size_t inside = from;
        size_t beyond = from + 1;
        while (beyond < count && line_at(&prelude, beyond) == line) {
            inside = beyond;
            const size_t next = from + 2 * (beyond - from);
            beyond = next < count ? next : count;
        }
        while (beyond - inside > 1) {
            const size_t middle = inside + (beyond - inside) / 2;
            if (line_at(&prelude, middle) == line) {
                inside = middle;
            } else {
                beyond = middle;
            }
        }
        for (; from < beyond; from++) {
            lines[skipped + from] = (unsigned int)line;
        }
    }
}

size_t gpusnek_profile_size(const void *bytecode) {
    size_t size = 0;
    WITHOUT_STEPS(size = gc_nbytes(bytecode));
    if (size == 0) { // bytecode that interpreters share is not a heap block
        WITHOUT_STEPS(size = (size_t)(gpusnek_bytecode_end(bytecode) - (const byte *)bytecode));
    }
    return size;
}

const char *gpusnek_profile_name(const void *function, int file) {
    gpusnek_prelude_t prelude;
    WITHOUT_STEPS(prelude = gpusnek_prelude(function));
    return qstr_str(file ? prelude.file : prelude.name);
}

void gpusnek_profile_lines(const void *function, unsigned int *lines, size_t size) {
    WITHOUT_STEPS(fill_lines(function, lines, size));
}
