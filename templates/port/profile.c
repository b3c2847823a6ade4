// Facts about functions for the profiler: size, names and line table of bytecode. The runtime of
// profiling builds (templates/runtime/profile.inc) calls the functions gpusnek_profile_...().
#include "py/bc.h"
#include "py/gc.h"
#include "py/objfun.h"
#include "py/qstr.h"

// Evaluates an expression without taking steps of the program: its loops poll too.
#define WITHOUT_STEPS(expression) do { \
    const uint32_t budget = gpusnek_poll_budget; \
    gpusnek_poll_budget = UINT32_MAX; \
    expression; \
    gpusnek_poll_budget = budget; \
} while (0)

// The decoded prelude of a function's bytecode.
typedef struct {
    qstr name;
    qstr file;
    const byte *line_info;
    const byte *line_info_top;
    const byte *first;
} function_info_t;

// Decodes a function's prelude.
static function_info_t read_function(const mp_obj_fun_bc_t *function) {
    function_info_t info;
    const byte *ip = function->bytecode;
    MP_BC_PRELUDE_SIG_DECODE(ip);
    MP_BC_PRELUDE_SIZE_DECODE(ip);
    (void)n_state;
    (void)n_exc_stack;
    (void)scope_flags;
    (void)n_def_pos_args;
    info.line_info_top = ip + n_info;
    info.first = ip + n_info + n_cell;
    info.name = mp_decode_uint_value(ip);
    for (size_t i = 0; i < 1 + n_pos_args + n_kwonly_args; ++i) {
        ip = mp_decode_uint_skip(ip);
    }
    info.line_info = ip;
    #if MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE
    info.name = function->context->constants.qstr_table[info.name];
    info.file = function->context->constants.qstr_table[0];
    #else
    info.file = function->context->constants.source_file;
    #endif
    return info;
}

// Returns the line of the instruction at `offset`. Lines do not decrease with the offset.
static size_t line_at(const function_info_t *info, size_t offset) {
    return mp_bytecode_get_source_line(info->line_info, info->line_info_top, offset);
}

// Writes the line of each byte of bytecode to lines[0, size). The search for the end of each line's
// bytes doubles its distance and then bisects, because reading one line number is linear.
static void fill_lines(const mp_obj_fun_bc_t *function, unsigned int *lines, size_t size) {
    const function_info_t info = read_function(function);
    const size_t skipped = (size_t)(info.first - function->bytecode);
    if (skipped >= size) {
        return;
    }
    const size_t count = size - skipped;
    for (size_t from = 0; from < count;) {
        const size_t line = line_at(&info, from);
        // The byte at `inside` belongs to the line, the byte at `beyond` does not.
        size_t inside = from;
        size_t beyond = from + 1;
        while (beyond < count && line_at(&info, beyond) == line) {
            inside = beyond;
            const size_t next = from + 2 * (beyond - from);
            beyond = next < count ? next : count;
        }
        while (beyond - inside > 1) {
            const size_t middle = inside + (beyond - inside) / 2;
            if (line_at(&info, middle) == line) {
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
    function_info_t info;
    WITHOUT_STEPS(info = read_function(function));
    return qstr_str(file ? info.file : info.name);
}

void gpusnek_profile_lines(const void *function, unsigned int *lines, size_t size) {
    WITHOUT_STEPS(fill_lines(function, lines, size));
}
